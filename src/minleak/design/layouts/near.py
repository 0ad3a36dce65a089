"""The near layout: among all plans, which leak the same, one whose sets are close together, or cheap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak.design.layouts.stable import stable
from minleak.design.pricing.blocks import blocks
from minleak.design.pricing.chaining import chained, spliced
from minleak.design.pricing.distances import Distances
from minleak.design.pricing.generation import generate
from minleak.design.pricing.peeling import Sets, joined, peeled
from minleak.design.pricing.regions import improved, priced
from minleak.design.pricing.rounding import rounded
from minleak.design.rings import Homes, Ring

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Progress = Callable[[int, int, str], None]

# Up to this many secrets on rings the plan is the cheapest of all, proven; up to the next it is improved in regions.
EXACT = 600
REGIONS = 60_000
# The relative gap of the proof; up to so many places all are centres, else those of the secrets on rings: no proof.
GAP = 1e-6
_CENTRES = 10_000
# Weights may be multiplied by multiples of this, where units are too coarse: it divides by all numbers up to 16, as
# the values of a cheapest plan often are such fractions. All units together stay below what a float holds exactly.
_FINER = 720_720
_FINEST = 2**52
# Secrets to a block where a first plan is made, and steps that progress is told in.
_BLOCK = 8192
# Passes over the regions and rounds in each: for secrets beyond so many, and for fewer.
_MANY = 5_000
_FEW_PASSES = (1, 15)
_PASSES = (3, 30)
_STEPS = 100


@dataclass(frozen=True)
class Laid:
    """Homes and rings, with what they cost: the mean over published sets of c(M)/u.

    No plan of least leakage costs less than `bound`; None where that is not known. `rounding` is what it costs to have
    the solution of the linear programme in integers; None where there was none. Lengths are for weights multiplied by
    `factor`, which leaves the prior as it is and makes the units finer.
    """

    homes: Homes
    rings: tuple[Ring, ...]
    cost: float
    bound: float | None
    rounding: float | None
    factor: int = 1


def near(
    weights: Indices,
    giants: Indices,
    u: int,
    *,
    distances: Distances,
    groups: Indices,
    stability: float = 0.0,
    room: int = 1,
    progress: Progress | None = None,
) -> Laid:
    """Lay the secrets that are no giants on rings so that the mean star cost of a set is least.

    Up to `EXACT` secrets the linear programme over all sets is solved to a relative gap of 1e-6 and rounded to
    integers, the weights multiplied by a factor of at most `room` where their own units are too coarse for that gap.
    Above, near sets are peeled off greedily, and up to `REGIONS` secrets made cheaper in regions. With
    `stability` above 0, space is split into blocks, the larger the more stable, and each block is laid by the stable
    layout: at 1 there is a single block. Costs are with centres among all centres up to `EXACT` secrets, above with
    centres near the set. With more than 10,000 places in all, centres are secrets on rings only, so that a place of
    weight zero between them might make sets cheaper: no bound is known then.
    """
    told = progress or (lambda _done, _steps, _name: None)
    loose = weights > 0
    loose[giants] = False
    secrets = np.flatnonzero(loose)
    if stability > 0:
        return _between(weights, secrets, u, distances, stability)
    units, group = u * weights[secrets], groups[secrets]
    scale = float(units.sum())  # u for the mean over members, times the length of all phases
    if len(secrets) <= EXACT:
        return _exact(units, group, secrets, u, distances, room, told)
    plan = priced(_first(units, group, secrets, u, distances), distances)
    if len(secrets) <= REGIONS:
        start = plan.total / scale

        def tell(share: float, total: float, gap: float) -> None:
            told(round(_STEPS * share), _STEPS, f"cost {total / scale:.4g} from {start:.4g}, gap in regions {gap:.1%}")

        passes, rounds = _FEW_PASSES if len(secrets) > _MANY else _PASSES
        plan = improved(plan, groups, distances, passes=passes, rounds=rounds, progress=tell)
    ring = chained(plan.sets, plan.centres)
    return Laid(Homes.none(u), (ring,), plan.total / scale, None, None)


def _exact(
    units: Indices, group: Indices, secrets: Indices, u: int, distances: Distances, room: int, told: Progress
) -> Laid:
    from minleak._kernels import pricing

    start = peeled(units, group, u, distances, secrets)
    everywhere = not distances.points.shape[1] or distances.n_centres <= _CENTRES
    between = distances.between(np.arange(distances.n_centres) if everywhere else secrets, secrets)
    names, group = np.unique(group, return_inverse=True)
    group = group.ravel()
    apart = group if len(names) < len(secrets) else np.empty(0, dtype=np.int64)
    least = 1.0

    def tell(gap: float) -> None:
        nonlocal least
        least = min(least, max(gap, GAP))
        told(round(_STEPS * np.log(least) / np.log(GAP)), _STEPS, f"gap {gap:.1e}")

    # half of the gap is for the rounding
    solution = generate(between, units.astype(np.float64), u, start.members, groups=apart, gap=GAP / 2, progress=tell)
    to_centres = np.ascontiguousarray(between.T)
    scale = float(units.sum())
    bound = max(solution.bound / scale, 0.0)
    tried: list[Laid] = []
    for factor in _factors(int(units.sum()), room):
        sets = rounded(
            solution.members,
            solution.values * factor,
            units * factor,
            groups=group,
            distances=distances,
            secrets=secrets,
        )
        costs, centres = np.empty(len(sets.lengths)), np.empty(len(sets.lengths), dtype=np.int64)
        pricing.star_costs(to_centres, sets.members, costs, centres)
        cost = float(sets.lengths @ costs) / factor / scale
        ring = chained(Sets(secrets[sets.members], sets.lengths), centres)
        rounding = cost - solution.cost / scale
        proven = min(bound, cost) if everywhere else None
        tried.append(Laid(Homes.none(u), (ring,), cost, proven, rounding, factor))
        if cost - bound <= GAP * cost:
            break
    return min(tried, key=lambda laid: laid.cost)


def _factors(total: int, room: int) -> list[int]:
    """What the weights may be multiplied by, the least first, where the units are so many in all."""
    most = min(room, _FINEST // total)
    finest = most // _FINER * _FINER or most
    return sorted({1, min(_FINER, finest), finest} - {0})


def _first(units: Indices, group: Indices, secrets: Indices, u: int, distances: Distances) -> Sets:
    """Near sets by peeling, in blocks where there are too many secrets for one."""
    points = distances.points[secrets]
    parts = [np.arange(len(secrets))]
    if points.shape[1]:
        parts = blocks(points, units, group, u, size=_BLOCK, slack=2)
    found = []
    for part in parts:
        sets = peeled(units[part], group[part], u, distances, secrets[part])
        found.append(Sets(secrets[part][sets.members], sets.lengths))
    return joined(found, u)


def _between(weights: Indices, secrets: Indices, u: int, distances: Distances, stability: float) -> Laid:
    """Blocks of about (4u)^(1-stability) n^stability secrets, each laid by the stable layout."""
    n = len(secrets)
    size = n if stability == 1 else max(round((4 * u) ** (1 - stability) * n**stability), u)
    own = weights[secrets]
    homes, weights_at_home, rings = [], [], []
    for part in blocks(distances.points[secrets], own, np.arange(n), u, size=size, slack=1):
        part = np.sort(part)
        there, laid = stable(own[part], np.empty(0, dtype=np.int64), u)
        homes.append(secrets[part][there.members])
        weights_at_home.append(there.weights)
        rings += [Ring(secrets[part][ring.members], ring.starts, ring.length, u) for ring in laid]
    at_home = Homes(np.concatenate(homes), np.concatenate(weights_at_home))
    ring = (spliced(rings),) if rings else ()
    cells = [Sets(at_home.members, u * at_home.weights)]
    cells += [Sets(sets, lengths) for one in ring for sets, lengths in one.cells().blocks()]
    plan = priced(joined(cells, u), distances)
    return Laid(at_home, ring, plan.total / float(u * own.sum()), None, None)
