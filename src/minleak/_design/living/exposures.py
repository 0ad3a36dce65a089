"""exposure: what an attacker learns who saw the sets of one secret in every version of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array, Indices
from minleak._data.parameters import listed, whole
from minleak._data.prior import Prior, as_prior
from minleak._data.simulating import TRIALS, generator, margin
from minleak._design.blocks.plan import BlockPlan
from minleak._design.living.lines import Lines
from minleak._design.living.matching import matched
from minleak._design.living.small import exact_exposure
from minleak._design.plan import Plan
from minleak._design.stored.sampler import OWN
from minleak.errors import InvalidParameter

Words = npt.NDArray[np.uint64]

# Numbers in an array that trials are compared in.
_CELLS = 4_000_000


@dataclass(frozen=True)
class Exposure:
    """The chance of one guess by an attacker who saw the sets of one subject and secret in all `versions`, drawn as
    `Cloak.draw` does: `success`, and a 99% interval from `low` to `high` unless it is `exact`. `single` is the chance
    of one who saw a set of the last version alone. Secrets that some version does not know are left aside: `share` is
    the part of the prior that the others have.
    """

    success: float
    low: float
    high: float
    exact: bool
    versions: int
    single: float
    share: float
    trials: int

    def __str__(self) -> str:
        sure = "exactly" if self.exact else f"{self.low:.4f} to {self.high:.4f}"
        saw = "one set" if self.versions == 1 else f"the sets of {self.versions} versions"
        return f"who saw {saw} of a secret is right with probability {self.success:.4f} ({sure})"


def exposure(
    plans: Iterable[Plan | BlockPlan],
    *,
    prior: Prior | Iterable[Any] | None = None,
    trials: int = 20_000,
    seed: int = 0,
) -> Exposure:
    """The optimal attacker's success who saw every version's set for one subject and secret, drawn sticky with one key.

    Versions of one lineage are drawn from one stream r for each subject and secret, so that for a secret x in all sets
    seen its odds are p(x) times the length of r that gives x every one of them; plans of different lineages are drawn
    independently of each other, as a plan made anew is.

    Parameters
    ----------
    plans
        Versions of a plan, from `plan.update`, or any plans of the same secrets. Two updates of one parent are two
        branches, which one subject is not shown both of: they are refused.
    prior
        p(x), of secrets that all plans know; that of the last plan if not given.
    trials, seed
        How many secrets are drawn in a simulation, which is made unless the plans are small.

    >>> import minleak as ml
    >>> plan = ml.design({"flu": 40, "cold": 30, "gout": 20, "mumps": 15}, k=2)
    >>> new = {"flu": 38, "cold": 31, "gout": 20, "mumps": 15}
    >>> ml.exposure([plan, plan.update(new)]).success < ml.exposure([plan, ml.design(new, k=2)]).success
    True
    """
    given = _plans(plans)
    trials, rng = whole(trials, "trials", 2, TRIALS), generator(seed)
    common = _Common(given, None if prior is None else as_prior(prior))
    if isinstance(given[0], BlockPlan):
        return _of_blocks(given, common)
    _check_branches(given)
    groups = [_group(plan) for plan in given]
    exact = exact_exposure(given, groups, common.places, common.weights)
    known: dict[str, Any] = {"versions": len(given), "single": given[-1].success, "share": common.share}
    if exact is not None:
        return Exposure(exact, exact, exact, exact=True, trials=0, **known)
    mean, half = _simulated(given, groups, common, trials, rng)
    return Exposure(mean, max(mean - half, 0.0), min(mean + half, 1.0), exact=False, trials=trials, **known)


def _plans(plans: Any) -> list[Any]:
    what = "the versions are one or more plans over listed secrets, each the update of the one before"
    given = [plans] if isinstance(plans, Plan | BlockPlan) else listed(plans, what, some=True)
    for plan in given:
        if not isinstance(plan, Plan | BlockPlan):
            raise InvalidParameter(f"{what}, not a {type(plan).__name__}")
        if isinstance(plan, BlockPlan) != isinstance(given[0], BlockPlan):
            raise InvalidParameter("some are blocks and some draw their sets: a subject is shown the one or the other")
    return given


def _of_blocks(plans: Sequence[BlockPlan], common: _Common) -> Exposure:
    """Who saw all blocks of a secret knows that it is one of those that were in all of them."""
    together = np.zeros(len(common.p), dtype=np.int64)
    for plan, places in zip(plans, common.places, strict=True):
        block = plan.partition.block_of()[places].astype(np.int64)
        together = np.unique(together * (int(block.max()) + 1) + block, return_inverse=True)[1].astype(np.int64)
    likeliest = np.zeros(int(together.max()) + 1)
    np.maximum.at(likeliest, together, common.p)
    success = float(likeliest.sum())
    return Exposure(success, success, success, True, len(plans), plans[-1].success, common.share, 0)


def _group(plan: Plan) -> bytes:
    """What draws of a plan hang together by."""
    return b"alone" + plan.digest if plan.descent is None else plan.lineage


def _known(plan: Plan) -> bytes:
    """What later versions call a plan."""
    return plan.digest if plan.descent is None else plan.descent.known(plan.digest)


def _check_branches(plans: Sequence[Plan]) -> None:
    """Refuse versions of a lineage of which one does not come from the other."""
    for i, one in enumerate(plans):
        for other in plans[i + 1 :]:
            older, newer = sorted((one, other), key=lambda plan: plan.version)
            line = () if newer.descent is None else (*newer.descent.ancestors, _known(newer))
            if one.lineage == other.lineage and line[older.version - 1 : older.version] != (_known(older),):
                raise InvalidParameter(
                    f"versions {older.version} and {newer.version} are of two branches: two updates of one parent are "
                    "two lineages, and a subject follows one of them; give the versions of one branch"
                )


class _Common:
    """The secrets that all plans know: where each stands in each plan, and its weight."""

    def __init__(self, plans: Sequence[Plan], prior: Prior | None) -> None:
        last = plans[-1].prior
        prior = last if prior is None else prior
        labels = last.labels
        own = np.arange(len(labels))
        places = []
        for other in [plan.prior for plan in plans] + [prior]:
            if labels.is_default != other.labels.is_default:
                raise InvalidParameter("some plans have labels and some have none: secrets are matched by label")
            found = matched(labels, other.labels)
            places.append(own if found is None else found)
        known = np.logical_and.reduce([found >= 0 for found in places])
        p = np.where(known, prior.p[np.maximum(places[-1], 0)], 0.0)
        self.share = float(p.sum())
        if not self.share > 0:
            raise InvalidParameter("no secret of positive probability is in all versions: there is nobody to look for")
        self.places = [found[known] for found in places[:-1]]
        self.weights = prior.weights[places[-1][known]]
        self.p = p[known] / self.share


class _Random:
    """Streams of a simulation, the same for all versions of a lineage."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self._count, self._rng = count, rng
        self._words: dict[tuple[int, int], Words] = {}

    def bits(self, which: Indices, number: int, counter: int) -> Words:
        key = number, counter
        if key not in self._words:
            self._words[key] = self._rng.integers(0, 2**64, size=(self._count, 2), dtype=np.uint64)
        return self._words[key][which]


def _simulated(
    plans: Sequence[Plan], groups: Sequence[bytes], common: _Common, trials: int, rng: np.random.Generator
) -> tuple[float, float]:
    """The mean of the attacker's chance over sampled secrets, and half of its interval."""
    lines = [Lines(plan) for plan in plans]
    k = max(plan.k for plan in plans)
    wide = max((line.numbers for line, plan in zip(lines, plans, strict=True) if plan.n_giants), default=1)
    chunk = max(1, _CELLS // (k * max(k, wide)))
    cumulated = np.cumsum(common.p)
    chances = []
    for begin in range(0, trials, chunk):
        size = min(chunk, trials - begin)
        secrets = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right")
        chances.append(_chances(plans, groups, lines, common, secrets, rng))
    chance = np.concatenate(chances)
    return float(chance.mean()), float(margin(chance))


def _chances(
    plans: Sequence[Plan],
    groups: Sequence[bytes],
    lines: Sequence[Lines],
    common: _Common,
    secrets: Indices,
    rng: np.random.Generator,
) -> Array:
    """For each secret the attacker's chance after he saw its sets in all versions."""
    count = len(secrets)
    streams = {group: _Random(count, rng) for group in groups}
    stretches: dict[bytes, _Stretches] = {}
    candidates = np.empty((count, 0), dtype=np.int64)
    alive = np.empty((count, 0), dtype=bool)
    for plan, group, line, places in zip(plans, groups, lines, common.places, strict=True):
        back = np.full(len(plan.weights), -1, dtype=np.int64)
        back[places] = np.arange(len(places))
        own = places[secrets]
        if plan.descent is None:
            drawn = rng.integers(0, np.maximum(line.sampler.owned(own), 1))
        else:
            drawn = line.sampler.coupled(own, streams[group])
        sets = line.sampler.sets(own, drawn)
        if not candidates.size:
            candidates = np.where(sets >= 0, back[sets], -1)
            alive = candidates >= 0
        where = np.where(alive, places[np.maximum(candidates, 0)], -1)
        stretch = stretches.setdefault(group, _Stretches(candidates.shape))
        fixed = (plan.weights[own] == 0) | (not plan.tail)
        alive &= (where[:, :, None] == sets[:, None, :]).any(axis=2) | ~fixed[:, None]
        moving = np.flatnonzero(~fixed)
        if len(moving):
            by_tree = plan.descent is not None and plan.descent.by_tree
            alive[moving] &= stretch.narrow(plan, line.seen(own[moving], drawn[moving], by_tree=by_tree), moving, where)
    length = np.prod([stretch.length() for stretch in stretches.values()], axis=0)
    true = candidates == secrets[:, None]
    length = np.where(true, np.maximum(length, 1e-30), length)  # it was drawn, so that it is not nothing
    odds = np.where(alive | true, common.p[np.maximum(candidates, 0)] * length, 0.0)
    return np.asarray(odds.max(axis=1) / odds.sum(axis=1))


class _Stretches:
    """For each trial and candidate the stretches of its numbers, in one lineage, that give it all sets so far."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._low, self._high = np.zeros((*shape, 1)), np.ones((*shape, 1))

    def narrow(self, plan: Plan, seen: Any, rows: Indices, where: Indices) -> npt.NDArray[np.bool_]:
        """Cut them by the sets of one more version; which candidates are in these sets."""
        here = where[rows]
        found = here[:, :, None] == seen.members[:, None, :]
        there = found.any(axis=2)
        at = found.argmax(axis=2)
        i, j = np.nonzero(there)
        low, high = self._low, self._high
        low[rows[i], j, OWN] = np.maximum(low[rows[i], j, OWN], seen.low[i, at[i, j]])
        high[rows[i], j, OWN] = np.minimum(high[rows[i], j, OWN], seen.high[i, at[i, j]])
        if plan.n_giants:
            is_giant = np.isin(here, plan.giants)
            there |= is_giant
            numbers = seen.giants[0].shape[1]
            missing = numbers - low.shape[2]
            if missing > 0:
                low = self._low = np.concatenate([low, np.zeros((*low.shape[:2], missing))], axis=2)
                high = self._high = np.concatenate([high, np.ones((*high.shape[:2], missing))], axis=2)
            i, j = np.nonzero(is_giant)
            low[rows[i], j, :numbers] = np.maximum(low[rows[i], j, :numbers], seen.giants[0][i])
            high[rows[i], j, :numbers] = np.minimum(high[rows[i], j, :numbers], seen.giants[1][i])
        return np.asarray(there)

    def length(self) -> Array:
        """How long they are, all numbers together."""
        return np.asarray(np.prod(np.maximum(self._high - self._low, 0.0), axis=2))
