"""The formats of tables: each is a subclass of `InputTable` in a file of its own, and a line here."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from functools import partial
from typing import Any

from minleak.errors import UnreadableFile, quote
from minleak.io._formats.delimited import Csv, Tsv
from minleak.io._formats.json import Json
from minleak.io._formats.lines import Lines, Uniq
from minleak.io._formats.logs import LOGS, recognise_log
from minleak.io._formats.parquet import Parquet
from minleak.io._sources import HEAD, Source, is_file, name_of, read_bytes, read_head, read_pieces
from minleak.io._tables import CountsFile, Frame, InputTable

FORMATS: dict[str, type[InputTable]] = {
    "csv": Csv,
    "tsv": Tsv,
    "parquet": Parquet,
    "json": Json,
    "uniq": Uniq,
    "lines": Lines,
    **{made.__name__.lower(): made for made in LOGS},
}

#: Formats that name their columns.
NAMED = [kind for kind, made in FORMATS.items() if not issubclass(made, CountsFile)]


def open_table(source: Source | Any, *, format: str | None = None, what: str | None = None) -> InputTable:
    """The one door for data: the table in a file or a data frame. `what` names, in messages, something that needs
    columns with names.

    >>> table = open_table(io.BytesIO(b"secret,count\\nflu,812\\n"), format="csv")
    >>> table.read({"secret": "secret"}, {"weight": "count"})["weight"].numbers(), table.where(0)
    (array([812]), 'line 2 of the input')
    """
    if not is_file(source):
        return Frame(source)
    name = name_of(source)
    if format is not None or (isinstance(source, str | os.PathLike) and os.path.isfile(source)):
        kind = find_format(name, format, partial(read_head, source, name))
    else:  # a pipe, which can be read only once
        data = read_bytes(source, name)
        kind, source = find_format(name, None, lambda: data[:HEAD]), io.BytesIO(data)
    made: Any = FORMATS[kind]
    table: InputTable = made((read_pieces if made.is_log else read_bytes)(source, name), name)
    if what is not None and table.header is None:
        raise UnreadableFile(f"{what} read from a format that names its columns ({', '.join(NAMED)}), not {kind}")
    return table


def find_format(name: str, format: str | None, head: Callable[[], bytes] = bytes) -> str:
    """The given format, or that of the file name's ending. Where the ending fits any log, or is unknown, the first
    bytes decide.
    """
    if format is not None:
        if not isinstance(format, str) or format not in FORMATS:
            raise UnreadableFile(f"unknown format {quote(format)}: one of {', '.join(FORMATS)}")
        return format
    ending = os.path.splitext(name.lower().removesuffix(".gz"))[1]
    known = next((kind for kind, made in FORMATS.items() if ending in made.endings), None)
    found = recognise_log(head()) if known in (None, "lines", "uniq") else None
    if found or known:
        return str(found or known)
    raise UnreadableFile(f"cannot tell the format of {name} from its ending: say format= one of {', '.join(FORMATS)}")
