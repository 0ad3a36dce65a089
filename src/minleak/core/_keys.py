"""Key: 32 secret bytes, kept in a file that only its owner can read; and the randomness of sticky draws, a keyed
function of lineage, scope and label.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from minleak.core._plan.streams import Keyed, Stream, Streams, hmac_sha256, message, prefix_length_4
from minleak.errors import InvalidKey, InvalidParameter

T = TypeVar("T")

_SIZE = 32
# What programs write for a missing value; categories of characters that cannot be seen alone; others that look blank.
_MISSING = frozenset(["None", "nan", "NaN", "NAN", "null", "NULL", "nil", "undefined", "NaT", "<NA>"])
_MISSING_BYTES = frozenset(map(str.encode, _MISSING))
_UNSEEN = frozenset(["Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me"])
_SHAPELESS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
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

    __slots__ = ("_secret", "hashed", "id")

    def __init__(self, secret: bytes | bytearray) -> None:
        if not isinstance(secret, bytes | bytearray) or len(secret) != _SIZE:
            raise InvalidKey(f"a key is {_SIZE} bytes; one in hexadecimal is Key(bytes.fromhex(...))")
        self._secret = bytes(secret)
        #: HMAC-SHA256 under the key.
        self.hashed = hmac_sha256(self._secret)
        self.id = hashlib.blake2b(self._secret, digest_size=4, person=b"minleak-key-id").hexdigest()

    @classmethod
    def new(cls) -> Key:
        """A key from the operating system's randomness."""
        return cls(secrets.token_bytes(_SIZE))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Key:
        """The key in a file written by `save`. Refused if others may read the file, if it belongs to another user (but
        root), or if it holds no whole key.

        A path where no file is may be a key given by mistake, so that no message repeats it.
        """
        name, text = read_private(path, "key", "make one with `minleak keygen`")
        spelled = _FORM.fullmatch(text)
        if not spelled or _check(bytes.fromhex(spelled[1].decode())) != spelled[2].decode():
            raise InvalidKey(
                f"{name} does not hold a whole minleak key: make one with `minleak keygen` or Key.new().save(...)"
            )
        return cls(bytes.fromhex(spelled[1].decode()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the key to a new file with mode 0600; an existing file is never overwritten."""
        _attempt("write", "key", self._write, _name(path))

    def _write(self, name: str) -> None:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, 0o600)
                file.write(f"minleak-key-1 {self._secret.hex()} {_check(self._secret)}\n".encode())
                file.flush()
                os.fsync(handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(name)  # ours, since it was made here: half a key would only stand in the way
            raise

    def reveal(self) -> bytes:
        """The secret bytes, for the engine that draws in other processes alone."""
        return self._secret

    def __repr__(self) -> str:
        return f"Key(id={self.id})"

    def __reduce__(self) -> Any:
        raise InvalidKey("keys are not pickled: load them from their file where they are needed")


def read_private(path: str | os.PathLike[str], what: str, remedy: str) -> tuple[str, bytes]:
    """The name of a file and how it begins, if it is a regular one that its owner alone can read: us, or root. `what`
    it holds, and how to make one, is said where it is refused.
    """
    name = _name(path)
    found, text = _attempt("read", what, _read, name)
    mode = found.st_mode
    if not stat.S_ISREG(mode):
        in_python = ", or in Python give its 32 bytes as Key(bytes)" if what == "key" else ""
        raise InvalidKey(
            f"{name} is not a regular file, and pipes and devices are not read: write the {what} to a file of mode "
            f"0600{in_python}"
        )
    if found.st_uid not in (0, os.geteuid()):
        raise InvalidKey(
            f"the {what} file {name} belongs to another user (id {found.st_uid}), who knows the {what}: {remedy}, or "
            "run as that user"
        )
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InvalidKey(
            f"the {what} file {name} can be read by others (mode {stat.S_IMODE(mode):04o}): run chmod 600 on it, and "
            f"make a new {what} if they may have read it"
        )
    return name, text


def _name(path: str | os.PathLike[str]) -> str:
    """The path as text. Bytes are no path here: they may be a key."""
    try:
        name = path.__fspath__() if isinstance(path, os.PathLike) else path
    except Exception:
        name = None
    if not isinstance(name, str):
        raise InvalidKey(f"a key file is given by its path, as text or a Path, not {type(path).__name__}")
    return name


def _read(name: str) -> tuple[os.stat_result, bytes]:
    """What the system knows of the file, and how it begins if it is a regular one."""
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)  # or a pipe would be waited for
    try:
        found = os.fstat(handle)
        return found, os.read(handle, 256) if stat.S_ISREG(found.st_mode) else b""
    finally:
        os.close(handle)


def _attempt(verb: str, what: str, act: Callable[[str], T], name: str) -> T:
    """What `act` does with the file. Its name is told only if there is a file; the errors of the system, which quote
    it, are not even behind ours.
    """
    try:
        return act(name)
    except FileExistsError:
        problem = "it exists already: keys are not overwritten, choose another name"
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "no file can have such a name"
    shown = name if os.path.lexists(name) else f"(its name is not shown, since it may be a {what})"
    raise InvalidKey(f"cannot {verb} the {what} file {shown}: {problem}")


def _check(secret: bytes) -> str:
    return hashlib.blake2b(secret, digest_size=4, person=b"minleak-check").hexdigest()


# -- sticky draws ----------------------------------------------------------------------------------------------------


def streams(key: Key, lineage: bytes, scopes: Iterable[Any], labels: Sequence[bytes]) -> Streams:
    """The numbers of draws by a lineage, each of a scope and a secret's label, in bytes."""
    begin, heads = message(lineage), map(prefix_length_4, _scope_bytes(scopes, len(labels)))
    return Keyed(key.hashed, [begin + head + prefix_length_4(tail) for head, tail in zip(heads, labels, strict=True)])


class Walking:
    """Walks by what they are drawn from and the parts that say which step of which walk it is."""

    def __init__(self, key: Key, digest: bytes) -> None:
        self._keyed, self._digest = key.hashed, digest

    def hashed(self, *parts: bytes) -> bytes:
        """32 bytes that stand for the parts, and tell nothing about them to those without the key."""
        return self._keyed(message(b"walk", self._digest, *parts))

    def stream(self, *parts: bytes) -> Stream:
        """Randomness for the parts."""
        begin = message(b"walk", self._digest, *parts)
        return Stream(lambda number: self._keyed(begin + number.to_bytes(4, "big")))


def scope_bytes(scope: Any) -> bytes:
    """A scope in bytes that no other scope has; one that names nobody is refused."""
    return _scope_bytes([scope], 1)[0]


def _scope_bytes(scopes: Iterable[Any], count: int) -> list[bytes]:
    known: dict[str, bytes] = {}
    result = []
    for scope in scopes:
        if isinstance(scope, str):
            if scope not in known:
                known[scope] = _encode_scope(scope)
            result.append(known[scope])
        elif isinstance(scope, bytes):
            result.append(_encode_scope(scope))
        else:
            raise InvalidParameter("a scope is text or bytes that name who asks, such as a user's id")
    if len(result) != count:
        raise InvalidParameter(f"{len(result)} scopes for {count} secrets: give one for each")
    return result


def _encode_scope(scope: str | bytes) -> bytes:
    """The bytes of a scope that names somebody: text stands for its UTF-8."""
    problem = scope_problem(scope)
    if problem is not None:
        raise InvalidParameter(problem)
    return scope.encode() if isinstance(scope, str) else scope


def scope_problem(scope: str | bytes) -> str | None:
    """Why a text or bytes cannot be a scope, or None if it can. Bytes may be a number, so only none at all are blank.

    >>> scope_problem("user-17"), scope_problem("nan")
    (None, "a scope is what programs write for a missing value, such as None or nan: give each subject's own name")
    """
    if isinstance(scope, bytes):
        blank, missing = not scope, scope in _MISSING_BYTES
    else:
        blank, missing = not any(map(_is_visible, scope)), scope.strip() in _MISSING
        if "\0" in scope:
            return "a scope holds a NUL character, at which some programs end a text: leave it out"
        try:
            scope.encode()
        except UnicodeEncodeError:
            return "a scope has half of a surrogate pair, which is no text in other languages: give bytes"
    if blank:
        return "a scope is empty: it names who asks, and without a name all would share their sets"
    if missing:
        return "a scope is what programs write for a missing value, such as None or nan: give each subject's own name"
    return None


def _is_visible(character: str) -> bool:
    """Not a blank, nor a control, format or combining character, nor a letter or sign without a shape."""
    return unicodedata.category(character) not in _UNSEEN and character not in _SHAPELESS
