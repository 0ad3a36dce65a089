"""Files with something changed and right hashes, and what must become of each.

A mutant is refused, or its certificate is, or it draws as the original does, or at odds that are as good: every
posterior is the target, counted place by place. Whatever it says, only errors of ours come out. As a program:

    python -m tests.core.file.mutants 10000 1

or with a folder of originals as a third argument, which `save_originals` writes.
"""

from __future__ import annotations

import json
import random
import signal
import struct
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
from tests.core.file.files import PLANS, PREFIX, packed, sealed, unpacked

import minleak as ml
from minleak.errors import InvalidCloak

# Places of a secret that are looked at.
MOST = 500


def near_in_groups():
    """Places, groups of which one never happens, and idle secrets."""
    prior = ml.Prior([5, 4, 3, 3, 2, 0, 0, 1], labels=list("abcdefgh"))
    places = [[0, 0], [0, 1], [3, 3], [3, 4], [1, 0], [9, 9], [9, 8], [4, 4]]
    groups = ml.Groups([0, 1, 2, 3, 4, 5, 5, 4], at_most=1)
    return ml.design(prior, 3, groups=groups, layout=ml.Near(places, metric="haversine"))


def several_tiers():
    """Nested groups, of which one outweighs its cap."""
    prior = ml.Prior([6, 6, 5, 1, 1, 2, 0, 3], labels=list("abcdefgh"))
    inner = ml.Groups([0, 0, 1, 2, 2, 3, 3, 4], at_most=1)
    return ml.design(prior, 4, groups=ml.Groups([0, 0, 0, 1, 1, 1, 1, 1], at_most=2, inside=inner))


KINDS = ["text, stable", "a circle in input order", "homes and a ring", "numbers as labels", "gains", "idle secrets"]
KINDS += [
    "homes alone",
    "nothing shown",
    "labels from all over the world",
    "one possible",
    "everything shown",
    "blocks",
]
ORIGINALS = {name: PLANS[name] for name in KINDS} | {"near in groups": near_in_groups, "several tiers": several_tiers}

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


def save_originals(folder: Path) -> None:
    """Write the files that are changed."""
    for name, make in ORIGINALS.items():
        make().save(folder / f"{name}.cloak")


# -- changing --------------------------------------------------------------------------------------------------------


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The file with something changed and hashes that fit."""
    return rng.choice([bytes_changed, arrays_changed, arrays_changed, numbers_changed, form_changed])(content, rng)


def bytes_changed(content: bytes, rng: random.Random) -> bytes:
    """Some bytes anywhere, or a number of eight bytes: in the arrays or in the header."""
    if rng.random() < 0.5:
        arrays, numbers = unpacked(content)
        name = rng.choice([name for name in arrays if len(arrays[name])])
        data = bytearray(arrays[name].tobytes())
    else:
        length = struct.unpack_from("<Q", content, 12)[0]
        data = bytearray(content[PREFIX : PREFIX + length])
        name = None
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        if rng.random() < 0.5 or len(data) < 12:
            data[rng.randrange(len(data))] = rng.randrange(256)
        else:
            at = 4 * rng.randrange(len(data) // 4 - 2)
            data[at : at + 8] = (rng.choice(ODD_NUMBERS) % 2**64).to_bytes(8, "little")
    if name is None:
        return sealed(bytes(data), content[PREFIX + len(data) :])
    arrays[name] = np.frombuffer(bytes(data), dtype=arrays[name].dtype)
    return packed(arrays, numbers)


def changed(path, numbers=None, **changes):
    """The file with other arrays, functions of its own; a dot in a name is written as two underscores."""
    arrays, said = unpacked(path.read_bytes())
    for name, change in changes.items():
        arrays[name.replace("__", ".")] = change(arrays[name.replace("__", ".")])
    path.write_bytes(packed(arrays, said | (numbers or {})))
    return path


def arrays_changed(content: bytes, rng: random.Random) -> bytes:
    """One array: numbers in it, its length, its type, its order, its name, or all of it."""
    arrays, numbers = unpacked(content)
    name = rng.choice([name for name in arrays if len(arrays[name])])
    values = arrays[name]
    at, other = rng.randrange(len(values)), rng.randrange(len(values))
    info = np.iinfo(values.dtype) if values.dtype.kind in "iu" else None
    odd = rng.choice([rng.choice(ODD_NUMBERS), int(values[at]) + rng.choice([-2, -1, 1, 2]), rng.randrange(12)])
    if info is None:
        odd = rng.choice([float(odd), float("nan"), float("inf"), -0.5, 1e308, 5e-324])
    elif not info.min <= odd <= info.max:
        odd = max(-1, info.min)
    change = rng.choice(["one", "one", "one", "swap", "all", "shift", "cut", "more", "kind", "copy", "rename"])
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
    elif change == "kind":
        with np.errstate(invalid="ignore"):
            values = values.astype(rng.choice(["int8", "u2", "uint32", "uint64", "float64", "u1", "int32", "int64"]))
    elif change == "rename":
        del arrays[name]
        name = rng.choice(
            [
                "weights",
                "gains",
                "groups.of",
                "groups.caps",
                "groups.parents",
                "starts",
                "prior",
                "labels",
                "coordinates",
                "members",
            ]
        )
    arrays[name] = values
    return packed(arrays, numbers)


def numbers_changed(content: bytes, rng: random.Random) -> bytes:
    """One of the numbers, or what stands for them all."""
    arrays, said = unpacked(content)
    name, value = rng.choice(sorted(said)), rng.choice(ODD_VALUES)
    change = rng.choice(["one", "one", "one", "inside", "without", "whole", "text", "deep"])
    if change == "inside" and isinstance(said[name], list) and said[name]:
        said[name][rng.randrange(len(said[name]))] = value
    elif change == "without":
        del said[name]
    else:
        said[name] = value
    with _long_numbers():
        if change in ("whole", "text", "deep"):
            text = {"whole": json.dumps(value), "text": "{", "deep": "[" * 100_000}[change]
            return sealed(text.encode())
        return packed(arrays, said)


class _long_numbers:
    def __enter__(self):
        self.before = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)

    def __exit__(self, *_):
        sys.set_int_max_str_digits(self.before)


def form_changed(content: bytes, rng: random.Random) -> bytes:
    """The way that arrays are written: what the header says of one, one less or twice, or less of the file."""
    arrays, numbers = unpacked(content)
    change = rng.choice(["said", "said", "said", "without", "cut", "order"])
    name = rng.choice(sorted(arrays))
    if change == "without":
        del arrays[name]
    elif change == "order":
        arrays = {name: arrays[name] for name in rng.sample(sorted(arrays), len(arrays))}
    elif change == "cut":
        return content[: rng.randrange(len(content))]
    else:
        length = struct.unpack_from("<Q", content, 12)[0]
        header = json.loads(content[PREFIX : PREFIX + length])
        one = rng.choice(header["arrays"])
        one[rng.randrange(4)] = rng.choice([*ODD_VALUES, "<i8", "<i4", "|O", "<U100000000", "|V0", "weights"])
        if rng.random() < 0.2:
            header["arrays"] = rng.choice([*ODD_VALUES, [one], header["arrays"] * 2])
        with _long_numbers():
            text = json.dumps(header).encode()
        return sealed(text + b" " * (-len(text) % 64), content[PREFIX + length :])
    return packed(arrays, numbers)


# -- judging ---------------------------------------------------------------------------------------------------------


class Judge:
    """Tells what becomes of a file, beside the original."""

    def __init__(self, path: Path) -> None:
        self.plan = ml.load(path, mapped=False)  # since the file is written over
        self.shown = shown(self.plan)

    def __call__(self, path: Path) -> str:
        """What becomes of it; an error where that must not be."""
        try:
            plan = ml.load(path)
        except InvalidCloak:
            return "refused"
        certified = ml.certify(path, self.plan.prior, gains=self.plan.gains).ok
        try:
            found = shown(plan)
            measured(plan)
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


def shown(plan) -> dict:
    """For every label the sets at all of its places (or at some, if they are many), by labels."""
    labels, result = list(plan.prior.labels), {}
    for x, label in enumerate(labels):
        secret = plan.find(label)
        owned = 0 if secret is None else max(1, int(plan.places(np.array([secret]))[0]))
        places = np.arange(min(owned, MOST))
        sets = plan.locate(np.full(len(places), secret or 0), places).tolist()
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
    for column in joint.values() if len(plan.target) else ():
        assert [p / sum(column) for p in sorted(column, reverse=True)] == list(plan.exact_target)


def tried(count: int, seed: int, folder: Path, path: Path) -> Counter:
    """How many mutants, written to `path`, became of what, over all originals of the folder in turn."""
    rng, results = random.Random(seed), Counter()
    files = [(name, folder / f"{name}.cloak") for name in ORIGINALS]
    judges = [(name, file.read_bytes(), Judge(file)) for name, file in files]
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
        total, first, *given = sys.argv[1:]
        originals = Path(given[0] if given else place)
        if not given:
            save_originals(originals)
        for seed in range(int(first), int(first) + -(-int(total) // 500)):
            signal.setitimer(signal.ITIMER_VIRTUAL, 300)  # of CPU: a loop without end ends the process, and so is seen
            print(seed, dict(tried(500, seed, originals, Path(place, "mutant.cloak"))), flush=True)
