"""Key: 32 secret bytes in a file that only its owner can read; known to others by a short id."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import stat
from typing import Any

from minleak.errors import InvalidKey

_SIZE = 32
_FORM = re.compile(rb"minleak-key-1 ([0-9a-f]{64}) ([0-9a-f]{8})\n?")


class Key:
    """The secret that makes draws sticky: with it, the same subject asking for the same secret gets the same set.

    Make one with `Key.new()`, keep it with `save` and read it with `Key.load`. Whoever has the key can tell which
    secret a sticky draw was for; whoever loses it starts anew, which is one more draw for every subject. The bytes are
    never shown.

    >>> key = Key(bytes(32))
    >>> key
    Key(id=ef1722db)
    """

    __slots__ = ("_secret", "id")

    def __init__(self, secret: bytes) -> None:
        if not isinstance(secret, bytes | bytearray) or len(secret) != _SIZE:
            raise InvalidKey(f"a key is {_SIZE} bytes")
        self._secret = bytes(secret)
        self.id = hashlib.blake2b(self._secret, digest_size=4, person=b"minleak-key-id").hexdigest()

    @classmethod
    def new(cls) -> Key:
        """A key from the operating system's randomness."""
        return cls(secrets.token_bytes(_SIZE))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Key:
        """The key in a file written by `save`. Refused if others may read the file, or if it holds no whole key."""
        name = os.fspath(path)
        try:
            with open(name, "rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                text = file.read(256)
        except OSError as error:
            raise InvalidKey(f"cannot read the key file {name}: {error.strerror or 'it cannot be opened'}") from None
        if not stat.S_ISREG(mode):
            raise InvalidKey(f"{name} is not a file")
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InvalidKey(
                f"the key file {name} can be read by others (mode {stat.S_IMODE(mode):04o}): run chmod 600 on it, and "
                "make a new key if they may have read it"
            )
        found = _FORM.fullmatch(text)
        if not found or _check(bytes.fromhex(found[1].decode())) != found[2].decode():
            raise InvalidKey(f"{name} does not hold a whole minleak key: make one with Key.new().save(...)")
        return cls(bytes.fromhex(found[1].decode()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the key to a new file with mode 0600; an existing file is never overwritten."""
        name = os.fspath(path)
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise InvalidKey(f"{name} exists already: keys are not overwritten, choose another name") from None
        except OSError as error:
            raise InvalidKey(f"cannot write the key file {name}: {error.strerror}") from None
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, 0o600)
                file.write(f"minleak-key-1 {self._secret.hex()} {_check(self._secret)}\n".encode())
                file.flush()
                os.fsync(handle)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(name)  # ours, since it was made here: half a key would only stand in the way
            raise InvalidKey(f"cannot write the key file {name}: {error.strerror or 'no space'}") from None

    def reveal(self) -> bytes:
        """The secret bytes, for the PRF alone."""
        return self._secret

    def __repr__(self) -> str:
        return f"Key(id={self.id})"

    def __reduce__(self) -> Any:
        raise InvalidKey("keys are not pickled: load them from their file where they are needed")


def _check(secret: bytes) -> str:
    return hashlib.blake2b(secret, digest_size=4, person=b"minleak-check").hexdigest()
