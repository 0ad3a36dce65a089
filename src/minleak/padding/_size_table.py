"""SizeTable: pads any size to one of a list of values; saved and run without the secrets.

runtimes/spec.md says how programs in other languages read the files and pad.
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._file.replacing import replace_file
from minleak.core._parameters import as_list, is_number, real, whole
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, MinleakError, UnreadableFile, quote
from minleak.io._formats import open_table
from minleak.io._sources import read_bytes
from minleak.padding._limits import Cap, cap_sizes, exact_share
from minleak.padding._told import tell_table

# The format of a file.
_FORM = "minleak padding table 1"
# The most values of a table, and the largest size.
_VALUES, _LARGEST = 1_000_000, 2**62
# Under a cap that is a function, times keep it down to this fraction of the smallest that was seen.
_BELOW = 16


@dataclass(frozen=True, repr=False, eq=False)
class SizeTable(Result):
    """Any size is padded to the least of the increasing `values` that is not smaller.

    Above the last of them the table goes on as the universal table with cap `beyond` (see `universal`); if that is None
    larger sizes are refused. Integer values pad integer sizes. Times, which can be arbitrarily close to 0, go on in
    both directions: with `beyond` every value above the last, and below the first that is not 0, is 1 + beyond times
    the one before it.
    """

    values: tuple[float, ...]
    beyond: float | None = None

    reported = ("capacity",)

    def __post_init__(self) -> None:
        values = [_as_size(value) for value in as_list(self.values, "the values of a table are a sequence", some=True)]
        if len(values) > _VALUES:
            raise InvalidParameter(f"a table has at most {_VALUES:,} values, not {len(values):,}")
        if any(b <= a for a, b in pairwise(values)):
            raise InvalidParameter("the values of a table increase, and each stands in it once")
        if not all(isinstance(value, int) for value in values):
            values = [float(value) for value in values]
        object.__setattr__(self, "values", tuple(values))
        if self.beyond is not None:
            beyond = real(self.beyond, "beyond is a share from 0 on, such as 0.12", above=0.0, below=math.inf)
            object.__setattr__(self, "beyond", beyond)

    @classmethod
    def of(cls, sizes: npt.NDArray[Any], ends: npt.NDArray[Any], *, most: Cap | None) -> SizeTable:
        """The table of buckets with these ends. Under a cap it has further values between the `sizes`, so that no size,
        seen or not, is padded by more; for times under a cap that is a function of the size, down to a sixteenth of the
        smallest. A cap of 0 on times leaves nothing but the times themselves.
        """
        values = ends.tolist()
        times = isinstance(values[0], float)
        if most is None or most == math.inf or (times and most == 0):
            return cls(tuple(values))
        natural = np.unique(sizes)
        firsts = natural[np.searchsorted(natural, np.append(-1, ends[:-1]), side="right")].tolist()
        filled: list[float] = []
        for first, end in zip(firsts, values, strict=True):
            lowest = times and (not filled or filled[-1] == 0)
            if lowest and first > 0 and callable(most):
                filled += [first / _BELOW, *_fill(first / _BELOW, first, end, most)]
            elif not lowest:  # below the lowest time the rule goes on
                filled += _fill(filled[-1] if filled else -1, first, end, most)
            filled.append(end)
        return cls(tuple(filled), None if callable(most) or most == 0 else most)

    def pad(self, size: float) -> int | float:
        """What to pad this size to; O(log n) for n values.

        >>> table = SizeTable((100, 250, 1000), beyond=0.1)
        >>> table.pad(100), table.pad(101), table.pad(1001), table.pad(5000)
        (100, 250, 1101, 5079)
        """
        if not is_number(size):
            raise InvalidParameter(f"a size is a number, not {quote(size)}")
        if not 0 <= size < math.inf or (size > self.values[-1] and self.beyond is None):  # NaN fails
            raise InvalidParameter(
                f"the size is not between 0 and {self.values[-1]}, the largest designed for: design with it, or "
                "show it as it is, knowing that it stands out"
            )
        if size > self.values[-1]:
            return self._pad_above(size)
        place = bisect_left(self.values, size)
        value = self.values[place]
        if self.beyond is None or isinstance(value, int) or (place and self.values[place - 1] > 0):
            return value
        return self._pad_below(size, value) if size else 0.0

    def _pad_above(self, size: float) -> int | float:
        for value in islice(_greedy(self.values[-1], self.beyond or 0.0), _VALUES):
            if value >= size:
                return value
        raise InvalidParameter(f"the size is more than {_VALUES:,} values above the largest designed for")

    def _pad_below(self, size: float, value: float) -> float:
        """The least of value, value / (1 + beyond), value / (1 + beyond)^2, ... that is not smaller than the size."""
        for _ in range(_VALUES):
            less = value / (1 + (self.beyond or 0.0))
            if less < size or less == value:  # the smallest numbers are all alike
                return value
            value = less
        raise InvalidParameter(f"the size is more than {_VALUES:,} values below the smallest designed for")

    def __call__(self, sizes: npt.ArrayLike) -> npt.NDArray[Any]:
        """What to pad each of these sizes to; so a table is a policy."""
        distinct, where = np.unique(np.asarray(sizes), return_inverse=True)
        return np.array([self.pad(size) for size in distinct.tolist()])[where]

    @property
    def capacity(self) -> float:
        """An upper bound in bits on what sizes of any distribution leak in Shannon's entropy, min-entropy or Arimoto's
        of any order: log2 of the number of values. It is infinite if the table goes on beyond them; whole sizes up to
        the last value then leak at most log2 of the number of `values`.
        """
        return math.log2(len(self.values)) if self.beyond is None else math.inf

    def rows(self) -> list[dict[str, float]]:
        """The rows of the table: sizes above `above` and up to `padded` are shown as `padded`; -1 is below size 0. Each
        row repeats `beyond`, if there is one.
        """
        rule = {} if self.beyond is None else {"beyond": self.beyond}
        return [{"above": above, "padded": value, **rule} for above, value in pairwise((-1, *self.values))]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table, whole or not at all: as .json, or as .csv with the columns of `rows`. Both hold `beyond`,
        the rule for larger sizes.
        """
        ending = os.fspath(path).rpartition(".")[2].lower()
        if ending not in ("csv", "json"):
            raise InvalidParameter(f"a table is saved as .json or .csv, not {os.fspath(path)!r}")
        text = json.dumps({"form": _FORM, "beyond": self.beyond, "values": self.values}) + "\n"
        if ending == "csv":
            rows = self.rows()
            text = "".join([f"{','.join(rows[0])}\n", *(f"{','.join(map(str, row.values()))}\n" for row in rows)])
        try:
            with replace_file(path) as file:
                file.write(text.encode())
        except OSError as error:
            reason = error.strerror or "the file system refused"
            raise MinleakError(f"cannot write {os.fspath(path)}: {reason}") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SizeTable:
        """The table in a file that `save` wrote, checked like a new one."""
        name = os.fspath(path)
        if not name.lower().endswith((".csv", ".json")):
            raise UnreadableFile(
                f"{name} is no padding table: minleak pad -o writes .json, or .csv with the column padded"
            )
        try:
            if not name.lower().endswith(".json"):
                columns = open_table(path)
                if not columns.has("padded"):
                    raise UnreadableFile(f"{name} is no padding table: it has no column padded")
                names = ["padded", "beyond"] if columns.has("beyond") else ["padded"]
                read = columns.read({}, {name: name for name in names})
                rule = np.unique(read["beyond"].numbers()).tolist() if "beyond" in read else [None]
                if len(rule) != 1:
                    raise UnreadableFile(f"{name} is no padding table: the column beyond must repeat one number")
                return cls(tuple(read["padded"].numbers().tolist()), rule[0])
            data = json.loads(read_bytes(path, name))
            if not isinstance(data, dict) or data.get("form") != _FORM or not isinstance(data.get("values"), list):
                raise UnreadableFile(f"{name} is no padding table: save one with minleak.padding")
            return cls(tuple(data["values"]), data.get("beyond"))
        except (ValueError, RecursionError) as error:
            if isinstance(error, UnreadableFile):
                raise
            raise UnreadableFile(f"{name} is no padding table: {' '.join(str(error).split())}") from None

    def to_parts(self) -> list[str | Table]:
        return tell_table(self)

    def __repr__(self) -> str:
        return f"SizeTable({len(self.values)} values up to {self.values[-1]}, beyond={self.beyond})"


def universal(smallest: int, largest: int, *, most: float) -> SizeTable:
    """The table for unknown integer sizes: no size from `smallest` to `largest` is padded by more than the share
    `most`, and no other such table has fewer values.

    With c = 1 + most the first value is floor(c s) for the smallest s, and the next starts from s = floor(c s) + 1.
    Each value is as large as the smallest size above the previous one allows, so no other table reaches further with as
    many values. log2 of their number is the capacity of the channel from these sizes to observations: for any
    distribution of sizes in that range, no more bits leak in Arimoto's entropy of any order, which includes Shannon's
    and min-entropy; of order 7 in Hayashi's form more may leak. O(number of values).

    >>> universal(100, 200, most=0.12).values
    (112, 126, 142, 160, 180, 202)
    """
    begin = whole(smallest, "the smallest size", 0)
    end = whole(largest, "the largest size", begin, _LARGEST)
    share = real(most, "the most that may be added is a share from 0 on, such as 0.12", above=0.0, below=math.inf)
    values: list[float] = []
    for value in _greedy(begin - 1, share):
        values.append(value)
        if value >= end:
            return SizeTable(tuple(values), share)
        if len(values) >= _VALUES:
            break
    raise InvalidParameter(f"a table from {begin} to {end} under that cap has more than {_VALUES:,} values")


def _greedy(above: float, most: float) -> Iterator[float]:
    """The values of the universal table after `above`; for times each is (1 + most) times the previous one."""
    share = exact_share(most)
    while True:
        if isinstance(above, int):
            above += 1
            above += above * share.numerator // share.denominator
        else:
            above *= 1 + most
        yield above


def _fill(above: float, first: float, end: float, most: Cap) -> Iterator[float]:
    """Values between `above` and the size `first`, so that sizes there are padded by no more than the cap; those that
    it allows to be padded to `end` need none.
    """
    is_whole = isinstance(end, int)
    while True:
        smallest = above + 1 if is_whole else math.nextafter(above, math.inf)
        allowed = cap_sizes(np.array([smallest]), most).tolist()[0]
        if smallest >= first or allowed >= end:
            return
        above = min(int(allowed), int(first) - 1) if is_whole else max(smallest, min(allowed, math.nextafter(first, 0)))
        yield above


def _as_size(value: Any) -> int | float:
    if not is_number(value) or not 0 <= value < math.inf:
        raise InvalidParameter(f"the values of a table are finite numbers from 0 on, not {quote(value)}")
    return int(value) if isinstance(value, int | np.integer) else float(value)
