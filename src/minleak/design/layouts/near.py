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
# The relative gap of the proof, and secrets to a block where a first plan is made.
GAP = 1e-6
_BLOCK = 8192
_STEPS = 100


@dataclass(frozen=True)
class Laid:
    """Homes and rings, with what they cost: the mean over published sets of c(M)/u.

    No plan of least leakage costs less than `bound`; None where that is not known. `rounding` is what it costs to have
    the solution of the linear programme in integers; None where there was none.
    """

    homes: Homes
    rings: tuple[Ring, ...]
    cost: float
    bound: float | None
    rounding: float | None


def near(
    weights: Indices,
    giants: Indices,
    u: int,
    *,
    distances: Distances,
    groups: Indices,
    stability: float = 0.0,
    progress: Progress | None = None,
) -> Laid:
    """Lay the secrets that are no giants on rings so that the mean star cost of a set is least.

    Up to `EXACT` secrets the linear programme over all sets is solved to a relative gap of 1e-6 and rounded to
    integers. Above, near sets are peeled off greedily, and up to `REGIONS` secrets made cheaper in regions. With
    `stability` above 0, space is split into blocks, the larger the more stable, and each block is laid by the stable
    layout: at 1 there is a single block. Costs are with centres among all centres up to `EXACT` secrets, above with
    centres near the set.
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
        return _exact(units, group, secrets, u, distances, told)
    plan = priced(_first(units, group, secrets, u, distances), distances)
    if len(secrets) <= REGIONS:
        start = plan.total

        def tell(share: float) -> None:
            told(round(_STEPS * share), _STEPS, f"cheaper in regions, from {start / scale:.4g}")

        plan = improved(plan, groups, distances, progress=tell)
    ring = chained(plan.sets, plan.centres)
    return Laid(Homes.none(u), (ring,), plan.total / scale, None, None)


def _exact(units: Indices, group: Indices, secrets: Indices, u: int, distances: Distances, told: Progress) -> Laid:
    from minleak._kernels import pricing

    start = peeled(units, group, u, distances, secrets)
    between = distances.between(np.arange(distances.n_centres), secrets)
    names, group = np.unique(group, return_inverse=True)
    apart = group.ravel() if len(names) < len(secrets) else np.empty(0, dtype=np.int64)
    least = 1.0

    def tell(gap: float) -> None:
        nonlocal least
        least = min(least, max(gap, GAP))
        told(round(_STEPS * np.log(least) / np.log(GAP)), _STEPS, f"gap {gap:.1e}")

    solution = generate(between, units.astype(np.float64), u, start.members, groups=apart, gap=GAP, progress=tell)
    sets = rounded(solution.members, solution.values, units, groups=group.ravel(), distances=distances, secrets=secrets)
    costs, centres = np.empty(len(sets.lengths)), np.empty(len(sets.lengths), dtype=np.int64)
    pricing.star_costs(np.ascontiguousarray(between.T), sets.members, costs, centres)
    scale = float(units.sum())
    total = float(sets.lengths @ costs)
    ring = chained(Sets(secrets[sets.members], sets.lengths), centres)
    cost, bound = total / scale, solution.bound / scale
    return Laid(Homes.none(u), (ring,), cost, min(bound, cost), (total - solution.cost) / scale)


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
