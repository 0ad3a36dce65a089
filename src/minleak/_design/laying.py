"""What a layout is given and what it gives: secrets to be laid, and the homes and rings that they lie on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak._data.labels import Labels
from minleak._design.giants import Giants
from minleak._design.pricing.cost import Cost
from minleak._design.rings import Homes, Ring

Indices = npt.NDArray[np.int64]
Progress = Callable[[int, int, str], None]


def in_silence(_done: int, _steps: int, _what: str) -> None:
    """Progress that nobody asked for."""


@dataclass(frozen=True)
class Ground:
    """The weights and labels of all secrets, and the giants, with the u places and the weight that they leave.

    Weights may be multiplied by a factor of at most `finest` where their units are too coarse for a layout.
    """

    weights: Indices
    labels: Labels
    giants: Giants
    finest: int = 1
    progress: Progress = in_silence

    @property
    def u(self) -> int:
        """How many places in a set are not the giants'."""
        return self.giants.u

    def loose(self) -> Indices:
        """The secrets to be laid: of positive weight, and no giants."""
        loose = self.weights > 0
        loose[self.giants.members] = False
        return np.flatnonzero(loose)


@dataclass(frozen=True)
class Laid:
    """Homes and rings on which every loose secret x has u * w_x units in all; what the sets cost, if that was told;
    and the group of each secret, of which a set holds at most one, if some are to be kept apart.

    Lengths are for weights multiplied by `factor`, which leaves the prior as it is and makes the units finer.
    """

    homes: Homes
    rings: tuple[Ring, ...]
    cost: Cost | None = None
    factor: int = 1
    apart: Indices | None = None

    @classmethod
    def nothing(cls, ground: Ground, cost: Cost | None = None) -> Laid:
        """Where all secrets that can occur are giants."""
        return cls(Homes.none(max(ground.u, 1)), (), cost)
