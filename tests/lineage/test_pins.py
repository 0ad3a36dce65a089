"""Several lineages in one cloak, the subjects that are pinned to them, and secrets that wait for a part."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from tests.plans import KEY

import minleak as ml
from minleak.errors import InvalidKey, InvalidParameter, PendingSecret, UnknownSecret, UnreadableFile

COUNTS = {"flu": 40, "cold": 30, "gout": 20, "mumps": 15, "croup": 12}
MARCH = ml.design(COUNTS, k=2)
APRIL = ml.update(MARCH, COUNTS | {"rabies": 1})
JUNE = ml.design(COUNTS | {"rabies": 9, "flu": 20}, k=2)
SCOPES = [f"user-{i}" for i in range(40)]


# -- secrets that wait -----------------------------------------------------------------------------------------------


@pytest.fixture(params=["memory", "file"])
def april(request, tmp_path):
    """A lineage with one secret that waits, as it was made and as a file."""
    if request.param == "memory":
        return APRIL
    APRIL.save(tmp_path / "april.cloak")
    return tmp_path / "april.cloak"


def test_a_secret_that_waits_is_refused_in_words_of_its_own(april):
    cloak = ml.Cloak(april, key=KEY)
    asked = [
        lambda: cloak.draw("rabies", scope="s"),
        lambda: cloak.draw_fresh("rabies"),
        lambda: cloak.draw_all(["rabies"], scope="s"),
        lambda: cloak.positions(["rabies"]),
    ]
    for ask in asked:
        with pytest.raises(PendingSecret, match="this secret was counted but has no set yet") as refused:
            ask()
        assert isinstance(refused.value, UnknownSecret)
        assert "rabies" not in str(refused.value)
        assert "refuse it until the next part is made, or choose a stand_in" in str(refused.value)
    with pytest.raises(PendingSecret, match="number 1 of those given") as refused:
        cloak.draw_all(["flu", "rabies"], scope="s")
    assert refused.value.at == 1
    with pytest.raises(UnknownSecret) as refused:
        cloak.draw("anthrax", scope="s")
    assert type(refused.value) is UnknownSecret


def test_a_stand_in_takes_the_place_of_secrets_that_wait(april):
    cloak = ml.Cloak(april, key=KEY, stand_in="gout")
    stream = {scope: cloak.draw("gout", scope=scope) for scope in SCOPES}
    assert {scope: cloak.draw("rabies", scope=scope) for scope in SCOPES} == stream


@pytest.mark.parametrize("odd", [[], ["flu"], {}, None, 3.5, ("rabies", []), np.array([1, 2])])
def test_what_is_no_label_does_not_wait(april, odd):
    with pytest.raises(UnknownSecret) as refused:
        ml.Cloak(april, key=KEY).draw(odd, scope="s")
    assert type(refused.value) is UnknownSecret


def test_equal_labels_of_later_parts_are_one():
    """As in the first part: 7, 7.0 and numpy's 7."""
    plan = ml.update(ml.update(ml.design({1: 5, 2: 4, 3: 4, 4: 2}, k=2), {1: 5, 7: 1, 8: 1}), {1: 5, 9: 1}, cohort=9)
    cloak = ml.Cloak(plan, key=KEY)
    assert len(plan.parts) == 2
    assert cloak.positions([7, 7.0, np.int64(7)]).tolist() == [4, 4, 4]
    with pytest.raises(PendingSecret):
        cloak.draw(9.0, scope="s")


# -- several lineages ------------------------------------------------------------------------------------------------


def test_draws_of_a_lineage_are_those_of_its_plan_alone():
    cloak, march, june = ml.Cloak([APRIL, JUNE], key=KEY), ml.Cloak(MARCH, key=KEY), ml.Cloak(JUNE, key=KEY)
    assert cloak.current == JUNE.lineage != MARCH.lineage
    assert cloak.plan is JUNE
    assert cloak.lineages == (MARCH.lineage, JUNE.lineage)
    for lineage, alone in ((None, june), (JUNE.lineage, june), (MARCH.lineage, march)):
        one_by_one = [cloak.draw("gout", scope=scope, lineage=lineage) for scope in SCOPES]
        assert one_by_one == [alone.draw("gout", scope=scope) for scope in SCOPES]
        at = cloak.positions(["gout"] * len(SCOPES), lineage=lineage)
        many = cloak.draw_many(at, scopes=SCOPES, lineage=lineage)
        assert many.tolist() == alone.draw_many(at, scopes=SCOPES).tolist()
        together = cloak.draw_all(list(COUNTS), scope="s", lineage=lineage)
        assert together == alone.draw_all(list(COUNTS), scope="s")
        assert "mumps" in cloak.draw_fresh("mumps", lineage=lineage)
        assert cloak.set_id(together[0], lineage=lineage) == alone.set_id(together[0])
    assert "2 lineages" in repr(cloak)


def test_a_published_set_keeps_its_name_in_all_versions():
    shown = ml.Cloak(MARCH, key=KEY).draw("gout", scope="s")
    assert ml.Cloak(APRIL).set_id(shown) == ml.Cloak(MARCH).set_id(shown)


def test_each_lineage_has_its_own_secrets_and_stand_in():
    cloak = ml.Cloak([APRIL, JUNE], key=KEY)
    assert "rabies" in cloak.draw("rabies", scope="s")
    with pytest.raises(PendingSecret):
        cloak.draw("rabies", scope="s", lineage=MARCH.lineage)
    standing = ml.Cloak([APRIL, JUNE], key=KEY, stand_in="flu")
    shown = standing.draw("rabies", scope="s", lineage=MARCH.lineage)
    assert shown == standing.draw("flu", scope="s", lineage=MARCH.lineage)
    with pytest.raises(InvalidParameter, match="must itself be a label"):
        ml.Cloak([APRIL, JUNE], stand_in="rabies")


def test_files_and_kinds_may_be_mixed(tmp_path):
    blocks = ml.design(COUNTS, k=2, layout="blocks")
    APRIL.save(tmp_path / "april.cloak")
    cloak = ml.Cloak((tmp_path / "april.cloak", blocks), key=KEY)
    assert cloak.draw("flu") == ml.Cloak(blocks).draw("flu")
    shown = ml.Cloak(MARCH, key=KEY).draw("flu", scope="s")
    assert cloak.draw("flu", scope="s", lineage=MARCH.lineage) == shown


@pytest.mark.parametrize("lineage", [b"", bytes(32), "march", MARCH.lineage.hex(), 3, [], MARCH, bytearray(32)])
def test_a_lineage_that_is_not_held_is_refused_in_one_line(lineage):
    cloak = ml.Cloak([JUNE], key=KEY)
    for ask in (
        lambda: cloak.draw("flu", scope="s", lineage=lineage),
        lambda: cloak.draw_fresh("flu", lineage=lineage),
        lambda: cloak.draw_many([0], fresh=True, lineage=lineage),
        lambda: cloak.draw_all(["flu"], fresh=True, lineage=lineage),
        lambda: cloak.positions(["flu"], lineage=lineage),
        lambda: cloak.set_id(["flu"], lineage=lineage),
    ):
        with pytest.raises(InvalidParameter, match="holds no plan of this lineage") as refused:
            ask()
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("plans", "why"),
    [([], "one plan at least"), ([MARCH, APRIL], "versions of one lineage"), ([MARCH, [0.5, 0.5]], "a cloak runs")],
)
def test_lists_that_are_no_lineages_are_refused(plans, why):
    with pytest.raises(InvalidParameter, match=why):
        ml.Cloak(plans, key=KEY)


# -- pins ------------------------------------------------------------------------------------------------------------


def test_a_subject_stays_with_what_was_current_first(tmp_path):
    path = tmp_path / "pins.sqlite"
    march = ml.Pins(path, ml.Cloak(MARCH, key=KEY))
    assert march.lineage("ann") == MARCH.lineage
    cloak = ml.Cloak([APRIL, JUNE], key=KEY)
    pins = ml.Pins(path, cloak)
    assert pins.lineage("bob") == pins.lineage(b"bob") == JUNE.lineage
    assert pins.lineage("ann") == march.lineage("ann") == MARCH.lineage
    assert march.lineage("bob") == JUNE.lineage, "a process that has not heard of June does not undo it"
    shown = ml.Cloak(MARCH, key=KEY).draw("gout", scope="ann")
    assert cloak.draw("gout", scope="ann", lineage=pins.lineage("ann")) == shown


def test_the_file_is_private_and_names_nobody(tmp_path):
    path = tmp_path / "pins.sqlite"
    ml.Pins(path, ml.Cloak(MARCH, key=KEY)).lineage("ann-of-the-hill")
    assert path.stat().st_mode & 0o777 == 0o600
    held = path.read_bytes()
    assert b"ann-of" not in held
    assert KEY.reveal() not in held
    path.chmod(0o640)
    with pytest.raises(UnreadableFile, match="chmod 600"):
        ml.Pins(path, ml.Cloak(MARCH, key=KEY))


def test_what_holds_no_pins_of_this_key_is_refused_and_left_as_it_is(tmp_path):
    cloak = ml.Cloak(MARCH, key=KEY)
    ml.Pins(tmp_path / "pins", cloak).lineage("ann")
    with pytest.raises(InvalidKey, match="another key"):
        ml.Pins(tmp_path / "pins", ml.Cloak(MARCH, key=bytes(32)))
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("create table cats (name)")
    other.close()
    (tmp_path / "text").write_text("no database at all, and long enough to be looked at " * 20)
    (tmp_path / "folder").mkdir()
    for name in ("other", "text", "folder", "no/such/folder"):
        if (tmp_path / name).is_file():
            (tmp_path / name).chmod(0o600)
            before = (tmp_path / name).read_bytes()
        with pytest.raises(UnreadableFile) as refused:
            ml.Pins(tmp_path / name, cloak)
        assert "\n" not in str(refused.value)
        if (tmp_path / name).is_file():
            assert (tmp_path / name).read_bytes() == before
    with pytest.raises(InvalidKey, match="need the cloak's key"):
        ml.Pins(tmp_path / "pins", ml.Cloak(MARCH))
    with pytest.raises(InvalidParameter, match="for a Cloak, not Plan"):
        ml.Pins(tmp_path / "pins", MARCH)
    with pytest.raises(InvalidParameter, match="by its path"):
        ml.Pins(3.5, cloak)


def test_pins_that_are_lost_meanwhile_are_missed_not_begun_anew(tmp_path):
    pins = ml.Pins(tmp_path / "pins", ml.Cloak(MARCH, key=KEY))
    (tmp_path / "pins").unlink()
    with pytest.raises(UnreadableFile, match="cannot use the pins"):
        pins.lineage("ann")
    assert not (tmp_path / "pins").exists()


@pytest.mark.parametrize("scope", ["", " ", None, 3, "nan"])
def test_a_scope_that_names_nobody_has_no_pin(tmp_path, scope):
    with pytest.raises(InvalidParameter, match="scope"):
        ml.Pins(tmp_path / "pins", ml.Cloak(MARCH, key=KEY)).lineage(scope)


RACE = """
import json, sys
import minleak as ml
path, key, plan, order = sys.argv[1:]
cloak = ml.Cloak(plan, key=key)
sys.stdin.readline()
pins = ml.Pins(path, cloak)
scopes = [f"user-{i}" for i in range(40)]
found = {scope: pins.lineage(scope).hex() for scope in scopes[:: int(order)]}
print(json.dumps(found))
"""


def test_processes_that_race_agree_on_every_pin(tmp_path):
    """Four at once, two of them with another plan, from a file that none has made yet: each subject has one lineage."""
    MARCH.save(tmp_path / "march.cloak")
    JUNE.save(tmp_path / "june.cloak")
    KEY.save(tmp_path / "key")
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                RACE,
                *map(os.fspath, (tmp_path / "pins", tmp_path / "key", tmp_path / plan)),
                order,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for plan, order in (("march.cloak", "1"), ("june.cloak", "1"), ("march.cloak", "-1"), ("june.cloak", "-1"))
    ]
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    found = [json.loads(process.communicate(timeout=300)[0]) for process in running]
    assert [process.returncode for process in running] == [0] * 4
    assert found[0] == found[1] == found[2] == found[3]
    assert set(found[0].values()) <= {MARCH.lineage.hex(), JUNE.lineage.hex()}
    pins = ml.Pins(tmp_path / "pins", ml.Cloak([MARCH, JUNE], key=KEY))
    assert {scope: pins.lineage(scope).hex() for scope in SCOPES} == found[0]
