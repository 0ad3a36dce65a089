"""What the tests of the file share: one plan of each kind that a file holds, and headers made by hand."""

from __future__ import annotations

import hashlib
import json
import struct

import numpy as np
import pyarrow as pa
from tests.plans import diseases, homes_and_ring, zipf

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
    "homes and a ring": homes_and_ring,
    "numbers as labels": lambda: kept(labels=[7, -(2**63), 2**63 - 1, 0, 5]),
    "small numbers as labels": lambda: kept(labels=pa.array([7, 6, 5, 4, 3], type=pa.int8())),
    "labels from all over the world": lambda: kept(labels=["", "é", "日本", "🦉", "a\0b"]),
    "long text": lambda: kept(labels=pa.array(list("abcde"), type=pa.large_string())),
    "part of an array": lambda: kept(labels=pa.array(list("xyabcdez"))[2:-1]),
    "blocks": lambda: kept(layout="blocks"),
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

PREFIX = 64


def sealed(header: bytes, arrays: bytes = b"", version: int = 7, unused: bytes = bytes(12)) -> bytes:
    """A file with a prefix that is right for the header, by hand."""
    digest = hashlib.sha256(header).digest()
    return b"MINLEAK\n" + struct.pack("<IQ", version, len(header)) + digest + unused + header + arrays


def hashed(data: bytes) -> str:
    """SHA-256 of the length and of the hashes of pieces of 8 MB."""
    pieces = [hashlib.sha256(data[at : at + (1 << 23)]).digest() for at in range(0, len(data), 1 << 23)]
    return hashlib.sha256(struct.pack("<Q", len(data)) + b"".join(pieces)).hexdigest()


def packed(arrays: dict, numbers: dict | None) -> bytes:
    """A file of these arrays and numbers, by hand, with right hashes."""
    data = [np.ascontiguousarray(array) for array in arrays.values()]
    said = [
        [name, array.dtype.str, array.size, hashed(array.tobytes())] for name, array in zip(arrays, data, strict=True)
    ]
    header = json.dumps(numbers if numbers is None else {**numbers, "arrays": said}).encode()
    header += b" " * (-len(header) % 64)
    return sealed(header, b"".join(array.tobytes() + bytes(-array.nbytes % 64) for array in data))


def unpacked(content: bytes) -> tuple[dict, dict]:
    """The arrays and numbers of a file."""
    length = struct.unpack_from("<Q", content, 12)[0]
    numbers, at, arrays = json.loads(content[PREFIX : PREFIX + length]), PREFIX + length, {}
    for name, kind, count, _ in numbers.pop("arrays"):
        arrays[name] = np.frombuffer(content, dtype=kind, count=count, offset=at).copy() if count else np.empty(0, kind)
        at += arrays[name].nbytes + -arrays[name].nbytes % 64
    return arrays, numbers


def arrays_of(plan) -> list[np.ndarray]:
    """All arrays that an opened file hands out, but for empty ones."""
    found = [plan.weights, plan.prior.weights, plan.giants, plan.home_members, plan.home_weights]
    found += [plan.members, plan.starts, plan.fixed, plan.begins]
    found += [plan.prior.labels.slots, plan.gains]
    return [array for array in found if isinstance(array, np.ndarray) and array.size]
