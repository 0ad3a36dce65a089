"""Layouts: the ways to make a plan. One file each; add yours to the table."""

from __future__ import annotations

from minleak._layouts.base import Layout
from minleak._layouts.blocks import Blocks
from minleak._layouts.cheapest import Cheapest
from minleak._layouts.circle import Circle
from minleak._layouts.near import Near
from minleak._layouts.stable import Stable

LAYOUTS: dict[str, type[Layout]] = {layout.name: layout for layout in (Stable, Circle, Blocks, Near, Cheapest)}
