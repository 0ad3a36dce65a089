"""Repeated draws: what an attacker learns who sees several fresh sets of the same secret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array, Indices
from minleak._data.parameters import listed, truth, whole
from minleak._data.simulating import TRIALS, generator, margin
from minleak._design.rings import Arrangement
from minleak._design.stored.sampler import Sampler
from minleak._design.stored.saving import tables_of
from minleak.errors import InvalidParameter

# The most draws of one secret.
_DRAWS = 10_000
# How many (intersection, set) pairs a step of the exact computation may visit.
_EXACT = 200_000
# Up to this size two sets are compared member by member, above it by sorting.
_SMALL = 64


@dataclass(frozen=True)
class Repeated:
    """The optimal attacker's success after each number of draws, with a 99% confidence interval unless exact."""

    draws: tuple[int, ...]
    success: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    exact: bool
    trials: int

    def __str__(self) -> str:
        lines = [f"{'draws':>6}  {'success':>9}  {'99% interval':>20}"]
        for t, s, a, b in zip(self.draws, self.success, self.low, self.high, strict=True):
            lines.append(f"{t:>6}  {s:>9.5f}  {'exact' if self.exact else f'{a:.5f} .. {b:.5f}':>20}")
        return "\n".join(lines)


def repeated_success(
    plan: Arrangement, draws: Sequence[int], *, trials: int, seed: int, exact: bool | None
) -> Repeated:
    """After the sets M_1..M_t the posterior of x is proportional to p(x) / d_x^t on the intersection of the sets,
    where d_x = u w_x for x on rings and s for a giant: p(M given x) is the length of M's phases over d_x.
    """
    given = listed(draws, f"draws are some whole numbers from 1 to {_DRAWS:,}", some=True)
    wanted = tuple(whole(t, "each of the draws", 1, _DRAWS) for t in given)
    trials, rng = whole(trials, "trials", 2, TRIALS), generator(seed)
    exact = None if exact is None else truth(exact, "exact")
    if exact is not False:
        values = _exactly(plan, wanted)
        if values is not None:
            floats = tuple(float(value) for value in values)
            return Repeated(wanted, floats, floats, floats, True, 0)
        if exact:
            raise InvalidParameter("the plan has too many sets to go through all sequences: leave out exact=True")
    return _simulated(plan, wanted, trials, rng)


def _exactly(plan: Arrangement, draws: tuple[int, ...]) -> list[Fraction] | None:
    """Sum over the possible intersections I of (weight of the sequences that leave I) * max over x in I of p_x /
    d_x^t.
    """
    n = len(plan.prior)
    if plan.n_cells > _EXACT // 4 or n > 64:
        return None
    given = [Fraction(w) for w in plan.prior.weights.tolist()]
    total = sum(given)  # which in floats may not be finite
    p = [w / total for w in given]
    d = [plan.u * w for w in plan.weights.tolist()]
    for g in plan.giants.tolist():
        d[g] = plan.tail
    always = sum(1 << g for g in plan.giants.tolist())
    sets: dict[int, int] = {}
    for members, lengths in plan.cells():
        for row, length in zip(members.tolist(), lengths.tolist(), strict=True):
            mask = always | sum(1 << x for x in row)
            sets[mask] = sets.get(mask, 0) + length
    fixed = sum((max(p[x] for x in group) for group in (g.tolist() for g in plan.idle_sets())), Fraction(0))
    after: dict[int, int] = dict(sets)
    result: dict[int, Fraction] = {}
    for t in range(1, max(draws) + 1):
        if t > 1:
            if len(after) * len(sets) > _EXACT:
                return None
            stepped: dict[int, int] = {}
            for left, weight in after.items():
                for mask, length in sets.items():
                    stepped[left & mask] = stepped.get(left & mask, 0) + weight * length
            stepped.pop(0, None)
            after = stepped
        if t in draws:
            best = [p[x] / d[x] ** t if d[x] else Fraction(0) for x in range(n)]
            result[t] = fixed + sum(
                (weight * max(best[x] for x in range(n) if left >> x & 1) for left, weight in after.items()),
                Fraction(0),
            )
    return [result[t] for t in draws]


def _simulated(plan: Arrangement, draws: tuple[int, ...], trials: int, rng: np.random.Generator) -> Repeated:
    p = plan.prior.p
    fixed = 0.0
    loose = plan.weights > 0
    if not plan.tail:
        loose = np.zeros(len(p), dtype=bool)
    for group in plan.idle_sets():
        fixed += float(p[group].max())
    mass = float(p[loose].sum())
    chances: dict[int, list[Array]] = {t: [] for t in draws}
    if mass > 0:
        sampler = Sampler(plan, tables_of(plan))
        with np.errstate(divide="ignore"):
            log_p, log_d = np.log(p), np.log(plan.u * plan.weights.astype(np.float64))
        log_d[plan.giants] = math.log(plan.tail)
        cumulated = np.cumsum(np.where(loose, p, 0.0))
        chunk = max(1, 4_000_000 // (plan.k * min(plan.k, _SMALL)))
        for begin in range(0, trials, chunk):
            size = min(chunk, trials - begin)
            secrets = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right").astype(np.int64)
            owned = sampler.owned(secrets)
            candidates = sampler.sets(secrets, rng.integers(0, owned))
            alive = np.ones(candidates.shape, dtype=bool)
            for t in range(1, max(draws) + 1):
                if t > 1:
                    alive &= _among(candidates, sampler.sets(secrets, rng.integers(0, owned)))
                if t in chances:
                    score = np.where(alive, log_p[candidates] - t * log_d[candidates], -math.inf)
                    odds = np.exp(score - score.max(axis=1, keepdims=True))
                    chances[t].append(1.0 / odds.sum(axis=1))
    success, low, high = [], [], []
    for t in draws:
        chance = np.concatenate(chances[t]) if chances[t] else np.zeros(trials)
        mean = fixed + mass * float(chance.mean())
        half = mass * float(margin(chance))
        success.append(mean)
        low.append(max(0.0, mean - half))
        high.append(min(1.0, mean + half))
    return Repeated(draws, tuple(success), tuple(low), tuple(high), False, trials)


def _among(candidates: Indices, seen: Indices) -> npt.NDArray[np.bool_]:
    """Row by row, which candidates are also among those seen."""
    rows, k = seen.shape
    if k <= _SMALL:
        return np.asarray((candidates[:, :, None] == seen[:, None, :]).any(axis=2))
    apart = (np.arange(rows, dtype=np.int64) * (int(max(candidates.max(), seen.max())) + 1))[:, None]
    return np.isin(candidates + apart, seen + apart, kind="sort")
