"""Writing the file: whole or not at all, whatever fails and whenever the writer is killed."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys

import pytest
from tests.plans import diseases, zipf

import minleak as ml
from minleak._design.stored import checksums
from minleak.errors import InvalidCloak


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


@pytest.mark.parametrize("early", [10, 1 << 26], ids=["a large file", "a small one"])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failing_call(path, monkeypatch, call, early):
    """The old file stays, no temporary file does, and the message says why."""
    monkeypatch.setattr(checksums, "_EARLY", early)
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


@pytest.mark.parametrize("early", [10, 1 << 26], ids=["a large file", "a small one"])
@pytest.mark.parametrize("allowed", [0, 1, 64, 1000, 5000])
def test_no_room_in_the_middle_of_writing(path, monkeypatch, allowed, early):
    """The system lets no file grow beyond a few bytes: as on a full disk."""
    monkeypatch.setattr(checksums, "_EARLY", early)
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
    assert steps == ["file", "file", "name", "folder"]


@pytest.mark.parametrize("early", [1000, 1 << 26], ids=["a large file", "a small one"])
def test_a_disk_that_fails_while_contents_are_synced(path, monkeypatch, early):
    """Is believed the first time it says so: it may not say so again."""
    monkeypatch.setattr(checksums, "_EARLY", early)
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


# Kills a writer at its nth line, for every n, then some writers at random moments. Each time the file must be the old
# one or the new one, byte by byte, and what is left beside it must not load unless it is whole.
KILLING = """
import os, pathlib, random, signal, sys, time
import minleak as ml
from minleak._design.stored import format as store
from minleak._design.stored import saving

watched = (saving.save.__code__, store.write.__code__)
folder = pathlib.Path(sys.argv[1])
path = folder / "plan.cloak"
old, new = (ml.load(folder / name) for name in ("old", "new"))
contents = {(folder / name).read_bytes(): name for name in ("old", "new")}

def forked(work):
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    return pid

def saved(kill_at):
    lines = 0
    def trace(frame, event, argument):
        nonlocal lines
        if frame.f_code not in watched:
            return None
        lines += event == "line"
        if lines == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    new.save(path)

def outcome():
    found = contents[path.read_bytes()]
    assert ml.load(path).digest == ml.load(folder / found).digest
    for part in folder.glob(".*"):
        try:
            ml.load(part)
            assert part.read_bytes() in contents
        except InvalidCloak:
            pass
        part.unlink()
        left.append(found)
    return found

left, by_line, status = [], [], -9
while status:
    old.save(path)
    status = os.waitpid(forked(lambda: saved(len(by_line) + 1)), 0)[1]
    by_line.append(outcome())
rng = random.Random(7)
def forever():
    while True:
        new.save(path)
        old.save(path)
for _ in range(8):
    pid = forked(forever)
    time.sleep(rng.uniform(0.001, 0.05))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    outcome()
print(by_line.count("old"), by_line.count("new"), len(left))
"""


def test_killing_the_writer(tmp_path):
    """At each of its lines, or at any other moment: the old file stays, or the new one is there."""
    zipf(20_000).save(tmp_path / "old")
    zipf(20_001).save(tmp_path / "new")
    command = [sys.executable, "-W", "error", "-c", KILLING, os.fspath(tmp_path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    assert shown.stderr == ""
    old, new, left = map(int, shown.stdout.split())
    assert old > 5
    assert new > 1
    assert left > 3


def test_what_a_killed_writer_left_does_not_matter(path):
    """Later files are saved and loaded beside it."""
    left = path.with_name(".plan.cloak.0123456789ab.part")
    left.write_bytes(path.read_bytes()[:1000])
    zipf(50).save(path)
    assert ml.load(path).digest == zipf(50).digest
    with pytest.raises(InvalidCloak):
        ml.load(left)


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
        with pytest.raises(InvalidCloak, match="is no name that a file can have"):
            use(str(tmp_path / name))


@pytest.mark.parametrize("mapped", [True, False])
def test_names_that_are_no_text(tmp_path, mapped):
    """A name of other bytes than UTF-8 is written and read."""
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.cloak")
    diseases().save(name)
    assert ml.load(name, mapped=mapped).digest == diseases().digest
