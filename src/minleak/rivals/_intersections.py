"""Several looks at one secret: what an attacker learns from sets that were drawn independently.

A look shows the set M for secret x with probability |M| / d(x): the places that lead to M over those that x has. After
the sets M_1, ..., M_t of t looks the posterior of x is proportional to p(x) / (d_1(x) ... d_t(x)) where they meet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._prior import Prior
from minleak.core._simulating import margin
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak.core._plan.set_plan import SetPlan

# How many (intersection, set) pairs a step of the exact computation may visit, and of how many secrets at most.
_EXACT, _SECRETS = 200_000, 64
# Up to this size two sets are compared member by member, above it by sorting.
_SMALL = 64
# Numbers in an array that trials are compared in.
_CELLS = 4_000_000


class Look:
    """A plan that one set is drawn from. `places` are the positions in the plan of the secrets that may be the one."""

    def __init__(self, plan: SetPlan, places: Indices | None = None) -> None:
        n = len(plan.prior)
        self.plan = plan
        self.places = np.arange(n) if places is None else places
        self.number = np.full(n + 1, -1, dtype=np.int64)  # the last place is for nobody, who is written -1
        self.number[self.places] = np.arange(len(self.places))

    @cached_property
    def owned(self) -> Any:
        """How many places of the plan each secret has."""
        return np.maximum(self.plan.places(self.places), 1)

    @cached_property
    def log_owned(self) -> Array:
        """The logarithms of these."""
        return np.asarray(np.log(self.owned.astype(np.float64)))

    def draw(self, secrets: Indices, rng: np.random.Generator) -> Indices:
        """A set for each secret, a row each; -1 for members that are not looked for."""
        shown = self.plan.locate(self.places[secrets], rng.integers(0, self.owned[secrets]))
        return np.asarray(self.number[shown])

    @cached_property
    def sets(self) -> dict[int, int]:
        """All sets as bits, each with its places."""
        sets: dict[int, int] = {}
        for members, length in self.plan.weighted_sets():
            found = self.number[np.asarray(members)]
            mask = sum(1 << x for x in found[found >= 0].tolist())
            sets[mask] = sets.get(mask, 0) + length
        sets.pop(0, None)
        return sets


Interval = tuple[float, float, float]


def success_after(
    looks: Sequence[Look],
    prior: Prior,
    wanted: Sequence[int],
    trials: int,
    rng: np.random.Generator,
    exact: bool | None = None,
) -> tuple[list[Interval], bool]:
    """The attacker's success after each of the wanted numbers of looks, as (value, low, high), and whether it is exact.
    It is computed exactly if possible, unless `exact` is False; else simulated, with a 99% interval.
    """
    values = None if exact is False else _compute_exactly(looks, prior, wanted)
    if values is not None:
        return [(value, value, value) for value in map(float, values)], True
    if exact:
        raise InvalidParameter("the plan has too many sets to go through all sequences: leave out exact=True")
    simulated = _simulate(looks, prior.p, wanted, trials, rng)
    return [(mean, max(mean - half, 0.0), min(mean + half, 1.0)) for mean, half in simulated], False


def _compute_exactly(looks: Sequence[Look], prior: Prior, wanted: Sequence[int]) -> list[Fraction] | None:
    """The sum over the intersections I that can be left of (the weight of the sets that leave I) times the largest
    p(x) / (d_1(x) ... d_t(x)) in I; None where too much would have to be listed.
    """
    n = len(prior)
    if n > _SECRETS or any(look.plan.n_cells > _EXACT // 4 for look in looks):
        return None
    weights = [Fraction(weight) for weight in prior.weights.tolist()]
    total = sum(weights)  # that of floats may not be finite
    odds = [weight / total for weight in weights]
    after, result = {(1 << n) - 1: 1}, {}
    for t, look in enumerate(looks, 1):
        if len(after) * len(look.sets) > _EXACT:
            return None
        stepped: dict[int, int] = {}
        for left, weight in after.items():
            for mask, length in look.sets.items():
                if left & mask:
                    stepped[left & mask] = stepped.get(left & mask, 0) + weight * length
        after, odds = stepped, [chance / d for chance, d in zip(odds, look.owned.tolist(), strict=True)]
        if t in wanted:
            best = ((weight, max(odds[x] for x in range(n) if left >> x & 1)) for left, weight in after.items())
            result[t] = sum((weight * chance for weight, chance in best), Fraction(0))
    return [result[t] for t in wanted]


def _simulate(
    looks: Sequence[Look], p: Array, wanted: Sequence[int], trials: int, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """(mean, half of a 99% interval) for each of the wanted numbers, from simulated secrets."""
    with np.errstate(divide="ignore"):
        log_p = np.log(p)
    cumulated, chances = np.cumsum(p), {t: list[Array]() for t in wanted}
    k = max(look.plan.k for look in looks)
    chunk = max(1, _CELLS // (k * min(k, _SMALL)))
    for begin in range(0, trials, chunk):
        size = min(chunk, trials - begin)
        secrets = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right").astype(np.int64)
        candidates = looks[0].draw(secrets, rng)
        alive, score = candidates >= 0, log_p[candidates]
        for t, look in enumerate(looks, 1):
            if t > 1:
                alive &= _among(candidates, look.draw(secrets, rng))
            score = score - look.log_owned[candidates]
            if t in chances:
                left = np.where(alive, score, -math.inf)
                odds = np.exp(left - left.max(axis=1, keepdims=True))
                chances[t].append(1.0 / odds.sum(axis=1))
    found = [np.concatenate(chances[t]) for t in wanted]
    return [(float(chance.mean()), float(margin(chance))) for chance in found]


def _among(candidates: Indices, seen: Indices) -> npt.NDArray[np.bool_]:
    """Row by row, which candidates are also among those seen."""
    rows, k = seen.shape
    if k <= _SMALL:
        return np.asarray((candidates[:, :, None] == seen[:, None, :]).any(axis=2))
    apart = (np.arange(rows, dtype=np.int64) * (int(max(candidates.max(), seen.max())) + 2))[:, None]
    return np.isin(candidates + apart, seen + apart, kind="sort")
