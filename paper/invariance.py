"""Metric invariance: is one channel best for every symmetric entropy under some constraints, or do two disagree?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Channel, GuessError, Prior, Shannon, entropy
from minleak.errors import InvalidParameter
from minleak.lab import ConditionalEntropy, Joint, optimise
from minleak.results import Optimum

# Whose optima are compared unless others are given: both sides of order 1, guessing once and until right.
TRIED = ("shannon", "arimoto:2", "guesswork", "min-entropy", "arimoto:0.5")
# Sorted posteriors further apart than this do not coincide; optima missed by more are missed.
COINCIDE = 1e-6


@dataclass(frozen=True)
class Conflict:
    """Two entropies that no channel is best for at once.

    Every channel that is best for the first leaks more than the least in the second, by at least `shortfall`
    (certified). `regret` is what the best channel for the first loses in the second, and that for the second in the
    first, each in its own unit.
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
    posterior: np.ndarray | None
    spread: float
    conflict: Conflict | None
    optima: dict[str, Optimum]


def metric_invariance(
    prior: Any, *, entropies: Iterable[ConditionalEntropy | str] = TRIED, **constraints: Any
) -> Invariance:
    """Is there a channel that maximises H(X|Y) for every symmetric core-concave H at once, under the constraints of
    `minleak.optimise`?

    *Yes* is proven by a channel that attains the optimum of every l-guess error, l = 1, ..., n-1, and whose posteriors,
    each sorted, are one vector pi. For any other channel, the average m of its sorted posteriors then has
    m_1 + ... + m_l >= pi_1 + ... + pi_l for all l, so that sum p(y) F(posterior y) <= F(m) <= F(pi) for every concave
    symmetric F. If there is such a channel, Shannon's optimum is one (F is strictly concave), so that is where it is
    looked for. That the l-guess optima are optima is certified by n-1 linear programmes.

    *No* is proven by two of the `entropies`: no channel that is best for one is best for the other.

    Otherwise it is undecided: the l-guess optima or the posteriors disagree, but none of the entropies tried does.

    >>> free = metric_invariance([2, 1, 1], allowed=[[1, 1], [1, 1], [1, 1]])
    >>> free.ok, free.posterior.round(6)
    (True, array([0.5 , 0.25, 0.25]))
    """
    prior = Prior(prior) if not isinstance(prior, Prior) else prior
    chosen = [entropy(H) if isinstance(H, str) else H for H in entropies]
    for H in chosen:
        if not H.symmetric:
            raise InvalidParameter(f"metric invariance is about symmetric entropies, which {H.name} is not")
    optima = {H.name: optimise(prior, entropy=H, **constraints) for H in chosen}
    shannon = optima.get("shannon") or optimise(prior, entropy=Shannon(), **constraints)
    levels = _guess_levels(prior, constraints)
    channel = _with_one_posterior(prior, shannon.channel, levels, constraints) or shannon.channel
    posterior, spread, short = _sorted_posterior(prior, channel, levels)
    if spread <= COINCIDE and short <= COINCIDE:
        why = (
            f"the channel attains every l-guess optimum to within {max(short, 0.0):.1e}, and its sorted posteriors "
            f"coincide to within {spread:.1e}: it is best for every symmetric core-concave entropy"
        )
        return Invariance(True, why, channel, posterior, spread, None, optima)
    for i, first in enumerate(chosen):
        for second in chosen[i + 1 :]:
            conflict = _conflict(prior, first, second, optima, constraints)
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


def _guess_levels(prior: Prior, constraints: dict[str, Any]) -> np.ndarray:
    """pi_1 + ... + pi_l can be no less than this, for l = 1, ..., n, by certified bounds on the l-guess errors."""
    least = np.ones(len(prior))
    for l in range(1, len(prior)):
        H = GuessError(l)
        least[l - 1] = 1 - H(prior) + optimise(prior, entropy=H, **constraints).bound
        if least[l - 1] >= 1 - 1e-12:  # more guesses are no less certain
            break
    return least


def _sorted_posterior(prior: Prior, channel: Channel, levels: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The mean of the sorted posteriors, how far they are apart, and by how much an l-guess optimum is missed."""
    joint = Joint(prior, channel).matrix()
    weights = joint.sum(axis=0)
    used = weights > 1e-12
    sorted_posteriors = -np.sort(-joint[:, used] / weights[used], axis=0)
    average = sorted_posteriors @ weights[used] / weights[used].sum()
    spread = float(np.abs(sorted_posteriors - average[:, None]).max())
    return average, spread, float((np.cumsum(sorted_posteriors @ weights[used]) - levels).max())


def _with_one_posterior(
    prior: Prior, channel: Channel, levels: np.ndarray, constraints: dict[str, Any]
) -> Channel | None:
    """The channel whose posteriors are those of the levels in the orders of the given one's, if one is feasible.

    Shannon's optimum is found by an interior-point method, its posteriors only to the square root of the gap. Given
    their orders, the weights of the columns solve a small linear system, which has all the digits.
    """
    from scipy.optimize import nnls

    if constraints.get("fixed") is not None:
        return None
    joint = Joint(prior, channel).matrix()
    places = np.flatnonzero(joint.sum(axis=0) > COINCIDE)
    order = np.argsort(-joint[:, places], axis=0, kind="stable")
    posteriors = np.zeros(order.shape)
    np.put_along_axis(posteriors, order, np.broadcast_to(np.diff(levels, prepend=0.0)[:, None], order.shape), axis=0)
    allowed = constraints.get("allowed")
    if allowed is not None:
        closed = ~np.asarray(allowed, dtype=bool)[:, places]
        if (posteriors * closed).max() > 1e-9:
            return None
        posteriors[closed] = 0.0
    weights, residual = nnls(posteriors, prior.p)
    whole = np.zeros_like(joint)
    whole[:, places] = posteriors * weights
    sums = whole.sum(axis=1)
    if residual > 1e-9 or not (sums[prior.p > 0] > 0).all():
        return None
    matrix = channel.toarray().copy()  # of secrets of probability zero
    matrix[prior.p > 0] = whole[prior.p > 0] / sums[prior.p > 0, None]
    if constraints.get("budget") is not None:
        spent = float((prior.p[:, None] * matrix * np.asarray(constraints["cost"])).sum())
        if spent > constraints["budget"] + 1e-9:
            return None
    return Channel(matrix, inputs=channel.inputs, outputs=channel.outputs)


def _conflict(
    prior: Prior,
    first: ConditionalEntropy,
    second: ConditionalEntropy,
    optima: dict[str, Optimum],
    constraints: dict[str, Any],
) -> Conflict | None:
    """A proof that no channel is best for both, or None: among the best for the first, the least leakage in the second
    has a certified bound, which is compared with the least of all.
    """
    both = optimise(prior, entropy=[first, second], **constraints)
    best = [optima[H.name] for H in (first, second)]
    shortfall = both.stages[1].bound - best[1].leakage
    if shortfall <= COINCIDE:
        return None
    regret = (
        second.conditional(prior, best[1].channel) - second.conditional(prior, best[0].channel),
        first.conditional(prior, best[0].channel) - first.conditional(prior, best[1].channel),
    )
    return Conflict((first.name, second.name), shortfall, regret)
