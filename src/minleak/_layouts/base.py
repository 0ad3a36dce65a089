"""Layout: a way to make a plan; most lay the secrets that are no giants on homes and rings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from minleak._layouts.giants import LayoutInput, LayoutResult
from minleak._plan.base import RINGS
from minleak._plan.distances import Distances


class Layout(ABC):
    """What `design` takes: it makes a plan of its `kind`, as `design` makes all of that kind."""

    name: ClassVar[str]
    kind: ClassVar[str]
    # How an engine of the warehouse lays it: with homes of secrets of like weight (True), all on one ring (False), or
    # not at all (None).
    homes_in_engine: ClassVar[bool | None] = None


class RingLayout(Layout):
    """Every layout on rings makes a plan of least leakage, for all entropies at once; they differ in what the theorem
    leaves free.

    On no ring is a member longer than a track, and it never meets itself: `certify` checks it.
    """

    kind = RINGS

    @abstractmethod
    def lay(self, ground: LayoutInput) -> LayoutResult:
        """Lay every loose secret x, u * w_x units long in all."""

    def distances(self, ground: LayoutInput) -> Distances | None:
        """What its sets cost by, where they do."""
        del ground
        return None
