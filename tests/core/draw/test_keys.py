"""Keys: made at random, kept in a file for its owner alone, refused if anything is wrong with it, never shown."""

from __future__ import annotations

import copy
import os
import pickle
import socket
import stat
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from tests.plans import KEY, KEY_BYTES

import minleak as ml
from minleak.errors import InvalidKey

# The whole file of KEY: the form, 32 bytes in hexadecimal, and a check of four bytes,
#   hashlib.blake2b(KEY_BYTES, digest_size=4, person=b"minleak-check").hexdigest()
FILE = b"minleak-key-1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f e033f1c9\n"


@pytest.fixture
def path(tmp_path):
    """Where KEY is kept."""
    KEY.save(tmp_path / "key")
    return tmp_path / "key"


def written(path, content, mode=0o600):
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_golden():
    """The id of a key never changes: hashlib.blake2b(KEY_BYTES, digest_size=4, person=b"minleak-key-id")."""
    assert KEY.id == "f626459d"
    assert repr(KEY) == str(KEY) == "Key(id=f626459d)"


def test_round_trip(path):
    """What is saved is loaded, and the file is as it always was."""
    assert path.read_bytes() == FILE
    loaded = ml.Key.load(path)
    assert loaded.reveal() == KEY_BYTES
    assert loaded.id == KEY.id
    assert ml.Key.load(os.fspath(path)).reveal() == KEY_BYTES


def test_new_keys_are_random():
    """32 bytes from the operating system: no two are the same, nor are their ids (by chance with 4500 / 2^32)."""
    keys = [ml.Key.new() for _ in range(100)]
    assert len({key.reveal() for key in keys}) == 100
    assert len({key.id for key in keys}) == 100
    assert all(len(key.reveal()) == 32 for key in keys)


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_only_the_owner_can_read_the_file(tmp_path, umask):
    """Mode 0600, whatever the umask."""
    before = os.umask(umask)
    try:
        KEY.save(tmp_path / "key")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666])
def test_refused_when_others_may_touch_it(path, mode):
    """Reading, writing or running, by the group or by all."""
    path.chmod(mode)
    with pytest.raises(InvalidKey, match=rf"can be read by others \(mode {mode:04o}\): run chmod 600"):
        ml.Key.load(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="a file of another user takes root to make")
def test_refused_when_it_belongs_to_another_user(path):
    """Who could read it, or exchange it for one that they know."""
    os.chown(path, 12345, 12345)
    with pytest.raises(InvalidKey, match=r"belongs to another user \(id 12345\), who knows the key"):
        ml.Key.load(path)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_modes_of_the_owner_alone(path, mode):
    """Are accepted."""
    path.chmod(mode)
    assert ml.Key.load(path).reveal() == KEY_BYTES


def test_cut_at_every_length(path):
    """Refused, unless only the end of the line is lost."""
    for length in range(len(FILE) - 1):
        with pytest.raises(InvalidKey, match="does not hold a whole minleak key"):
            ml.Key.load(written(path, FILE[:length]))
    assert ml.Key.load(written(path, FILE[:-1])).reveal() == KEY_BYTES


def test_every_bit_flipped(path):
    """Refused."""
    for i in range(len(FILE)):
        for bit in range(8):
            damaged = bytearray(FILE)
            damaged[i] ^= 1 << bit
            with pytest.raises(InvalidKey, match="does not hold a whole minleak key"):
                ml.Key.load(written(path, bytes(damaged)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        KEY_BYTES,
        bytes(1000),
        FILE + b"\n",
        FILE * 2,
        b" " + FILE,
        FILE.upper(),
        FILE.replace(b"-1", b"-2"),
        FILE + bytes(10**7),
    ],
    ids=["empty", "a line", "bare bytes", "zeros", "a line more", "twice", "a blank", "capitals", "version 2", "long"],
)
def test_garbage(path, content):
    """Is no key."""
    with pytest.raises(InvalidKey, match="does not hold a whole minleak key"):
        ml.Key.load(written(path, content))


def test_what_is_no_file(tmp_path):
    """A folder, a device, a link to one, a socket, and what is not there."""
    (tmp_path / "link").symlink_to(os.devnull)
    for path in (tmp_path, os.devnull, tmp_path / "link"):
        with pytest.raises(InvalidKey, match="is not a regular file"):
            ml.Key.load(path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.fspath(tmp_path / "socket"))
        with pytest.raises(InvalidKey, match="cannot read the key file"):
            ml.Key.load(tmp_path / "socket")
    with pytest.raises(InvalidKey, match="No such file"):
        ml.Key.load(tmp_path / "missing")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    """Neither one with a name, which nobody writes to, nor one that the shell made, even with a whole key in it."""
    os.mkfifo(tmp_path / "pipe", 0o600)
    script = "import sys, minleak as ml; ml.Key.load(sys.argv[1])"
    command = [sys.executable, "-c", script, tmp_path / "pipe"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "InvalidKey" in shown.stderr
    assert "is not a regular file" in shown.stderr
    reading, writing = os.pipe()
    os.write(writing, FILE)
    os.close(writing)
    with pytest.raises(InvalidKey, match=r"to a file of mode 0600, or in Python give its 32 bytes as Key\(bytes\)"):
        ml.Key.load(f"/dev/fd/{reading}")
    assert os.read(reading, 1000) == FILE  # it was not touched
    os.close(reading)


# What somebody may take for a path of a key, or for a key where a path is wanted. None of it may be said again.
MISTAKEN = {
    "hexadecimal": KEY_BYTES.hex(),
    "capitals": KEY_BYTES.hex().upper(),
    "the line of a file": FILE.decode(),
    "with a null": KEY_BYTES.hex() + "\0",
    "half of a surrogate pair": KEY_BYTES.hex() + "\ud800",
    "long": KEY_BYTES.hex() * 100,
    "as a path": Path(KEY_BYTES.hex()),
    "in a folder": "/" + KEY_BYTES.hex(),
    "bytes": KEY_BYTES.hex().encode(),
    "a view of text": memoryview(KEY_BYTES.hex().encode()),
    "a list": list(KEY_BYTES),
    "a number": int.from_bytes(KEY_BYTES),
    "a truth value": True,
    "a file's number": 0,
    "a folder of bytes": type("Path", (), {"__fspath__": lambda _: KEY_BYTES})(),
}
QUOTED = (KEY_BYTES.hex()[:12], KEY_BYTES.hex()[:12].upper(), repr(KEY_BYTES)[2:14], "1, 2, 3")
QUOTED += (str(int.from_bytes(KEY_BYTES)),)


def load(given):
    return ml.Key.load(given)


def save(given):
    """Where no such folder is; what is no text stands for itself."""
    KEY.save(os.path.join(given, "none", "key") if isinstance(given, str | Path) else given)


def cloak(given):
    return ml.Cloak(ml.design([2, 1, 1], 2), key=given)


@pytest.mark.parametrize("use", [load, save, cloak])
@pytest.mark.parametrize("given", MISTAKEN.values(), ids=MISTAKEN)
def test_what_may_be_a_key_is_never_quoted(given, use, tmp_path, monkeypatch):
    """Neither by the error nor by one behind it; and it is an error of ours."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ml.errors.MinleakError) as caught:
        use(given)
    said = caught.value
    while said is not None:
        text = "".join(traceback.format_exception(said)) + repr(said) + repr(vars(said))
        text += repr([getattr(said, name, None) for name in ("filename", "object")])
        assert not any(word in text for word in QUOTED)
        said = said.__cause__ or said.__context__


def test_a_cloak_takes_the_bytes_of_a_key(tmp_path):
    """Raw bytes are a key, never a path."""
    plan, drawn = ml.design(range(1, 9), 3), {}
    KEY.save(tmp_path / "key")
    for name, key in {"key": KEY, "bytes": KEY_BYTES, "array": bytearray(KEY_BYTES), "path": tmp_path / "key"}.items():
        drawn[name] = [ml.Cloak(plan, key=key).draw(x, scope=f"user-{i}") for x in range(8) for i in range(9)]
    assert drawn["bytes"] == drawn["array"] == drawn["path"] == drawn["key"]
    for wrong in (KEY_BYTES[:31], KEY_BYTES * 2, b"", memoryview(KEY_BYTES)):
        with pytest.raises(InvalidKey, match="32 bytes"):
            ml.Cloak(plan, key=wrong)


def test_never_overwritten(path):
    """Neither by another key nor by itself, nor through a link that leads nowhere."""
    for key in (KEY, ml.Key.new()):
        with pytest.raises(InvalidKey, match="exists already: keys are not overwritten"):
            key.save(path)
    assert path.read_bytes() == FILE
    link = path.with_name("link")
    link.symlink_to(path.with_name("nowhere"))
    with pytest.raises(InvalidKey, match="exists already"):
        KEY.save(link)


def test_where_no_file_can_be(path):
    """A folder that is a file."""
    with pytest.raises(InvalidKey, match=r"cannot write the key file .*Not a directory"):
        KEY.save(path / "key")


@pytest.mark.parametrize("call", ["fsync", "fchmod"])
def test_a_failure_leaves_no_half_key(tmp_path, monkeypatch, call):
    """Half a key would be refused later, and stand in the way of a whole one now."""

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(InvalidKey, match="No space left on device"):
        KEY.save(tmp_path / "key")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("secret", [b"", bytes(31), bytes(33), "0" * 32, None, 32, [0] * 32, memoryview(bytes(32))])
def test_what_is_no_key(secret):
    """Too short, too long, not bytes."""
    with pytest.raises(InvalidKey, match="a key is 32 bytes"):
        ml.Key(secret)


def test_a_key_does_not_change_with_the_bytes_it_was_made_of():
    """A bytearray is copied."""
    secret = bytearray(KEY_BYTES)
    key = ml.Key(secret)
    secret[0] = 255
    assert key.reveal() == KEY_BYTES


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_not_pickled_and_not_copied(way):
    """A key that travels is a key that is lost."""
    with pytest.raises(InvalidKey, match="keys are not pickled"):
        way(KEY)
