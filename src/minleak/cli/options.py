"""Arguments and options that several commands share, and how they become priors, plans and entropies."""

from __future__ import annotations

import io
import sys
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from minleak.cli.output import working
from minleak.errors import InvalidParameter
from minleak.prior import Prior
from minleak.reading.formats import FORMATS
from minleak.reading.places import read_places
from minleak.reading.prior import read_prior

PriorFile = Annotated[
    str,
    typer.Argument(metavar="PRIOR", help="Counts of the secrets: csv(.gz), tsv, parquet, json, `uniq -c`; - is stdin."),
]
CloakFile = Annotated[str, typer.Argument(metavar="CLOAK", help="A .cloak file made by `minleak design`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON (schema minleak/1) instead of tables.")]
Secret = Annotated[str, typer.Option("--secret", help="The column that names the secrets.")]
Weight = Annotated[str, typer.Option("--weight", help="The column of their counts or weights.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help=f"{', '.join(FORMATS)}; by the file's ending if not given, csv for stdin."),
]
Entropies = Annotated[
    list[str] | None,
    typer.Option("--entropy", "-e", help="An entropy by name, such as arimoto:2; may be given several times."),
]
K = Annotated[int, typer.Option("-k", help="The cap on the size of a set, from 1 on.")]


class PriorSource:
    """A file or stdin, read once, from which several columns can be taken."""

    def __init__(self, path: str, secret: str, format: str | None) -> None:
        self._path, self._secret = path, secret
        self._format = "csv" if path == "-" and format is None else format
        self._data = sys.stdin.buffer.read() if path == "-" else None

    def prior(self, weight: str) -> Prior:
        """The prior with that column as weights."""
        source: Any = self._path if self._data is None else io.BytesIO(self._data)
        with working(f"reading {self._path}"):
            return read_prior(source, secret=self._secret, weight=weight, format=self._format)

    def places(self, columns: list[str]) -> npt.NDArray[np.float64]:
        """The coordinates in those columns."""
        source: Any = self._path if self._data is None else io.BytesIO(self._data)
        return read_places(source, columns=columns, format=self._format)


def whole_numbers(text: str) -> list[int]:
    """Numbers such as "1,2,5" and stretches such as "1:30" (both ends included)."""
    numbers: list[int] = []
    for part in text.split(","):
        first, colon, last = part.partition(":")
        try:
            numbers += range(int(first), int(last) + 1) if colon else [int(first)]
        except ValueError:
            raise InvalidParameter(f"{text!r} is not a list of whole numbers such as 1,2,5 or 1:30") from None
    return numbers
