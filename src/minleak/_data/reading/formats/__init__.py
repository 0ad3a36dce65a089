"""The formats that are read. A new one is a file with a subclass of Format, and a line here."""

from __future__ import annotations

import os

from minleak._data.reading.formats.base import Format
from minleak._data.reading.formats.delimited import Csv, Tsv
from minleak._data.reading.formats.json import Json
from minleak._data.reading.formats.lines import Lines
from minleak._data.reading.formats.parquet import Parquet
from minleak._data.reading.formats.uniq import Uniq
from minleak.errors import UnreadableFile, shown

FORMATS: dict[str, type[Format]] = {
    "csv": Csv,
    "tsv": Tsv,
    "parquet": Parquet,
    "json": Json,
    "uniq": Uniq,
    "lines": Lines,
}


def kind_of(name: str, format: str | None) -> str:
    """The name of the format: the one given, or the one that the ending of the file's name stands for."""
    if format is not None:
        if not isinstance(format, str) or format not in FORMATS:
            raise UnreadableFile(f"unknown format {shown(format)}: one of {', '.join(FORMATS)}")
        return format
    ending = os.path.splitext(name.lower().removesuffix(".gz"))[1]
    found = [kind for kind, made in FORMATS.items() if ending in made.endings]
    if not found:
        raise UnreadableFile(
            f"cannot tell the format of {name} from its ending: say format= one of {', '.join(FORMATS)}"
        )
    return found[0]
