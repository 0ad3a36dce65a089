"""Cost: what the sets of a plan cost on average, and how sure it is that no other plan costs less."""

from __future__ import annotations

from dataclasses import dataclass, field

from minleak._data.arrays import Array
from minleak._face.result import Result


@dataclass(frozen=True, eq=False)
class Cost(Result):
    """The mean of c(M)/u over published sets M, c taken over their u members that are no giants.

    `bound` is below the cost of every plan that leaks as little, None where it is not known; `rounding` is the part of
    `value` that it costs to have the linear programme's solution in integers. `metric` is "euclidean" (in the
    coordinates' unit), "haversine" (in kilometres) or "given" (a cost matrix); `stability` is from 0, as near as
    possible, to 1; `coordinates` are those given.
    """

    value: float
    bound: float | None
    rounding: float | None
    metric: str
    stability: float
    coordinates: Array | None = field(repr=False)

    reported = ("gap",)

    @property
    def gap(self) -> float | None:
        """How far the cost may be above the least, as a fraction of it."""
        if self.bound is None:
            return None
        return (self.value - self.bound) / self.value if self.value > 0 else 0.0
