"""Layouts: the ways to make a plan. One file each; add yours to the table."""

from __future__ import annotations

from minleak._design.layouts.base import Layout
from minleak._design.layouts.blocks import Blocks
from minleak._design.layouts.cheapest import Cheapest
from minleak._design.layouts.circle import Circle
from minleak._design.layouts.near import Near
from minleak._design.layouts.stable import Stable

LAYOUTS: dict[str, type[Layout]] = {layout.name: layout for layout in (Stable, Circle, Blocks, Near, Cheapest)}
