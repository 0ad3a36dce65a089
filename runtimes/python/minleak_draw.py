"""Draw from tables that `minleak export` wrote, with Python's standard library alone.

    from minleak_draw import Table
    Table("words.sqlite").draw("flu", scope="user-17", key=key)      # a list of labels, always the same

One subject who asks for one secret is shown one set, whichever program draws it: runtimes/spec.md of minleak says how.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import sqlite3
import threading
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import ge
from pathlib import Path
from typing import Any

__all__ = ["Refused", "Table", "UnknownSecret"]
__version__ = "0.1.0"

_FORMAT, _BLOCK, _KEY = "minleak table 1", 16, 32
_NUMBER = r"(?:0|[1-9][0-9]{0,299})"
_PLACES = re.compile(f"{_NUMBER} {_NUMBER}(?:;{_NUMBER} {_NUMBER})*")
_MEMBERS = re.compile(f"{_NUMBER}(?: {_NUMBER})*")
_HEADER = {
    "format": _FORMAT,
    "lineage": "[0-9a-f]{64}",
    "version": "[1-9][0-9]{0,8}",
    "labels": "text|integers",
    "hashed": "|[0-9a-f]{16}",
    "keyed": "yes|no",
    "secrets": "[1-9][0-9]{0,8}",
    "sets": "[1-9][0-9]{0,8}",
}
# Places of secrets with many sets are kept parsed: so many secrets, from so many characters on.
_KEPT, _LONG = 64, 4096
# So many labels are asked of SQLite at once, which takes no more in old versions.
_ASKED = 500
# So many labels are remembered.
_LABELS = 1 << 17
_MISSING = frozenset(["None", "nan", "NaN", "NAN", "null", "NULL", "nil", "undefined", "NaT", "<NA>"])
_UNSEEN = frozenset(["Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me"])
_SHAPELESS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_SCHEMA = {
    "header": "CREATE TABLE header (name text primary key, value) without rowid",
    "secrets": "CREATE TABLE secrets (number integer primary key, secret, places text)",
    "sets": "CREATE TABLE sets (number integer primary key, members text)",
    "by_secret": "CREATE UNIQUE INDEX by_secret on secrets (secret)",
}
# The number by the index, the rest by the number: SQLite would take the label from the index, which no digest covers.
_FIND = (
    "select found.number, listed.secret, listed.places "
    "from secrets found left join secrets listed on listed.number = found.number where found.secret = ?"
)
_MARK = int.from_bytes(b"mltb", "big")


class Refused(ValueError):
    """A table, key, scope or label that cannot be drawn with; the message repeats none of them."""


class UnknownSecret(Refused):
    """A label that the table does not list: refuse it, never pass it through."""


class Table:
    """A table, from a .json or .sqlite file.

    `digest` (hexadecimal) refuses every other table than the one that `minleak export` told it of. A table with hashed
    labels takes their `hash_key` and is asked by label; without it, it is asked by hashes. It shows hashes.

    A .json file is read and checked whole; a .sqlite file is opened by its index, and what is read is checked against
    the digest. Draws can be made from many threads.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, digest: str | None = None, hash_key: bytes | None = None
    ) -> None:
        try:
            with open(path, "rb") as file:
                begin = file.read(16)
            self._source: _Json | _Sqlite = (_Sqlite if begin == b"SQLite format 3\0" else _Json)(path)
        except OSError as error:
            raise Refused(f"the table cannot be read: {error.strerror or 'refused'}") from None
        header = self._header = self._source.header
        if digest is not None and digest != self._source.digest:
            raise Refused("the table is not the one that was asked for: its digest is another")
        self._hash_key = None
        if hash_key is not None:
            _check_key(hash_key)
            name = hmac.digest(hash_key, _message(b"name"), "sha256")[:8].hex()
            if name != header["hashed"]:
                raise Refused("the labels of the table are not hashed by this key")
            self._hash_key = hash_key
        self._kept: dict[Any, tuple[int, list[int], list[int]]] = {}
        #: What to remember for a subject who is drawn for the first time: draw them from this lineage for ever.
        self.lineage = bytes.fromhex(header["lineage"])
        self._begin = _message(self.lineage)

    @property
    def version(self) -> int:
        """Of two tables of one lineage the one with the larger version lists more secrets."""
        return int(self._header["version"])

    @property
    def digest(self) -> str:
        """What the table is known by."""
        return self._source.digest

    def draw(self, secret: str | int, *, scope: str | bytes | None = None, key: bytes | None = None) -> list[Any]:
        """The set that is shown for a secret, to whoever the scope names, under a key of 32 bytes."""
        keyed = self._header["keyed"] == "yes"
        if keyed:
            _check_key(key)
        who = _scope_bytes(scope) if keyed else b""
        label, listed = self._label(secret)
        number, sets, lasts = self._kept.get(listed) or self._places(listed)
        if not keyed and lasts != [0]:
            raise Refused("the table is damaged: it needs no key, yet a secret has several places")
        place = 0
        if keyed:
            place = _below(lasts[-1] + 1, key or b"", self._begin + _prefixed(who) + _prefixed(label))
        members = self._source.members(sets[bisect_left(lasts, place)])
        if number not in members:
            raise Refused("the table is damaged: a set does not hold the secret that leads to it")
        return self._source.labels(members)

    def _label(self, secret: Any) -> tuple[bytes, Any]:
        """The label in bytes that is drawn by, and as the table lists it: hashed where it lists hashes."""
        integers = self._header["labels"] == "integers" and (self._hash_key or not self._header["hashed"])
        if type(secret) is not (int if integers else str):
            raise UnknownSecret(f"the table is asked by {'whole numbers' if integers else 'text'}: refuse this secret")
        try:
            label = f"{'i' if integers else 's'}{secret}".encode()
        except UnicodeEncodeError:
            raise UnknownSecret("the table does not list this secret: refuse it") from None
        if self._hash_key is None:
            return label, secret
        hashed = hmac.digest(self._hash_key, _message(b"label", label), "sha256").hex()
        return b"s" + hashed.encode(), hashed

    def _places(self, listed: Any) -> tuple[int, list[int], list[int]]:
        """The number of a secret, its sets, and the last place that leads to each."""
        found = self._source.find(listed)
        if found is None:
            raise UnknownSecret("the table does not list this secret: refuse it")
        number, text = found
        if not _PLACES.fullmatch(text):
            raise Refused("the table is damaged: places are not what they must be")
        values = list(map(int, text.replace(";", " ").split(" ")))
        sets, lasts = values[::2], values[1::2]
        if max(sets) >= self._source.n_sets or any(map(ge, lasts, lasts[1:])):
            raise Refused("the table is damaged: places overlap, or lead to a set that is not there")
        if len(text) >= _LONG:
            if len(self._kept) >= _KEPT:
                self._kept = {}
            self._kept[listed] = number, sets, lasts
        return number, sets, lasts


class _Source:
    """The records of a table: labels and places of secrets, members of sets."""

    header: dict[str, str]
    digest: str

    def _begin(self, header: Any, digest: Any, blocks: bytes) -> None:
        """Check the header, and the blocks against the digest."""
        for name, form in _HEADER.items():
            value = header.get(name)
            if not isinstance(value, str) or not re.fullmatch(form, value):
                raise Refused(f"this is no table of the format {_FORMAT}: its {name} is not what it must be")
        self.header = {name: header[name] for name in _HEADER}
        self.n_secrets, self.n_sets = int(header["secrets"]), int(header["sets"])
        self._integers = header["labels"] == "integers" and not header["hashed"]
        head = "".join(f"{value}\n" for value in self.header.values())
        self.digest = hashlib.sha256(head.encode() + blocks).hexdigest()
        if digest != self.digest:
            raise Refused("the table is damaged: its digest is not that of its content")

    def _hash_secrets(self, rows: Iterable[tuple[Any, Any]]) -> list[bytes]:
        """The blocks of secrets with their places."""
        kind, mark = (int, "i") if self._integers else (str, "s")
        parts: list[bytes] = []
        for label, places in rows:
            if type(label) is not kind or type(places) is not str:
                raise Refused("the table is damaged: a label or places are of another type")
            name, text = f"{mark}{label}".encode(), places.encode()
            parts += (len(name).to_bytes(4, "big"), name, len(text).to_bytes(4, "big"), text)
        return _hashed(parts, 4 * _BLOCK)

    def _hash_sets(self, rows: Iterable[Any]) -> list[bytes]:
        """The blocks of sets."""
        if not all(type(members) is str for members in rows):
            raise Refused("the table is damaged: members are of another type")
        return _hashed([_prefixed(members.encode()) for members in rows], _BLOCK)

    def _parsed(self, text: str) -> list[int]:
        """The members of a set."""
        members = list(map(int, text.split(" "))) if _MEMBERS.fullmatch(text) else []
        if not members or members[-1] >= self.n_secrets or any(map(ge, members, members[1:])):
            raise Refused("the table is damaged: the members of a set are not what they must be")
        return members


class _Json(_Source):
    """A file of JSON, read whole."""

    def __init__(self, path: Any) -> None:
        try:
            data = json.loads(Path(path).read_bytes())
            secrets, sets = data["secrets"], data["sets"]
            if type(secrets) is not list or type(sets) is not list or set(data) != {*_HEADER, "digest"}:
                raise TypeError
            self._integers = data["labels"] == "integers" and not data["hashed"]
            labels = [_whole(label) if self._integers else label for label, _ in secrets]
            self._places, self._sets = [places for _, places in secrets], sets
            blocks = b"".join(self._hash_secrets(zip(labels, self._places, strict=True)) + self._hash_sets(sets))
        except Refused:
            raise
        except (ValueError, TypeError, KeyError, RecursionError):
            raise Refused(f"this is no table of the format {_FORMAT}") from None
        self._begin(data | {"secrets": str(len(labels)), "sets": str(len(sets))}, data["digest"], blocks)
        self._labels = labels
        self._numbers = {label: number for number, label in enumerate(labels)}
        if len(self._numbers) < len(labels):
            raise Refused("the table is damaged: a label stands in it twice")

    def find(self, label: Any) -> tuple[int, str] | None:
        number = self._numbers.get(label)
        return None if number is None else (number, self._places[number])

    def labels(self, numbers: list[int]) -> list[Any]:
        return [self._labels[number] for number in numbers]

    def members(self, number: int) -> list[int]:
        return self._parsed(self._sets[number])


class _Sqlite(_Source):
    """A file of SQLite, opened by its index; a block of records is checked when one of them is first read."""

    def __init__(self, path: Any) -> None:
        address = f"{Path(path).resolve().as_uri()}?mode=ro&immutable=1"
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
        except sqlite3.Error:
            raise Refused("the table is damaged: SQLite cannot open it") from None
        self._all("pragma trusted_schema = off")
        self._all(f"pragma mmap_size = {1 << 40}")
        (mark,), *_ = self._all("pragma application_id")
        if mark != _MARK or dict(self._all("select name, sql from sqlite_master")) != _SCHEMA:
            raise Refused(f"this database is no table of the format {_FORMAT}")
        header = dict(self._all("select name, value from header"))
        self._blocks = header.pop("blocks", None)
        if type(self._blocks) is not bytes or set(header) != {*_HEADER, "digest"}:
            raise Refused(f"this database is no table of the format {_FORMAT}")
        self._begin(header, header["digest"], self._blocks)
        count = -(-self.n_secrets // _BLOCK) - (-self.n_sets // _BLOCK)
        if len(self._blocks) != 32 * count:
            raise Refused("the table is damaged: blocks are missing")
        self._checked = bytearray(count)
        self._labels: dict[int, Any] = {}

    def find(self, label: Any) -> tuple[int, str] | None:
        if self._integers and not -(2**63) <= label < 2**63:
            return None
        found = self._all(_FIND, label)
        if not found:
            return None
        number, listed, places = found[0]
        self._check("secrets", number)
        if listed != label:  # the index is not under the digest, the record is
            raise Refused("the table is damaged: its index leads elsewhere")
        return number, places

    def labels(self, numbers: Sequence[int]) -> list[Any]:
        if len(self._labels) > _LABELS:
            self._labels = {}  # a new one: other threads may still read the old one
        known = self._labels
        for number in numbers:
            if number not in known:
                self._check("secrets", number)  # the first time that reads the labels of the block
        missing = [number for number in numbers if number not in known]
        for begin in range(0, len(missing), _ASKED):
            some = missing[begin : begin + _ASKED]
            marks = ", ".join("?" * len(some))
            known.update(self._all(f"select number, secret from secrets where number in ({marks})", *some))
        return [known[number] for number in numbers]

    def members(self, number: int) -> list[int]:
        self._check("sets", number)
        (members,) = self._one("select members from sets where number = ?", number)
        return self._parsed(members)

    def _check(self, kind: str, number: int) -> None:
        """Check the block of a record once."""
        size, before = (self.n_secrets, 0) if kind == "secrets" else (self.n_sets, -(-self.n_secrets // _BLOCK))
        if not 0 <= number < size:
            raise Refused("the table is damaged: it holds more records than it says")
        block = number // _BLOCK
        if self._checked[before + block]:
            return
        columns = "secret, places" if kind == "secrets" else "members"
        first = block * _BLOCK
        found = self._all(
            f"select number, {columns} from {kind} where number between ? and ? order by number",
            first,
            first + _BLOCK - 1,
        )
        if [row[0] for row in found] != list(range(first, min(first + _BLOCK, size))):
            raise Refused("the table is damaged: records are missing")
        if kind == "secrets":
            (digest,) = self._hash_secrets([row[1:] for row in found])
        else:
            (digest,) = self._hash_sets([row[1] for row in found])
        if digest != self._blocks[32 * (before + block) : 32 * (before + block + 1)]:
            raise Refused("the table is damaged: what it holds has another digest")
        if kind == "secrets":
            self._labels.update([row[:2] for row in found])
        self._checked[before + block] = 1

    def _one(self, query: str, value: int) -> Any:
        found = self._all(query, value)
        if len(found) != 1:
            raise Refused("the table is damaged: a record is missing, or there twice")
        return found[0]

    def _all(self, query: str, *values: Any) -> list[Any]:
        try:
            with self._lock:
                return self._database.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeError, OverflowError):
            raise Refused("the table is damaged: SQLite cannot read it") from None


def _hashed(parts: list[bytes], size: int) -> list[bytes]:
    """The SHA-256 of each block of so many parts."""
    return [hashlib.sha256(b"".join(parts[i : i + size])).digest() for i in range(0, len(parts), size)]


def _prefixed(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def _whole(text: Any) -> int:
    """A whole number of 64 bits from its decimals."""
    if not re.fullmatch("0|-?[1-9][0-9]{0,18}", text):
        raise ValueError
    return int(text)


def _message(*parts: bytes) -> bytes:
    return b"\x01" + b"".join(map(_prefixed, parts))


def _below(bound: int, key: bytes, message: bytes) -> int:
    """floor(r N), reading as many blocks of r as decide it."""
    known, bits, block = 0, 0, 0
    while True:
        digest = hmac.digest(key, message + block.to_bytes(4, "big"), "sha256")
        known, bits, block = known << 256 | int.from_bytes(digest, "big"), bits + 256, block + 1
        product = known * bound
        if (product & ((1 << bits) - 1)) + bound <= 1 << bits:
            return product >> bits


def _check_key(key: Any) -> None:
    if not isinstance(key, (bytes, bytearray)) or len(key) != _KEY:
        raise Refused(f"a key is {_KEY} bytes")


def _scope_bytes(scope: Any) -> bytes:
    """A scope in bytes; one that names nobody is refused."""
    if not isinstance(scope, (str, bytes)):
        raise Refused("a scope is text or bytes that name who asks, such as a user's id")
    if isinstance(scope, bytes):
        blank, missing, encoded = not scope, scope in {name.encode() for name in _MISSING}, scope
    else:
        blank = all(unicodedata.category(one) in _UNSEEN or one in _SHAPELESS for one in scope)
        missing = scope.strip() in _MISSING
        try:
            encoded = scope.encode()
        except UnicodeEncodeError:
            encoded = b"\0"
    if blank or missing or (isinstance(scope, str) and "\0" in encoded.decode()):
        raise Refused("a scope names nobody: give each subject's own name, without NUL or half surrogate pairs")
    return encoded
