"""update and drift at the command line: what they print, what they leave, and a crash in the middle."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import minleak as ml
from minleak._cli import update as updating


def test_a_day_in_the_life_of_a_plan(run, asked):
    """Design, draw, next day's counts: drift tells, update writes, draws stay, earlier versions are named."""
    told = asked("drift", "queries.cloak", "tomorrow.csv")
    assert (told["new"], told["gone"]) == (1, 0)
    assert told["exposure"]["success"] >= told["success"]["updated"]
    done = asked("update", "queries.cloak", "tomorrow.csv", "-o", "newer.cloak")
    assert (done["version"], done["changes"]["new"]) == (2, 1)
    assert done["so_far"] == {**done["exposure"], "versions": 2}
    newer = ml.load("newer.cloak")
    assert newer.lineage == ml.load("queries.cloak").lineage
    assert ml.certify("newer.cloak", ml.read_prior("tomorrow.csv"))
    _, text, _ = run("update", "newer.cloak", "queries.csv", "-o", "third.cloak", "--earlier", "queries.cloak")
    assert "homes: 2 kept" in text
    assert "version 2: 1 earlier version exists" in run("show", "newer.cloak")[1]
    assert "earlier version" not in run("show", "queries.cloak")[1]
    assert "who saw the sets of 3 versions of a secret is right with probability 0." in text
    assert "not counted" not in text
    assert ml.load("third.cloak").version == 3


def test_no_figure_is_told_for_versions_that_were_not_given(run, asked, folder):
    """Three versions tell .7781 together; what any two of them tell bounds nothing, so that no bound is printed."""
    first = {"s0": 7, "s1": 7, "s2": 6, "s3": 7, "s4": 6, "s5": 6, "s6": 5}
    second = {name: count for name, count in first.items() if name != "s3"} | {"s2": 1}
    for name, counts in (("v1", first), ("v2", second), ("v3", second | {"n35": 7})):
        rows = "".join(f"{secret},{count}\n" for secret, count in counts.items())
        (folder / f"{name}.csv").write_text(f"secret,count\n{rows}")
    run("design", "v1.csv", "-k", "5", "-o", "v1.cloak")
    run("update", "v1.cloak", "v2.csv", "-o", "v2.cloak")
    told = asked("update", "v2.cloak", "v3.csv", "-o", "v3.cloak")
    assert told["so_far"] == {**told["exposure"], "versions": 2}
    for text in (
        run("update", "v2.cloak", "v3.csv", "-o", "v3.cloak")[1],
        run("drift", "v2.cloak", "v3.csv")[1],
    ):
        assert "at most" not in text
        assert "1 earlier version is not counted here" in text
    told = asked("update", "v2.cloak", "v3.csv", "-o", "v3.cloak", "--earlier", "v1.cloak")
    assert told["so_far"]["success"] == pytest.approx(0.7781, abs=5e-5)
    assert told["so_far"]["exact"]


def test_a_log_is_read_as_design_reads_it(asked, folder):
    """Rows counted, blanks taken off: the plan of a log is updated to another, and certified for both."""
    for name, shift in (("old.csv", 0), ("new.csv", 1)):
        rows = "".join(f"ann, place-{(i * i + shift * i) % 31} \n" for i in range(900))
        (folder / name).write_text(f"user,place\n{rows}")
    how = ["--secret", "place", "--count-rows", "--strip"]
    asked("design", "old.csv", "-k", "4", "-o", "old.cloak", *how)
    assert asked("update", "old.cloak", "new.csv", "-o", "new.cloak", *how)["version"] == 2
    for name in ("old", "new"):
        assert asked("certify", f"{name}.cloak", f"{name}.csv", *how)["certified"]
    assert ml.load("new.cloak").prior.labels[0] == "place-0"


@pytest.mark.parametrize("kind", ["stable", "blocks"])
def test_of_two_updates_of_one_file_at_once_the_second_is_refused(run, folder, monkeypatch, kind):
    """It would undo the first without a word; the file stays what the first made it."""
    run("design", "queries.csv", "-k", "4", "--layout", kind, "-o", "plan.cloak")
    before, finding = (folder / "plan.cloak").read_bytes(), updating.exposure
    first = []

    def meanwhile(versions):
        monkeypatch.setattr(updating, "exposure", finding)
        first.append(run("update", "plan.cloak", "tomorrow.csv", "-o", "plan.cloak")[0])
        first.append((folder / "plan.cloak").read_bytes())
        return finding(versions)

    monkeypatch.setattr(updating, "exposure", meanwhile)
    code, out, err = run("update", "plan.cloak", "queries.csv", "-o", "plan.cloak")
    assert (code, out) == (2, "")
    assert "cannot write plan.cloak: another process has written it since it was read: do the same again" in err
    assert first == [0, (folder / "plan.cloak").read_bytes()]
    assert first[1] != before


def test_an_update_and_an_export_are_as_private_as_what_they_replace(run, folder):
    for name, command in {
        "queries.cloak": ("update", "queries.cloak", "tomorrow.csv"),
        "queries.sqlite": ("export", "queries.cloak"),
        "queries.csv": ("export", "queries.cloak"),
    }.items():
        (folder / name).touch()
        (folder / name).chmod(0o600)
        code, _, err = run(*command, "-o", name)
        assert code == 0, err
        assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_blocks_are_updated_too(run, asked):
    """Without a key, draws or lineage."""
    run("design", "queries.csv", "-k", "4", "--layout", "blocks", "-o", "blocks.cloak")
    told = asked("update", "blocks.cloak", "tomorrow.csv", "-o", "blocks.cloak")
    assert told["exposure"]["exact"]
    assert told["changes"]["new"] == 1


SLOW = """
import os, sys, time
import minleak._design.stored.format as form
wait = os.fsync
def fsync(handle):
    print("writing", flush=True)
    time.sleep(60)
    wait(handle)
form.os.fsync = fsync
from minleak._cli.app import main
main(["update", "queries.cloak", "tomorrow.csv", "-o", "queries.cloak"])
"""


def test_a_crash_in_the_middle_leaves_the_old_file(run):
    """Killed while the new file is being written: the old one is whole, and opens."""
    before = Path("queries.cloak").read_bytes()
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
    assert Path("queries.cloak").read_bytes() == before
    assert ml.load("queries.cloak").version == 1
    assert run("update", "queries.cloak", "tomorrow.csv", "-o", "queries.cloak")[0] == 0
    assert ml.load("queries.cloak").version == 2
