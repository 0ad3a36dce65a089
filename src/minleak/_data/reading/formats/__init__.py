"""The formats that are read. A new one is a file with a subclass of Format, and a line here."""

from __future__ import annotations

from minleak._data.reading.formats.base import CountsFile, Format
from minleak._data.reading.formats.delimited import Csv, Tsv
from minleak._data.reading.formats.json import Json
from minleak._data.reading.formats.lines import Lines
from minleak._data.reading.formats.parquet import Parquet
from minleak._data.reading.formats.uniq import Uniq

FORMATS: dict[str, type[Format]] = {
    "csv": Csv,
    "tsv": Tsv,
    "parquet": Parquet,
    "json": Json,
    "uniq": Uniq,
    "lines": Lines,
}

#: Those that name their columns.
NAMED = [kind for kind, made in FORMATS.items() if not issubclass(made, CountsFile)]
