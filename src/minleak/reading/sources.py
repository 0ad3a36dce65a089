"""Sources: a path or an open file, its format and its bytes."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any

from minleak.errors import UnreadableFile

_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".txt": "uniq",
}
BOM = b"\xef\xbb\xbf"
FORMATS = ("csv", "tsv", "parquet", "json", "uniq")


def kind_of(source: Any, format: str | None) -> tuple[str, str]:
    """The format, and what messages call the source."""
    if isinstance(source, str | os.PathLike):
        name = str(os.fspath(source))
    elif hasattr(source, "read"):
        name = str(getattr(source, "name", "the input"))
    else:
        raise UnreadableFile(f"a prior is read from a path or an open binary file, not {type(source).__name__}")
    if format is not None:
        if format not in FORMATS:
            raise UnreadableFile(f"unknown format {format!r}: one of {', '.join(FORMATS)}")
        return format, name
    ending = os.path.splitext(name.lower().removesuffix(".gz"))[1]
    if ending not in _ENDINGS:
        raise UnreadableFile(
            f"cannot tell the format of {name} from its ending: say format= one of {', '.join(FORMATS)}"
        )
    return _ENDINGS[ending], name


def content_of(source: Any, name: str) -> bytes:
    """All bytes of the source, decompressed."""
    is_path = isinstance(source, str | os.PathLike)
    try:
        if is_path:
            with open(source, "rb") as file:
                data = file.read()
        else:
            data = source.read()
    except (OSError, ValueError) as error:  # ValueError: a closed file, or a path with a null byte
        raise UnreadableFile(f"cannot open {name}: {getattr(error, 'strerror', None) or error}") from None
    if isinstance(data, str):
        raise UnreadableFile(f"{name} is open as text: open it in binary mode, 'rb'")
    # A file object may have been decompressed on the way already, whatever its name.
    if name.lower().endswith(".gz") and (is_path or data[:2] == b"\x1f\x8b"):
        try:
            return gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise UnreadableFile(f"{name} is not a whole gzip file: {error}") from None
    return bytes(data)


def check_utf8(text: bytes, name: str) -> None:
    """Refuse text that is not UTF-8, by its line."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"line {line} of {name} is not UTF-8 text ({error.reason}): save the file as UTF-8"
        ) from None
