"""metric_invariance: is one channel best for every symmetric entropy here, or do two entropies disagree?"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.channel import Channel
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy, Entropy
from minleak._entropy.guessing import GuessError
from minleak._entropy.names import as_entropies
from minleak._optimise.feasible import check_feasible
from minleak._optimise.given import as_problem
from minleak._optimise.optimum import lexicographic
from minleak._optimise.problem import Problem
from minleak._optimise.programme import Programme, convex_form, term_of
from minleak._optimise.result import Optimum
from minleak._optimise.solve import solve
from minleak.errors import InvalidParameter, SolverFailed

# Whose optima are compared unless others are given: both sides of order 1, guessing once and until right.
TRIED = ("shannon", "arimoto:2", "guesswork", "min-entropy", "arimoto:0.5")
# Sorted posteriors further apart than this do not coincide; l-guess optima missed by more are missed.
COINCIDE = 1e-6


@dataclass(frozen=True)
class Conflict:
    """Two entropies that no channel is best for at once.

    Every channel falls short of one optimum or the other: the concave cores of both, added up, stay below the sum of
    their optima by at least `shortfall` (certified). `regret` is what the best channel for the first loses in the
    second, and that for the second in the first, each in its own unit.
    """

    entropies: tuple[str, str]
    shortfall: float
    regret: tuple[float, float]


@dataclass(frozen=True)
class Invariance:
    """The answer: `ok` is True (with `channel` and its `posterior`), False (with `conflict`) or None, undecided.

    `optima` has the best channel for every entropy tried, by name; `why` is the proof, or what was tried, in words.
    `spread` is the largest distance between a sorted posterior of the channel and `posterior`.
    """

    ok: bool | None
    why: str
    channel: Channel | None
    posterior: Array | None
    spread: float
    conflict: Conflict | None
    optima: dict[str, Optimum]


def metric_invariance(
    prior: Prior | Iterable[Any],
    *,
    allowed: Any = None,
    cost: Any = None,
    budget: Any = None,
    fixed: Any = None,
    outputs: Iterable[Hashable] | None = None,
    entropies: Iterable[ConditionalEntropy | str] = TRIED,
    gap: float = 1e-6,
) -> Invariance:
    """Is there a channel that maximises H(X|Y) for every symmetric core-concave H at once, under these constraints?

    *Yes* is proven by a channel that attains the optimum of every l-guess error, l = 1, ..., n-1, and whose posteriors,
    each sorted, are one vector pi. For any other channel, the average m of its sorted posteriors then has
    m_1 + ... + m_l >= pi_1 + ... + pi_l for all l, so that sum p(y) F(posterior y) <= F(m) <= F(pi) for every concave
    symmetric F. If there is such a channel, Shannon's optimum is one (F is strictly concave), so that is where it is
    looked for. That the l-guess optima are optima is certified by n-1 linear programmes.

    *No* is proven by two of the `entropies` whose cores, added up, cannot reach the sum of their optima.

    Otherwise it is undecided: the l-guess optima or the posteriors disagree, but none of the entropies tried does.

    >>> free = metric_invariance([2, 1, 1], allowed=[[1, 1], [1, 1], [1, 1]])
    >>> free.ok, free.posterior.round(6)
    (True, array([0.5 , 0.25, 0.25]))
    """
    forms = [convex_form(H) for H in _symmetric(entropies)]
    problem = as_problem(prior, allowed=allowed, cost=cost, budget=budget, fixed=fixed, outputs=outputs)
    check_feasible(problem)
    optima = {H.name: lexicographic(problem, [H], enough=gap) for H in forms}
    shannon = optima.get("shannon") or lexicographic(problem, [convex_form("shannon")], enough=gap)
    levels = _guess_levels(problem)
    channel, posterior, spread, short = _one_posterior(problem, shannon.channel, levels)
    if spread <= COINCIDE and short <= COINCIDE:
        why = (
            f"the channel attains every l-guess optimum to within {max(short, 0.0):.1e}, and its sorted posteriors "
            f"coincide to within {spread:.1e}: it is best for every symmetric core-concave entropy"
        )
        return Invariance(True, why, channel, posterior, spread, None, optima)
    for i, first in enumerate(forms):
        for second in forms[i + 1 :]:
            conflict = _conflict(problem, first, second, optima)
            if conflict is not None:
                names = " and ".join(conflict.entropies)
                why = (
                    f"no channel is best for both {names}: the best for one loses {conflict.regret[0]:.4g} or "
                    f"{conflict.regret[1]:.4g} in the other"
                )
                return Invariance(False, why, None, None, spread, conflict, optima)
    why = (
        f"Shannon's optimum misses l-guess optima by {max(short, 0.0):.1e} and its sorted posteriors are {spread:.1e} "
        f"apart, which proves nothing, and no two of {', '.join(optima)} were found to disagree"
    )
    return Invariance(None, why, None, None, spread, None, optima)


def _symmetric(entropies: Iterable[ConditionalEntropy | str]) -> list[ConditionalEntropy]:
    chosen = as_entropies(entropies)
    for H in chosen:
        if not isinstance(H, Entropy) or not H.symmetric:
            raise InvalidParameter(f"metric invariance is about symmetric entropies, which {H.name} is not")
    return chosen


def _guess_levels(problem: Problem) -> Array:
    """pi_1 + ... + pi_l can be no less than this, for l = 1, ..., n, by certified bounds on the l-guess errors."""
    n = len(problem.prior)
    least = np.ones(n)
    for l in range(1, n):
        solved = solve(Programme(problem, (term_of(problem, convex_form(GuessError(l))),)), enough=COINCIDE)
        least[l - 1] = 1 - solved.bound
        if least[l - 1] >= 1 - 1e-12:  # more guesses are no less certain
            break
    return least


def _one_posterior(problem: Problem, channel: Channel, levels: Array) -> tuple[Channel, Array, float, float]:
    """The channel made exact, if its posteriors are one vector in other orders; that vector; how far both are off."""
    joint = channel.joint(problem.prior)
    weights = joint.sum(axis=0)
    used = weights > COINCIDE
    pi = np.diff(levels, prepend=0.0)
    exact = _relaid(problem, joint, pi, used)
    if exact is not None:
        joint, channel = exact.joint(problem.prior), exact
        weights = joint.sum(axis=0)
        used = weights > 1e-12
    sorted_posteriors = -np.sort(-joint[:, used] / weights[used], axis=0)
    average = sorted_posteriors @ weights[used] / weights[used].sum()
    spread = float(np.abs(sorted_posteriors - average[:, None]).max())
    short = float((np.cumsum(sorted_posteriors @ weights[used]) - levels).max())
    return channel, average, spread, short


def _relaid(problem: Problem, joint: Array, pi: Array, used: Any) -> Channel | None:
    """The channel whose posteriors are pi in the orders of the joint's columns, if there is one that keeps the budgets.

    Shannon's optimum is found by an interior-point method, its posteriors only to the square root of the gap. Given
    their orders, the weights of the columns solve a small linear system, which has all the digits.
    """
    from scipy.optimize import nnls

    if len(problem.settled):
        return None
    order = np.argsort(-joint[:, used], axis=0, kind="stable")
    posteriors = np.zeros_like(order, dtype=np.float64)
    np.put_along_axis(posteriors, order, np.broadcast_to(pi[:, None], order.shape), axis=0)
    places = np.flatnonzero(used)
    if (posteriors * ~problem.allowed[:, places]).max() > 1e-9:
        return None
    weights, residual = nnls(posteriors, problem.prior.p)
    if residual > 1e-9:
        return None
    whole = np.zeros_like(joint)
    whole[:, places] = posteriors * weights * problem.allowed[:, places]
    z = whole[problem.rows, problem.columns]
    if not ((problem.summing @ z)[problem.left > 0] > 0).all():
        return None
    z = problem.row_scaled(z)
    if any(cost @ z > budget + 1e-9 for cost, budget in zip(problem.costs, problem.budgets, strict=True)):
        return None
    return problem.channel(z)


def _conflict(problem: Problem, first: Entropy, second: Entropy, optima: dict[str, Optimum]) -> Conflict | None:
    """A proof that no channel is best for both, or None."""
    z = {m.name: optima[m.name].channel.joint(problem.prior)[problem.rows, problem.columns] for m in (first, second)}
    terms = [term_of(problem, m) for m in (first, second)]
    names = first.name, second.name
    attained = sum(term.total(z[name]) for term, name in zip(terms, names, strict=True))
    try:
        together = solve(Programme(problem, tuple(terms)), enough=1e-9)
    except SolverFailed:
        return None
    shortfall = attained - together.bound
    if shortfall <= COINCIDE:
        return None
    channels = [optima[name].channel for name in names]
    regret = (
        second.conditional(problem.prior, channels[1]) - second.conditional(problem.prior, channels[0]),
        first.conditional(problem.prior, channels[0]) - first.conditional(problem.prior, channels[1]),
    )
    return Conflict(names, shortfall, regret)
