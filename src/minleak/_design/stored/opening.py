"""Opening a .cloak file: a plan and what it is drawn from, of which everything that a loop will follow was looked at.

A checksum finds damage, not malice: whoever writes a file can write its checksum. So what follows from the rest is
computed, not read, and every index is seen to lead somewhere and every chain to end before anybody follows it. That the
tables are the plan's own, and the plan the prior's, is for `certify` to say.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data.buffers import text_of, to_numpy
from minleak._data.prior import Prior
from minleak._design.cost import Cost
from minleak._design.descent import Descent
from minleak._design.plan import Plan
from minleak._design.rings import LIMIT, Homes, Ring
from minleak._design.stored import format as files
from minleak._design.stored.tables import STORED, LabelIndex, Tables, on_one_line, shift_of
from minleak.errors import InvalidCloak

Vector = npt.NDArray[Any]

# Numbers looked at in one go, which stay in cache; and after how many of these the memory is given back.
_BLOCK, _OFTEN = 1 << 16, 32
# What Arrow, JSON and numpy say where something is not of the form that a plan has.
_UNFIT = (
    *(pa.ArrowException, AttributeError, LookupError, MemoryError, NotImplementedError),
    *(EOFError, OSError, OverflowError, RecursionError, StopIteration, TypeError, ValueError),
)


@dataclass(frozen=True, eq=False)
class Drawable:
    """A plan, the tables that its sets are looked up in, and the index that its labels are found by."""

    plan: Plan
    tables: Tables
    index: LabelIndex


def load(path: str | os.PathLike[str], *, mapped: bool = True) -> Plan:
    """The plan in a file, mapped into memory: processes that load the same file share its pages.

    All of it is checked first, against its checksum and for what it says: a file that is cut, changed, foreign, of
    another version or no plan is refused with a clear error. A file that is replaced (as `save` does it) stays valid
    for those that have loaded it; to be safe from a file that somebody writes to in place, use `mapped=False`, which
    reads it into memory. That it holds the optimal plan for a prior, and draws it, is what `certify(path, prior)` says.
    """
    return opened(path, mapped=mapped).plan


def opened(path: str | os.PathLike[str], *, mapped: bool = True) -> Drawable:
    """The plan in a file with the tables and the index that lie beside it: nothing is made anew."""
    name = files.file_name(path)
    payload, digest, release = files.read(name, mapped=mapped)
    try:
        return _Opening(*files.parsed(payload), release).drawable(digest)
    except _UNFIT as error:
        raise InvalidCloak(f"{name} does not hold a plan of this format ({type(error).__name__})") from None


class _Opening:
    """Takes arrays and numbers that anybody may have written; a ValueError or the like where they are no plan's."""

    def __init__(self, numbers: dict[str, Any], columns: dict[str, pa.Array], release: Callable[[], None]) -> None:
        self._columns, self._numbers, self._release = columns, numbers, release

    def drawable(self, digest: bytes) -> Drawable:
        """The plan with its tables and its index."""
        weights = self._vector("weights", "i8")
        n = len(weights)
        k = _whole(self._numbers["k"], 1, n)
        giants = self._vector("plan_giants", "i8")
        u = k - len(giants)
        total, least, largest = self._survey(weights)
        tail = self._tail(weights, largest, giants, total, k)
        _demand(k * total <= LIMIT)
        homes = self._homes(n, u)
        tables = self._tables(weights, giants, homes, u, tail)
        names = self._names(n)
        gains = self._vector("gains", "f8", n) if "gains" in self._columns else None
        prior = self._prior(weights, names, total)
        if gains is not None:
            possible = weights > 0
            _demand(gains.min() >= 0 and gains.max() < math.inf)
            _demand(gains[possible].min() > 0 and prior.weights[possible].min() > 0)
        apart = self._vector("apart", "i4 i8", n) if "apart" in self._columns else None
        begins = (np.flatnonzero(least == 0) * _BLOCK).tolist()
        zeros = [begin + np.flatnonzero(weights[begin : begin + _BLOCK] == 0) for begin in begins]
        plan = Plan(
            prior=prior,
            k=k,
            layout=_text(self._numbers["layout"]),
            gains=gains,
            weights=weights,
            total=total,
            distance=_number(self._numbers["distance"], 0.0, 1.0),
            giants=giants,
            u=u,
            tail=tail,
            homes=homes,
            rings=self._rings(tables, u, n),
            idle=_kept(np.concatenate(zeros) if zeros else np.empty(0, dtype=np.int64)),
            costs=self._costs(n),
            apart=apart,
            descent=self._descent(),
            known_digest=digest,
        )
        slots = self._vector("slots", "i4 i8")
        if names is not None:
            _demand(len(slots) > n and len(slots) & (len(slots) - 1) == 0)
            self._range(slots, -1, n)
        self._release()
        return Drawable(plan, tables, LabelIndex(prior.labels, slots))

    # -- the parts ---------------------------------------------------------------------------------------------------

    def _survey(self, weights: Vector) -> tuple[int, Vector, Vector]:
        """The total of the weights, and the least and the largest of each block."""
        _demand(len(weights) > 0)
        total, least, largest = 0, [], []
        for _, block in self._blocks(weights):
            least.append(int(block.min()))
            largest.append(int(block.max()))
            if largest[-1] < 2**62 // _BLOCK:
                total += int(block.sum())
            else:
                total += (int((block >> 31).sum()) << 31) + int((block & 0x7FFFFFFF).sum())
        _demand(min(least) >= 0 and total > 0)
        return total, np.array(least), np.array(largest)

    def _tail(self, weights: Vector, largest: Vector, giants: Vector, total: int, k: int) -> int:
        """What the giants leave, if they are the giants of these weights: else what a plan says of itself is wrong."""
        _demand(len(giants) < k)
        self._range(giants, 0, len(weights))
        _demand(len(np.unique(giants)) == len(giants))
        heavy, tail = weights[giants].tolist(), total
        _demand(heavy == sorted(heavy, reverse=True))
        for j, weight in enumerate(heavy):
            _demand(weight * (k - j) > tail)
            tail -= weight
        share = tail // (k - len(giants))
        heavier = (weights[i * _BLOCK : (i + 1) * _BLOCK] > share for i in np.flatnonzero(largest > share).tolist())
        _demand(sum(map(np.count_nonzero, heavier)) == len(giants))
        return tail

    def _homes(self, n: int, u: int) -> Homes:
        weights, members = self._vector("home_weights", "i8"), self._vector("home_members", "i4 i8")
        _demand(len(members) == u * len(weights))
        self._range(members, 0, n)
        self._range(weights, 1, LIMIT + 1)
        _demand(float(weights.sum(dtype=np.float64)) < 1.5 * LIMIT)  # the sum in integers does not go round
        return Homes(members.reshape(-1, u), weights)

    def _tables(self, weights: Vector, giants: Vector, homes: Homes, u: int, tail: int) -> Tables:
        stored = {name: self._vector(name, "i8" if name in ("lengths", "starts") else "i4 i8") for name in STORED}
        n, n_homes, lengths, starts = len(weights), len(homes.weights), stored["lengths"], stored["starts"]
        self._range(lengths, 1, LIMIT + 1)
        _demand(u * int(homes.weights.sum()) + sum(lengths.tolist()) == tail)
        bases, end = on_one_line(lengths, u)
        count, shift = len(starts), shift_of(end, len(starts))
        sizes = [_whole(size, 1, count) for size in self._numbers["segments"]]
        _demand(len(sizes) == len(lengths) and sum(sizes) == count)
        _demand(np.array_equal(starts[np.cumsum(sizes, dtype=np.int64) - np.array(sizes, dtype=np.int64)], bases))
        before = -1
        for _, block in self._blocks(starts):
            _demand(block[0] > before and bool((block[1:] > block[:-1]).all()))
            before = int(block[-1])
        _demand(before < max(end, 1))
        members, first, following = stored["members"], stored["first"], stored["following"]
        if len(members) or not count:
            _demand(len(members) == len(following) == count and len(first) == (n if count else 0))
            self._range(members, 0, n)
            self._range(first, -1, count)
            for begin, block in self._blocks(following):  # each leads on, so that all end
                own = np.arange(begin, begin + len(block))
                _demand(bool(((block == -1) | ((block > own) & (block < count))).all()))
        else:
            _demand(count == n and len(sizes) == 1 and not len(giants) and not len(first) and not len(following))
        _demand(len(stored["guide"]) == ((end >> shift) + 1 if count else 0))
        self._range(stored["guide"], 0, count)
        _demand(len(stored["home_of"]) == (n if n_homes else 0))
        self._range(stored["home_of"], -1, n_homes)
        return Tables(
            **stored,
            bases=_kept(bases),
            shift=shift,
            end=end,
            home_ends=_kept(np.cumsum(u * homes.weights)),
            giants=_kept(np.sort(giants)),
        )

    def _rings(self, tables: Tables, u: int, n: int) -> tuple[Ring, ...]:
        rings, at = [], 0
        for size, base, length in zip(
            self._numbers["segments"], tables.bases.tolist(), tables.lengths.tolist(), strict=True
        ):
            members: Any = tables.members[at : at + size] if len(tables.members) else range(n)
            starts = tables.starts[at : at + size]
            rings.append(Ring(members, _kept(starts - base) if base else starts, length, u))
            at += size
        return tuple(rings)

    def _names(self, n: int) -> pa.Array | None:
        names = self._columns.get("labels")
        if names is not None:
            _demand(len(names) == n and names.type in (pa.string(), pa.large_string(), pa.int64()))
            _demand(not names.null_count)
            if names.type != pa.int64():
                self._check_text(names)
        return names

    def _check_text(self, names: pa.Array) -> None:
        """Demand offsets that grow, within the text, which is UTF-8: as Arrow does, in half the time and memory."""
        offsets, text = text_of(names)
        _demand(len(offsets) == len(names) + 1 and offsets[0] >= 0 and offsets[-1] <= len(text))
        for begin, block in self._blocks(offsets):
            _demand(bool((block[1:] >= block[:-1]).all()) and (begin == 0 or block[0] >= offsets[begin - 1]))
        if not all(block.max() < 128 for _, block in self._blocks(text)):  # which is UTF-8 wherever it is cut
            names.validate(full=True)

    def _prior(self, weights: Vector, names: pa.Array | None, total: int) -> Prior:
        events = self._numbers.get("events", "total")  # files of version 2 do not say it
        if events not in ("total", None):
            events = _whole(events, 1, 2**1024)
        if "prior" not in self._columns:
            return Prior.trusted(weights, names, total, total if events == "total" else events)
        given = self._columns["prior"]
        if given.type == pa.string():
            given.validate(full=True)
            checked = Prior([int(weight) for weight in given.to_pylist()])
        else:
            checked = Prior(self._vector("prior", "i8 f8"))
        _demand(len(checked) == len(weights))
        return Prior.trusted(checked.weights, names, checked.total, checked.events if events == "total" else events)

    def _costs(self, n: int) -> Cost | None:
        said = self._numbers.get("priced")  # files made without costs say nothing
        if said is None:
            return None
        value, bound, rounding, metric, stability = said
        places = None
        if "coordinates" in self._columns:
            places = self._vector("coordinates", "f8").reshape(n, -1)
            _demand(bool(np.isfinite(places).all()) and places.shape[1] > 0)
        fits = "given" if places is None else metric if places.shape[1] == 2 else "euclidean"
        _demand(metric == fits in ("given", "euclidean", "haversine"))
        return Cost(
            value=_number(value, 0, math.inf),
            bound=None if bound is None else _number(bound, 0, math.inf),
            rounding=None if rounding is None else _number(rounding, -math.inf, math.inf),
            metric=_text(metric),
            stability=_number(stability, 0, 1),
            coordinates=places,
        )

    def _descent(self) -> Descent | None:
        said = self._numbers.get("descent")  # files before version 4 say nothing
        if said is None:
            return None
        name, ancestors = said["lineage"], said["ancestors"]
        _demand(type(ancestors) is list and (name is None) == (not ancestors) and type(said["by_tree"]) is bool)
        lineage = None if name is None else _digest(name)
        return Descent(lineage, tuple(map(_digest, ancestors)), by_tree=said["by_tree"])

    # -- looking -----------------------------------------------------------------------------------------------------

    def _vector(self, name: str, kinds: str, size: int | None = None) -> Vector:
        found = to_numpy(self._columns[name])
        _demand(found.dtype.str in {f"<{kind}" for kind in kinds.split()} and size in (None, len(found)))
        return found

    def _blocks(self, array: Vector) -> Iterator[tuple[int, Vector]]:
        for number, begin in enumerate(range(0, len(array), _BLOCK)):
            yield begin, array[begin : begin + _BLOCK]
            if number % _OFTEN == _OFTEN - 1:
                self._release()

    def _range(self, array: Vector, low: int, high: int) -> None:
        """Demand that all are from `low` to before `high`."""
        for _, block in self._blocks(array):
            _demand(block.max() < high and block.min() >= low)


def _demand(holds: bool | np.bool_) -> None:
    if not holds:
        raise ValueError("not what a plan has here")


def _kept(array: Vector) -> Vector:
    array.flags.writeable = False
    return array


def _whole(number: Any, low: int, high: int) -> int:
    _demand(type(number) is int and low <= number <= high)
    return int(number)


def _number(number: Any, low: float, high: float) -> float:
    _demand(type(number) in (int, float) and low <= number <= high and abs(number) < math.inf)
    return float(number)


def _digest(text: Any) -> bytes:
    _demand(type(text) is str and re.fullmatch("[0-9a-f]{64}", text) is not None)
    return bytes.fromhex(text)


def _text(text: Any) -> str:
    _demand(type(text) is str)
    return str(text)
