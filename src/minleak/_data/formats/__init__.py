"""The formats that are read. A new one is a file with a subclass of Format, and a line here."""

from __future__ import annotations

import os
from collections.abc import Callable

from minleak._data.formats.base import CountsFile, Format
from minleak._data.formats.delimited import Csv, Tsv
from minleak._data.formats.json import Json
from minleak._data.formats.lines import Lines, Uniq
from minleak._data.formats.logs import LOGS, recognise_log
from minleak._data.formats.parquet import Parquet
from minleak.errors import UnreadableFile, shown

FORMATS: dict[str, type[Format]] = {
    "csv": Csv,
    "tsv": Tsv,
    "parquet": Parquet,
    "json": Json,
    "uniq": Uniq,
    "lines": Lines,
    **{made.__name__.lower(): made for made in LOGS},
}

#: Those that name their columns.
NAMED = [kind for kind, made in FORMATS.items() if not issubclass(made, CountsFile)]


def find_format(name: str, format: str | None, head: Callable[[], bytes] = bytes) -> str:
    """The format that is given, or the one that the ending of the file's name stands for. Where that may be any log,
    its first bytes tell which.
    """
    if format is not None:
        if not isinstance(format, str) or format not in FORMATS:
            raise UnreadableFile(f"unknown format {shown(format)}: one of {', '.join(FORMATS)}")
        return format
    ending = os.path.splitext(name.lower().removesuffix(".gz"))[1]
    known = next((kind for kind, made in FORMATS.items() if ending in made.endings), None)
    found = recognise_log(head()) if known in (None, "lines", "uniq") else None
    if found or known:
        return str(found or known)
    raise UnreadableFile(f"cannot tell the format of {name} from its ending: say format= one of {', '.join(FORMATS)}")
