"""The .cloak file: a plan with its labels and look-up tables, mapped into memory, whole or refused.

A header of 64 bytes, then an Arrow IPC file. The header holds the magic, the format's version, the length of what
follows and the digest of all of it; the Arrow file has one row, whose columns are lists: one array each.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.buffers import to_arrow, to_numpy
from minleak.cloak import digests
from minleak.cloak.index import LabelIndex, as_storable
from minleak.cloak.tables import Tables
from minleak.design.plan import Plan
from minleak.design.pricing.cost import Cost
from minleak.design.rings import Homes, Ring
from minleak.errors import InvalidCloak
from minleak.labels import Labels
from minleak.prior import Prior
from minleak.writing import replacing

MAGIC = b"MINLEAK\n"
VERSION = 1
_HEADER = struct.Struct("<8sIIQ32s8s")  # magic, version, zero, payload length, digest, zeros
_PIECE = 1 << 20
_PRICED = ("value", "bound", "rounding", "metric", "stability")


@dataclass(frozen=True, repr=False, eq=False)
class StoredPlan(Plan):
    """A plan read from a file, with the tables and the digest that came with it."""

    tables: Tables
    index: LabelIndex
    digest: bytes


def plan_digest(plan: Plan) -> bytes:
    """32 bytes that stand for everything a draw depends on; a plan from a file brings them with it."""
    return plan.digest if isinstance(plan, StoredPlan) else digests.of_plan(plan)


# -- writing ---------------------------------------------------------------------------------------------------------


def save(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Write a plan to a file, whole or not at all: to a temporary name beside it, synced, then renamed.

    Labels must be text or 64-bit integers (or none).
    """
    name = os.fspath(path)
    labels = plan.prior.labels
    if not labels.is_default and as_storable(labels) is None:
        raise InvalidCloak("a file holds labels that are text or 64-bit integers: rename the secrets before the design")
    table = _table(plan)
    try:
        with replacing(name) as temporary:
            _write(table, temporary)
    except OSError as error:
        raise InvalidCloak(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
    _sync_folder(os.path.dirname(os.path.abspath(name)))


def _write(table: pa.Table, temporary: str) -> None:
    """The table after a header of zeros, and then its header, both on the disk."""
    with _Pieces(temporary, "x") as file:
        file.write(bytes(_HEADER.size))
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        length = file.tell() - _HEADER.size
    with open(temporary, "r+b") as file:
        with ThreadPoolExecutor(1) as pool:  # to the disk while it is digested; the header follows
            synced = pool.submit(os.fsync, file.fileno())
            digest = digests.of_file(file, _HEADER.size, length)
            synced.result()  # where it failed, say so: the system tells it only once
        file.write(_HEADER.pack(MAGIC, VERSION, 0, length, digest, bytes(8)))
        file.flush()
        os.fsync(file.fileno())


class _Pieces(io.FileIO):
    """A file to which much is written a megabyte at a time: at once, some file systems take several times as long."""

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            at += super().write(view[at : at + _PIECE])
        return at


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power failure, where the system lets a folder be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _table(plan: Plan) -> pa.Table:
    prior = plan.prior
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(plan_digest, plan)
        tables = plan.tables if isinstance(plan, StoredPlan) else Tables.of(plan)
        index = plan.index if isinstance(plan, StoredPlan) else LabelIndex(prior.labels)
    arrays: dict[str, Any] = {
        "weights": plan.weights,
        "plan_giants": plan.giants,
        "idle": plan.idle,
        "home_members": plan.homes.members.ravel(),
        "home_weights": plan.homes.weights,
        "slots": index.slots,
        **tables.arrays(),
    }
    if plan.gains is not None:
        arrays["gains"] = plan.gains
    if prior.weights is not plan.weights:
        big = prior.weights.dtype == object
        arrays["prior"] = pa.array([str(w) for w in prior.weights]) if big else prior.weights
    if not prior.labels.is_default:
        arrays["labels"] = as_storable(prior.labels)
    priced = plan.priced
    if priced is not None and priced.coordinates is not None:
        arrays["coordinates"] = priced.coordinates.ravel()
    header = {
        "k": plan.k,
        "u": plan.u,
        "layout": plan.layout,
        "total": plan.total,
        "tail": plan.tail,
        "distance": plan.distance,
        "digest": digest.result().hex(),
        "shift": tables.shift,
        "end": tables.end,
        "segments": [len(ring.starts) for ring in plan.rings],
        "n": len(prior),
        "prior_total": prior.total,
        "priced": None if priced is None else [getattr(priced, name) for name in _PRICED],
    }
    columns = {name: to_arrow(array) if isinstance(array, np.ndarray) else array for name, array in arrays.items()}
    lists = [pa.LargeListArray.from_arrays(to_arrow(np.array([0, len(column)])), column) for column in columns.values()]
    schema = pa.schema(
        [pa.field(name, column.type) for name, column in zip(columns, lists, strict=True)],
        metadata={"minleak": json.dumps(header)},
    )
    return pa.Table.from_arrays(lists, schema=schema)


# -- reading ---------------------------------------------------------------------------------------------------------


def load(path: str | os.PathLike[str], *, mapped: bool = True) -> StoredPlan:
    """The plan in a file, mapped into memory: processes that load the same file share its pages.

    All of it is checked against its digest first, so that a file that is cut, changed, foreign or of a newer version is
    refused with a clear error. A file that is replaced (as `save` does it) stays valid for those that have loaded it;
    to be safe from a file that somebody writes to in place, use `mapped=False`, which reads it into memory.
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        raise InvalidCloak(
            f"cannot read {name}: it is a directory, not a .cloak file; a plan that an engine wrote becomes one by "
            "warehouse.to_plan(warehouse.load(folder)).save(file)"
        )
    try:
        with open(name, "rb") as file:
            length = _checked_length(file, name)
            before = os.fstat(file.fileno())
            buffer = pa.memory_map(name).read_buffer() if mapped else pa.py_buffer(file.read())
            wanted = _HEADER.unpack(buffer.slice(0, _HEADER.size).to_pybytes())[4]
            payload = memoryview(buffer)[_HEADER.size :]
            found = digests.of_file(file, _HEADER.size, length) if mapped else digests.of_bytes(payload)
            after = os.stat(name)
    except OSError as error:
        raise InvalidCloak(f"cannot read {name}: {error.strerror or 'it cannot be opened'}") from None
    except (pa.ArrowException, struct.error):  # cut since its header was read
        raise InvalidCloak(f"{name} was changed while it was read: load it again") from None
    if (before.st_ino, before.st_size, before.st_mtime_ns) != (after.st_ino, after.st_size, after.st_mtime_ns):
        raise InvalidCloak(f"{name} was replaced while it was read: load it again")
    if found != wanted:
        raise InvalidCloak(f"{name} is damaged: its digest is not that of its contents. Restore it or design it anew")
    return _opened(buffer, name)


def _checked_length(file: BinaryIO, name: str) -> int:
    header = file.read(_HEADER.size)
    file.seek(0)
    if header[: len(MAGIC)] != MAGIC:
        raise InvalidCloak(f"{name} is not a .cloak file")
    if len(header) < _HEADER.size:
        raise InvalidCloak(f"{name} is cut short: it has {len(header)} bytes, not even its header is whole")
    _, version, zero, length, _, zeros = _HEADER.unpack(header)
    if version != VERSION:
        raise InvalidCloak(f"{name} is of format version {version}, this minleak reads version {VERSION}: upgrade it")
    size = os.fstat(file.fileno()).st_size - _HEADER.size
    if size != length or zero or any(zeros):
        raise InvalidCloak(f"{name} is damaged: it holds {size} bytes after its header, which says {length}")
    return int(length)


def _opened(buffer: pa.Buffer, name: str) -> StoredPlan:
    try:
        batch = pa.ipc.open_file(pa.BufferReader(buffer.slice(_HEADER.size))).get_batch(0)
        header = json.loads(batch.schema.metadata[b"minleak"])
        columns = {field.name: batch.column(i).values for i, field in enumerate(batch.schema)}
        arrays = {
            key: to_numpy(column)
            for key, column in columns.items()
            if key not in ("labels", "prior") or pa.types.is_primitive(column.type)
        }
        return _restored(header, columns, arrays)
    except (pa.ArrowException, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidCloak(f"{name} does not hold a plan of this format ({type(error).__name__})") from None


def _restored(header: dict[str, Any], columns: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> StoredPlan:
    n, u = header["n"], header["u"]
    weights = arrays["weights"]
    labels = Labels.of(columns.get("labels"), n)
    prior_weights = arrays.get("prior", weights)
    if "prior" in columns and "prior" not in arrays:
        prior_weights = np.array([int(w.as_py()) for w in columns["prior"]], dtype=object)
        prior_weights.flags.writeable = False
    tables = Tables(**{key: arrays[key] for key in Tables.array_names()}, shift=header["shift"], end=header["end"])
    rings, at = [], 0
    for size, base, length in zip(header["segments"], tables.bases.tolist(), tables.lengths.tolist(), strict=True):
        members: Any = tables.members[at : at + size] if len(tables.members) else range(n)
        starts = tables.starts[at : at + size]
        if base:
            starts = starts - base
            starts.flags.writeable = False
        rings.append(Ring(members, starts, length, u))
        at += size
    return StoredPlan(
        prior=Prior.trusted(prior_weights, labels, header["prior_total"]),
        k=header["k"],
        layout=header["layout"],
        gains=arrays.get("gains"),
        weights=weights,
        total=header["total"],
        distance=header["distance"],
        giants=arrays["plan_giants"],
        u=u,
        tail=header["tail"],
        homes=Homes(arrays["home_members"].reshape(-1, max(u, 1)), arrays["home_weights"]),
        rings=tuple(rings),
        idle=arrays["idle"],
        priced=_priced(header.get("priced"), arrays.get("coordinates"), n),
        tables=tables,
        index=LabelIndex(labels, arrays["slots"]),
        digest=bytes.fromhex(header["digest"]),
    )


def _priced(said: list[Any] | None, coordinates: npt.NDArray[Any] | None, n: int) -> Cost | None:
    """What the sets cost, as the header says; files made without costs say nothing."""
    if said is None:
        return None
    rows = None if coordinates is None else coordinates.reshape(n, -1)
    return Cost(**dict(zip(_PRICED, said, strict=True)), coordinates=rows)
