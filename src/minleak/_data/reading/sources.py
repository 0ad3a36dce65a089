"""Sources: a path or an open binary file, what messages call it, and its bytes."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any

from minleak.errors import UnreadableFile


def name_of(source: Any) -> str:
    """What messages call the source."""
    if isinstance(source, str | os.PathLike):
        return os.fsdecode(source).encode("utf-8", "backslashreplace").decode()
    if hasattr(source, "read"):
        return str(getattr(source, "name", "the input"))
    raise UnreadableFile(f"a file is read from a path or an open binary file, not {type(source).__name__}")


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
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UnreadableFile(f"{name} is not open as bytes: open it in binary mode, 'rb'")
    data = bytes(data)
    # A file object may have been decompressed on the way already, whatever its name.
    if name.lower().endswith(".gz") and (is_path or data[:2] == b"\x1f\x8b"):
        try:
            return gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise UnreadableFile(f"{name} is not a whole gzip file: {error}") from None
    return data


def check_utf8(text: bytes, name: str) -> None:
    """Refuse text that is not UTF-8, by its line."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"line {line} of {name} is not UTF-8 text ({error.reason}): save the file as UTF-8"
        ) from None
