"""What a plan is worth in the world that its counts are a sample of, and whether that meets a requirement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minleak._design.enough_events import enough_events
from minleak._design.plan import Plan
from minleak._design.sweeps import as_success
from minleak.errors import InvalidParameter

# How close to the certificate the events that are asked for should bring it.
WITHIN = 0.1


@dataclass(frozen=True)
class Worldly:
    """Success of one guess in the world and its interval; the leakage in each entropy; and between which numbers of
    events the success would be within 10% of the certified one.
    """

    events: int
    success: float
    low: float
    high: float
    unseen: float
    leakage: tuple[float, ...]
    enough: tuple[int, int]


@dataclass(frozen=True)
class Requirement:
    """How often a guess may be right at most: `met` if the estimate is no more, as `least_k` means it, and `sure` if
    not even the interval's upper end is.
    """

    most: float
    met: bool
    sure: bool


def in_the_world(plan: Plan, entropies: Sequence[str], *, seed: int) -> Worldly | str:
    """The plan in the world, or why nothing can be said."""
    try:
        world = plan.in_the_world(entropies=(), seed=seed)
    except InvalidParameter as error:
        return str(error)
    return Worldly(
        events=world.events,
        success=world.success,
        low=world.low,
        high=world.high,
        unseen=world.unseen,
        leakage=tuple(world.leakage(name) for name in entropies),
        enough=enough_events(plan, world, within=WITHIN, seed=seed),
    )


def as_requirement(plan: Plan, success: object) -> float | None:
    """The probability that a guess may be right with at most, if one is given."""
    if success is None:
        return None
    most = as_success(success)
    if plan.gains is not None:
        raise InvalidParameter("success= is about how often a guess is right, and a plan with gains is about its worth")
    return most


def judged(most: float, claimed: float, world: Worldly | None) -> Requirement:
    """Whether a requirement is met, in the world where that can be told, and else as counted."""
    success, high = (claimed, claimed) if world is None else (world.success, world.high)
    limit = most * (1 + 1e-12)  # 1/20 may be a rounding above 0.05
    return Requirement(most, success <= limit, high <= limit)
