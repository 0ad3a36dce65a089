"""Opening a .cloak file of any kind: a plan and what it is drawn from, of which everything that a loop will follow was
looked at.

A checksum finds damage, not malice: whoever writes a file can write its checksum. So what follows from the rest is
computed, not read, and every index is seen to lead somewhere and every chain to end before anybody follows it. That the
tables are the plan's own, and the plan the prior's, is for `certify` to say.
"""

from __future__ import annotations

import os

import pyarrow as pa

from minleak._design.stored import format as files
from minleak._design.stored.contents import Contents
from minleak._design.stored.kinds import KINDS, RINGS, Running, Stored
from minleak.errors import InvalidCloak, shown

# What Arrow, JSON and numpy say where something is not of the form that a plan has.
_UNFIT = (
    *(pa.ArrowException, AttributeError, LookupError, MemoryError, NotImplementedError),
    *(EOFError, OSError, OverflowError, RecursionError, StopIteration, TypeError, ValueError),
)


def load(path: str | os.PathLike[str], *, mapped: bool = True) -> Stored:
    """The plan in a file, mapped into memory: processes that load the same file share its pages.

    All of it is checked first, against its checksum and for what it says: a file that is cut, changed, foreign, of
    another version or no plan is refused with a clear error. A file that is replaced (as `save` does it) stays valid
    for those that have loaded it; to be safe from a file that somebody writes to in place, use `mapped=False`, which
    reads it into memory. That it holds the optimal plan for a prior, and draws it, is what `certify(path, prior)` says.
    """
    stored: Stored = opened(path, mapped=mapped).plan
    return stored


def opened(path: str | os.PathLike[str], *, mapped: bool = True) -> Running:
    """The plan in a file with the tables and the index that lie beside it: nothing is made anew."""
    name = files.file_name(path)
    payload, digest, release = files.read(name, mapped=mapped)
    try:
        numbers, columns = files.parsed(payload)
        said = numbers.get("kind", RINGS)
        kind = KINDS[said] if isinstance(said, str) and said in KINDS else None
        if kind is not None:
            return kind.drawable(Contents(numbers, columns, release), digest)
    except _UNFIT as error:
        raise InvalidCloak(f"{name} does not hold a plan of this format ({type(error).__name__})") from None
    raise InvalidCloak(f"{name} holds a plan of the kind {shown(said)}, which this minleak does not know: upgrade it")
