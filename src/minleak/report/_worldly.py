"""What a plan is worth in the true population that its counts sample, and whether that meets a requirement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minleak.errors import InvalidParameter
from minleak.rates._sweeps import as_success
from minleak.rates._world import World


@dataclass(frozen=True)
class Requirement:
    """How often a guess may be right at most: `met` if the estimate is no more, as `least_k` means it, and `sure` if
    not even the interval's upper end is.
    """

    most: float
    met: bool
    sure: bool


def as_requirement(plan: Any, success: object) -> float | None:
    """The probability that a guess may be right with at most, if one is given."""
    if success is None:
        return None
    most = as_success(success)
    if getattr(plan, "gains", None) is not None:
        raise InvalidParameter("success= is about how often a guess is right, and a plan with gains is about its worth")
    return most


def judged(most: float, claimed: float, world: World | None) -> Requirement:
    """Whether a requirement is met, in the true population where that can be told, and else as counted."""
    success, high = (claimed, claimed) if world is None else (world.success, world.high)
    limit = most * (1 + 1e-12)  # 1/20 may be a rounding above 0.05
    return Requirement(most, success <= limit, high <= limit)
