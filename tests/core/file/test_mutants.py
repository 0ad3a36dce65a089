"""Files that somebody wrote on purpose, with right hashes: refused, or not certified, or harmless."""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.core.file.files import PREFIX, sealed, unpacked
from tests.core.file.mutants import changed, save_originals, shown
from tests.plans import KEY, homes_and_ring, zipf

import minleak as ml
from minleak.errors import InvalidCloak

ROOT = Path(__file__).parents[3]


def test_mutants(tmp_path):
    """Some hundred of all kinds; many more were tried, see `mutants`. The compiled loops check every index here, which
    they do not else: one beyond its array is an error. The originals are made before, by loops that need not be
    compiled again.
    """
    save_originals(tmp_path)
    checked = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tests.core.file.mutants", "500", "7", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=checked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    results = Counter(ast.literal_eval(done.stdout.split(" ", 1)[1]))
    assert results["refused"] > 100
    assert results["draws the same"] > 10
    assert results["not certified"] + results["draws refused"] > 5


def put(at, value):
    def change(array):
        array[at] = value
        return array

    return change


@pytest.fixture
def path(tmp_path):
    homes_and_ring().save(tmp_path / "plan.cloak")
    return tmp_path / "plan.cloak"


INDICES = {
    "far": 2**31 - 1,
    "before": -2,
    "one beyond": 100,
}


@pytest.mark.parametrize("name", ["members", "home_members", "giants"])
@pytest.mark.parametrize("value", INDICES.values(), ids=INDICES)
def test_an_index_that_leads_nowhere(path, name, value):
    """Is refused when the file is opened, before anybody follows it."""
    with pytest.raises(InvalidCloak, match="does not hold a plan of this format"):
        ml.Cloak(changed(path, **{name: put(0, value)}))


@pytest.mark.parametrize(
    "arrays",
    [
        {"giants": lambda _: np.arange(100_000)},
        {"giants": lambda a: a[:0]},
        {"giants": put(0, 5)},
        {"starts": put(1, -1)},
        {"starts": put(1, 2**62)},
        {"home_weights": put(0, 2**62)},
        {"weights": put(2, -3)},
        {"members": lambda a: a[:-1]},
        {"members": lambda a: a.astype(float)},
    ],
)
def test_arrays_of_another_plan(path, arrays):
    """Sums, sizes, orders and types that no plan has are refused."""
    with pytest.raises(InvalidCloak):
        ml.load(changed(path, **arrays))


@pytest.mark.parametrize("numbers", [{"k": 2}, {"k": 10**30}, {"k": True}, {"length": 5}, {"length": 2**62}])
def test_numbers_of_another_plan(path, numbers):
    """The same."""
    with pytest.raises(InvalidCloak):
        ml.load(changed(path, numbers=numbers))


@pytest.mark.parametrize("kind", ["tiles", 7, ["rings"], None, {}])
def test_kinds_that_nobody_knows(path, kind):
    """A newer minleak's file is refused by name, and a kind that is none likewise."""
    with pytest.raises(InvalidCloak, match=r"of the kind .* which this minleak does not know"):
        ml.load(changed(path, numbers={"kind": kind}))


def test_labels_that_are_not_found(tmp_path):
    """Slots that miss a label, or lead two labels to the same: not certified."""
    prior = ml.Prior([5, 3, 2, 2], labels=["a", "b", "c", "d"])
    path = tmp_path / "plan.cloak"

    def certified(**arrays):
        ml.design(prior, 2).save(path)
        return ml.certify(changed(path, **arrays), prior).ok

    assert certified()
    with pytest.raises(InvalidCloak):
        certified(slots=lambda a: np.where(a == 2, -1, a).astype(a.dtype))
    assert not certified(slots=lambda a: np.where(a == 2, 1, a).astype(a.dtype))
    assert not certified(slots=lambda a: np.where(a >= 0, 3, a).astype(a.dtype))
    changed(path, labels__text=put(3, ord("c")))
    assert not ml.certify(path, prior)
    assert not ml.certify(path, prior.weights)


def test_slots_without_a_free_one(tmp_path):
    """Are refused: who looks for an unknown label would go round for ever."""
    path = tmp_path / "plan.cloak"
    ml.design(ml.Prior([5, 3, 2, 2], labels=["a", "b", "c", "d"]), 2).save(path)
    with pytest.raises(InvalidCloak):
        ml.load(changed(path, slots=lambda a: np.zeros_like(a)))


@pytest.mark.parametrize("count", [2**40, 2**62, 2**70, -1])
def test_arrays_that_are_not_there(path, count):
    """However large they say that they are, nothing is made for them."""
    arrays, numbers = unpacked(path.read_bytes())
    said = [[name, "<i8", count, "00" * 32] for name in arrays]
    path.write_bytes(sealed(json.dumps({**numbers, "arrays": said}).encode()))
    with pytest.raises(InvalidCloak):
        ml.load(path)


def test_a_secret_that_owns_too_little(tmp_path):
    """Its draws are refused, where its segments are shorter than its weight."""
    path = tmp_path / "plan.cloak"
    ml.design([5, 4, 3, 2, 2], 2, layout="circle").save(path)
    plan = ml.load(changed(path, weights=swap(0, 4)))
    assert not ml.certify(plan, [5, 4, 3, 2, 2])
    with pytest.raises(InvalidCloak, match="owns less than its weight says"):
        shown(plan)


def swap(i, j):
    def change(array):
        array[[i, j]] = array[[j, i]]
        return array

    return change


@pytest.mark.parametrize("kind", ["rings", "blocks", "rows"])
def test_a_file_says_nothing_of_its_digest(tmp_path, kind):
    """Or a file from anybody could take over the name and the sticky draws of another plan: it is computed, and bytes
    of the prefix that are not used are zeros.
    """

    def made(weights):
        prior = ml.Prior(weights, labels=list("abcdef"))
        if kind == "rows":
            return ml.lab.mechanisms.rounded(np.array([np.roll(weights, x) for x in range(6)]) / sum(weights), prior)
        return ml.design(prior, 3, layout="blocks" if kind == "blocks" else "stable")

    path, one, other = tmp_path / "x.cloak", made([9, 7, 6, 4, 3, 1]), made([9, 3, 6, 4, 7, 1])
    one.save(path)
    for plan in (one, other):
        assert plan.digest not in path.read_bytes()
        assert plan.digest.hex().encode() not in path.read_bytes()
    assert ml.load(path).digest == one.digest != other.digest
    content = path.read_bytes()
    path.write_bytes(content[: PREFIX - 12] + other.digest[:12] + content[PREFIX:])
    with pytest.raises(InvalidCloak, match="is damaged"):
        ml.load(path)


def test_a_changed_copy_of_a_loaded_plan_is_its_own(tmp_path):
    """It draws what it says, under a digest of its own; nothing of the file is left."""
    from dataclasses import replace

    path = tmp_path / "plan.cloak"
    one, other = zipf(300), zipf(300, layout="circle")
    one.save(path)
    fields = ("home_members", "home_weights", "members", "starts", "length")
    copy = replace(ml.load(path), layout="circle", **{name: getattr(other, name) for name in fields})
    assert copy.digest == other.digest != ml.load(path).digest
    draws = [ml.Cloak(plan, key=KEY).draw_many(range(300), scopes=["s"] * 300) for plan in (copy, other)]
    assert np.array_equal(*draws)


def test_many_bytes_at_random(tmp_path):
    """Payloads of noise behind a right header."""
    rng = random.Random(3)
    for size in (0, 1, 8, 100, 5000):
        (tmp_path / "noise").write_bytes(sealed(rng.randbytes(size)))
        with pytest.raises(InvalidCloak):
            ml.load(tmp_path / "noise")
