"""Several attackers at once: the least weighted sum of leakages, or the least of the largest.

min over C of max over i of L_i(C) = max over weights w of min over C of sum w_i L_i(C), since each L_i is convex in the
channel. A channel that is best for some weights gives a plane above the right-hand side; the weights at which these
planes are highest are tried next, until both sides meet. The answer is the mixture of channels with the least plane: it
leaks at most the mixture of their leakages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.base import Entropy
from minleak.core._leakage import difference
from minleak.core._parameters import as_list, real
from minleak.errors import InvalidParameter, SolverFailed, quote
from minleak.lab._optimise.bound import Solved
from minleak.lab._optimise.cores.of_entropy import gains_of, slope
from minleak.lab._optimise.problem import Problem
from minleak.lab._optimise.programme import Programme, term_of
from minleak.lab._optimise.result import Optimum, Stage
from minleak.lab._optimise.solve import CLOSE, solve

# The most weights to try.
_ROUNDS = 60


def optimise_weighted(
    problem: Problem, entropies: Sequence[Entropy], weights: Sequence[float] | str, *, enough: float
) -> Optimum:
    """The optimum for weights of the entropies, or for "worst"."""
    slopes = [_slope_of(H) for H in entropies]
    before = np.array([H(problem.prior) for H in entropies])
    if isinstance(weights, str):
        if weights != "worst":
            raise InvalidParameter(f"weights are a number for each entropy, or 'worst', not {quote(weights)}")
        mix, z, bound, found = _solve_worst(problem, entropies, slopes, before, enough)
    else:
        mix = _as_weights(weights, len(entropies))
        found = _solve_weighted(problem, entropies, slopes, mix)
        z, bound = found.z, float(mix @ before) - found.bound
    channel = problem.channel(z)
    after = np.array([H.conditional(problem.prior, channel) for H in entropies])
    leaked = np.array([difference(H, b, a) for H, b, a in zip(entropies, before, after, strict=True)])
    total = float(leaked.max()) if isinstance(weights, str) else float(mix @ leaked)
    bound = min(max(bound, 0.0), total)
    if not total - bound <= enough:
        raise SolverFailed(
            f"the channel found leaks {total:.9g} in all, and only {bound:.9g} is proven to be the least: further "
            f"apart than gap={enough:g} (the solver said {found.status!r})"
        )
    prices = tuple(float(price) / scale for price, scale in zip(found.mu, problem.scales, strict=True))
    stages = tuple(
        Stage(H.name, float(a), float(leak), 0.0, prices, found.status)
        for H, a, leak in zip(entropies, after, leaked, strict=True)
    )
    return Optimum(
        channel=channel,
        value=float(mix @ after),
        leakage=total,
        bound=bound,
        status="certified",
        shadow_price=prices[0] if prices else 0.0,
        costs=problem.spent(z),
        stages=stages,
        mix=tuple(mix.tolist()),
    )


def _solve_weighted(problem: Problem, entropies: Sequence[Entropy], slopes: Sequence[float], mix: Array) -> Solved:
    """Maximise the weighted sum of the H(X|Y), each a slope times the sum of its core."""
    terms = tuple(
        replace(term_of(problem, H), weight=float(w * rise))
        for H, rise, w in zip(entropies, slopes, mix, strict=True)
        if w > 0
    )
    if len(terms) > 1:
        return solve(Programme(problem, terms), enough=CLOSE)
    w = terms[0].weight  # a single term goes to the solvers that are made for it
    one = solve(Programme(problem, (replace(terms[0], weight=1.0),)), enough=CLOSE / w)
    return replace(one, objective=w * one.objective, bound=w * one.bound, mu=w * one.mu)


def _solve_worst(
    problem: Problem, entropies: Sequence[Entropy], slopes: Sequence[float], before: Array, enough: float
) -> tuple[Array, Array, float, Solved]:
    """The weights, entries, bound, and the solution for these weights."""
    from scipy.optimize import linprog

    count = len(entropies)
    terms = [term_of(problem, H) for H in entropies]
    mix: Array = np.full(count, 1 / count)
    best = (-math.inf, mix)
    entries: list[Array] = []
    leaks: list[Array] = []
    found = solved = _solve_weighted(problem, entropies, slopes, mix)
    for number in range(_ROUNDS):
        found = _solve_weighted(problem, entropies, slopes, mix) if number else found
        bound = float(mix @ before) - found.bound
        if bound > best[0]:
            best, solved = (bound, mix), found
        entries.append(found.z)
        leaks.append(before - np.array([s * term.total(found.z) for s, term in zip(slopes, terms, strict=True)]))
        # The least over mixtures of the largest leakage; its multipliers are the next weights.
        plane = np.array(leaks).T
        result = linprog(
            np.append(np.zeros(len(leaks)), 1.0),
            A_ub=np.hstack([plane, -np.ones((count, 1))]),
            b_ub=np.zeros(count),
            A_eq=np.append(np.ones(len(leaks)), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, None)] * len(leaks) + [(None, None)],
            method="highs",
        )
        if result.status != 0:
            raise SolverFailed(f"HiGHS could not weigh the attackers: {result.message}")
        z = np.einsum("i,ij->j", result.x[:-1], np.array(entries))
        if float(result.fun) - best[0] <= enough / 2:
            break
        mix = np.maximum(-np.asarray(result.ineqlin.marginals), 0.0)
        mix = mix / mix.sum()
    return best[1], z, best[0], solved


def _slope_of(H: Entropy) -> float:
    """The slope of H(X|Y) in the sum of its core, if it is constant."""
    if gains_of(H) is None:
        at = [slope(H, u) for u in (0.05, 0.2)]
        if abs(at[0] - at[1]) <= 1e-6 * abs(at[0]):
            return 0.5 * (at[0] + at[1])
    raise InvalidParameter(
        f"{H.name} is not concave in the joint, so a weighted sum or the worst of several is not a convex problem: use "
        "shannon, guesswork or guess-error:l, or give the entropies in order without weights="
    )


def _as_weights(weights: Any, count: int) -> Array:
    given = [
        real(w, "a weight is a number from 0 on", least=0) for w in as_list(weights, "weights are a list of numbers")
    ]
    if len(given) != count:
        raise InvalidParameter(f"{len(given)} weights for {count} entropies: give one for each")
    if not 0 < sum(given) < math.inf:
        raise InvalidParameter("weights are finite numbers from 0 on, and not all 0")
    return np.array(given)
