"""The integer grid that weights are put on, fine enough and small enough for 64 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.prior import Prior
from minleak._design.rings import LIMIT


@dataclass(frozen=True)
class Grid:
    """Integer weights, their total, and the total-variation distance of what they stand for to what was given."""

    weights: npt.NDArray[np.int64]
    total: int
    distance: float

    def times(self, factor: int) -> Grid:
        """The same prior in finer units."""
        return self if factor == 1 else Grid(self.weights * factor, self.total * factor, self.distance)


def to_grid(prior: Prior, k: int) -> Grid:
    """The prior's weights as 64-bit integers with k * total <= 2^62.

    Integers that fit are taken as they are. Others are cut off at a power of two, as fine as fits; positive weights get
    at least one unit. The plan is exactly optimal for the weights on the grid; `distance` says how far they are.
    """
    room = LIMIT // k
    weights, total = prior.weights, prior.total
    if prior.exact and total <= room:
        return Grid(weights.astype(np.int64, copy=False), int(total), 0.0)
    spare = room - len(prior)  # the cut-off loses less than a unit each, the least unit adds at most one each
    if prior.exact:
        shift = max(0, int(total).bit_length() - spare.bit_length())
        shift += int(total) >> shift > spare
        cut: npt.NDArray[Any] = (weights >> shift).astype(np.int64)
    else:
        cut = np.floor(prior.p * 2.0 ** (spare.bit_length() - 1)).astype(np.int64)
    on_grid = np.maximum(cut, (weights > 0).astype(np.int64))
    grid_total = int(on_grid.sum())
    distance = 0.5 * float(np.abs(on_grid / grid_total - prior.p).sum())
    return Grid(on_grid, grid_total, distance)
