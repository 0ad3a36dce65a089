"""DrawingTable: what other languages draw from. The rows of a plan by secret and by set, hashed labels if need be, and
the digest by which a table is known: runtimes/spec.md says the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from minleak._data.arrays import Indices
from minleak._data.label_bytes import labels_in_bytes
from minleak._plan.partition import Partition
from minleak._plan.streams import hmac_sha256, message
from minleak.errors import InvalidKey

if TYPE_CHECKING:
    from minleak._plan.base import BasePlan

FORMAT = "minleak table 1"
# So many records are hashed together.
BLOCK = 16
_KEY = 32


@dataclass(frozen=True, eq=False)
class DrawingTable:
    """The rows of a plan, and what a program must know to draw from them.

    `secrets` are the labels, in order; `begins` tells which rows of `places` (`set_number`, `first`, `last`) are each
    one's. `labels` says what is asked for, "text" or "integers"; `hashed` is empty, or the name of the key that the
    labels are hashed by; `keyed` says whether draws need a key and a scope.
    """

    secrets: pa.Array
    begins: Indices
    places: pa.Table
    lineage: bytes
    version: int
    labels: str
    hashed: str
    keyed: bool

    @classmethod
    def of(cls, plan: BasePlan, key: bytes | None = None) -> DrawingTable:
        """The table of a plan, with labels hashed by the key if there is one."""
        rows = plan.table()
        firsts, lineage, name = rows["first"], plan.lineage, ""
        begins = np.append(np.flatnonzero(pc.equal(firsts, pa.scalar(0).cast(firsts.type))), len(firsts))
        secrets = _one(rows["secret"].take(pa.array(begins[:-1])))
        labels = "integers" if pa.types.is_integer(secrets.type) else "text"
        if key is not None:
            keyed = hmac_sha256(check_label_key(key))
            secrets = pa.array(keyed(message(b"label", label)).hex() for label in labels_in_bytes(secrets.to_pylist()))
            lineage, name = keyed(message(b"lineage", lineage)), keyed(message(b"name"))[:8].hex()
        return cls(secrets, begins, rows.drop(["secret"]), lineage, plan.version, labels, name, plan.randomised)

    @cached_property
    def rows(self) -> pa.Table:
        """The table with a row for each secret and set: `secret`, `set_number`, `first`, `last`."""
        return self.places.add_column(0, "secret", self.secrets.take(pa.array(self._numbers())))

    def _numbers(self) -> Indices:
        """The number of the secret of each row."""
        return np.repeat(np.arange(len(self.secrets)), np.diff(self.begins))

    @cached_property
    def lines(self) -> pa.Array:
        """For each secret its sets, each with the last place that leads to it: "0 14;2 20"."""
        columns = _text(self.places["set_number"]), _text(self.places["last"])
        pairs = pc.binary_join_element_wise(*columns, pa.scalar(" ", pa.large_string()))
        return _joined(pairs, self.begins, ";")

    @cached_property
    def sets(self) -> pa.Array:
        """For each set the numbers of its members, in the order of the secrets: "0 1 7"."""
        by_set = Partition.by_codes(np.asarray(self.places["set_number"]))
        numbers, begins = self._numbers()[by_set.members], by_set.begins
        same = np.diff(numbers) == 0  # a secret with two rows of a set is its member once
        same[begins[1:-1] - 1] = False
        again = np.flatnonzero(same) + 1
        if len(again):
            begins, numbers = begins - np.searchsorted(again, begins), np.delete(numbers, again)
        return _joined(_text(pa.array(numbers)), begins, " ")

    @cached_property
    def blocks(self) -> bytes:
        """The SHA-256 of each sixteen secrets with their places, then of each sixteen sets."""
        kind = b"i" if pa.types.is_integer(self.secrets.type) else b"s"
        names = pc.binary_join_element_wise(pa.scalar(kind, pa.large_binary()), _bytes(_text(self.secrets)), _nothing())
        return _hash_blocks(_prefixed(names, _bytes(self.lines))) + _hash_blocks(_prefixed(_bytes(self.sets)))

    @cached_property
    def digest(self) -> bytes:
        """32 bytes that stand for all of it."""
        head = "".join(f"{value}\n" for value in self.header.values())
        return hashlib.sha256(head.encode() + self.blocks).digest()

    @cached_property
    def header(self) -> dict[str, str]:
        """What is said before the rows, in the order in which it is hashed."""
        said: dict[str, Any] = {"format": FORMAT, "lineage": self.lineage.hex(), "version": self.version}
        said |= {"labels": self.labels, "hashed": self.hashed, "keyed": "yes" if self.keyed else "no"}
        said |= {"secrets": len(self.secrets), "sets": len(self.sets)}
        return {name: str(value) for name, value in said.items()}


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _text(column: Any) -> pa.Array:
    """Text or whole numbers as text, with offsets that never run out."""
    return _one(column).cast(pa.large_string())


def _nothing() -> pa.Scalar:
    """What stands between joined parts; not made on import, since the first scalar of Arrow loads pandas."""
    return pa.scalar(b"", pa.large_binary())


def _bytes(column: pa.Array) -> pa.Array:
    return column.cast(pa.large_binary())


def _joined(texts: pa.Array, begins: Indices, between: str) -> pa.Array:
    """The texts from each beginning to the next, as one."""
    lists = pa.ListArray.from_arrays(pa.array(begins.astype(np.int32)), _one(texts))
    return pc.binary_join(lists, pa.scalar(between, pa.large_string()))


def _prefixed(*columns: pa.Array) -> pa.Array:
    """The columns side by side, each value after its length in four bytes."""
    parts = []
    for column in columns:
        lengths = np.asarray(pc.binary_length(column)).astype(">u4")
        parts += [pa.Array.from_buffers(pa.binary(4), len(column), [None, pa.py_buffer(lengths)]).cast("large_binary")]
        parts += [column]
    return pc.binary_join_element_wise(*parts, _nothing())


def _hash_blocks(records: pa.Array) -> bytes:
    """The SHA-256 of each block of records, one after the other."""
    offsets = np.frombuffer(records.buffers()[1], dtype=np.int64)[records.offset : records.offset + len(records) + 1]
    data, ends = memoryview(records.buffers()[2] or b""), np.append(offsets[:-1:BLOCK], offsets[-1]).tolist()
    return b"".join(hashlib.sha256(data[begin:end]).digest() for begin, end in pairwise(ends))


def check_label_key(key: bytes) -> bytes:
    """A key that labels are hashed by; with a shorter one, or none, who has the hashes could guess the labels."""
    if len(key) != _KEY:
        raise InvalidKey(f"labels are hashed by a key of {_KEY} bytes: make one with `minleak keygen`")
    return key
