"""Files that somebody wrote on purpose, with a right checksum: refused, or not certified, or harmless."""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.file.files import HEADER, sealed
from tests.file.mutants import changed, shown, taken, written
from tests.plans import KEY, several_rings, zipf

import minleak as ml
from minleak._plans.opening import opened
from minleak.errors import InvalidCloak

ROOT = Path(__file__).parents[2]


def test_mutants(tmp_path):
    """Some hundred of all kinds; many more were tried, see `mutants`. The compiled loops check every index here, which
    they do not else: one beyond its array is an error.
    """
    checked = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tests.file.mutants", "500", "7"]
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
    several_rings().save(tmp_path / "plan.cloak")
    return tmp_path / "plan.cloak"


INDICES = {
    "far": 2**31 - 1,
    "before": -2,
    "one beyond": 100,
}


@pytest.mark.parametrize("name", ["first", "following", "guide", "home_of", "members", "home_members"])
@pytest.mark.parametrize("value", INDICES.values(), ids=INDICES)
def test_an_index_that_leads_nowhere(path, name, value):
    """Is refused when the file is opened, before anybody follows it."""
    with pytest.raises(InvalidCloak, match="does not hold a plan of this format"):
        ml.Cloak(changed(path, **{name: put(1, value)}))


def test_a_chain_that_does_not_end(path):
    """A segment that leads to itself, or back, is refused: a draw would go round for ever."""
    for following in (lambda a: np.arange(len(a), dtype=a.dtype), put(-1, 0)):
        with pytest.raises(InvalidCloak):
            ml.Cloak(changed(path, following=following))


@pytest.mark.parametrize(
    "arrays",
    [
        {"plan_giants": lambda _: np.arange(100_000)},
        {"plan_giants": lambda a: a[:0]},
        {"plan_giants": put(0, 5)},
        {"lengths": put(0, 2**62)},
        {"lengths": put(0, 5)},
        {"starts": put(1, -1)},
        {"starts": put(1, 2**62)},
        {"home_weights": put(0, 2**62)},
        {"weights": put(2, -3)},
        {"guide": lambda a: a[:-1]},
        {"first": lambda a: a[:-1]},
        {"first": lambda a: a.astype(float)},
    ],
)
def test_arrays_of_another_plan(path, arrays):
    """Sums, sizes, orders and types that no plan has are refused."""
    with pytest.raises(InvalidCloak):
        opened(changed(path, **arrays))


@pytest.mark.parametrize("numbers", [{"k": 2}, {"k": 10**30}, {"k": True}, {"segments": [6]}, {"segments": [-1, 7]}])
def test_numbers_of_another_plan(path, numbers):
    """The same."""
    with pytest.raises(InvalidCloak):
        opened(changed(path, numbers=numbers))


@pytest.mark.parametrize("kind", ["tiles", 7, ["rings"], None, {}])
def test_kinds_that_nobody_knows(path, kind):
    """A newer minleak's file is refused by name, and a kind that is none likewise."""
    with pytest.raises(InvalidCloak, match=r"of the kind .* which this minleak does not know"):
        opened(changed(path, numbers={"kind": kind}))


def swap(i, j):
    def change(array):
        array[[i, j]] = array[[j, i]]
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("first", swap(4, 5), "to its segments"),
        ("first", put(1, -1), "to its segments"),
        ("following", lambda a: np.full_like(a, -1), "to its segments"),
        ("home_of", swap(2, 4), "to its home"),
        ("home_of", put(5, 0), "to its home"),
        ("home_of", put(2, -1), "to its home"),
        ("guide", lambda a: np.zeros_like(a), "to its members"),
        ("guide", lambda a: np.sort(a)[::-1].copy(), "to its members"),
    ],
)
def test_tables_of_another_plan(path, name, change, said):
    """The plan is right, and its tables lead elsewhere: the plan is certified, the file is not."""
    prior = several_rings().prior
    assert ml.certify(path, prior)
    changed(path, **{name: change})
    assert ml.certify(ml.load(path), prior)
    certificate = ml.certify(path, prior)
    assert not certificate
    assert [said in check.what for check in certificate.checks if not check.ok] == [True]


def test_labels_that_are_not_found(tmp_path):
    """Slots that miss a label, or lead two labels to the same: not certified."""
    prior = ml.Prior([5, 3, 2, 2], labels=["a", "b", "c", "d"])
    path = tmp_path / "plan.cloak"

    def certified(**arrays):
        ml.design(prior, 2).save(path)
        return ml.certify(changed(path, **arrays), prior).ok

    assert certified()
    assert not certified(slots=lambda a: np.where(a == 2, -1, a).astype(a.dtype))
    assert not certified(slots=lambda a: np.where(a == 2, 1, a).astype(a.dtype))
    assert not certified(slots=lambda a: np.full_like(a, 3))
    changed(path, labels=put(3, "c"))
    assert not ml.certify(path, prior)
    assert not ml.certify(path, prior.weights)


def test_compressed_files_are_refused_before_they_are_unpacked(path):
    """However large they say that they are."""
    columns, metadata = taken(path.read_bytes()[HEADER:])
    for codec in ("lz4", "zstd"):
        path.write_bytes(sealed(written(columns, metadata, codec=codec)))
        with pytest.raises(InvalidCloak):
            ml.load(path)


def test_a_secret_that_owns_too_little(path):
    """Its draws are refused, where a chain is shorter than its weight."""
    drawn = opened(changed(path, first=put(1, -1)))
    with pytest.raises(InvalidCloak, match="owns less than its weight says"):
        shown(drawn)


@pytest.mark.parametrize("kind", ["rings", "blocks", "rows"])
def test_a_file_says_nothing_of_its_digest(tmp_path, kind):
    """Or a file from anybody could take over the name and the sticky draws of another plan: it is computed, and bytes
    of the header that are not used are zeros.
    """

    def made(weights):
        prior = ml.Prior(weights, labels=list("abcdef"))
        if kind == "rows":
            return ml.mechanisms.rounded(np.array([np.roll(weights, x) for x in range(6)]) / sum(weights), prior)
        return ml.design(prior, 3, layout="blocks" if kind == "blocks" else "stable")

    path, one, other = tmp_path / "x.cloak", made([9, 7, 6, 4, 3, 1]), made([9, 3, 6, 4, 7, 1])
    one.save(path)
    assert other.digest not in path.read_bytes()
    assert one.digest not in path.read_bytes()
    assert ml.load(path).digest == one.digest != other.digest
    path.write_bytes(sealed(path.read_bytes()[HEADER:], unused=other.digest + bytes(56)))
    with pytest.raises(InvalidCloak, match="is damaged"):
        ml.load(path)


def test_a_changed_copy_of_a_loaded_plan_is_its_own(tmp_path):
    """It draws what it says, under a digest of its own; nothing of the file is left."""
    from dataclasses import replace

    path = tmp_path / "plan.cloak"
    one, other = zipf(300), zipf(300, layout="circle")
    one.save(path)
    copy = replace(ml.load(path), layout="circle", homes=other.homes, rings=other.rings)
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
