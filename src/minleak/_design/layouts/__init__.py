"""Layouts: the ways to lay the secrets that are no giants on rings. One file each; add yours to the table."""

from __future__ import annotations

from minleak._design.layouts.base import Layout
from minleak._design.layouts.cheapest import Cheapest
from minleak._design.layouts.circle import Circle
from minleak._design.layouts.near import Near
from minleak._design.layouts.stable import Stable
from minleak.errors import InvalidParameter, shown

LAYOUTS: dict[str, type[Layout]] = {layout.name: layout for layout in (Stable, Circle, Near, Cheapest)}


def as_layout(layout: Layout | str) -> Layout:
    """The layout itself, or the one of that name if it needs no arguments."""
    if isinstance(layout, Layout):
        return layout
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise InvalidParameter(
            f"unknown layout {shown(layout)}: one of {', '.join(LAYOUTS)}, or an object such as Stable()"
        )
    try:
        return LAYOUTS[layout]()
    except TypeError:
        raise InvalidParameter(
            f"layout={layout!r} must be told what a set costs: give layout={LAYOUTS[layout].__name__}(...)"
        ) from None
