"""Writing the file: whole or not at all, whatever fails and whenever the writer is killed."""

from __future__ import annotations

import contextlib
import inspect
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest
from tests.plans import diseases, zipf

import minleak as ml
from minleak.core._file.replacing import _locked
from minleak.errors import InvalidCloak

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path):
    """An old file that a new one is to replace."""
    diseases().save(tmp_path / "plan.cloak")
    return tmp_path / "plan.cloak"


def assert_untouched(path):
    """The old file is there, and nothing beside it."""
    assert list(path.parent.iterdir()) == [path]
    assert ml.load(path).digest == diseases().digest


def is_folder(handle):
    return stat.S_ISDIR(os.fstat(handle).st_mode)


def full(*_):
    raise OSError(28, "No space left on device")


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_call(path, monkeypatch, call):
    """The old file stays, no temporary file does, and the message says why."""
    monkeypatch.setattr(os, call, full)
    with pytest.raises(InvalidCloak, match=r"cannot write .*: No space left on device"):
        zipf(50).save(path)
    monkeypatch.undo()
    assert_untouched(path)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_an_interrupted_call(path, monkeypatch, call):
    """The same, but the interruption goes on."""
    monkeypatch.setattr(os, call, interrupted)
    with pytest.raises(KeyboardInterrupt):
        zipf(50).save(path)
    monkeypatch.undo()
    assert_untouched(path)


@pytest.mark.parametrize("allowed", [0, 1, 64, 1000, 5000])
def test_no_room_in_the_middle_of_writing(path, allowed):
    """The system lets no file grow beyond a few bytes: as on a full disk."""
    plan = zipf(500)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (allowed, hard))
    try:
        with pytest.raises(InvalidCloak, match=r"cannot write .*: File too large"):
            plan.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert_untouched(path)


def test_where_no_file_can_be(path):
    """A folder that is a file, one that is not there, and a name that is a folder's."""
    folder = path.with_name("folder")
    folder.mkdir()
    for place in (path / "x", path.with_name("none") / "x", folder):
        with pytest.raises(InvalidCloak, match="cannot write"):
            diseases().save(place)
    assert list(folder.iterdir()) == []
    folder.rmdir()
    assert_untouched(path)


def test_synced_before_it_has_its_name(path, monkeypatch):
    """The contents, their header, then the name, then the folder: a power failure leaves the old file or the new
    one.
    """
    steps = []
    sync, replace = os.fsync, os.replace

    def seen_sync(handle):
        steps.append("folder" if is_folder(handle) else "file")
        sync(handle)

    def seen_replace(source, target):
        steps.append("name")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", seen_sync)
    monkeypatch.setattr(os, "replace", seen_replace)
    zipf(50).save(path)
    assert steps == ["file", "name", "folder"]


def test_a_disk_that_fails_while_contents_are_synced(path, monkeypatch):
    """Is believed the first time it says so: it may not say so again."""
    failures = [OSError(5, "Input/output error")]
    sync = os.fsync

    def fails_once(handle):
        if failures:
            raise failures.pop()
        sync(handle)

    monkeypatch.setattr(os, "fsync", fails_once)
    with pytest.raises(InvalidCloak, match="cannot write"):
        zipf(50).save(path)
    assert_untouched(path)


def test_a_folder_that_cannot_be_synced(path, monkeypatch):
    """Is no failure: the file is whole and has its name."""
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: full() if is_folder(handle) else sync(handle))
    zipf(50).save(path)
    assert ml.load(path).digest == zipf(50).digest


# The modules that write a file: every line of theirs is one at which the writer may die.
WRITING = ("core._file.replacing", "core._file.format", "core._file.writing")


def lines_of_writing(act):
    """A trace that calls act(n, frame) before the nth line of these modules that was not met before."""
    files = {import_module(f"minleak.{name}").__file__ for name in WRITING}
    met = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename not in files:
            return None
        place = (frame.f_code.co_filename, frame.f_lineno)
        if event == "line" and place not in met:
            met.add(place)
            act(len(met), frame)
        return trace

    return trace


class Stopped(BaseException):
    """What no writer expects."""


@pytest.mark.filterwarnings("ignore")  # of files that are not closed, where closing is stopped
def test_stopping_the_writer(path):
    """An exception at each of its lines: the old file stays or the new one is there, whole, and nothing beside it,
    unless it is the removal of the temporary file itself that is stopped.
    """
    new, digests = zipf(50), {diseases().digest: "old", zipf(50).digest: "new"}
    found, removing = [], False

    def stop(n, frame):
        nonlocal removing
        if n == len(found) + 1:
            name = frame.f_code.co_name
            removing = name == "_is_at" or (name == "_locked" and frame.f_lineno >= ending)
            raise Stopped

    source, begin = inspect.getsourcelines(_locked)
    ending = begin + next(i for i, line in enumerate(source) if "finally" in line)
    before, stopped = sys.gettrace(), True
    while stopped:
        diseases().save(path)
        try:
            sys.settrace(lines_of_writing(stop))
            new.save(path)
            stopped = False
        except Stopped:
            pass
        finally:
            sys.settrace(before)
        found.append(digests[ml.load(path).digest])
        left = [other for other in path.parent.iterdir() if other != path]
        assert removing or not left
        for part in left:
            part.unlink()
        removing = False
    assert found == sorted(found, reverse=True)
    assert found.count("old") > 50
    assert found.count("new") > 3


def killing(folder):
    """Kill a writer at its nth line, for every n, then some writers at random moments. Each time the file must be the
    old one or the new one, byte by byte, and what is left beside it must not load unless it is whole.

    Run in a process of its own, which forks the writers. Prints how often the file was old, how often new, and how
    often something was left.
    """
    folder = Path(folder)
    path = folder / "plan.cloak"
    old, new = (ml.load(folder / name) for name in ("old", "new"))
    contents = {(folder / name).read_bytes(): name for name in ("old", "new")}
    left, by_line, status = 0, [], -signal.SIGKILL

    def forked(work):
        pid = os.fork()
        if pid == 0:
            work()
            os._exit(0)
        return pid

    def killed_at(line):
        sys.settrace(lines_of_writing(lambda n, _: n == line and os.kill(os.getpid(), signal.SIGKILL)))
        new.save(path)

    def forever():
        while True:
            new.save(path)
            old.save(path)

    def outcome():
        nonlocal left
        for part in folder.glob(".*"):
            with contextlib.suppress(InvalidCloak):
                ml.load(part)
                assert part.read_bytes() in contents
            part.unlink()
            left += 1
        return contents[path.read_bytes()]

    while status:
        old.save(path)
        status = os.waitpid(forked(lambda: killed_at(len(by_line) + 1)), 0)[1]
        by_line.append(outcome())
    rng = random.Random(7)
    for _ in range(8):
        pid = forked(forever)
        time.sleep(rng.uniform(0.001, 0.05))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        outcome()
    print(by_line.count("old"), by_line.count("new"), left)


def test_killing_the_writer(tmp_path):
    """At each of its lines, or at any other moment: the old file stays, or the new one is there."""
    zipf(300).save(tmp_path / "old")
    zipf(301).save(tmp_path / "new")
    code = "import pathlib, sys; from tests.core.file.test_writing import killing; killing(pathlib.Path(sys.argv[1]))"
    shown = subprocess.run(
        [sys.executable, "-c", code, os.fspath(tmp_path)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert shown.stderr == ""
    old, new, left = map(int, shown.stdout.split())
    assert old > 50
    assert new > 3
    assert left > 10


def test_what_a_killed_writer_left_is_removed(path):
    """By the next file of that name, which is saved and loaded."""
    left = path.with_name(f".plan.cloak.{os.geteuid()}.part")
    left.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InvalidCloak):
        ml.load(left)
    zipf(50).save(path)
    assert ml.load(path).digest == zipf(50).digest
    assert list(path.parent.iterdir()) == [path]


def test_a_link_stays_one(path):
    """What it leads to is replaced, and nothing is left beside either."""
    folder = path.with_name("elsewhere")
    folder.mkdir()
    link = folder / "link.cloak"
    link.symlink_to(path)
    zipf(50).save(link)
    assert link.is_symlink()
    assert ml.load(path).digest == zipf(50).digest
    assert list(folder.iterdir()) == [link]


def test_pipes_and_devices_are_refused(path):
    """And are still what they were."""
    pipe = path.with_name("pipe")
    os.mkfifo(pipe)
    with pytest.raises(InvalidCloak, match=r"cannot write .*: it is a device or a pipe, not a file"):
        diseases().save(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"], ids=ascii)
def test_names_that_no_file_can_have(tmp_path, name):
    """Are refused in one line, for writing and for reading."""
    for use in (diseases().save, ml.load):
        with pytest.raises(InvalidCloak, match="is not a possible file name"):
            use(str(tmp_path / name))


@pytest.mark.parametrize("mapped", [True, False])
def test_names_that_are_no_text(tmp_path, mapped):
    """A name of other bytes than UTF-8 is written and read."""
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.cloak")
    diseases().save(name)
    assert ml.load(name, mapped=mapped).digest == diseases().digest
