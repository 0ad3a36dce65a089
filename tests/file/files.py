"""What the tests of the file share: one plan of each kind that a file holds, and headers made by hand."""

from __future__ import annotations

import struct

import numpy as np
import pyarrow as pa
import xxhash
from tests.plans import diseases, several_rings, zipf

import minleak as ml


def kept(**changed):
    """A plan of five secrets, with something out of the ordinary."""
    given = {"weights": [5, 3, 2, 2, 1], "labels": None, "k": 2, "layout": "stable", "gains": None, **changed}
    prior = ml.Prior(given["weights"], labels=given["labels"])
    return ml.design(prior, given["k"], layout=given["layout"], gains=given["gains"])


PLANS = {
    "text, stable": diseases,
    "text, circle": lambda: diseases("circle"),
    "no labels": kept,
    "a circle in input order": lambda: kept(layout="circle"),
    "a giant and many homes": lambda: zipf(300),
    "several rings": several_rings,
    "numbers as labels": lambda: kept(labels=[7, -(2**63), 2**63 - 1, 0, 5]),
    "small numbers as labels": lambda: kept(labels=pa.array([7, 6, 5, 4, 3], type=pa.int8())),
    "labels from all over the world": lambda: kept(labels=["", "é", "日本", "🦉", "a\0b"]),
    "long text": lambda: kept(labels=pa.array(list("abcde"), type=pa.large_string())),
    "part of an array": lambda: kept(labels=pa.array(list("xyabcdez"))[2:-1]),
    "gains": lambda: kept(gains=[1, 0, 2.5, 3, 0]),
    "floats": lambda: kept(weights=[0.4, 0.3, 0.1, 0.1, 0.1 + 1e-12]),
    "floats without a finite sum": lambda: kept(weights=[1e308, 1e308, 1e308, 1.0, 0.0]),
    "beyond 64 bits": lambda: kept(weights=[2**70, 2**69 + 1, 2**64, 3, 0]),
    "idle secrets": lambda: kept(weights=[0, 5, 0, 0, 4]),
    "one possible": lambda: kept(weights=[0, 0, 9, 0, 0]),
    "homes alone": lambda: kept(weights=[3, 3, 3, 3], k=2),
    "everything shown": lambda: kept(k=1),
    "nothing shown": lambda: kept(k=9),
    "one secret": lambda: kept(weights=[4], labels=["only"]),
}

HEADER = 128


def sealed(payload: bytes, version: int = 5, unused: bytes = bytes(88)) -> bytes:
    """A file with a header that is right for the payload, by hand: XXH3 of the payload."""
    checksum = xxhash.xxh3_128_digest(payload)
    return b"MINLEAK\n" + struct.pack("<IIQ", version, 0, len(payload)) + checksum + unused + payload


def arrow_file(columns: dict, metadata: dict | None = None) -> bytes:
    """An Arrow IPC file of one batch."""
    batch = pa.record_batch(columns)
    schema = batch.schema.with_metadata(metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(batch.cast(schema))
    return sink.getvalue().to_pybytes()


def arrays_of(drawn) -> list[np.ndarray]:
    """All arrays that an opened file hands out, but for empty ones."""
    plan = drawn.plan
    found = [plan.weights, plan.prior.weights, plan.giants, plan.idle, plan.homes.members, plan.homes.weights]
    found += [array for ring in plan.rings for array in (ring.starts, ring.members)]
    found += [*vars(drawn.tables).values(), drawn.secrets.slots, plan.gains]
    return [array for array in found if isinstance(array, np.ndarray) and array.size]
