"""Layout: a way to make a plan. Most layouts put the secrets that are no giants on homes and rings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from minleak.core._layouts.giants import LayoutInput, LayoutResult
from minleak.core._plan.base import RINGS
from minleak.core._plan.distances import Distances


class Layout(ABC):
    """An argument of `design`, which makes a plan of this `kind`."""

    name: ClassVar[str]
    kind: ClassVar[str]
    # How a warehouse engine lays it: with homes of secrets of like weight (True), on one ring (False), or not at all
    # (None).
    homes_in_engine: ClassVar[bool | None] = None


class RingLayout(Layout):
    """A layout on rings. All of them make plans of least leakage for one draw, in all entropies of the theorem at once;
    they differ in what the theorem leaves free.

    On no ring is a member longer than a track, so that it never meets itself: `certify` checks this.
    """

    kind = RINGS

    @abstractmethod
    def lay(self, problem: LayoutInput) -> LayoutResult:
        """Give every loose secret x exactly u * w_x units on homes and rings."""

    def distances(self, problem: LayoutInput) -> Distances | None:
        """The distances that the cost of a set is measured by; None if sets cost nothing."""
        del problem
        return None
