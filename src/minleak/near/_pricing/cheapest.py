"""The cheapest of the optimal plans: one whose sets are close together, or cost little."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._layouts.base import Laid, LayoutInput
from minleak.core._plan.distances import Cost, Distances
from minleak.near._pricing.caps import Caps
from minleak.near._pricing.chaining import chain_sets
from minleak.near._pricing.generation import generate, star_costs
from minleak.near._pricing.peeling import Sets, join_sets, peel_sets
from minleak.near._pricing.regions import add_costs, improve
from minleak.near._pricing.rounding import round_down
from minleak.near._pricing.splitting import split_space

# Up to this many secrets on rings the plan is the cheapest of all, proven; up to the next it is improved in regions.
EXACT = 600
REGIONS = 60_000
# The relative gap of the proof. Up to so many places all are centres; beyond, only secrets on rings, without a proof.
GAP = 1e-6
_CENTRES = 10_000
# Weights may be multiplied by multiples of this where units are too coarse: all numbers up to 16 divide it, and the
# values of a cheapest plan are often such fractions. All units together stay below what a float holds exactly.
_FINER = 720_720
_FINEST = 2**52
# Secrets to a block where a first plan is made.
_BLOCK = 8192
# Passes over the regions and rounds in each: for more than so many secrets, and for fewer.
_MANY = 5_000
_FEW_PASSES = (1, 15)
_PASSES = (3, 30)
# Steps of the progress, and how many of them the first plan takes.
_STEPS, _FIRST = 100, 5


def lay_cheapest(problem: LayoutInput, distances: Distances) -> Laid:
    """Lay the secrets that are no giants on rings so that the mean star cost of a set is least.

    Up to `EXACT` secrets the linear programme over all sets is solved to a relative gap of 1e-6 and rounded to
    integers, in finer units where the given ones are too coarse for that gap. Above, near sets are peeled off greedily,
    and up to `REGIONS` secrets made cheaper in regions. Centres are all places up to `EXACT` secrets, above those near
    the set. With more than 10,000 places in all, centres are secrets on rings only; a place of weight zero between them
    might make sets cheaper, so no bound is known then.
    """
    secrets, u = problem.loose(), problem.u
    if not problem.giants.rest:
        return Laid.ring(secrets, secrets, u, costs=Cost(0.0, 0.0, 0.0, distances.name, 0.0, distances.coordinates))
    units = u * problem.weights[secrets]
    everyone = Caps.of_tier(problem.tier, len(problem.weights), u)
    caps = everyone.of(secrets, u)

    def report(share: float, what: str) -> None:
        problem.progress(round(_STEPS * share), _STEPS, what)

    def report_first(share: float) -> None:
        report(_FIRST / _STEPS * share, "a first plan")

    report_first(0.0)
    if len(secrets) <= EXACT:
        return _lay_exactly(problem, units, caps, secrets, distances, report)
    plan = add_costs(_peel_blocks(units, caps, secrets, u, distances, report_first), distances)
    scale = float(units.sum())  # u for the mean over members, times the length of all phases
    if len(secrets) <= REGIONS:
        start = plan.total / scale

        def report_regions(share: float, total: float, gap: float) -> None:
            now = f"cost {total / scale:.4g} from {start:.4g}, gap in regions {gap:.1%}"
            report((_FIRST + (_STEPS - _FIRST - 1) * share) / _STEPS, now)

        passes, rounds = _FEW_PASSES if len(secrets) > _MANY else _PASSES
        plan = improve(plan, everyone, distances, passes=passes, rounds=rounds, progress=report_regions)
    mean = plan.total / scale
    report((_STEPS - 1) / _STEPS, f"cost {mean:.4g}, putting {len(plan.costs):,} sets on a ring")
    members, starts, _ = chain_sets(plan.sets, plan.centres)
    report(1.0, f"cost {mean:.4g}")
    costs = Cost(mean, None, None, distances.name, 0.0, distances.coordinates)
    return Laid.ring(members, starts, u, costs=costs)


def _lay_exactly(
    problem: LayoutInput,
    units: Indices,
    caps: Caps,
    secrets: Indices,
    distances: Distances,
    report: Callable[[float, str], None],
) -> Laid:
    """By column generation over all sets, and rounding."""
    u = problem.u
    start = peel_sets(units, caps, u, distances, secrets)
    everywhere = not distances.points.shape[1] or distances.n_centres <= _CENTRES
    between = distances.between(np.arange(distances.n_centres) if everywhere else secrets, secrets)
    least = 1.0

    def report_gap(gap: float) -> None:
        nonlocal least
        least = min(least, max(gap, GAP))
        report(float(np.log(least) / np.log(GAP)), f"gap {gap:.1e}")

    # half of the gap is for the rounding
    solution = generate(
        between, units.astype(np.float64), u, start.members, caps=caps, gap=GAP / 2, progress=report_gap
    )
    to_centres = np.ascontiguousarray(between.T)
    scale = float(units.sum())
    bound = max(solution.bound / scale, 0.0)
    tried: list[tuple[float, Laid]] = []
    for factor in _factors(int(units.sum()), problem.finest):
        values = solution.values * factor
        sets = round_down(solution.members, values, units * factor, caps=caps, distances=distances, secrets=secrets)
        costs, centres = star_costs(to_centres, sets.members)
        cost = float(sets.lengths @ costs) / factor / scale
        members, starts, _ = chain_sets(Sets(secrets[sets.members], sets.lengths), centres)
        paid = Cost(
            value=cost,
            bound=min(bound, cost) if everywhere else None,
            rounding=cost - solution.cost / scale,
            metric=distances.name,
            stability=0.0,
            coordinates=distances.coordinates,
        )
        tried.append((cost, Laid.ring(members, starts, u, costs=paid, factor=factor)))
        if cost - bound <= GAP * cost:
            break
    return min(tried, key=lambda one: one[0])[1]


def _factors(total: int, room: int) -> list[int]:
    """The factors that weights of so many units in all may be multiplied by, the least first."""
    most = min(room, _FINEST // total)
    finest = most // _FINER * _FINER or most
    return sorted({1, min(_FINER, finest), finest} - {0})


def _peel_blocks(
    units: Indices, caps: Caps, secrets: Indices, u: int, distances: Distances, report: Callable[[float], None]
) -> Sets:
    """Near sets by peeling, in blocks of space if there are too many secrets for one."""
    points = distances.points[secrets]
    parts = [np.arange(len(secrets))]
    if points.shape[1]:
        parts = split_space(points, units, caps, u, size=_BLOCK, slack=2)
    found, done = [], 0
    for part in parts:

        def report_part(share: float, begin: int = done, size: int = len(part)) -> None:
            report((begin + share * size) / len(secrets))

        sets = peel_sets(units[part], caps.of(part, u), u, distances, secrets[part], report_part)
        found.append(Sets(secrets[part][sets.members], sets.lengths))
        done += len(part)
    return join_sets(found, u)
