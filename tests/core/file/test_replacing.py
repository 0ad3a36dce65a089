"""Files and folders are replaced whole or not at all; as private as what was there, and nobody else's."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import threading

import pytest

import minleak as ml
from minleak.core._file.replacing import expect_state, file_state, replace_file, replace_folder

OTHER = 12345
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="files of another user take root to make")


def write(path, text, **how):
    with replace_file(path, **how) as file:
        file.write(text.encode())


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_file_takes_its_name_at_the_end(tmp_path):
    (tmp_path / "x").write_text("old")
    with replace_file(tmp_path / "x") as file:
        file.write(b"new")
        assert (tmp_path / "x").read_text() == "old"
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_text() == "new"


def fail_in_a_file(path):
    with replace_file(path) as file:
        file.write(b"half")
        raise ValueError("midway")


def fail_in_a_folder(path):
    with replace_folder(path) as name:
        with open(os.path.join(name, "part"), "x") as file:
            file.write("half")
        raise ValueError("midway")


def test_keys_and_files_of_another_kind_are_not_replaced(tmp_path):
    """`plan.save` replaced a key, and the counts that a plan was made from."""
    there, plan = tmp_path / "x", ml.design([3, 2, 1], 2)
    ml.Key(bytes(range(32))).save(there)
    key = there.read_bytes()
    with pytest.raises(OSError, match="keys are not overwritten"):
        write(there, "new")
    with pytest.raises(ml.errors.InvalidCloak, match="keys are not overwritten: choose another name"):
        plan.save(there)
    assert there.read_bytes() == key
    there.write_text("secret,count\na,1\n")
    with pytest.raises(ml.errors.InvalidCloak, match="holds something else: choose another name"):
        plan.save(there)
    assert there.read_text() == "secret,count\na,1\n"
    there.write_bytes(b"")
    for _ in range(2):
        plan.save(there)
    assert ml.load(there).digest == plan.digest


@pytest.mark.parametrize("fail", [fail_in_a_file, fail_in_a_folder])
def test_nothing_is_left_of_what_failed(tmp_path, fail):
    with pytest.raises(ValueError, match="midway"):
        fail(tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_a_folder_takes_its_name_at_the_end(tmp_path):
    with replace_folder(tmp_path / "x") as name:
        assert os.listdir(name) == []
        assert not (tmp_path / "x").exists()
    assert os.listdir(tmp_path) == ["x"]


# -- modes and owners ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o660, 0o644, 0o400])
def test_a_replaced_file_keeps_its_mode(tmp_path, usual_umask, mode):
    """While it is written, too, nobody can read what could not be read before."""
    (tmp_path / "x").touch()
    (tmp_path / "x").chmod(mode)
    with replace_file(tmp_path / "x") as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
    assert mode_of(tmp_path / "x") == mode


def test_a_new_file_has_the_mode_that_the_umask_allows(tmp_path, usual_umask):
    write(tmp_path / "x", "new")
    assert mode_of(tmp_path / "x") == 0o644


@pytest.mark.parametrize("old", [None, 0o644, 0o666])
def test_a_private_file_is_for_its_owner_alone(tmp_path, usual_umask, old):
    if old is not None:
        (tmp_path / "x").touch()
        (tmp_path / "x").chmod(old)
    write(tmp_path / "x", "new", private=True)
    assert mode_of(tmp_path / "x") == 0o600


@as_root
def test_a_file_that_root_replaces_keeps_its_owner_and_group(tmp_path):
    (tmp_path / "x").touch()
    os.chown(tmp_path / "x", OTHER, OTHER + 1)
    os.chmod(tmp_path / "x", 0o640)
    write(tmp_path / "x", "new")
    found = os.stat(tmp_path / "x")
    assert (found.st_uid, found.st_gid, mode_of(tmp_path / "x")) == (OTHER, OTHER + 1, 0o640)


def test_where_the_group_cannot_be_kept_its_rights_go(tmp_path, monkeypatch):
    """They would be those of another group."""
    (tmp_path / "x").touch()
    (tmp_path / "x").chmod(0o664)

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    write(tmp_path / "x", "new")
    assert mode_of(tmp_path / "x") == 0o604


# -- folders for everybody -------------------------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path):
    """A folder like /tmp, owned by root."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@as_root
@pytest.mark.parametrize("path", ["link", "link/x", "again"])
def test_a_link_of_another_user_in_a_folder_for_everybody_is_not_followed(tmp_path, shared, path):
    """It could lead to any file: as the last name of the path, as a folder on the way, and where a link leads to it."""
    mine = tmp_path / "mine"
    if path == "link/x":
        mine.mkdir()
    else:
        mine.write_text("precious")
    os.symlink(mine, shared / "link")
    os.lchown(shared / "link", OTHER, OTHER)
    os.symlink(shared / "link", tmp_path / "again")
    with pytest.raises(OSError, match="another user has put link into a folder for everybody: choose another name"):
        write((tmp_path if path == "again" else shared) / path, "new")
    assert os.listdir(mine) == [] if path == "link/x" else mine.read_text() == "precious"


@as_root
def test_a_file_of_another_user_in_a_folder_for_everybody_is_not_replaced(shared):
    """It would stay theirs, and they could change what was written."""
    (shared / "x").write_text("theirs")
    os.chown(shared / "x", OTHER, OTHER)
    with pytest.raises(OSError, match="another user has put x into a folder for everybody"):
        write(shared / "x", "new")
    assert (shared / "x").read_text() == "theirs"


def test_links_of_ones_own_are_followed_wherever_they_are(tmp_path, shared):
    (tmp_path / "folder").mkdir()
    os.symlink("../folder", shared / "down")
    os.symlink("down/aim", shared / "link")
    write(shared / "link", "new")
    assert (shared / "link").is_symlink()
    assert (tmp_path / "folder" / "aim").read_text() == "new"


def test_a_circle_of_links_is_refused(tmp_path):
    os.symlink("b", tmp_path / "a")
    os.symlink("a", tmp_path / "b")
    with pytest.raises(OSError, match="symbolic links"):
        write(tmp_path / "a", "new")


@as_root
def test_a_temporary_file_of_another_user_is_not_touched(shared):
    left = shared / f".x.{os.geteuid()}.part"
    left.write_text("theirs")
    os.chown(left, OTHER, OTHER)
    with pytest.raises(OSError, match=r"\.x\.0\.part is in the way: remove it"):
        write(shared / "x", "new")
    assert left.read_text() == "theirs"
    left.unlink()
    os.mkfifo(left)
    os.chown(left, OTHER, OTHER)
    with pytest.raises(OSError, match="in the way"):
        write(shared / "x", "new")
    left.unlink()
    left.symlink_to(shared / "aim")
    with pytest.raises(OSError, match="in the way"):
        write(shared / "x", "new")
    assert not (shared / "aim").exists()


# -- other writers ---------------------------------------------------------------------------------------------------

KILLED = """
import os, sys
from minleak.core._file.replacing import replace_file, replace_folder
with (replace_file if sys.argv[2] == "file" else replace_folder)(sys.argv[1]) as made:
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path, kind):
    subprocess.run([sys.executable, "-c", KILLED, os.fspath(tmp_path / "x"), kind], check=False)
    assert os.listdir(tmp_path) != []
    with (replace_file if kind == "file" else replace_folder)(tmp_path / "x"):
        pass
    assert os.listdir(tmp_path) == ["x"]


def test_writers_of_one_file_take_turns(tmp_path):
    """The second waits until the first is done; neither takes the other's temporary file for a dead one's."""
    begun, order = threading.Event(), []

    def second():
        begun.wait()
        write(tmp_path / "x", "second")
        order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with replace_file(tmp_path / "x") as file:
        begun.set()
        thread.join(0.2)
        file.write(b"first")
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert (tmp_path / "x").read_text() == "second"
    assert os.listdir(tmp_path) == ["x"]


def test_many_writers_of_one_file(tmp_path):
    failures = []

    def often(text):
        try:
            for _ in range(200):
                write(tmp_path / "x", text * 1000)
                assert len(set((tmp_path / "x").read_text())) == 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=often, args=(text,)) for text in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert os.listdir(tmp_path) == ["x"]


def test_the_lock_ends_with_the_writing(tmp_path):
    """Also where a process was forked meanwhile that has the file open too."""
    with replace_file(tmp_path / "x") as file:
        other = os.dup(file.fileno())
    with open(tmp_path / "x", "rb") as found:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


@pytest.mark.parametrize("there", [True, False])
def test_what_was_written_meanwhile_is_not_replaced(tmp_path, there):
    """Where a file is read, changed and written, two at once would lose what one of them wrote."""
    if there:
        write(tmp_path / "x", "old")
    before = file_state(tmp_path / "x")
    write(tmp_path / "x", "first")
    with (
        expect_state(tmp_path / "x", before),
        pytest.raises(OSError, match="another process has written it since it was read: do the same again"),
    ):
        write(tmp_path / "x", "second")
    assert (tmp_path / "x").read_text() == "first"
    with expect_state(tmp_path / "x", file_state(tmp_path / "x")):
        write(tmp_path / "y", "another file")
        write(tmp_path / "x", "second")
    assert (tmp_path / "x").read_text() == "second"
