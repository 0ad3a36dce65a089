"""Paddings side by side: each policy, and the best at the same mean overhead in every entropy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.design.padding.frontier import Hull
from minleak.design.padding.ladder import Ladder, as_ladder
from minleak.design.padding.make import leaked_by, padding
from minleak.design.padding.policies import POLICIES
from minleak.design.padding.result import Padding
from minleak.design.padding.worth import Worth
from minleak.entropy.base import ConditionalEntropy
from minleak.entropy.names import as_entropy
from minleak.errors import InvalidParameter
from minleak.leakage import difference
from minleak.prior import Prior

# The attackers that a comparison is about if nobody says.
STANDARD = ("shannon", "min-entropy", "guess-error:1")

Policy = Callable[[Any], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Rival:
    """A policy: its mean overhead, its smallest class, and for each entropy what it leaks and the best at its overhead.

    `randomised` holds the randomised optima at the same overhead where they were asked for, else nothing.
    """

    name: str
    overhead: float
    smallest_class: int
    leakage: tuple[float, ...]
    best: tuple[Padding, ...]
    randomised: tuple[Padding, ...]


@dataclass(frozen=True)
class PaddingComparison:
    """Policies and the best paddings at their overheads; prints as a table."""

    entropies: tuple[str, ...]
    mean: float
    rivals: tuple[Rival, ...]

    def __str__(self) -> str:
        lines = [
            f"{'policy':<20}{'overhead':>10}  {'entropy':<14}{'leaks':>10}{'buckets':>10}{'bound':>10}"
            + (f"{'random':>10}" if self.rivals[0].randomised else "")
            + f"{'less by':>9}   smallest class"
        ]
        for rival in self.rivals:
            for i, name in enumerate(self.entropies):
                ours = rival.best[i]
                head = (rival.name, f"{rival.overhead / self.mean:.2%}") if i == 0 else ("", "")
                less = 1 - ours.leakage / rival.leakage[i] if rival.leakage[i] > 0 else 0.0
                lines.append(
                    f"{head[0]:<20}{head[1]:>10}  {name:<14}{rival.leakage[i]:>10.4f}{ours.leakage:>10.4f}"
                    f"{ours.bound:>10.4f}"
                    + (f"{rival.randomised[i].leakage:>10.4f}" if rival.randomised else "")
                    + f"{less:>9.1%}   {rival.smallest_class} -> {ours.smallest_class}"
                )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class PaddingFrontier:
    """Leakage against mean overhead in one entropy: corners of the deterministic hull, largest overhead last."""

    entropy: str
    overhead: tuple[float, ...]
    leakage: tuple[float, ...]
    observables: tuple[int, ...]


def compare_paddings(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD,
    policies: Mapping[str, Policy] | None = None,
    floor: int = 1,
    randomised: bool = False,
) -> PaddingComparison:
    """For each policy its overhead and leakage, and for each entropy the best padding whose mean overhead is no larger.

    A policy is a function from an array of sizes to one of sizes that are nowhere smaller; `POLICIES` if not given. With a
    `floor` the best must also have so many secrets in each bucket; a policy within whose overhead that cannot be is
    refused as `padding` refuses it. Buckets never leak more than a policy that keeps the order of sizes.

    >>> from minleak.design.padding.policies import to_power_of_two
    >>> print(compare_paddings([3, 4, 5, 6, 9, 12], entropies=["shannon"], policies={"powers of two": to_power_of_two}))
    policy                overhead  entropy            leaks   buckets     bound  less by   smallest class
    powers of two           38.46%  shannon           1.5850    0.6500    0.6500    59.0%   2 -> 1
    """
    ladder = as_ladder(sizes, prior)
    measures = tuple(as_entropy(H) for H in entropies)
    rivals = []
    for name, policy in (POLICIES if policies is None else policies).items():
        padded = np.asarray(policy(ladder.sizes))
        if padded.shape != ladder.sizes.shape or not (padded >= ladder.sizes).all():
            raise InvalidParameter(f"the policy {name!r} makes a size smaller, or gives another number of sizes")
        overhead = float(ladder.prior.p @ (padded - ladder.sizes))
        seen, columns = np.unique(padded, return_inverse=True)
        classes = np.bincount(columns[ladder.prior.p > 0], minlength=len(seen))
        best, random = [], []
        for H in measures:
            best.append(padding(ladder.sizes, ladder.prior, budget=overhead, entropy=H, floor=floor))
            if randomised:
                random.append(padding(ladder.sizes, ladder.prior, budget=overhead, entropy=H, randomised=True))
        rivals.append(
            Rival(
                name=name,
                overhead=overhead,
                smallest_class=int(classes[classes > 0].min()),
                leakage=tuple(row.leakage for row in leaked_by(ladder.prior, columns, measures).rows),
                best=tuple(best),
                randomised=tuple(random),
            )
        )
    return PaddingComparison(tuple(H.name for H in measures), ladder.mean, tuple(rivals))


def padding_frontier(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    entropy: ConditionalEntropy | str = "shannon",
    floor: int = 1,
    points: int = 24,
) -> PaddingFrontier:
    """Leakage against mean overhead for the best contiguous buckets: corners of its lower hull, from the least overhead that
    the floor allows to one bucket.

    `points` prices are spread evenly in their logarithms over those at which the hull turns; fewer corners come back where
    neighbouring prices share one. Between corners, budgets have optima that may lie above the hull: `padding` finds them.

    >>> padding_frontier([3, 4, 5, 6, 9, 12], points=4).leakage[-1]
    0.0
    """
    ladder, H = as_ladder(sizes, prior), as_entropy(entropy)
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise InvalidParameter(f"points is a whole number from 2 on, not {points!r}")
    worth = Worth.of(ladder, H)
    hull = Hull(ladder, worth, floor=floor)
    ends = [corner for corner in (hull.cheapest(), hull.coarsest()) if corner is not None]
    corners = {len(corner.cuts): corner for corner in ends}
    for price in _prices(ladder, worth, points):
        corner = hull.corner(price)
        if corner is not None:
            corners[len(corner.cuts)] = corner
    before = H(ladder.prior)
    ordered = sorted(corners.values(), key=lambda corner: corner.overhead)
    return PaddingFrontier(
        entropy=H.name,
        overhead=tuple(corner.overhead for corner in ordered),
        leakage=tuple(difference(H, before, worth.posterior(corner.worth)) for corner in ordered),
        observables=tuple(len(corner.cuts) for corner in ordered),
    )


def _prices(ladder: Ladder, worth: Worth, points: int) -> npt.NDArray[np.float64]:
    """Prices from that at which everything is worth merging to that at which hardly anything is."""
    top = np.array([len(ladder.rungs)], dtype=np.int64)
    scale = worth.total(top) / max(Hull(ladder, worth).measured(top).overhead, 1e-300)
    return scale * np.logspace(-2, 5, points)
