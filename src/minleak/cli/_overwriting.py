"""What a command may overwrite: a file of the kind that it writes, and never one that it reads."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from minleak.core._file.format import MAGIC
from minleak.errors import InvalidParameter

# The parameters that name what a command writes, with their flags, and the input that one of them may replace.
_OUTPUTS = {"output": "-o", "chart": "--chart", "report": "--report"}
_REPLACED = {"update": "cloak"}
# How files begin that minleak writes: by their ending and, where commands differ, by the command.
_CHANNEL = b'"secret","observable","probability"'
_BEGINNINGS: dict[tuple[str, str], tuple[bytes, ...]] = {
    ("", "cloak"): (MAGIC,),
    ("", "selector"): (b"selector",),
    ("", "png"): (b"\x89PNG",),
    ("", "svg"): (b"<svg",),
    ("", "tsv"): (_CHANNEL.replace(b",", b"\t"),),
    ("optimise", "csv"): (_CHANNEL,),
    ("pad", "csv"): (_CHANNEL, b"above,padded"),
    ("pad", "json"): (b'{"form": "minleak padding table', b'{\n "frame": '),
    ("export", "csv"): (b'"secret","set_number","first","last","table"', b'"value","partition"', b'"value_hash",'),
    ("export", "json"): (b'{"format": "minleak table',),
}
_HEAD = 4096


def check_outputs(command: str, given: dict[str, Any]) -> None:
    """Refuse, before any work is done, an output that is also an input or another output, or that exists and is not a
    file of the kind that the command writes. Empty files may be filled.
    """
    outputs = {key: given[key] for key in _OUTPUTS if isinstance(given.get(key), str)}
    for key, path in outputs.items():
        for other, name in _names(given):
            if other != key and other != _REPLACED.get(command) and _is_same(path, name):
                what = f"also {_OUTPUTS[other]}" if other in outputs else "a file that the command reads"
                raise InvalidParameter(f"{_OUTPUTS[key]} must be a new file; got {what}. Choose another name.")
        if os.path.isfile(path) and os.path.getsize(path) and not _is_own(command, path):
            raise InvalidParameter(
                f"{_OUTPUTS[key]} must be a new file, or one that minleak {command} has written; got {path!r}, which "
                "holds something else. Choose another name, or remove it first."
            )


def _names(given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """All text among the arguments and options, some of which names files."""
    for key, value in given.items():
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str) and name != "-":
                yield key, name


def _is_same(path: str, other: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return os.path.samefile(path, other)
    return os.path.abspath(path) == os.path.abspath(other)


def _is_own(command: str, path: str) -> bool:
    """Whether a file is of a kind that the command writes. A picture is taken for its own: any may be."""
    ending = path.rpartition(".")[2].lower()
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
        if ending in ("html", "htm"):
            return b'<meta name="generator" content="minleak">' in head
        if ending == "parquet":
            return _is_own_parquet(path)
        if ending == "sqlite":
            return _is_own_database(path)
        if ending == "chain":
            with zipfile.ZipFile(path) as parts:
                return "head.npy" in parts.namelist()
    except (OSError, ValueError, sqlite3.Error, zipfile.BadZipFile):
        return False
    return head.startswith(_BEGINNINGS.get((command, ending)) or _BEGINNINGS.get(("", ending)) or ())


def _is_own_parquet(path: str) -> bool:
    from pyarrow import parquet

    schema = parquet.read_schema(path)  # an ArrowInvalid is a ValueError
    return b"minleak" in (schema.metadata or {}) or schema.names == ["secret", "observable", "probability"]


def _is_own_database(path: str) -> bool:
    with contextlib.closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as database:
        names = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
    return names == {"header", "secrets", "sets"}
