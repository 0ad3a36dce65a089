"""Leakage against mean overhead: the hull of the best buckets, the randomised optimum and policies, for one chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.parameters import truth, whole
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._face.result import Result
from minleak._measure.frontier import Axes, Frontier, Row
from minleak._measure.leakages import difference
from minleak._padding.comparison import Applied, Policy, apply_policy, named_policies
from minleak._padding.hull import Corner, Hull
from minleak._padding.ladder import as_ladder
from minleak._padding.make import as_floor, design
from minleak._padding.worth import Worth
from minleak.errors import Infeasible

# Prices that are tried at most.
_POINTS = 10_000


@dataclass(frozen=True)
class CurvePoint(Result):
    """A mean `overhead`, the `leakage` there, and how many sizes can be seen (`observables`)."""

    overhead: float
    leakage: float
    observables: int


@dataclass(frozen=True)
class PaddingFrontier(Frontier):
    """Leakage against mean overhead in one `entropy`, least overhead first.

    `buckets` are corners of the lower hull over all contiguous buckets, `randomised` optima over all channels at some
    of these overheads, `policies` what others do. `mean` is the mean natural size.
    """

    entropy: str
    mean: float
    buckets: tuple[CurvePoint, ...]
    randomised: tuple[CurvePoint, ...]
    policies: tuple[Applied, ...]

    @property
    def axes(self) -> Axes:
        """The line of the buckets joins corners of their hull: no buckets lie below it, and corners are on it."""
        return Axes(
            across="percent",
            title="mean overhead, % of the mean size",
            leakage=f"leakage in {self.entropy}",
            scale="symlog",
            named=tuple(policy.name for policy in self.policies),
        )

    def rows(self) -> list[Row]:
        points = [("best buckets", point.overhead, point.leakage, point.observables) for point in self.buckets]
        points += [("best randomised", point.overhead, point.leakage, point.observables) for point in self.randomised]
        points += [(policy.name, policy.overhead, policy.leakage[0], policy.observables) for policy in self.policies]
        return [
            {
                "series": series,
                "overhead": overhead,
                "percent": 100 * overhead / self.mean if self.mean > 0 else 0.0,
                "leakage": leakage,
                "observables": observables,
            }
            for series, overhead, leakage, observables in points
        ]


def frontier(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    entropy: ConditionalEntropy | str = "shannon",
    floor: int = 1,
    points: int = 24,
    randomised: bool = False,
    policies: Mapping[str, Policy] | None = None,
) -> PaddingFrontier:
    """The best leakage against the mean overhead, from the least overhead that the floor allows to one bucket.

    `points` prices of the overhead are spread evenly in their logarithms; neighbouring prices may share a corner.
    Budgets between two corners have optima at or above the hull, which `minleak.padding.design` finds. `randomised`
    adds the optimum over all channels at fourteen budgets (a few hundred secrets at most), and `policies` what
    these cost and leak.

    >>> curve = frontier([3, 4, 5, 6, 9, 12])
    >>> [(round(point.overhead, 3), round(point.leakage, 3)) for point in curve.buckets]
    [(0.0, 2.585), (0.333, 1.918), (1.0, 1.252), (1.5, 0.918), (5.5, 0.0)]
    """
    truth(randomised, "randomised")
    ladder, H, floor = as_ladder(sizes, prior), as_entropy(entropy), as_floor(floor)
    points = whole(points, "points", 2, _POINTS)
    worth = Worth.of(ladder, H)
    hull = Hull(ladder, worth, floor=floor)
    cheapest, coarsest = hull.cheapest(), hull.coarsest()
    if cheapest is None or coarsest is None:
        raise Infeasible(f"no bucket has {floor} secrets: only {len(ladder.members)} can occur")
    corners = {corner.overhead: corner for corner in (cheapest, coarsest)}
    for price in _prices(cheapest, coarsest, points):
        corner = hull.corner(float(price))
        if corner is not None:
            corners[corner.overhead] = corner
    ordered = [corners[overhead] for overhead in sorted(corners)]
    before = H(ladder.prior)
    drawn = []
    if randomised:
        least = next(corner.overhead for corner in ordered if corner.overhead > 0) if len(ordered) > 1 else 0.0
        for budget in np.unique(np.append(0.0, np.geomspace(least, ordered[-1].overhead, 13) if least else [])):
            best = design(ladder.sizes, ladder.prior, budget=budget, entropy=H, randomised=True)
            drawn.append(CurvePoint(best.overhead, best.leakage, len(best.observables)))
    return PaddingFrontier(
        entropy=H.name,
        mean=ladder.mean,
        buckets=tuple(
            CurvePoint(corner.overhead, difference(H, before, worth.posterior(corner.worth)), len(corner.cuts))
            for corner in ordered
        ),
        randomised=tuple(drawn),
        policies=tuple(
            apply_policy(ladder, name, policy, [H])
            for name, policy in named_policies({} if policies is None else policies).items()
        ),
    )


def _prices(cheapest: Corner, coarsest: Corner, points: int) -> Array:
    """Prices far to both sides of the slope from end to end; a hull that is a single point has none."""
    rise, run = coarsest.worth - cheapest.worth, coarsest.overhead - cheapest.overhead
    return np.logspace(-1.5, 5, points) * rise / run if run > 0 and rise > 0 else np.empty(0)
