"""Files of every kind but plans that draw their sets (see `tests.core.file.mutants`) with something changed.

A mutant is refused by an error of ours in one line, or opens to something that is what it says: rows that are
distributions, blocks that hold every secret once, a model whose intervals tile its line. As a program:

    python -m tests.file_mutants chain 1000 1
"""

from __future__ import annotations

import io
import json
import random
import signal
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
from tests.core.file.mutants import ODD_NUMBERS, ODD_VALUES, mutated
from tests.plans import KEY

import minleak as ml
from minleak.errors import UnknownSecret
from minleak.lab.sequences._tracks import _FORM
from minleak.testing import check_model

WORDS = ["dragon", "monkey", "sunshine", "letmein", "qwerty", "shadow", "master", "tulips"]


# -- originals -------------------------------------------------------------------------------------------------------


def blocks():
    names = [None, list("abcdefg"), [3, -1, 5, 2**60, 0, 9, 8]]
    yield from (ml.design(ml.Prior([5, 4, 2, 1, 7, 0, 2], labels=some), 3, layout="blocks") for some in names)
    yield ml.design(ml.Prior([w << 70 for w in (5, 4, 2)], labels=list("abc")), 2, layout="blocks")


def channels():
    prior = ml.Prior([5, 3, 2], labels=["flu", "cold", "gout"])
    yield ml.lab.mechanisms.rounded(ml.lab.mechanisms.geometric(3, 1.0, inputs=prior.labels), prior)
    halves = [[Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 3), Fraction(2, 3)]]
    for outputs in (None, ["a", "b", "c"], [1.5, 2.5, 3.5], [(1, "x"), (2.5, (3,)), "y"]):
        yield ml.lab.mechanisms.rounded(ml.Channel(halves, outputs=outputs))


def models():
    yield ml.strings.NGram.fit(WORDS, order=3, longest=12)
    yield ml.strings.NGram.fit(["ab", "ba", "b"], longest=3, alphabet="ab", others=False)


def strings():
    model = next(models())
    yield ml.design(model, 4)
    yield ml.design(ml.Prior([40, 30, 20, 10, 5, 1, 1, 1], labels=WORDS), 4, unknown=model)


def chains():
    yield ml.lab.sequences.Chain([1, 1], [[3, 1], [1, 1]], labels=["home", "work"])
    yield ml.lab.sequences.Chain([0.25, 0.75], [[0.5, 0.5], [0.25, 0.75]], backoff=0.5)
    yield ml.lab.sequences.Chain.from_sequences([list("abcab"), list("bab"), list("dab")])
    yield ml.lab.sequences.Chain.from_sequences([list("abcab"), list("bab")], order=2)
    yield ml.lab.sequences.Chain.from_sequences([[(0, "a"), (1, "b"), (0, "a"), (1, "a"), (0, "b")]], clock=2)


def tracks():
    return ml.lab.sequences.Tracks(next(chains()), 2, key=KEY)


# -- changing --------------------------------------------------------------------------------------------------------


def chain_changed(content: bytes, rng: random.Random) -> bytes:
    """A byte of the file, a part of the archive, or the arrays and numbers that are in it."""
    change = rng.choice(["bytes", "cut", "without", "head", "array", "array", "array", "array"])
    if change == "bytes":
        data = bytearray(content)
        for _ in range(rng.choice([1, 2, 5])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    if change == "cut":
        return content[: rng.randrange(len(content))]
    with np.load(io.BytesIO(content)) as stored:
        parts = dict(stored)
    if change == "without":
        del parts[rng.choice(sorted(parts))]
    elif change == "head":
        parts["head"] = np.frombuffer(json_changed(parts["head"].tobytes(), rng), dtype=np.uint8)
    else:
        name = rng.choice(sorted(set(parts) - {"head"}))
        parts[name] = array_changed(parts[name], rng)
    sink = io.BytesIO()
    np.savez(sink, **parts)
    return sink.getvalue()


def array_changed(values: np.ndarray, rng: random.Random) -> np.ndarray:
    """One number or some, the length, the order, the type or the shape."""
    values = values.copy()
    at, other = rng.randrange(max(len(values), 1)), rng.randrange(max(len(values), 1))
    odd = rng.choice([*ODD_NUMBERS, 50_000_000, rng.randrange(12)])
    change = rng.choice(["one", "one", "one", "few", "swap", "all", "shift", "cut", "more", "kind", "shape", "grow"])
    if change in ("one", "few"):
        for place in {at, other} if change == "few" else {at}:
            values[place] = odd if values.dtype.kind == "i" else rng.choice([float(odd), np.nan, np.inf, -0.5, 5e-324])
    elif change == "swap":
        values[[at, other]] = values[[other, at]]
    elif change == "all":
        values[:] = odd
    elif change == "shift":
        values = np.roll(values, rng.choice([1, -1]))
    elif change == "cut":
        values = values[:at]
    elif change == "more":
        values = np.resize(values, rng.choice([len(values) + 1, 2 * len(values), 100_000]))
    elif change == "kind":
        values = values.astype(rng.choice(["int8", "uint64", "int32", "f8", "f4", "bool", "c16", "U5", "S3", ">i8"]))
    elif change == "shape":
        values = rng.choice([values[None], values[:, None], np.array(7), values[::-1]])
    elif change == "grow":  # what a loop would go through before it comes back to its end
        values = np.concatenate([values[:1], [50_000_000], values[1:-1], values[:1]]).astype(values.dtype)
    return values


def json_changed(text: bytes, rng: random.Random) -> bytes:
    """A byte, or a value anywhere in it."""
    if rng.random() < 0.3:
        data = bytearray(text)
        data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    data = json.loads(text)
    holder = data
    while True:
        keys = sorted(holder) if isinstance(holder, dict) else range(len(holder))
        key = rng.choice(keys)
        if not isinstance(holder[key], dict | list) or not holder[key] or rng.random() < 0.3:
            break
        holder = holder[key]
    holder[key] = rng.choice([value for value in ODD_VALUES if value != 10**400])
    if rng.random() < 0.05:
        return b"[" * 100_000
    return json.dumps(data).encode()


def walk_changed(content: bytes, rng: random.Random) -> bytes:
    """With its own seal, or sealed anew by somebody who has the key."""
    found = json_changed(content, rng)
    try:
        data = json.loads(found)
        body = json.dumps(data["walk"], sort_keys=True).encode()
    except (ValueError, KeyError, TypeError, RecursionError):
        return found
    if rng.random() < 0.5:
        mac = tracks()._walking.hashed(b"saved", body).hex()
        found = json.dumps({"form": _FORM, "walk": data["walk"], "mac": mac}).encode()
    return found


# -- judging ---------------------------------------------------------------------------------------------------------


def check_blocks(path: Path) -> None:
    plan = ml.load(path)
    shown = [label for block, _ in plan.sets() for label in block]
    assert sorted(map(str, shown)) == sorted(map(str, plan.prior.labels))
    assert max(len(block) for block, _ in plan.sets()) <= plan.k
    assert sum(share for _, share in plan.sets()) == 1
    check_drawn(path, plan)


def check_channel(path: Path) -> None:
    plan = ml.load(path)
    sums = np.asarray(plan.channel().matrix.sum(axis=1)).ravel()
    assert np.allclose(sums, 1, rtol=1e-12)
    check_drawn(path, plan)


def check_strings(path: Path) -> None:
    plan = ml.load(path)
    assert ml.certify(path, plan.prior).ok
    cloak = ml.Cloak(path, key=KEY)
    for text in ("dragon", "tulips2"):
        assert text in cloak.draw(text, scope="ann")


def check_drawn(path: Path, plan) -> None:
    """Measured, certified or not, and drawn from, label by label."""
    assert -1e-9 <= plan.leakage("shannon") < float("inf")
    cloak = ml.Cloak(path, key=KEY)
    certified = ml.certify(path, plan.prior).ok
    for label in plan.prior.labels:
        try:
            drawn = cloak.draw(label, scope="ann")
        except UnknownSecret:
            assert not certified
            return
        assert drawn
        assert plan.kind == "channel" or not certified or label in drawn
    assert plan.digest == ml.load(path).digest


def check_chain(path: Path) -> None:
    chain = ml.lab.sequences.Chain.load(path)
    n = len(chain)
    for a in range(min(n, 20)):
        states, weights, level = chain.row(a)
        assert len(states) == len(weights)
        assert int(weights.sum()) + level * int(chain.line.totals[chain.target[a]]) == chain.unit
        row = chain.probabilities(np.full(n, a), np.arange(n))
        assert row.min() >= 0
        assert abs(row.sum() - 1) < 1e-9
    assert abs(chain.stationary().sum() - 1) < 1e-6
    assert 0 <= chain.entropy_rate() + 1e-9 < float("inf")
    walk = chain.simulate(5, seed=1)[0]
    shown = ml.lab.sequences.Tracks(chain, 2, key=KEY).draw(walk, scope="ann")
    assert all(state in step for state, step in zip(walk, shown, strict=True))


def check_walk(path: Path) -> None:
    walk = tracks().resume(path.read_text(errors="replace"), scope="ann")
    assert len(walk.shown) == 2
    assert "work" in walk.move("work")
    assert tracks().resume(walk.saved(), scope="ann").shown == walk.shown


def save_walk(path: Path) -> None:
    walk = tracks().start("home", scope="ann")
    walk.move("work")
    path.write_text(walk.saved())


def saved(make):
    return [thing.save for thing in make()]


# For each kind what writes its originals, what changes one and what must hold of it.
KINDS = {
    "blocks": (partial(saved, blocks), mutated, check_blocks),
    "channel": (partial(saved, channels), mutated, check_channel),
    "strings": (partial(saved, strings), mutated, check_strings),
    "model": (partial(saved, models), mutated, lambda path: check_model(ml.strings.NGram.load(path), positions=20)),
    "chain": (partial(saved, chains), chain_changed, check_chain),
    "walk": (lambda: [save_walk], walk_changed, check_walk),
}


def tried(kind: str, count: int, seed: int, folder: Path) -> Counter:
    """How many mutants were refused, and how many opened."""
    writers, change, check = KINDS[kind]
    rng, results, path = random.Random(f"{kind} {seed}"), Counter(), folder / "mutant"
    originals = []
    for write in writers():
        write(path)
        check(path)
        originals.append(path.read_bytes())
        path.unlink()
    for number in range(count):
        path.write_bytes(change(originals[number % len(originals)], rng))
        try:
            check(path)
            results["holds"] += 1
        except ml.errors.MinleakError as error:
            results["refused" if "\n" not in str(error) else "refused in several lines"] += 1
        except BaseException:
            kept = Path(tempfile.gettempdir()) / f"mutant-{kind}"
            kept.write_bytes(path.read_bytes())
            print(f"mutant {number} of {kind}, seed {seed}: {kept}", file=sys.stderr)
            raise
        path.unlink()
    return results


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        total = int(sys.argv[2])
        for seed in range(int(sys.argv[3]), int(sys.argv[3]) + -(-total // 500)):
            signal.alarm(300)  # a loop that does not end ends the process, and so is seen
            print(seed, dict(tried(sys.argv[1], min(500, total), seed, Path(place))), flush=True)
