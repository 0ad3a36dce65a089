"""The cheapest plan: among all plans, which leak the same, one whose sets are close together, or cheap."""

from __future__ import annotations

import numpy as np

from minleak._data.arrays import Indices
from minleak._layouts.giants import LayoutInput, LayoutResult
from minleak._layouts.pricing.blocks import blocks
from minleak._layouts.pricing.capping import Caps
from minleak._layouts.pricing.chaining import chained
from minleak._layouts.pricing.generation import generate, star_costs
from minleak._layouts.pricing.peeling import Sets, joined, peeled
from minleak._layouts.pricing.regions import improved, with_costs
from minleak._layouts.pricing.rounding import rounded
from minleak._plan.distances import Cost, Distances
from minleak._plan.rings import Homes

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
# Secrets to a block where a first plan is made, and steps of the progress.
_BLOCK = 8192
# Passes over the regions and rounds in each: for secrets beyond so many, and for fewer.
_MANY = 5_000
_FEW_PASSES = (1, 15)
_PASSES = (3, 30)
_STEPS = 100


def cheapest(ground: LayoutInput, distances: Distances) -> LayoutResult:
    """Lay the secrets that are no giants on rings so that the mean star cost of a set is least.

    Up to `EXACT` secrets the linear programme over all sets is solved to a relative gap of 1e-6 and rounded to
    integers, in finer units where their own are too coarse for that gap. Above, near sets are peeled off greedily, and
    up to `REGIONS` secrets made cheaper in regions. Costs are with centres among all centres up to `EXACT` secrets,
    above with centres near the set. With more than 10,000 places in all, centres are secrets on rings only, so that a
    place of weight zero between them might make sets cheaper: no bound is known then.
    """
    if not ground.giants.rest_weight:
        return LayoutResult.nothing(ground, Cost(0.0, 0.0, 0.0, distances.name, 0.0, distances.coordinates))
    secrets, u = ground.loose(), ground.u
    units = u * ground.weights[secrets]
    everyone = Caps.of_tier(ground.tier, len(ground.weights), u)
    caps = everyone.of(secrets, u)
    scale = float(units.sum())  # u for the mean over members, times the length of all phases
    if len(secrets) <= EXACT:
        return _exact(ground, units, caps, secrets, distances)
    plan = with_costs(_first(units, caps, secrets, u, distances), distances)
    if len(secrets) <= REGIONS:
        start = plan.total / scale

        def report(share: float, total: float, gap: float) -> None:
            now = f"cost {total / scale:.4g} from {start:.4g}, gap in regions {gap:.1%}"
            ground.progress(round(_STEPS * share), _STEPS, now)

        passes, rounds = _FEW_PASSES if len(secrets) > _MANY else _PASSES
        plan = improved(plan, everyone, distances, passes=passes, rounds=rounds, progress=report)
    ring = chained(plan.sets, plan.centres)
    cost = Cost(plan.total / scale, None, None, distances.name, 0.0, distances.coordinates)
    return LayoutResult(Homes.none(u), (ring,), cost)


def _exact(ground: LayoutInput, units: Indices, caps: Caps, secrets: Indices, distances: Distances) -> LayoutResult:
    """By column generation over all sets, and rounding."""
    u = ground.u
    start = peeled(units, caps, u, distances, secrets)
    everywhere = not distances.points.shape[1] or distances.n_centres <= _CENTRES
    between = distances.between(np.arange(distances.n_centres) if everywhere else secrets, secrets)
    least = 1.0

    def report(gap: float) -> None:
        nonlocal least
        least = min(least, max(gap, GAP))
        ground.progress(round(_STEPS * np.log(least) / np.log(GAP)), _STEPS, f"gap {gap:.1e}")

    # half of the gap is for the rounding
    solution = generate(between, units.astype(np.float64), u, start.members, caps=caps, gap=GAP / 2, progress=report)
    to_centres = np.ascontiguousarray(between.T)
    scale = float(units.sum())
    bound = max(solution.bound / scale, 0.0)
    tried: list[tuple[float, LayoutResult]] = []
    for factor in _factors(int(units.sum()), ground.finest):
        values = solution.values * factor
        sets = rounded(solution.members, values, units * factor, caps=caps, distances=distances, secrets=secrets)
        costs, centres = star_costs(to_centres, sets.members)
        cost = float(sets.lengths @ costs) / factor / scale
        ring = chained(Sets(secrets[sets.members], sets.lengths), centres)
        paid = Cost(
            value=cost,
            bound=min(bound, cost) if everywhere else None,
            rounding=cost - solution.cost / scale,
            metric=distances.name,
            stability=0.0,
            coordinates=distances.coordinates,
        )
        tried.append((cost, LayoutResult(Homes.none(u), (ring,), paid, factor)))
        if cost - bound <= GAP * cost:
            break
    return min(tried, key=lambda one: one[0])[1]


def _factors(total: int, room: int) -> list[int]:
    """What the weights may be multiplied by, the least first, where the units are so many in all."""
    most = min(room, _FINEST // total)
    finest = most // _FINER * _FINER or most
    return sorted({1, min(_FINER, finest), finest} - {0})


def _first(units: Indices, caps: Caps, secrets: Indices, u: int, distances: Distances) -> Sets:
    """Near sets by peeling, in blocks where there are too many secrets for one."""
    points = distances.points[secrets]
    parts = [np.arange(len(secrets))]
    if points.shape[1]:
        parts = blocks(points, units, caps, u, size=_BLOCK, slack=2)
    found = []
    for part in parts:
        sets = peeled(units[part], caps.of(part, u), u, distances, secrets[part])
        found.append(Sets(secrets[part][sets.members], sets.lengths))
    return joined(found, u)
