"""draw: the set to show for a secret."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

import minleak as ml
from minleak.cli._inputs import as_file, check_first_file, check_one_stdin, stdin_stream
from minleak.cli._options import CloakFile, argument, option
from minleak.cli._output import Outcome, in_json
from minleak.core._file.format import MAGIC
from minleak.core._labels import as_label
from minleak.core._plain import record
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, MinleakError, PendingSecret, UnknownSecret
from minleak.io._cleaning import LabelCleaner


@dataclass(frozen=True)
class ShownSet(Result):
    """A set to show."""

    id: str
    """Its name, the same for the same members."""
    members: tuple[Any, ...]
    """Its secrets."""


@dataclass(frozen=True)
class DrawResult(Result):
    """What to show for a secret: one such object for each line of stdin, at once."""

    lineage: str
    """That of the plan it was drawn by, in hexadecimal."""
    sets: tuple[ShownSet, ...]
    """The set, by its `id` and `members`."""

    def to_parts(self) -> list[str | Table]:
        return [record(shown.members) for shown in self.sets]


@dataclass(frozen=True)
class RefusedLine(Result):
    """A line of stdin that was refused, where answers are JSON: the others are still answered."""

    error: str
    """What is wrong with it, and which line it is."""


def draw(
    cloak: CloakFile,
    secret: str | None = argument(
        "[SECRET]",
        "The secret. On the command line it is visible to other users and stays in the shell's history: leave it out "
        "to be prompted, or give - to read one secret per line from stdin.",
        default=None,
    ),
    key: str | None = option("Key file made by `minleak keygen`, for sticky draws."),
    scope: str | None = option("Who asks, such as a user id: the same scope and secret always show the same set."),
    scope_column: bool = option("Lines of stdin are SCOPE, tab, SECRET.", default=False),
    fresh: bool = option("Draw a new set each time; repeated draws leak more.", default=False),
    clean: bool = option("Clean the secret as `design --clean` does.", default=False),
    stand_in: str | None = option("Use this secret of the plan in place of unknown ones."),
    older: list[str] | None = option(
        ".cloak file of an earlier lineage, for subjects who have seen it; repeat for several."
    ),
    lineage: str | None = option("Draw from the plan of this lineage (hexadecimal), among CLOAK and --older."),
    pins: str | None = option("File that remembers the first lineage of each scope; created if missing."),
) -> Iterator[Outcome[DrawResult | RefusedLine]]:
    """Draw the set to show for a secret.

    With --key and --scope draws are sticky: the same set every time. With --fresh they are not. Blocks need neither.

    Prints one set per line, members separated by tabs. Lines of stdin are answered one by one as they arrive. A refused
    line ends the command; with --json it is answered by an error instead.

    A redesigned plan is for new subjects only: with --older and --pins, everyone stays with the plan they saw first.

    Example: minleak draw queries.cloak - --key queries.key --scope user-17
    """
    if secret is None and not (sys.stdin is not None and sys.stdin.isatty()):
        secret = "-"
    check_one_stdin(CLOAK=cloak, SECRET=secret)
    if cloak != "-":
        check_first_file(cloak, "CLOAK", "minleak draw CLOAK SECRET", MAGIC)
    if scope_column and (scope is not None or secret != "-"):
        raise InvalidParameter(
            "--scope-column reads scopes and secrets from stdin: give - as SECRET, and leave out --scope"
        )
    scoped = scope is not None or scope_column
    if pins is not None and (lineage is not None or key is None or not scoped):
        raise InvalidParameter("--pins needs --key and --scope, and does not go with --lineage")
    with as_file(cloak, ".cloak") as path:
        plans = [*(older or ()), path]
        drawing = ml.Cloak(plans, key=key)
        asked = [key is not None, scoped]
        if drawing.plan.randomised and (any(asked) if fresh else not all(asked)):
            raise InvalidParameter(
                "give either --key and --scope, for sticky draws, or --fresh; minleak keygen makes a key"
            )
        labels = drawing.plan.prior.labels if drawing.listed else ("",)
        if stand_in is not None:
            drawing = ml.Cloak(plans, key=key, stand_in=as_label(stand_in, labels))
    fixed = drawing.current if lineage is None else _parse_lineage(lineage)
    if fixed not in drawing.lineages:
        raise InvalidParameter("neither CLOAK nor --older is of this lineage: add its file with --older")
    pinned = None if pins is None else ml.Pins(pins, drawing)
    cleaner = LabelCleaner(strip=clean, nfc=clean)

    def answer(text: str) -> DrawResult:
        who, tab, text = text.partition("\t") if scope_column else (scope, "\t", text)
        if not tab:
            raise InvalidParameter("with --scope-column a line is SCOPE, tab, SECRET, but this one has no tab")
        chosen = fixed if pinned is None else pinned.lineage(who or "")
        if chosen not in drawing.lineages:
            raise InvalidParameter(
                "this subject is pinned to a lineage of neither CLOAK nor --older: add its file with --older"
            )
        (text,) = cleaner.clean([text])
        try:
            (members,) = drawing.draw_all([as_label(str(text), labels)], scope=who, fresh=fresh, lineage=chosen)
        except UnknownSecret as error:
            raise type(error)(_refusal(error, drawing.listed)) from None
        shown = ShownSet(drawing.set_id(members, lineage=chosen), tuple(members))
        return DrawResult(chosen.hex(), (shown,))

    if secret != "-":
        given = typer.prompt("Secret", hide_input=True, err=True) if secret is None else secret
        yield Outcome(answer(given))
        return
    for number, line in enumerate(stdin_stream(), 1):
        try:
            yield Outcome(answer(line))
        except MinleakError as error:
            told = f"line {number} of stdin: {error}"
            if not in_json():
                raise type(error)(told) from None
            yield Outcome(RefusedLine(told), code=2)


def _refusal(error: UnknownSecret, listed: bool) -> str:
    if isinstance(error, PendingSecret):
        return "this secret was counted but has no set yet: refuse it until an update adds it, or choose a --stand-in"
    remedy = "refuse it, or choose a --stand-in for all such secrets" if listed else "refuse it"
    return f"the plan does not know this secret: {remedy}"


def _parse_lineage(lineage: str) -> bytes:
    try:
        return bytes.fromhex(lineage)
    except ValueError:
        raise InvalidParameter("--lineage is hexadecimal, as minleak show prints it") from None
