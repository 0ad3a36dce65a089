"""follow: audit a growing file until the bracket is narrow enough."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any

from minleak.core._parameters import real, whole
from minleak.errors import UnreadableFile, quote
from minleak.samples._auditing import audit, check_share
from minleak.samples._events import LEAST
from minleak.samples._result import Audit

# Audit again when the file has grown by this factor; check its size this often, in seconds.
_GROWTH, _PAUSE = 1.5, 0.5


def follow(
    path: str | os.PathLike[str],
    *,
    enough: float,
    patience: float = 60.0,
    level: float = 0.95,
    alpha: float = 0.01,
    **given: Any,
) -> Iterator[Audit]:
    """Audit a csv or tsv file while events are appended: now, whenever it has grown by half, and for the last time when
    the bracket of success is at most `enough` wide, or nothing was added for `patience` seconds.

    The j-th audit has the error (1 - level) / (j (j + 1)), likewise for alpha, so that all of them hold together at the
    level asked for. A last line without an end is not read yet.

    >>> import tempfile
    >>> rows = "secret,observable\\n" + "a,1\\nb,2\\n" * 5000
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _, done = file.write(rows), file.flush()
    ...     [found.enough for found in follow(file.name, enough=0.05)]
    [True]
    """
    waited = real(patience, "patience is a number of seconds from 0 on", least=0, below=1e9)
    check_share("enough", enough)
    check_share("level", level)
    check_share("alpha", alpha)
    whole(given.get("permutations", 1), "permutations")
    return _follow(path, enough, waited, level, alpha, given)


def _follow(
    path: Any, enough: float, patience: float, level: float, alpha: float, given: dict[str, Any]
) -> Iterator[Audit]:
    looks, read, grown, since = 0, 0, 0, monotonic()
    while True:
        size = _size(path)
        if size > grown:
            grown, since = size, monotonic()
        late = monotonic() - since >= patience
        if size >= _GROWTH * read or (late and size > read):
            whole = _whole_lines(path)
            if whole.getvalue().count(b"\n") > LEAST or late:
                looks, read = looks + 1, size
                spent = looks * (looks + 1)
                found = audit(
                    whole,
                    enough=enough,
                    level=1 - (1 - level) / spent,
                    alpha=alpha / spent,
                    **given | {"permutations": max(given.get("permutations", 199), int(spent / alpha) + 1)},
                )
                yield found
                if found.enough:
                    return
        if late:
            return
        sleep(_PAUSE)


def _size(path: Any) -> int:
    try:
        return os.stat(os.fspath(path)).st_size
    except OSError:
        raise UnreadableFile(f"cannot open {quote(path)}: a file to follow must exist") from None


class _NamedBytes(io.BytesIO):
    name = ""


def _whole_lines(path: Any) -> _NamedBytes:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise UnreadableFile(f"cannot open {quote(path)}: {error.strerror or 'the file system refused'}") from None
    if data.startswith((b"\x1f\x8b", b"PAR1")):
        raise UnreadableFile(f"{quote(path)} is compressed, or not text: follow takes a csv or tsv file")
    kept = _NamedBytes(data[: data.rfind(b"\n") + 1])
    kept.name = os.fsdecode(path)
    return kept
