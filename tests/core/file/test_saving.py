"""The file: what is saved is loaded, whole, and everything in it the same."""

from __future__ import annotations

import os

import numpy as np
import pytest
from tests.core.file.files import PLANS, arrays_of, packed, unpacked
from tests.plans import KEY, diseases, zipf

import minleak as ml
from minleak.core._plan.plan import Plan
from minleak.errors import InvalidCloak


def assert_same(loaded, plan):
    """Field by field."""
    assert list(loaded.prior.labels) == list(plan.prior.labels)
    assert loaded.prior.labels.is_default == plan.prior.labels.is_default
    assert loaded.prior.total == plan.prior.total
    assert type(loaded.prior.total) is type(plan.prior.total)
    for name in ("k", "layout", "total", "distance", "u", "rest", "length", "tiers"):
        assert getattr(loaded, name) == getattr(plan, name)
        assert type(getattr(loaded, name)) is type(getattr(plan, name))
    pairs = [(loaded.prior.weights, plan.prior.weights), (loaded.gains, plan.gains), (loaded.weights, plan.weights)]
    for name in ("giants", "home_members", "home_weights", "members", "starts", "fixed", "begins"):
        assert getattr(loaded, name).tolist() == getattr(plan, name).tolist()
    for ours, theirs in pairs:
        assert (ours is None) == (theirs is None)
        assert ours is None or (ours.dtype == theirs.dtype and np.array_equal(ours, theirs))


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("make", PLANS.values(), ids=PLANS)
def test_round_trip(tmp_path, make, mapped):
    """Everything comes back as it was: fields, tables, digest, channel, leakage, and the certificate."""
    plan = make()
    plan.save(tmp_path / "plan.cloak")
    loaded = ml.load(tmp_path / "plan.cloak", mapped=mapped)
    assert type(loaded) is Plan
    assert_same(loaded, plan)
    assert loaded.digest == plan.digest
    assert [loaded.find(name) for name in plan.prior.labels] == list(range(len(plan.weights)))
    assert ml.certify(tmp_path / "plan.cloak", plan.prior, gains=plan.gains).ok
    assert ml.certify(loaded, plan.prior, gains=plan.gains).ok
    assert ml.certify(loaded, loaded.prior, gains=plan.gains).ok
    assert loaded.entropy("shannon") == plan.entropy("shannon")
    assert list(loaded.sets()) == list(plan.sets())
    assert repr(loaded) == repr(plan)


@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("make", PLANS.values(), ids=PLANS)
def test_loaded_arrays_cannot_be_written_to(tmp_path, make, mapped):
    """So that no plan is changed by mistake, nor the file under it."""
    make().save(tmp_path / "plan.cloak")
    assert not any(array.flags.writeable for array in arrays_of(ml.load(tmp_path / "plan.cloak", mapped=mapped)))


def test_saving_what_was_loaded_gives_the_same_file(tmp_path):
    """Byte by byte, for every kind of plan; saving twice does too."""
    for make in PLANS.values():
        make().save(tmp_path / "first")
        make().save(tmp_path / "again")
        ml.load(tmp_path / "first").save(tmp_path / "second")
        written = {(tmp_path / name).read_bytes() for name in ("first", "again", "second")}
        assert len(written) == 1


def test_the_file_is_as_described(tmp_path):
    """A prefix, a header in JSON and raw arrays with their SHA-256, each from a multiple of 64 bytes on."""
    for make in PLANS.values():
        make().save(tmp_path / "plan.cloak")
        content = (tmp_path / "plan.cloak").read_bytes()
        assert content == packed(*unpacked(content))


def test_large_arrays_are_hashed_in_pieces(tmp_path, monkeypatch):
    """As by hand; a byte changed in any piece is found."""
    plan = ml.design(np.arange(1, 1_100_000), 3, layout="circle")
    plan.save(tmp_path / "plan.cloak")
    content = bytearray((tmp_path / "plan.cloak").read_bytes())
    assert content == packed(*unpacked(content))
    for at in (5000, 9_000_000, len(content) - 70):
        content[at] ^= 1
        (tmp_path / "damaged").write_bytes(content)
        content[at] ^= 1
        with pytest.raises(InvalidCloak, match="its checksum is not that of its contents"):
            ml.load(tmp_path / "damaged")


def test_names_of_files(tmp_path, monkeypatch):
    """As text or as paths, with a folder or without."""
    monkeypatch.chdir(tmp_path)
    for name in ("plan.cloak", tmp_path / "é plan", "./dots"):
        diseases().save(name)
        assert_same(ml.load(name), diseases())
        assert_same(ml.load(os.path.abspath(name)), diseases())
    assert sorted(os.listdir(tmp_path)) == ["dots", "plan.cloak", "é plan"]


@pytest.mark.parametrize(
    "labels", [[("a", 1), ("b", 2)], ["a", 1], [b"a", b"b"], ["\udc80", "b"], [2**63, 1], ["a", None]]
)
def test_labels_that_no_file_holds(tmp_path, labels):
    """Are refused before anything is written."""
    plan = ml.design(ml.Prior([2, 1], labels=labels), 1)
    with pytest.raises(InvalidCloak, match="a file holds labels that are text or 64-bit integers"):
        plan.save(tmp_path / "plan.cloak")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mapped", [True, False])
def test_a_file_is_replaced_under_those_who_have_it_open(tmp_path, mapped):
    """They keep drawing as before; who loads it now gets the new one; it may even be deleted."""
    path = tmp_path / "plan.cloak"
    old, new = zipf(300), zipf(400)
    scopes = ["s"] * 300
    old.save(path)
    cloak = ml.Cloak(ml.load(path, mapped=mapped), key=KEY)
    new.save(path)
    expected = ml.Cloak(old, key=KEY).draw_many(np.arange(300), scopes=scopes)
    assert np.array_equal(cloak.draw_many(np.arange(300), scopes=scopes), expected)
    assert_same(ml.load(path, mapped=mapped), new)
    ml.load(path, mapped=mapped).save(path)
    assert_same(ml.load(path, mapped=mapped), new)
    path.unlink()
    assert np.array_equal(cloak.draw_many(np.arange(300), scopes=scopes), expected)
