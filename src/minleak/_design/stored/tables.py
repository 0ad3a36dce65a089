"""What a draw looks up in a few memory accesses: the tables of a plan, and the index that its labels are found by."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data.buffers import text_of, to_numpy
from minleak._data.labels import Labels

Indices = npt.NDArray[Any]

_OFFSET, _PRIME, _MIX = 14695981039346656037, 1099511628211, 0xFF51AFD7ED558CCD
_WORD = (1 << 64) - 1
# Those that a file holds; the others follow from the plan at once.
STORED = ("lengths", "starts", "members", "first", "following", "guide", "home_of")


@dataclass(frozen=True, eq=False)
class Tables:
    """Look-up arrays beside a plan's own.

    All rings lie on one line, one after the other, ring r from `bases[r]` on with tracks of `lengths[r]`; `starts` and
    `members` are the segments on it (`members` is empty if segment i belongs to secret i). `guide[p >> shift]` is the
    segment at the first position of that stretch. `first[x]` is a segment of secret x (empty if it is segment x),
    `following[s]` the next segment of the same secret, -1 if there is none. `home_of[x]` is the home of x, -1 without
    one; `home_ends` are the ends of the homes' phases one after the other, for the giants, and `giants` are sorted.
    """

    lengths: Indices
    starts: Indices
    members: Indices
    first: Indices
    following: Indices
    guide: Indices
    home_of: Indices
    bases: Indices
    shift: int
    end: int
    home_ends: Indices
    giants: Indices


def on_one_line(lengths: Indices, u: int) -> tuple[Indices, int]:
    """Where each ring begins on the line, and where the line ends."""
    ends = np.cumsum(u * lengths)
    return ends - u * lengths, int(ends[-1]) if len(ends) else 0


def shift_of(end: int, segments: int) -> int:
    """The power of two that a stretch of the guide is long: about one segment in each."""
    return max(0, end.bit_length() - max(segments, 1).bit_length())


class LabelIndex:
    """An open-addressing table of positions, hashed by the label's bytes. The labels themselves decide equality.

    Text and integers are hashed; the default labels 0..n-1 need no table, and others have a plain dict.
    """

    def __init__(self, labels: Labels, slots: npt.NDArray[Any] | None = None) -> None:
        self._labels = labels
        self.names = None if labels.is_default else as_storable(labels)
        #: Whether a file can hold the labels.
        self.storable = labels.is_default or self.names is not None
        self.slots: npt.NDArray[Any] = np.empty(0, dtype=np.int32)
        if self.names is not None:
            slots = labels.slots if slots is None else slots
            self.slots = _built(self.names) if slots is None else slots

    def find(self, label: Hashable) -> int | None:
        """The position of the label, or None."""
        if self.names is None:
            try:
                return self._labels.position(label)
            except (TypeError, ValueError):
                return None  # not hashable, so no label
        data = _bytes_of(label, self.names.type)
        if data is None:
            return None
        size = len(self.slots)
        at = _hashed(data) & (size - 1)
        for _ in range(size):
            position = int(self.slots[at])
            if position < 0:
                return None
            if self.names[position].as_py() == label:
                return position
            at = (at + 1) & (size - 1)
        return None

    def labels_at(self, positions: Iterable[int]) -> tuple[Any, ...]:
        """The labels at these positions."""
        return tuple(self._labels[position] for position in positions)


def as_storable(labels: Labels) -> pa.Array | None:
    """The labels as Arrow text or 64-bit integers, which a file can hold, or None if they are anything else."""
    try:
        names = labels.arrow
        if pa.types.is_integer(names.type):
            names = names.cast(pa.int64())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None  # of several types, half of a surrogate pair, too large; Arrow's message would quote them
    text = pa.types.is_string(names.type) or pa.types.is_large_string(names.type)
    return names if (text or names.type == pa.int64()) and not names.null_count else None


def bytes_of_names(names: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """What is hashed of names that a file can hold: offsets, one more than there are names, and the bytes between."""
    if names.type == pa.int64():
        return np.arange(0, 8 * len(names) + 1, 8), to_numpy(names).view(np.uint8)
    return text_of(names)


def _built(names: pa.Array) -> npt.NDArray[Any]:
    from minleak._kernels import hashing

    return np.asarray(hashing.fill_slots(*bytes_of_names(names))[0])


def _bytes_of(label: Hashable, kind: pa.DataType) -> bytes | None:
    if kind == pa.int64():
        if isinstance(label, bool) or not isinstance(label, int | np.integer) or not -(2**63) <= label < 2**63:
            return None
        return int(label).to_bytes(8, "little", signed=True)
    try:
        return label.encode() if isinstance(label, str) else None
    except UnicodeEncodeError:
        return None


def _hashed(data: bytes) -> int:
    """The hash that `hashing.fill_slots` uses, for one label."""
    h = _OFFSET
    for byte in data:
        h = (h ^ byte) * _PRIME & _WORD
    h ^= h >> 33
    h = h * _MIX & _WORD
    return h ^ (h >> 33)
