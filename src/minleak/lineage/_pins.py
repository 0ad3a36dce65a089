"""Pins: the lineage that was current when a subject was first shown a set, in an SQLite file."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from minleak.core._cloak import Cloak
from minleak.core._keys import scope_bytes
from minleak.core._plan.streams import message
from minleak.errors import InvalidKey, InvalidParameter, UnreadableFile

# What says in the head of the file that it holds pins.
_MARK = int.from_bytes(b"mlpn", "big")
# How long a process waits for others that write, in seconds.
_PATIENCE = 60.0


class Pins:
    """Records for each subject the lineage that all of their draws use.

    Parameters
    ----------
    path
        The file, made with mode 0600 if there is none. Losing it is like losing the key: all subjects begin anew.
    cloak
        The cloak that draws. Its key hides the subjects: the file holds a keyed hash of each scope and not the scope,
        so that it can be used with this key alone.

    A subject who has seen a set must go on seeing it, so a plan that was designed anew is for new subjects only. Any
    number of processes and threads can share one file.

    >>> import os, tempfile
    >>> import minleak as ml
    >>> march, june = ml.design([5, 3, 2], k=2), ml.design([4, 4, 2], k=2)
    >>> path = os.path.join(tempfile.mkdtemp(), "pins.sqlite")
    >>> Pins(path, Cloak(march, key=bytes(32))).lineage("ann") == march.lineage
    True
    >>> cloak = Cloak([march, june], key=bytes(32))
    >>> pins = Pins(path, cloak)
    >>> pins.lineage("ann") == march.lineage, pins.lineage("bob") == june.lineage
    (True, True)
    >>> shown = cloak.draw(2, scope="ann", lineage=pins.lineage("ann"))
    """

    def __init__(self, path: str | os.PathLike[str], cloak: Cloak) -> None:
        if not isinstance(cloak, Cloak):
            raise InvalidParameter(f"pins are for a Cloak, not {type(cloak).__name__}: Pins(path, cloak)")
        if cloak.key is None:
            raise InvalidKey("pins need the cloak's key, which hides the subjects in the file: Cloak(plans, key=...)")
        try:
            self._path = os.path.abspath(os.fsdecode(path))
        except Exception:  # whatever an odd path raises
            raise InvalidParameter(f"the file of pins is given by its path, not {type(path).__name__}") from None
        self._cloak, self._hashed = cloak, cloak.key.hashed
        self._open(int(cloak.key.id, 16) - (1 << 31))

    def lineage(self, scope: str | bytes) -> bytes:
        """The lineage of a subject: for a new one the cloak's current lineage, recorded before this returns."""
        hashed = self._hashed(message(b"pin", scope_bytes(scope)))
        with self._connect() as database:
            return self._find(database, hashed) or self._record(database, hashed)

    def __repr__(self) -> str:
        return f"Pins({self._path!r})"

    # -- inside -----------------------------------------------------------------------------------------------------

    def _find(self, database: sqlite3.Connection, hashed: bytes) -> bytes | None:
        row = database.execute("select lineage from pins where scope = ?", [hashed]).fetchone()
        return None if row is None else bytes(row[0])

    def _record(self, database: sqlite3.Connection, hashed: bytes) -> bytes:
        database.execute("begin immediate")  # from here on no other process writes
        lineage = self._find(database, hashed)
        if lineage is None:
            lineage = self._cloak.current
            database.execute("insert into pins values (?, ?)", [hashed, lineage])
        database.execute("commit")
        return lineage

    def _open(self, key: int) -> None:
        """Make the file, or look whether it is one of pins by this key."""
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600)
            mode = os.fstat(handle).st_mode
            os.close(handle)
        except OSError as error:
            raise UnreadableFile(f"cannot open the pins {self._path}: {error.strerror or 'refused'}") from None
        if not stat.S_ISREG(mode):
            raise UnreadableFile(f"cannot open the pins {self._path}: it is not a regular file")
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise UnreadableFile(
                f"the pins {self._path} are open to others (mode {stat.S_IMODE(mode):04o}): run chmod 600 on the file"
            )
        with self._connect() as database:
            database.execute("begin immediate")
            (mark,), (made_by,) = (
                database.execute(f"pragma {name}").fetchone() for name in ("application_id", "user_version")
            )
            if not mark and not database.execute("select count(*) from sqlite_master").fetchone()[0]:
                database.execute(f"pragma application_id = {_MARK}")
                database.execute(f"pragma user_version = {key}")
                database.execute("create table pins (scope blob primary key, lineage blob not null) without rowid")
            elif mark != _MARK:
                raise UnreadableFile(f"{self._path} is a database that holds no pins: choose another name")
            elif made_by != key:
                raise InvalidKey(f"the pins {self._path} were made with another key, and no subject is found by this")
            database.execute("commit")

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """A connection of this call alone: one that lives longer would be shared by threads and forks. It does not make
        the file: one that was removed meanwhile is missed.
        """
        try:
            address = f"{Path(self._path).as_uri()}?mode=rw"
            with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)) as database:
                yield database
        except sqlite3.Error as error:
            raise UnreadableFile(f"cannot use the pins {self._path}: {error}") from None
