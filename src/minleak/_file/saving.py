"""Saving a plan in a .cloak file, whole or not at all; and making what it is drawn from, which lies there beside it."""

from __future__ import annotations

import contextlib
import io
import json
import os
from typing import Any

import numpy as np
import pyarrow as pa
import xxhash

from minleak._data.labels import Labels
from minleak._data.prior import Prior
from minleak._data.writing import replacing
from minleak._file.format import HEADER, MAGIC, PIECE, VERSION, Vector, file_name
from minleak._plan.kinds import Stored
from minleak._plan.rings import Arrangement
from minleak._plan.sampler import STORED, RingDrawable, Tables, on_one_line, shift_of
from minleak.errors import InvalidCloak

# What a file says of `Plan.costs`, in this order; coordinates are an array.
_COSTS = ("value", "bound", "rounding", "metric", "stability")


def save(plan: Stored, path: str | os.PathLike[str]) -> None:
    """Write a plan of any kind to a file, whole or not at all. Labels must be text or 64-bit integers (or none)."""
    name = file_name(path)
    arrays, numbers = plan.contents()
    write(name, arrays, {"kind": plan.kind, **numbers})


def storable_labels(prior: Prior) -> Labels:
    """The labels with the slots that they are found by, if a file can hold them."""
    labels = prior.labels.indexed()
    if not (labels.is_default or len(labels.slots)):
        raise InvalidCloak("a file holds labels that are text or 64-bit integers: rename the secrets before the design")
    return labels


def stored_weights(prior: Prior) -> Any:
    """A prior's weights as an array that a file can hold: those beyond 64 bits as text."""
    return pa.array([str(w) for w in prior.weights]) if prior.weights.dtype == object else prior.weights


def label_arrays(labels: Labels) -> dict[str, Any]:
    """Labels that a file can hold, and the slots that they are found by."""
    return {"slots": labels.slots, **({} if labels.is_default else {"labels": labels.arrow})}


def contents_of_rings(plan: Arrangement) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers: all that does not follow at once from the rest."""
    prior, labels, tables, costs = plan.prior, storable_labels(plan.prior), tables_of(plan), plan.costs
    arrays: dict[str, Any] = {
        "weights": plan.weights,
        "plan_giants": plan.giants,
        "home_members": plan.homes.members.ravel(),
        "home_weights": plan.homes.weights,
        **label_arrays(labels),
        **{name: getattr(tables, name) for name in STORED},
    }
    if plan.gains is not None:
        arrays["gains"] = plan.gains
    if plan.apart is not None:
        arrays["apart"] = plan.apart
    if prior.weights is not plan.weights:
        arrays["prior"] = stored_weights(prior)
    if costs is not None and costs.coordinates is not None:
        arrays["coordinates"] = costs.coordinates.ravel()
    return arrays, {
        "k": plan.k,
        "layout": plan.layout,
        "distance": plan.distance,
        "events": prior.events,
        "segments": [len(ring.starts) for ring in plan.rings],
        "priced": None if costs is None else [getattr(costs, name) for name in _COSTS],
        "known_as": None if plan.known_as is None else plan.known_as.hex(),
    }


def drawable_of(plan: Arrangement) -> RingDrawable:
    """The plan with its tables, and with its labels indexed."""
    return RingDrawable(plan, plan.prior.labels.indexed(), tables_of(plan))


def tables_of(plan: Arrangement) -> Tables:
    """Made from a plan in O(n)."""
    from minleak._kernels import drawing

    n, u, rings = len(plan.weights), plan.u, plan.rings
    most = max(n, sum(len(ring.starts) for ring in rings))  # secrets, segments and homes are counted by it
    index = np.int32 if most < 2**31 else np.int64
    none = np.empty(0, dtype=index)
    lengths = np.array([ring.length for ring in rings], dtype=np.int64)
    bases, end = on_one_line(lengths, u)
    in_order = len(rings) == 1 and isinstance(rings[0].members, range)
    starts, members, first, following = np.empty(0, dtype=np.int64), none, none, none
    if rings:
        starts = rings[0].starts
        if len(rings) > 1:
            starts = np.concatenate([ring.starts + base for ring, base in zip(rings, bases.tolist(), strict=True)])
        if not in_order:
            members = np.concatenate([ring.listed() for ring in rings]).astype(index, copy=False)
            first, following = drawing.link_segments(members, np.full(n, -1, dtype=index))
    shift = shift_of(end, len(starts))
    home_of = none
    if len(plan.homes.weights):
        home_of = np.full(n, -1, dtype=index)
        home_of[plan.homes.members] = np.arange(len(plan.homes.weights), dtype=index)[:, None]
    return Tables(
        lengths=lengths,
        starts=starts,
        members=members,
        first=first,
        following=following,
        guide=drawing.guide_table(starts, shift, (end >> shift) + 1, none) if rings else none,
        home_of=home_of,
        bases=bases,
        shift=shift,
        end=end,
        home_ends=np.cumsum(u * plan.homes.weights),
        giants=np.sort(plan.giants),
    )


# -- the file --------------------------------------------------------------------------------------------------------


class _Summed(io.FileIO):
    """A file whose checksum is taken as it is written."""

    def __init__(self, handle: int) -> None:
        super().__init__(handle, "w", closefd=False)
        self.sum = xxhash.xxh3_128()

    def write(self, data: Any) -> int:
        """Write all of it."""
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            written = super().write(view[at : at + PIECE])
            self.sum.update(view[at : at + written])
            at += written
        return at


def write(name: str, arrays: dict[str, Vector | pa.Array], numbers: dict[str, Any]) -> None:
    """Write arrays and numbers to a file, whole or not at all: to a temporary name beside it, synced, then renamed."""
    table = _table(arrays, numbers)
    try:
        with replacing(name) as made, _Summed(made.fileno()) as file:
            file.seek(HEADER.size)
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
            length = file.tell() - HEADER.size
            os.pwrite(file.fileno(), HEADER.pack(MAGIC, VERSION, 0, length, file.sum.digest(), bytes(88)), 0)
            os.fsync(file.fileno())
    except OSError as error:
        raise InvalidCloak(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
    _sync_folder(os.path.dirname(os.path.realpath(name)))


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power failure, where the system lets a folder be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _table(arrays: dict[str, Vector | pa.Array], numbers: dict[str, Any]) -> pa.Table:
    columns = {name: to_arrow(array) if isinstance(array, np.ndarray) else array for name, array in arrays.items()}
    lists = [pa.LargeListArray.from_arrays(to_arrow(np.array([0, len(column)])), column) for column in columns.values()]
    schema = pa.schema(
        [pa.field(name, column.type) for name, column in zip(columns, lists, strict=True)],
        metadata={"minleak": json.dumps(numbers)},
    )
    return pa.Table.from_arrays(lists, schema=schema)


def to_arrow(array: Vector) -> pa.Array:
    """A numeric vector as an Arrow array on the same memory. Arrow's own conversion would load pandas, half a second.

    >>> to_arrow(np.array([1, 2], dtype=np.int32)).type
    DataType(int32)
    """
    whole = np.ascontiguousarray(array)
    return pa.Array.from_buffers(pa.from_numpy_dtype(whole.dtype), len(whole), [None, pa.py_buffer(whole)])
