"""How arguments and options are declared, those that several commands share, and how their values are parsed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import field
from decimal import Decimal
from typing import Annotated, Any

import typer

from minleak._data.formats import FORMATS
from minleak._report.saving import check_chart
from minleak.errors import InvalidParameter


def option(help: str, *flags: str, default: Any = None, parser: Callable[[str], Any] | None = None) -> Any:
    """An option of a command or of a group of options: `--name` if no flags are given; required if its default is
    `...`. Numbers have a parser that suits their type.
    """
    return field(default=default, metadata={"help": help, "flags": flags, "parser": parser})


def argument(metavar: str, help: str, *, default: Any = ...) -> Any:
    """An argument of a command; required if its default is `...`."""
    return field(default=default, metadata={"help": help, "metavar": metavar})


def chart_option(what: str) -> Any:
    """The option that saves a chart; an ending that no chart has is refused before any work is done."""
    return option(f"Save a chart of {what}: a .png, .svg or .html file.", parser=_chart_file)


PriorFile = Annotated[
    str,
    typer.Argument(
        metavar="PRIOR",
        help="Counts of the secrets: csv(.gz), tsv, parquet, json, `uniq -c`; or a log, of lines or with --field; - is "
        "stdin.",
    ),
]
CloakFile = Annotated[str, typer.Argument(metavar="CLOAK", help="A .cloak file made by `minleak design`; - is stdin.")]
Secret = Annotated[str, typer.Option("--secret", help="The column that names the secrets.")]
Observable = Annotated[str, typer.Option("--observable", help="The column that names the observables.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"The format of the input: {', '.join(FORMATS)}; by its ending if not given, or a log by its first "
        "lines, csv for stdin.",
    ),
]
Status = Annotated[
    str | None, typer.Option("--status", help="Of a log, read only requests with this status, such as 2xx or 200,304.")
]
NoQuery = Annotated[
    bool, typer.Option("--no-query", help="Of an access log, drop the query strings of paths and referrers.")
]
Entropies = Annotated[
    list[str] | None,
    typer.Option("--entropy", "-e", help="An entropy to measure in, by name, such as arimoto:2; may be repeated."),
]
PropertyColumn = Annotated[
    str | None,
    typer.Option(
        "--property",
        help="A column of PRIOR with a property of each secret, such as its country: how well is that hidden?",
    ),
]

# The most sizes that one list of them may stand for.
_MOST = 100_000
# The most often that something may be repeated.
_LONG = 10_000_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def whole(text: str | int) -> int:
    """A whole number of at most 18 digits, which every table and array can hold."""
    if not _WHOLE.fullmatch(str(text)):
        raise typer.BadParameter("a whole number of at most 18 digits is expected")
    return int(text)


def times(text: str | int) -> int:
    """How often something is done: a whole number of at most ten million."""
    if whole(text) > _LONG:
        raise typer.BadParameter(f"a whole number of at most {_LONG:,} is expected")
    return int(text)


def percent(text: str) -> float:
    """A hundredth of a number, as the decimal number that it is: 7% is 0.07 and not a little more."""
    return float(Decimal(repr(number(text.removesuffix("%")))) / 100)


def as_budget(text: str) -> tuple[str, float]:
    """The limit that a budget is, and its value: a share of the mean size, or a number in the unit of the sizes."""
    try:
        name, value = ("overhead", percent(text)) if text.endswith("%") else ("budget", number(text))
    except typer.BadParameter:
        name, value = "budget", -1.0
    if not value >= 0:
        raise InvalidParameter(f"the budget is a number from 0 on such as 4096, or a share such as 10%, not {text!r}")
    return name, value


def number(text: str | float) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise typer.BadParameter("a finite number is expected")
    return value


def share(text: str | float) -> float:
    """A probability or another share of 1, such as 0.05 or 5%."""
    try:
        value = number(str(text).removesuffix("%")) / (100 if str(text).endswith("%") else 1)
    except typer.BadParameter:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter("a number from 0 to 1 such as 0.05, or a percentage such as 5%, is expected")
    return value


def whole_numbers(text: str) -> list[int]:
    """Numbers such as "1,2,5" and ranges such as "1:30" (both ends included)."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition(":")
        try:
            stretch = range(whole(first.strip()), whole(last.strip() or first.strip()) + 1)
        except typer.BadParameter:
            raise InvalidParameter(f"{text[:40]!r} is not a list of whole numbers such as 1,2,5 or 1:30") from None
        if len(numbers) + len(stretch) > _MOST:
            raise InvalidParameter(f"{text[:40]!r} stands for more than {_MOST:,} numbers: name fewer")
        numbers += stretch
    return numbers


def split_names(columns: str) -> list[str]:
    """The names of columns in a list with commas."""
    return [name.strip() for name in columns.split(",")]


def _chart_file(path: str) -> str:
    try:
        check_chart(path)
    except InvalidParameter as error:
        raise typer.BadParameter(str(error)) from None
    return path
