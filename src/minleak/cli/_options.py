"""Arguments and options: how they are declared and parsed, and those that several commands share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import field, fields
from decimal import Decimal
from typing import Annotated, Any

import typer

from minleak.errors import InvalidParameter
from minleak.io._formats import FORMATS
from minleak.report._saving import check_chart


def option(help: str, *flags: str, default: Any = None, parser: Callable[[str], Any] | None = None) -> Any:
    """An option of a command or of a group of options: `--name` if no flags are given; required if its default is
    `...`. Numbers have a parser that suits their type.
    """
    return field(default=default, metadata={"help": help, "flags": flags, "parser": parser})


def argument(metavar: str, help: str, *, default: Any = ...) -> Any:
    """An argument of a command; required if its default is `...`."""
    return field(default=default, metadata={"help": help, "metavar": metavar})


def given_flags(*groups: Any) -> list[str]:
    """The flags that set groups of options as they are, where they are not as usual."""
    said: list[str] = []
    for group in groups:
        for one in fields(group):
            value = getattr(group, one.name)
            if value == one.default:
                continue
            flag = next(
                (f for f in one.metadata.get("flags", ()) if f.startswith("--")), "--" + one.name.replace("_", "-")
            )
            for each in value if isinstance(value, list) else [value]:
                said += [flag] if each is True else [flag, str(each)]
    return said


def chart_option(what: str) -> Any:
    """The option that saves a chart; its file name is checked before any work is done."""
    return option(f"Save a chart of {what} to this .png, .svg or .html file.", parser=_chart_file)


PriorFile = Annotated[
    str,
    typer.Argument(
        metavar="PRIOR",
        help="Counts of the secrets (csv, csv.gz, tsv, parquet, json or `uniq -c` output), a file with one secret per "
        "line, or a log with --field; - for stdin.",
    ),
]
CloakFile = Annotated[
    str, typer.Argument(metavar="CLOAK", help="A .cloak file written by `minleak design`; - for stdin.")
]
Secret = Annotated[str, typer.Option("--secret", help="Column with the secrets.")]
Observable = Annotated[str, typer.Option("--observable", help="Column with the observables.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"Input format: {', '.join(FORMATS)}. By its ending if not given; logs are recognised by their first "
        "lines, and stdin is read as csv.",
    ),
]
Status = Annotated[
    str | None, typer.Option("--status", help="Logs: keep only requests with this status, such as 2xx or 200,304.")
]
NoQuery = Annotated[bool, typer.Option("--no-query", help="Access logs: strip query strings from paths and referrers.")]
Entropies = Annotated[
    list[str] | None,
    typer.Option("--entropy", "-e", help="Entropy to measure in, such as shannon or arimoto:2; repeat for several."),
]
PropertyColumn = Annotated[
    str | None,
    typer.Option(
        "--property",
        help="Column of PRIOR with a property of each secret, such as its country: report how well it is hidden.",
    ),
]

# The most numbers that one list may stand for.
_MOST = 100_000
# The most repetitions.
_LONG = 10_000_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def whole(text: str | int) -> int:
    """A whole number of at most 18 digits, which every table and array can hold."""
    if not _WHOLE.fullmatch(str(text)):
        raise typer.BadParameter("expected a whole number of at most 18 digits")
    return int(text)


def times(text: str | int) -> int:
    """A number of repetitions: a whole number of at most ten million."""
    if whole(text) > _LONG:
        raise typer.BadParameter(f"expected a whole number of at most {_LONG:,}")
    return int(text)


def percent(text: str) -> float:
    """A percentage as a fraction, computed in decimal: 7% is exactly 0.07."""
    return float(Decimal(repr(number(text.removesuffix("%")))) / 100)


def as_budget(text: str) -> tuple[str, float]:
    """The kind of a budget ("overhead" for a percentage, else "budget") and its value."""
    try:
        name, value = ("overhead", percent(text)) if text.endswith("%") else ("budget", number(text))
    except typer.BadParameter:
        name, value = "budget", -1.0
    if not value >= 0:
        raise InvalidParameter(
            f"--budget is a non-negative number, such as 4096, or a percentage, such as 10%, not {text!r}"
        )
    return name, value


def number(text: str | float) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise typer.BadParameter("expected a finite number")
    return value


def share(text: str | float) -> float:
    """A probability or another share of 1, such as 0.05 or 5%."""
    try:
        value = percent(str(text)) if str(text).endswith("%") else number(text)
    except typer.BadParameter:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter("expected a number from 0 to 1, such as 0.05, or a percentage, such as 5%")
    return value


def growth(text: str) -> float:
    """A share by which something grows: a percentage, such as 12% or 150%, or a number below 1, such as 0.12. 15 may be
    meant as 15%, and is refused.
    """
    try:
        value = percent(text) if text.endswith("%") else number(text)
    except typer.BadParameter:
        value = -1.0
    if value < 0 or (value >= 1 and not text.endswith("%")):
        raise typer.BadParameter("expected a percentage, such as 12% or 150%, or a number below 1, such as 0.12")
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
    """Column names separated by commas."""
    return [name.strip() for name in columns.split(",")]


def _chart_file(path: str) -> str:
    try:
        check_chart(path)
    except InvalidParameter as error:
        raise typer.BadParameter(str(error)) from None
    return path
