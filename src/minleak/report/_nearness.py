"""What a report says of near decoys: how far they are, a few sets on the map, and the price of stability."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._design import lay_again
from minleak.core._layouts.base import Layout
from minleak.core._layouts.circle import Circle
from minleak.core._layouts.stable import Stable
from minleak.core._plan.distances import METRICS, Euclidean
from minleak.core._plan.plan import Plan
from minleak.near._decoys import decoy_distances
from minleak.near._near import Near
from minleak.rivals._exposures import repeated

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
STABILITIES = (0.25, 0.5, 0.75, 1.0)
DRAWS = 5
# Sets that are drawn on the map, and places behind them.
SHOWN = 5
BEHIND = 1500
# Distances in memory at a time; secrets and places that a blind guess is tried on.
_WIDTH = 4_000_000
_SECRETS = 4000
_PLACES = 1000


@dataclass(frozen=True)
class Place:
    """A secret on the map: its name, and the two coordinates that are drawn, x to the right."""

    label: str
    x: float
    y: float


@dataclass(frozen=True)
class Spread:
    """How far decoys are from the secret at each of the SHARES of draws, in one layout."""

    layout: str
    distances: tuple[float, ...]


@dataclass(frozen=True)
class Mixture:
    """A stability between near (0) and stable (1): the median distance of decoys, and the success after DRAWS draws."""

    stability: float
    distance: float
    success: float


@dataclass(frozen=True)
class Nearness:
    """Everything about nearness. `unit` is " km" or empty; `sets` are members of a set, the central one first.

    `located` is how far the secret is on average from the place that somebody guesses who sees a set, and from the one
    that somebody guesses blind.
    """

    cost: float
    bound: float | None
    unit: str
    located: tuple[float, float]
    spreads: tuple[Spread, ...]
    sets: tuple[tuple[Place, ...], ...]
    behind: tuple[Place, ...]
    mixtures: tuple[Mixture, ...]


def nearness(plan: Plan, *, trials: int, seed: int) -> Nearness | None:
    """None for plans without coordinates, or with nothing on rings."""
    costs = plan.costs
    if costs is None or costs.coordinates is None or not plan.phases:
        return None
    rng = np.random.default_rng(seed)
    metric = METRICS[costs.metric](costs.coordinates)
    others = {
        "layout stable": _laid_again(plan, Stable()),
        "random order": _in_random_order(plan, rng),
    }
    spreads = [Spread("this plan", decoy_distances(plan, SHARES))]
    spreads += [Spread(name, decoy_distances(other, SHARES)) for name, other in others.items()]
    loose = _loose(plan)
    behind = loose if len(loose) <= BEHIND else np.sort(loose[np.argsort(-plan.weights[loose])[:BEHIND]])
    return Nearness(
        cost=costs.value,
        bound=costs.bound,
        unit=" km" if costs.metric == "haversine" else "",
        located=(_located(plan, metric), _blindly(plan, metric, np.random.default_rng(seed))),
        spreads=tuple(spreads),
        sets=tuple(_set(plan, metric, members) for members in _shown(plan, metric, rng)),
        behind=tuple(_place(plan, metric, x) for x in behind.tolist()),
        mixtures=_mixtures(plan, costs.stability, metric, trials, seed),
    )


def _located(plan: Plan, metric: Euclidean) -> float:
    """How far the secret is on average from the best guess among the members of its set: the one that is nearest to all
    of them, by their chances. Exact.
    """
    off, chances = 0.0, plan.target / plan.mass
    for sets, lengths in plan.cells(_WIDTH // plan.k**2 + 1):
        off += float((metric.within(sets) @ chances[: sets.shape[1]]).min(axis=1) @ lengths)
    return off / plan.phases


def _blindly(plan: Plan, metric: Euclidean, rng: np.random.Generator) -> float:
    """The same without a set, for the best of some places; on all secrets, or on many drawn by their chances."""
    p = plan.on_grid.p
    some = np.arange(len(p)) if len(p) <= _SECRETS else rng.choice(len(p), _SECRETS, p=p)
    chances = p / p.sum() if len(p) <= _SECRETS else np.full(_SECRETS, 1 / _SECRETS)
    places = some if len(some) <= _PLACES else rng.choice(len(p), _PLACES, p=p)
    return float((metric.between(places, some) @ chances).min())


def _loose(plan: Plan) -> Indices:
    loose = plan.weights > 0
    loose[plan.giants] = False
    return np.flatnonzero(loose)


def _laid_again(plan: Plan, layout: Layout) -> Plan:
    """The same plan in a layout that knows no places, with those of the plan."""
    return replace(lay_again(plan, layout), costs=plan.costs)


def _in_random_order(plan: Plan, rng: np.random.Generator) -> Plan:
    """The secrets on a wrap-around ring in random order, one tier after the other."""
    if plan.tiers:
        return _laid_again(plan, Circle())
    order = rng.permutation(_loose(plan))
    own = plan.weights[order]
    none = np.empty((0, plan.u), dtype=np.int64)
    starts, length = plan.u * (np.cumsum(own) - own), int(own.sum())
    return replace(plan, home_members=none, home_weights=none[:, 0], members=order, starts=starts, length=length)


def _shown(plan: Plan, metric: Euclidean, rng: np.random.Generator) -> list[Indices]:
    """A few sets far from each other: the first at random by its probability, then always the furthest of some."""
    sets, lengths = zip(*plan.cells(), strict=True)
    members, chance = np.concatenate(sets)[:, plan.n_giants :], np.concatenate(lengths).astype(np.float64)
    some = members[np.unique(rng.choice(len(members), 40, p=chance / chance.sum()))]
    rng.shuffle(some)
    middle = metric.points[some].mean(axis=1)
    taken = [0]
    while len(taken) < min(SHOWN, len(some)):
        apart = np.min([np.linalg.norm(middle - middle[i], axis=1) for i in taken], axis=0)
        taken.append(int(apart.argmax()))
    return [some[i] for i in dict.fromkeys(taken)]


def _set(plan: Plan, metric: Euclidean, members: Indices) -> tuple[Place, ...]:
    """The members as places, first the one with the least sum of distances."""
    sums = metric.within(members[None])[0].sum(axis=1)
    ordered = members[np.argsort(sums, kind="stable")]
    return tuple(_place(plan, metric, x) for x in ordered.tolist())


def _place(plan: Plan, metric: Euclidean, x: int) -> Place:
    first, second = (*metric.coordinates[x].tolist(), 0.0)[:2]
    across = metric.name == "haversine"  # latitude comes first, and goes up
    return Place(str(plan.prior.labels[x]), second if across else first, first if across else second)


def _mixtures(plan: Plan, own: float, metric: Euclidean, trials: int, seed: int) -> tuple[Mixture, ...]:
    """This plan, and those of other stabilities for the same weights."""
    found = []
    for stability in sorted({own, *STABILITIES}):
        other = plan
        if stability != own:
            other = lay_again(plan, Near(metric.coordinates, metric=metric.name, stability=stability))
        right = repeated(other, [DRAWS], trials=trials, seed=seed).success[0]
        found.append(Mixture(stability, decoy_distances(other, [0.5])[0], right))
    return tuple(found)
