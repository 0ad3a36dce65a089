"""Atomic writing: a file or folder is written under a temporary name beside its path and then renamed.

A file that is replaced keeps its mode and owner. The temporary name is always the same and locked while it is written,
so that two writers of one file take turns, and the next writer removes what a killed one left.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextvars import ContextVar
from functools import partial
from typing import BinaryIO

#: Changes whenever a file is written or replaced; None if there is no file.
State = tuple[int, ...] | None

_LINKS = 40
# How key files begin.
_KEY = b"minleak-key-"
_expected: ContextVar[tuple[str, State] | None] = ContextVar("expected", default=None)


@contextlib.contextmanager
def replace_file(path: str | os.PathLike[str], *, private: bool = False, start: bytes = b"") -> Iterator[BinaryIO]:
    """A new file to write. It becomes `path` if the block succeeds, and is removed if it fails.

    A private file can be read only by its owner. Others have the mode of the file that they replace, or that of the
    umask. The target of a link is replaced, not the link. Keys, devices, pipes, files that another user has put into a
    world-writable folder, and where `start` is given files that begin otherwise, are refused by an OSError.
    """
    name = _target(path)
    _check_kind(name, start)
    temporary = _temporary(name)
    with _locked(temporary, 0o600 if private or os.path.exists(name) else 0o666) as file:
        yield file
        file.flush()
        _check_expected(name)
        _take_after(name, file.fileno(), private)
        os.replace(temporary, name)


@contextlib.contextmanager
def replace_folder(path: str | os.PathLike[str]) -> Iterator[str]:
    """A new folder to write to. It becomes `path` if the block succeeds, and is removed if it fails."""
    name = _target(path)
    temporary = _temporary(name)
    folder = f"{temporary}s"
    with _locked(temporary, 0o600):
        try:
            shutil.rmtree(folder, ignore_errors=True)  # of a writer that was killed
            os.mkdir(folder)
            yield folder
            os.replace(folder, name)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _check_kind(name: str, start: bytes) -> None:
    """Refuse to replace a key, and a file of another kind."""
    try:
        with open(name, "rb") as file:
            head = file.read(max(len(start), len(_KEY)))
    except OSError:  # there is no such file, or writing tells
        return
    if head.startswith(_KEY):
        raise OSError(errno.EEXIST, "it holds a key, and keys are not overwritten: choose another name", name)
    if head and not head.startswith(start):
        raise OSError(errno.EEXIST, "it exists and holds something else: choose another name, or remove it first", name)


# -- files that are read, changed and written ------------------------------------------------------------------------


def file_state(path: str | os.PathLike[str]) -> State:
    """The state of the file, which changes when anyone writes it."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@contextlib.contextmanager
def expect_state(path: str | os.PathLike[str], state: State) -> Iterator[None]:
    """Inside the block, refuse to replace the path if its state has changed: what was written meanwhile would be lost.

    The check and the replacement are atomic, since writers of one file take turns.
    """
    before = _expected.set((os.path.realpath(path), state))
    try:
        yield
    finally:
        _expected.reset(before)


def _check_expected(name: str) -> None:
    expected = _expected.get()
    if expected is not None and expected[0] == name and expected[1] != file_state(name):
        raise OSError(errno.EBUSY, "another process has written it since it was read: do the same again", name)


# -- the path, its owner and mode ------------------------------------------------------------------------------------


def _target(path: str | os.PathLike[str]) -> str:
    """The path with all links resolved, after checking the owner of each."""
    given = os.fsdecode(path)
    left = _parts(given if os.path.isabs(given) else os.path.join(os.getcwd(), given))
    name, links = os.sep, 0
    while left:
        part = left.pop()
        there = os.path.dirname(name) if part == os.pardir else os.path.join(name, part)
        try:
            found = os.lstat(there)
        except OSError:  # missing or out of reach: opening it will tell
            name = there
            continue
        is_link = stat.S_ISLNK(found.st_mode)
        if is_link or not left:
            _check_owner(there, found, os.stat(name))
        if is_link:
            links += 1
            if links > _LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), there)
            aim = os.readlink(there)
            left += _parts(aim)
            name = os.sep if os.path.isabs(aim) else name
        else:
            name = there
    if os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", name)
    return name


def _parts(path: str) -> list[str]:
    """The names in a path, the last one first."""
    return [part for part in path.split(os.sep)[::-1] if part not in ("", os.curdir)]


def _check_owner(path: str, found: os.stat_result, folder: os.stat_result) -> None:
    """Refuse what another user has put into a folder such as /tmp: it may be a link to any file of ours."""
    for_all = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
    if for_all and found.st_uid not in (os.geteuid(), folder.st_uid):
        problem = f"another user has put {os.path.basename(path)} into a folder for everybody: choose another name"
        raise OSError(errno.EPERM, problem, path)


def _take_after(name: str, handle: int, private: bool) -> None:
    """Give the new file the owner and mode of the one that it replaces, if any."""
    if not os.path.isfile(name):
        return
    old = os.stat(name)
    mode = stat.S_IMODE(old.st_mode) & (0o600 if private else 0o777)
    try:
        os.fchown(handle, -1, old.st_gid)
    except OSError:
        mode &= ~stat.S_IRWXG  # the group is another one
    with contextlib.suppress(OSError):  # only root can give files away
        os.fchown(handle, old.st_uid, -1)
    os.fchmod(handle, mode)


# -- temporary files -------------------------------------------------------------------------------------------------


def _temporary(name: str) -> str:
    """The temporary name, different for each user, since nobody can remove another's file."""
    return os.path.join(os.path.dirname(name), f".{os.path.basename(name)}.{os.geteuid()}.part")


@contextlib.contextmanager
def _locked(temporary: str, mode: int) -> Iterator[BinaryIO]:
    """A new, locked file of that name, removed at the end unless it was renamed."""
    file: BinaryIO | None = None
    try:
        while file is None:
            _clear(temporary)
            with contextlib.suppress(FileExistsError):  # another writer was faster
                file = open(temporary, "xb", opener=partial(_open_no_link, mode=mode))  # noqa: SIM115  closed below
            if file is not None:
                with contextlib.suppress(OSError):  # of a file system without locks
                    fcntl.flock(file, fcntl.LOCK_EX)
                if not _is_at(file, temporary):  # another writer removed it before it was locked
                    file.close()
                    file = None
        yield file
    finally:
        if file is not None:
            with file:
                if _is_at(file, temporary):
                    os.unlink(temporary)
                with contextlib.suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_UN)  # forked processes have it open too


def _clear(temporary: str) -> None:
    """Wait for the writer of a file of that name, or remove what a dead one left."""
    try:
        with open(temporary, "rb", opener=_open_no_link) as left:
            if os.fstat(left.fileno()).st_uid != os.geteuid():
                raise PermissionError
            fcntl.flock(left, fcntl.LOCK_EX)
            if _is_at(left, temporary):
                os.unlink(temporary)
    except FileNotFoundError:
        return
    except OSError:
        raise OSError(errno.EEXIST, f"{temporary} is in the way: remove it", temporary) from None


def _open_no_link(name: str, flags: int, mode: int = 0o600) -> int:
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, mode)  # a pipe would be waited for


def _is_at(file: BinaryIO, name: str) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(name))
    return False
