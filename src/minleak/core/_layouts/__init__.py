"""Layouts: the ways to make a plan. One file each; add yours to the table."""

from __future__ import annotations

from minleak.core._layouts.base import Layout
from minleak.core._layouts.blocks import Blocks
from minleak.core._layouts.circle import Circle
from minleak.core._layouts.stable import Stable
from minleak.near._cheapest import Cheapest
from minleak.near._near import Near

LAYOUTS: dict[str, type[Layout]] = {layout.name: layout for layout in (Stable, Circle, Blocks, Near, Cheapest)}
