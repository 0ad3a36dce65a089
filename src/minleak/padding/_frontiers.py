"""frontier: leakage against mean overhead of the best buckets and of policies, for one chart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._frontier import Axes, Frontier, Row
from minleak.core._leakage import difference
from minleak.core._parameters import truth, whole
from minleak.core._prior import Prior
from minleak.core._progress import Progress, no_progress
from minleak.core._result import Result
from minleak.errors import Infeasible
from minleak.padding._bucket_value import BucketValue
from minleak.padding._buckets import Buckets
from minleak.padding._limits import Cap, Limits
from minleak.padding._make import cap_problem, search_within
from minleak.padding._policies import AppliedPolicy, Policy, apply_policies
from minleak.padding._size_classes import as_size_classes

# The most prices to try.
_POINTS = 10_000


@dataclass(frozen=True)
class CurvePoint(Result):
    """A mean `overhead`, its `leakage`, and the number of sizes that can be seen (`observables`)."""

    overhead: float
    leakage: float
    observables: int


@dataclass(frozen=True)
class PaddingFrontier(Frontier):
    """Leakage against mean overhead in one `entropy`, least overhead first.

    `buckets` are corners of the lower hull of all contiguous buckets, `policies` are common ones. `mean` is the mean
    natural size. If `relative`, every overhead is the mean share by which an object grows.
    """

    entropy: str
    mean: float
    buckets: tuple[CurvePoint, ...]
    policies: tuple[AppliedPolicy, ...]
    relative: bool = False

    @property
    def axes(self) -> Axes:
        """The line of the buckets joins corners of their hull: no buckets lie below it."""
        return Axes(
            across="percent",
            title="mean growth of an object, %" if self.relative else "mean overhead, % of the mean size",
            leakage=f"leakage in {self.entropy}",
            scale="symlog",
            named=tuple(policy.name for policy in self.policies),
        )

    def rows(self) -> list[Row]:
        points = [("best buckets", p.overhead, p.leakage, p.observables) for p in self.buckets]
        points += [
            (p.name, p.overheads.relative if self.relative else p.overhead, p.leakage[0], p.observables)
            for p in self.policies
        ]
        whole = 1.0 if self.relative else self.mean
        return [
            {
                "series": series,
                "overhead": overhead,
                "percent": 100 * overhead / whole if whole > 0 else 0.0,
                "leakage": leakage,
                "observables": observables,
            }
            for series, overhead, leakage, observables in points
        ]


def frontier(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    most: Cap | None = None,
    floor: int = 1,
    entropy: ConditionalEntropy | str = "shannon",
    points: int = 24,
    relative: bool = False,
    policies: Mapping[str, Policy] | None = None,
    progress: Progress | None = None,
) -> PaddingFrontier:
    """The least leakage against the mean overhead, from the least overhead that the floor allows to the most that the
    cap `most` does, or to one bucket.

    `points` prices of the overhead are tried, evenly spaced in their logarithms; neighbours may share a corner. Budgets
    between two corners have optima on or above the hull, which `minleak.padding.design` finds. `policies` adds what
    they cost and leak. With `relative` the overhead is the mean share by which an object grows, for policies that are
    made to limit it, such as Padmé. `progress` is called with the prices tried, their number and what comes next.

    >>> curve = frontier([3, 4, 5, 6, 9, 12])
    >>> [(round(point.overhead, 3), round(point.leakage, 3)) for point in curve.buckets]
    [(0.0, 2.585), (0.333, 1.918), (1.0, 1.252), (1.5, 0.918), (5.5, 0.0)]
    """
    priced = "relative" if truth(relative, "relative") else "budget"
    given: dict[str, Any] = {priced: math.inf, "most": most, "floor": floor}
    limits = Limits(**given)
    classes, H = as_size_classes(sizes, prior), as_entropy(entropy)
    points = whole(points, "points", 2, _POINTS)
    value = BucketValue.of(classes, H)
    search = search_within(classes, value, limits)
    cheapest, coarsest = search.cheapest(), search.coarsest()
    if cheapest is None or coarsest is None:
        raise Infeasible(cap_problem(classes, value, limits))
    prices = _prices(cheapest, coarsest, points)
    found: list[Buckets | None] = [cheapest, coarsest]
    for i, price in enumerate(prices.tolist()):
        (progress or no_progress)(i, len(prices), "the best buckets at a price of the overhead")
        found.append(search.corner(price))
    corners = {corner.overhead: corner for corner in found if corner is not None}
    ordered = [corners[overhead] for overhead in sorted(corners)]
    before = H(classes.prior)
    return PaddingFrontier(
        entropy=H.name,
        mean=classes.mean,
        buckets=tuple(
            CurvePoint(corner.overhead, difference(H, before, value.posterior(corner.value)), len(corner.cuts))
            for corner in ordered
        ),
        policies=apply_policies(classes, {} if policies is None else policies, [H]),
        relative=relative,
    )


def _prices(cheapest: Buckets, coarsest: Buckets, points: int) -> Array:
    """Prices far to both sides of the slope from end to end; none if the hull is a single point."""
    rise, run = coarsest.value - cheapest.value, coarsest.overhead - cheapest.overhead
    return np.logspace(-1.5, 5, points) * rise / run if run > 0 and rise > 0 else np.empty(0)
