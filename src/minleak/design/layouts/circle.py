"""The circle: one ring, every secret one segment, end to end in input order. O(n)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.design.rings import Homes, Ring

Indices = npt.NDArray[np.int64]


def circle(weights: Indices, giants: Indices, u: int) -> tuple[Homes, tuple[Ring, ...]]:
    """McNaughton's wrap-around rule: no segment is longer than a track, since u * w_x <= the total, so none meets
    itself.

    At most as many distinct sets as secrets. Repeated draws of one secret are soon told apart: use `stable` there.
    """
    members: Any = range(len(weights))
    if len(giants) or weights.min() == 0:
        loose = weights > 0
        loose[giants] = False
        members = np.flatnonzero(loose)
        weights = weights[members]
    starts = np.empty(len(weights), dtype=np.int64)
    starts[0] = 0
    np.cumsum(weights[:-1], out=starts[1:])
    length = int(starts[-1]) + int(weights[-1])
    starts *= u
    return Homes.none(u), (Ring(members, starts, length, u),)
