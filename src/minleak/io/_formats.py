"""The formats of tables: each is a subclass of `InputTable`, and a line in `FORMATS`."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from minleak.errors import UnreadableFile, quote
from minleak.io._delimited import Csv, Tsv
from minleak.io._lines import Lines, Uniq
from minleak.io._logs import LOGS, recognise_log
from minleak.io._sources import HEAD, Source, check_utf8, is_file, name_of, read_bytes, read_head, read_pieces
from minleak.io._tables import CountsFile, Frame, InputTable


class Json(CountsFile):
    """A mapping from secret to weight. Integers are exact, and a secret that is there twice is noticed."""

    endings = (".json",)

    def counts(self) -> tuple[list[str], Any]:
        try:
            found = json.loads(self.data, object_pairs_hook=_Mapping)
        except json.JSONDecodeError as error:
            raise self.unparsable(f"{error.msg} at line {error.lineno}") from None
        except RecursionError:
            raise self.unparsable("its brackets are nested too deeply") from None
        except ValueError:
            check_utf8(self.data, self.name)
            raise self.unparsable("an integer has more digits than can be read") from None
        if not isinstance(found, _Mapping):
            raise UnreadableFile(f"{self.name} holds a {type(found).__name__}, not a mapping from secret to weight")
        return [secret for secret, _ in found], [
            dict(weight) if isinstance(weight, _Mapping) else weight for _, weight in found
        ]

    def where(self, i: int) -> str:
        return f"entry {i + 1} of {self.name}"


class _Mapping(list[tuple[str, Any]]):
    """The entries of a mapping, also those with the same key."""


class Parquet(InputTable):
    """A Parquet file; its schema names the columns."""

    endings = (".parquet", ".pq")
    has_sure_header = True

    def __init__(self, data: bytes, name: str) -> None:
        from pyarrow import parquet

        super().__init__(data, name)
        try:
            self._file = parquet.ParquetFile(pa.BufferReader(data))
            self.header = list(self._file.schema_arrow.names)
        except (pa.ArrowException, OSError) as error:
            raise self.unparsable(error) from None

    def load(self, labels: Sequence[str], numbers: Sequence[str]) -> list[Any]:
        try:
            table = self._file.read(columns=[*labels, *numbers])
        except (pa.ArrowException, OSError) as error:
            raise self.unparsable(error) from None
        return [table[name] for name in (*labels, *numbers)]


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
