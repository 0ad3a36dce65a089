"""The .cloak file: a plan with its labels and look-up tables, mapped into memory, whole or refused.

A header of 128 bytes, then an Arrow IPC file. The header holds the magic, the format's version, the length of what
follows, the checksum of all of it, and the digest of the plan; the Arrow file has one row, whose columns are lists: one
array each.
"""

from __future__ import annotations

import contextlib
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
from minleak.cloak import checksums, digests
from minleak.cloak.checksums import SummedFile
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
VERSION = 2
_HEADER = struct.Struct("<8sIIQ16s32s56s")  # magic, version, zero, payload length, checksum, digest, zeros
_COSTS = ("value", "bound", "rounding", "metric", "stability")


@dataclass(frozen=True, repr=False, eq=False)
class StoredPlan(Plan):
    """A plan read from a file, with the tables and the digest that came with it."""

    tables: Tables
    index: LabelIndex
    digest: bytes


def plan_digest(plan: Plan) -> bytes:
    """32 bytes that stand for everything a draw depends on; a plan from a file brings them with it."""
    return plan.digest if isinstance(plan, StoredPlan) else digests.of_plan(plan)


def _name(path: str | os.PathLike[str]) -> str:
    """The path as text, if a file can have it."""
    name = os.fsdecode(path)
    try:
        possible = b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InvalidCloak(f"{name!r} is no name that a file can have")
    return name


# -- writing ---------------------------------------------------------------------------------------------------------


def save(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Write a plan to a file, whole or not at all: to a temporary name beside it, synced, then renamed.

    Labels must be text or 64-bit integers (or none).
    """
    name = _name(path)
    labels = plan.prior.labels
    if not labels.is_default and as_storable(labels) is None:
        raise InvalidCloak("a file holds labels that are text or 64-bit integers: rename the secrets before the design")
    try:
        with replacing(name) as temporary:
            _write(plan, temporary)
    except OSError as error:
        raise InvalidCloak(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
    _sync_folder(os.path.dirname(os.path.realpath(name)))


def _write(plan: Plan, temporary: str) -> None:
    """The plan's arrays, while its digest is computed, and then the header; both on the disk."""
    with ThreadPoolExecutor(1) as pool:
        digesting = pool.submit(plan_digest, plan)
        table = _table(plan)
        with SummedFile(temporary, _HEADER.size, table.nbytes) as file:
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
            length = file.tell() - _HEADER.size
            file.sync()
            digest = digesting.result()
            file.write_header(_HEADER.pack(MAGIC, VERSION, 0, length, file.seal(digest), digest, bytes(56)))


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
    costs = plan.costs
    if costs is not None and costs.coordinates is not None:
        arrays["coordinates"] = costs.coordinates.ravel()
    header = {
        "k": plan.k,
        "u": plan.u,
        "layout": plan.layout,
        "total": plan.total,
        "tail": plan.tail,
        "distance": plan.distance,
        "shift": tables.shift,
        "end": tables.end,
        "segments": [len(ring.starts) for ring in plan.rings],
        "n": len(prior),
        "prior_total": prior.total,
        "priced": None if costs is None else [getattr(costs, name) for name in _COSTS],
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

    All of it is checked against its checksum first: a file that is cut, changed, foreign or of another version is
    refused with a clear error. A file that is replaced (as `save` does it) stays valid for those that have loaded it;
    to be safe from a file that somebody writes to in place, use `mapped=False`, which reads it into memory.
    """
    name = _name(path)
    if os.path.isdir(name):
        raise InvalidCloak(
            f"cannot read {name}: it is a directory, not a .cloak file; a plan that an engine wrote becomes one by "
            "warehouse.to_plan(warehouse.load(folder)).save(file)"
        )
    if os.path.exists(name) and not os.path.isfile(name):  # opening a pipe would wait for somebody to write to it
        raise InvalidCloak(f"{name} is not a .cloak file")
    try:
        with open(name, "rb") as file:
            _check_header(file, name)
            before = os.fstat(file.fileno())
            buffer = pa.memory_map(os.fsencode(name)).read_buffer() if mapped else pa.py_buffer(file.read())
            wanted, digest = _HEADER.unpack(buffer.slice(0, _HEADER.size).to_pybytes())[4:6]
            if mapped:
                found = checksums.of_file(file, _HEADER.size, digest)
            else:
                found = checksums.of_bytes(memoryview(buffer)[_HEADER.size :], digest)
            after = os.stat(name)
    except OSError as error:
        raise InvalidCloak(f"cannot read {name}: {error.strerror or 'it cannot be opened'}") from None
    except (pa.ArrowException, struct.error):  # cut since its header was read
        raise InvalidCloak(f"{name} was changed while it was read: load it again") from None
    if (before.st_ino, before.st_size, before.st_mtime_ns) != (after.st_ino, after.st_size, after.st_mtime_ns):
        raise InvalidCloak(f"{name} was replaced while it was read: load it again")
    if found != wanted:
        raise InvalidCloak(f"{name} is damaged: its checksum is not that of its contents. Restore it or design it anew")
    return _opened(buffer, name, digest)


def _check_header(file: BinaryIO, name: str) -> None:
    header = file.read(_HEADER.size)
    file.seek(0)
    if header[: len(MAGIC)] != MAGIC:
        raise InvalidCloak(f"{name} is not a .cloak file")
    if len(header) < _HEADER.size:
        raise InvalidCloak(f"{name} is cut short: it has {len(header)} bytes, not even its header is whole")
    _, version, zero, length, _, _, zeros = _HEADER.unpack(header)
    if version != VERSION:
        advice = "upgrade it" if version > VERSION else "design the plan anew"
        raise InvalidCloak(f"{name} is of format version {version}, this minleak reads version {VERSION}: {advice}")
    size = os.fstat(file.fileno()).st_size - _HEADER.size
    if size != length or zero or any(zeros):
        raise InvalidCloak(f"{name} is damaged: it holds {size} bytes after its header, which says {length}")


def _opened(buffer: pa.Buffer, name: str, digest: bytes) -> StoredPlan:
    try:
        batch = pa.ipc.open_file(pa.BufferReader(buffer.slice(_HEADER.size))).get_batch(0)
        header = json.loads(batch.schema.metadata[b"minleak"])
        columns = {field.name: batch.column(i).values for i, field in enumerate(batch.schema)}
        arrays = {
            key: to_numpy(column)
            for key, column in columns.items()
            if key not in ("labels", "prior") or pa.types.is_primitive(column.type)
        }
        return _restored(header, columns, arrays, digest)
    except (pa.ArrowException, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidCloak(f"{name} does not hold a plan of this format ({type(error).__name__})") from None


def _restored(
    header: dict[str, Any], columns: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], digest: bytes
) -> StoredPlan:
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
        costs=_costs(header.get("priced"), arrays.get("coordinates"), n),
        tables=tables,
        index=LabelIndex(labels, arrays["slots"]),
        digest=digest,
    )


def _costs(said: list[Any] | None, coordinates: npt.NDArray[Any] | None, n: int) -> Cost | None:
    """What the sets cost, as the header says; files made without costs say nothing."""
    if said is None:
        return None
    rows = None if coordinates is None else coordinates.reshape(n, -1)
    return Cost(**dict(zip(_COSTS, said, strict=True)), coordinates=rows)
