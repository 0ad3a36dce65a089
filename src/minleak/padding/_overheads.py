"""Overheads: what a padding adds on the mean, to the median object, to the worst, and above a cap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._result import Result
from minleak.padding._limits import Cap, Limits

# The cap to count objects above if none was asked for: the most that Padmé adds.
USUAL_CAP = 0.12


@dataclass(frozen=True)
class Overheads(Result):
    """What is added: the `mean` in the unit of the sizes; the same as a `share` of the mean size; the `relative` mean
    of the shares by which objects grow; the `median` and the `worst` of these shares; and the share of objects that
    grow by more than the cap (`above_cap`), 12% if no other was asked for.

    Objects are weighted by their probability. An object of size 0 that is padded grows infinitely.
    """

    mean: float
    share: float
    relative: float
    median: float
    worst: float
    above_cap: float

    @classmethod
    def of(
        cls,
        sizes: npt.NDArray[Any],
        p: Array,
        padded: npt.NDArray[Any],
        *,
        largest: npt.NDArray[Any] | None = None,
        most: Cap | None = None,
    ) -> Overheads:
        """The overheads of sizes of probabilities p, shown as `padded` on the mean and as `largest` at most."""
        largest = padded if largest is None else largest
        possible = p > 0
        sizes, p, padded, largest = sizes[possible], p[possible], padded[possible], largest[possible]
        added, natural = (padded - sizes).astype(float), sizes.astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(added > 0, added / natural, 0.0)
            worst = np.where(largest > sizes, (largest - sizes) / natural, 0.0)
        order = np.argsort(shares, kind="stable")
        middle = int(np.searchsorted(np.cumsum(p[order]), 0.5 * p.sum() * (1 - 1e-12)))
        mean, size = float(p @ added), float(p @ natural)
        cap = Limits(most=USUAL_CAP if most is None else most).largest(sizes)
        return cls(
            mean=mean,
            share=mean / size if size > 0 else 0.0,
            relative=float(p @ shares),
            median=float(shares[order[middle]]),
            worst=float(worst.max()),
            above_cap=float(p[largest > cap].sum()),
        )

    def to_cells(self) -> list[str]:
        """The shares as cells of a table, by `COLUMNS`."""
        return [_cell(share) for share in (self.share, self.relative, self.median, self.worst, self.above_cap)]


#: The names of the columns of `Overheads.to_cells`.
COLUMNS = ("in all", "mean", "median", "worst", "above cap")


def _cell(share: float) -> str:
    if share < 10:
        return f"{share:.2%}"
    return "no bound" if math.isinf(share) else f"{share:.3g}x"
