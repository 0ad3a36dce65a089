"""Layouts: the ways to put the secrets that are no giants on rings. One file each; add yours to the table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from minleak.design.layouts.circle import circle
from minleak.design.layouts.stable import stable
from minleak.design.rings import Homes, Ring

Indices = npt.NDArray[np.int64]

# A layout takes the weights of all secrets, the giants and u. It lays every other secret x of positive weight on valid
# rings, u * w_x units long in all: on no ring is a member longer than a track, and it never meets itself.
Layout = Callable[[Indices, Indices, int], tuple[Homes, tuple[Ring, ...]]]

LAYOUTS: dict[str, Layout] = {"stable": stable, "circle": circle}

# Those that are told what a set costs besides: `near` by coordinates, `cost` by a matrix, both laid by near.py.
PRICED = ("near", "cost")
