"""Files with something changed and a right checksum, and what must become of each.

A mutant is refused, or its certificate is, or it draws as the original does, or at odds that are as good: every
posterior is the target, counted place by place. Whatever it says, only errors of ours come out. As a program:

    python -m tests.file.mutants 10000 1
"""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.file.files import HEADER, PLANS, sealed

import minleak as ml
from minleak._plan.sampler import Sampler
from minleak._plans.opening import opened
from minleak.errors import InvalidCloak

# Places of a secret that are looked at.
MOST = 500


def near_and_apart():
    """Places, a pair that must not meet, of which one never happens, and idle secrets."""
    prior = ml.Prior([5, 4, 3, 3, 2, 0, 0, 1], labels=list("abcdefgh"))
    places = [[0, 0], [0, 1], [3, 3], [3, 4], [1, 0], [9, 9], [9, 8], [4, 4]]
    return ml.design(prior, 3, layout=ml.Near(places, metric="haversine", forbid=[("e", "h"), ("f", "g")]))


KINDS = ["text, stable", "a circle in input order", "several rings", "numbers as labels", "gains", "idle secrets"]
KINDS += [
    "homes alone",
    "nothing shown",
    "labels from all over the world",
    "one possible",
    "everything shown",
]
ORIGINALS = {name: PLANS[name] for name in KINDS} | {"near and apart": near_and_apart}

ODD_NUMBERS = (-1, 0, 1, 2, 3, 7, 64, 2**31 - 1, -(2**31), 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))
ODD_VALUES = (
    None,
    True,
    "x",
    "",
    [],
    {},
    [1],
    [-1],
    [2**70],
    1.5,
    -1.0,
    float("nan"),
    float("inf"),
    10**400,
    *ODD_NUMBERS,
)


def originals(folder: Path) -> dict[str, bytes]:
    """The files that are changed."""
    for name, make in ORIGINALS.items():
        make().save(folder / "original.cloak")
        yield name, (folder / "original.cloak").read_bytes()


# -- changing --------------------------------------------------------------------------------------------------------


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The file with something changed and a checksum that fits."""
    change = rng.choice([bytes_changed, arrays_changed, arrays_changed, numbers_changed, form_changed])
    return sealed(change(content[HEADER:], rng))


def bytes_changed(payload: bytes, rng: random.Random) -> bytes:
    """Some bytes anywhere, or a number of eight bytes."""
    data = bytearray(payload)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        if rng.random() < 0.5:
            data[rng.randrange(len(data))] = rng.randrange(256)
        else:
            at = 4 * rng.randrange(len(data) // 4 - 2)
            data[at : at + 8] = (rng.choice(ODD_NUMBERS) % 2**64).to_bytes(8, "little")
    return bytes(data)


def taken(payload: bytes):
    with pa.ipc.open_file(payload) as reader:
        batch = reader.get_batch(0)
    return {name: batch.column(name).values for name in batch.schema.names}, dict(batch.schema.metadata)


def written(columns: dict, metadata: dict, *, codec: str | None = None, rows: int = 1, batches: int = 1) -> bytes:
    lists = []
    for column in columns.values():
        offsets = pa.array([0, len(column)] * rows, type=pa.int64())[: rows + 1]
        lists.append(pa.LargeListArray.from_arrays(offsets, column))
    schema = pa.schema([pa.field(n, c.type) for n, c in zip(columns, lists, strict=True)], metadata=metadata)
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_file(sink, schema, options=options) as writer:
        for _ in range(batches):
            writer.write_batch(pa.record_batch(lists, schema=schema))
    return sink.getvalue().to_pybytes()


def changed(path, numbers=None, **arrays):
    """The file with other arrays, functions of its own."""
    columns, metadata = taken(path.read_bytes()[HEADER:])
    for name, change in arrays.items():
        columns[name] = pa.array(change(columns[name].to_numpy(zero_copy_only=False).copy()))
    if numbers:
        metadata = {b"minleak": json.dumps(json.loads(metadata[b"minleak"]) | numbers)}
    path.write_bytes(sealed(written(columns, metadata)))
    return path


def arrays_changed(payload: bytes, rng: random.Random) -> bytes:
    """One array: numbers in it, its length, its type, its order, or all of it; text by its offsets."""
    columns, metadata = taken(payload)
    name = rng.choice([name for name in columns if len(columns[name])])
    column = columns[name]
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _text_changed(payload, column, rng)
    values = column.to_numpy(zero_copy_only=False).copy()
    at, other = rng.randrange(len(values)), rng.randrange(len(values))
    info = np.iinfo(values.dtype) if values.dtype.kind in "iu" else None
    odd = rng.choice([rng.choice(ODD_NUMBERS), int(values[at]) + rng.choice([-2, -1, 1, 2]), rng.randrange(12)])
    if info is None:
        odd = rng.choice([float(odd), float("nan"), float("inf"), -0.5, 1e308, 5e-324])
    elif not info.min <= odd <= info.max:
        odd = max(-1, info.min)
    change = rng.choice(["one", "one", "one", "swap", "all", "shift", "cut", "more", "kind", "none", "copy", "rename"])
    if change == "one":
        values[at] = odd
    elif change == "swap":
        values[[at, other]] = values[[other, at]]
    elif change == "all":
        values[:] = odd
    elif change == "shift":
        values = np.roll(values, rng.choice([1, -1]))
    elif change == "cut":
        values = values[: rng.randrange(len(values))]
    elif change == "more":
        values = np.resize(values, rng.choice([len(values) + 1, 2 * len(values), 100_000]))
    elif change == "copy":
        values[at] = values[other]
    found = pa.array(values)
    if change == "kind":
        kind = rng.choice(["int8", "int16", "uint32", "uint64", "float64", "string", "bool", "int32", "int64"])
        found = found.cast(kind, safe=False)
    elif change == "none":
        found = pa.array([None if i == at else value for i, value in enumerate(values.tolist())], type=found.type)
    elif change == "rename":
        columns[rng.choice(["weights", "gains", "apart", "prior", "labels", "coordinates", "members"])] = columns.pop(
            name
        )
        return written(columns, metadata)
    columns[name] = found
    return written(columns, metadata)


def _text_changed(payload: bytes, column: pa.Array, rng: random.Random) -> bytes:
    """Where a text ends, or a byte of it, in place: Arrow would not write it."""
    _, offsets, data = column.buffers()
    kind = np.int64 if pa.types.is_large_string(column.type) else np.int32
    ends = rng.random() < 0.5 or not data
    found = np.frombuffer(offsets if ends else data, dtype=kind if ends else np.uint8)
    changed = found.copy()
    odd = rng.choice([-1, 1, 2, 10**6, 2**31 - 1, -(2**31)]) if ends else rng.randrange(256)
    changed[rng.randrange(len(changed))] = odd
    return payload.replace(found.tobytes(), changed.tobytes(), 1)


def numbers_changed(payload: bytes, rng: random.Random) -> bytes:
    """One of the numbers, or what stands for them all."""
    columns, metadata = taken(payload)
    said = json.loads(metadata[b"minleak"])
    name, value = rng.choice(sorted(said)), rng.choice(ODD_VALUES)
    change = rng.choice(["one", "one", "one", "inside", "without", "whole", "text", "deep"])
    if change == "inside" and isinstance(said[name], list) and said[name]:
        said[name][rng.randrange(len(said[name]))] = value
    elif change == "without":
        del said[name]
    else:
        said[name] = value
    with _long_numbers():
        text = json.dumps(value if change == "whole" else said)
    text = {"text": "{", "deep": "[" * 100_000}.get(change, text)
    return written(columns, {b"minleak": text})


class _long_numbers:
    def __enter__(self):
        self.before = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)

    def __exit__(self, *_):
        sys.set_int_max_str_digits(self.before)


def form_changed(payload: bytes, rng: random.Random) -> bytes:
    """The way that arrays are written: packed, by dictionary, in several batches or rows, or less of it."""
    columns, metadata = taken(payload)
    change = rng.choice(["lz4", "zstd", "dictionary", "batches", "rows", "without", "cut", "none"])
    name = rng.choice(sorted(columns))
    if change in ("lz4", "zstd"):
        return written(columns, metadata, codec=change)
    if change == "dictionary":
        columns[name] = columns[name].dictionary_encode()
    elif change == "without":
        del columns[name]
    elif change == "cut":
        return payload[: rng.randrange(len(payload))]
    elif change == "none":
        metadata = None
    return written(columns, metadata, rows=2 if change == "rows" else 1, batches=2 if change == "batches" else 1)


# -- judging ---------------------------------------------------------------------------------------------------------


class Judge:
    """Tells what becomes of a file, beside the original."""

    def __init__(self, path: Path) -> None:
        drawn = opened(path, mapped=False)  # since the file is written over
        self.plan, self.shown = drawn.plan, shown(drawn)

    def __call__(self, path: Path) -> str:
        """What becomes of it; an error where that must not be."""
        try:
            drawn = opened(path)
        except InvalidCloak:
            return "refused"
        certified = ml.certify(path, self.plan.prior, gains=self.plan.gains).ok
        try:
            found = shown(drawn)
            measured(drawn.plan)
        except ml.errors.MinleakError:
            assert not certified
            return "draws refused"
        if found == self.shown:
            return "draws the same"
        if not certified:
            return "not certified"
        assert found.keys() == self.shown.keys()
        if max(map(len, found.values())) < MOST:
            assert_optimal(found, self.plan)
        return "draws as well"


def shown(drawn) -> dict:
    """For every label the sets at all of its places (or at some, if they are many), by labels."""
    plan, sampler = drawn.plan, Sampler(drawn.plan, drawn.tables)
    labels, result = list(plan.prior.labels), {}
    for x, label in enumerate(labels):
        secret = drawn.secrets.position(label)
        owned = 0 if secret is None else max(1, int(sampler.owned(np.array([secret]))[0]))
        places = np.arange(min(owned, MOST))
        sets = sampler.sets(np.full(len(places), secret or 0), places).tolist()
        result[x, label] = [tuple(labels[i] for i in row if i >= 0) for row in sets]
    return result


def measured(plan) -> None:
    """What a plan says of itself is possible, whatever the file says."""
    assert -1e-9 <= plan.leakage("shannon") < float("inf")
    assert -1e-9 <= plan.leakage("min-entropy") < float("inf")
    if len(plan.weights) < 50:
        list(plan.sets())
        plan.channel()
        plan.repeated((1, 2), trials=10)
    if plan.costs is not None and plan.costs.coordinates is not None:
        plan.decoy_distances()


def assert_optimal(found: dict, plan) -> None:
    """Counted place by place, every posterior is the target."""
    weights = dict(zip(plan.prior.labels, plan.weights.tolist(), strict=True))
    joint: dict[tuple, list[Fraction]] = {}
    for (_, label), sets in found.items():
        for members, count in Counter(sets).items():
            if weights[label]:
                joint.setdefault(tuple(sorted(members, key=str)), []).append(
                    Fraction(weights[label] * count, plan.total * len(sets))
                )
    for column in joint.values():
        assert [p / sum(column) for p in sorted(column, reverse=True)] == list(plan.exact_target)


def tried(count: int, seed: int, folder: Path) -> Counter:
    """How many mutants became of what, over all originals in turn."""
    rng, results = random.Random(seed), Counter()
    path = folder / "mutant.cloak"
    judges = []
    for name, content in list(originals(folder)):
        path.write_bytes(content)
        judges.append((name, content, Judge(path)))
    for number in range(count):
        name, content, judge = judges[number % len(judges)]
        state = rng.getstate()
        path.write_bytes(mutated(content, rng))
        try:
            results[judge(path)] += 1
        except BaseException:
            print(f"mutant {number} of {name!r}, seed {seed}", state[1][-1], file=sys.stderr)
            raise
    return results


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        total = int(sys.argv[1])
        for seed in range(int(sys.argv[2]), int(sys.argv[2]) + -(-total // 500)):
            signal.setitimer(signal.ITIMER_VIRTUAL, 300)  # of CPU: a loop without end ends the process, and so is seen
            print(seed, dict(tried(500, seed, Path(place))), flush=True)
