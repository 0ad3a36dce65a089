"""Contents: the arrays and numbers of a .cloak file, which anybody may have written, looked at before they are used."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data.buffers import text_of, to_numpy
from minleak._data.prior import Prior
from minleak._design.stored.tables import LabelIndex

Vector = npt.NDArray[Any]

# Numbers looked at in one go, which stay in cache; and after how many of these the memory is given back.
BLOCK, _OFTEN = 1 << 16, 32


class Contents:
    """Named arrays and numbers; every method raises a ValueError or the like where they are no plan's.

    `release` gives memory back that was looked at.
    """

    def __init__(self, numbers: dict[str, Any], columns: dict[str, pa.Array], release: Callable[[], None]) -> None:
        self.columns, self.numbers, self.release = columns, numbers, release

    def survey(self, weights: Vector) -> tuple[int, Vector, Vector]:
        """The total of the weights, and the least and the largest of each block."""
        demand(len(weights) > 0)
        total, least, largest = 0, [], []
        for _, block in self.blocks(weights):
            least.append(int(block.min()))
            largest.append(int(block.max()))
            if largest[-1] < 2**62 // BLOCK:
                total += int(block.sum())
            else:
                total += (int((block >> 31).sum()) << 31) + int((block & 0x7FFFFFFF).sum())
        demand(min(least) >= 0 and total > 0)
        return total, np.array(least), np.array(largest)

    def names(self, n: int) -> pa.Array | None:
        """The labels of n secrets; None where they are 0..n-1."""
        names = self.columns.get("labels")
        if names is not None:
            demand(len(names) == n and names.type in (pa.string(), pa.large_string(), pa.int64()))
            demand(not names.null_count)
            if names.type != pa.int64():
                self._check_text(names)
        return names

    def _check_text(self, names: pa.Array) -> None:
        """Demand offsets that grow, within the text, which is UTF-8: as Arrow does, in half the time and memory."""
        offsets, text = text_of(names)
        demand(len(offsets) == len(names) + 1 and offsets[0] >= 0 and offsets[-1] <= len(text))
        for begin, block in self.blocks(offsets):
            demand(bool((block[1:] >= block[:-1]).all()) and (begin == 0 or block[0] >= offsets[begin - 1]))
        if not all(block.max() < 128 for _, block in self.blocks(text)):  # which is UTF-8 wherever it is cut
            names.validate(full=True)

    def prior(self, weights: Vector, names: pa.Array | None, total: int) -> Prior:
        """The prior that was given, of which `weights` are what it is on the integer grid."""
        events = self._events()
        if "prior" not in self.columns:
            return Prior.trusted(weights, names, total, total if events == "total" else events)
        given = self.given_prior(names)
        demand(len(given) == len(weights))
        return given

    def given_prior(self, names: pa.Array | None) -> Prior:
        """The prior whose weights lie in the file as they were given."""
        given, events = self.columns["prior"], self._events()
        if given.type == pa.string():
            given.validate(full=True)
            checked = Prior([int(weight) for weight in given.to_pylist()])
        else:
            checked = Prior(self.vector("prior", "i8 f8"))
        return Prior.trusted(checked.weights, names, checked.total, checked.events if events == "total" else events)

    def _events(self) -> Any:
        events = self.numbers.get("events", "total")  # files of version 2 do not say it
        return events if events in ("total", None) else whole(events, 1, 2**1024)

    def index(self, prior: Prior, names: pa.Array | None) -> LabelIndex:
        """What labels are found by. All was looked at before it: the memory is given back."""
        slots = self.vector("slots", "i4 i8")
        if names is not None:
            demand(len(slots) > len(names) and len(slots) & (len(slots) - 1) == 0)
            self.in_range(slots, -1, len(names))
        self.release()
        return LabelIndex(prior.labels, slots)

    # -- looking -----------------------------------------------------------------------------------------------------

    def vector(self, name: str, kinds: str, size: int | None = None) -> Vector:
        """The array of that name, if it is of one of the types, and of the size."""
        found = to_numpy(self.columns[name])
        demand(found.dtype.str in {f"<{kind}" for kind in kinds.split()} and size in (None, len(found)))
        return found

    def blocks(self, array: Vector) -> Iterator[tuple[int, Vector]]:
        """Pieces of an array, each with where it begins."""
        for number, begin in enumerate(range(0, len(array), BLOCK)):
            yield begin, array[begin : begin + BLOCK]
            if number % _OFTEN == _OFTEN - 1:
                self.release()

    def in_range(self, array: Vector, low: int, high: int) -> None:
        """Demand that all are from `low` to before `high`."""
        for _, block in self.blocks(array):
            demand(block.max() < high and block.min() >= low)


def demand(holds: bool | np.bool_) -> None:
    """Refuse a file for which that does not hold."""
    if not holds:
        raise ValueError("not what a plan has here")


def kept(array: Vector) -> Vector:
    """The array, which nobody can write to any more."""
    array.flags.writeable = False
    return array


def whole(number: Any, low: int, high: int) -> int:
    """A whole number in these bounds."""
    demand(type(number) is int and low <= number <= high)
    return int(number)


def number(number: Any, low: float, high: float) -> float:
    """A finite number in these bounds."""
    demand(type(number) in (int, float) and low <= number <= high and abs(number) < math.inf)
    return float(number)


def text(text: Any) -> str:
    """A text."""
    demand(type(text) is str)
    return str(text)
