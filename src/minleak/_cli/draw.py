"""draw: the set that is shown for a secret."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

import minleak as ml
from minleak._cli.inputs import as_file, check_first_file, check_one_stdin, stdin_stream
from minleak._cli.options import CloakFile, argument, option
from minleak._cli.output import Outcome, in_json
from minleak._data.cleaning import LabelCleaner
from minleak._data.labels import as_label
from minleak._face.plain import record
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._file.format import MAGIC
from minleak.errors import InvalidParameter, MinleakError, PendingSecret, UnknownSecret


@dataclass(frozen=True)
class ShownSet(Result):
    """A set to show."""

    id: str
    """Its name, the same for the same members."""
    members: tuple[Any, ...]
    """Its secrets."""


@dataclass(frozen=True)
class DrawAnswer(Result):
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
        "The secret's label. Others see it in the process list and it stays in the shell's history: leave it "
        "out to be asked for it unseen, or give - to read one a line from stdin.",
        default=None,
    ),
    key: str | None = option("The key file, made by `minleak keygen`, for sticky draws."),
    scope: str | None = option("Who asks: the same scope and secret always show the same set."),
    scope_column: bool = option("Each line of stdin holds a scope, a tab and a secret.", default=False),
    fresh: bool = option("Draw anew each time; repeated draws leak more.", default=False),
    clean: bool = option("Clean the secret as `design --clean` cleaned those of the plan.", default=False),
    stand_in: str | None = option("A label of the plan to take for unknown secrets."),
    older: list[str] | None = option("The .cloak file of an earlier lineage, for those who have seen it; or several."),
    lineage: str | None = option("Draw by the plan of this lineage, in hexadecimal, of CLOAK and --older."),
    pins: str | None = option("A file that remembers for each scope the lineage it began with; made if there is none."),
) -> Iterator[Outcome[DrawAnswer | RefusedLine]]:
    """Draw the set to show for a secret.

    With --key and --scope a draw is sticky: always the same set. With --fresh it is not. Blocks need neither. Sets
    are printed one a line, with a tab between members. Lines of stdin are answered one by one, as soon as they come, so
    that another program can keep the command running; a line that is refused ends it, but with --json it is answered by
    its error. A plan designed anew is for those who have seen nothing yet: with --older and --pins everybody stays with
    the plan that was CLOAK when they were first shown something.

    Example: minleak draw queries.cloak - --key queries.key --scope user-17
    """
    if secret is None and not (sys.stdin is not None and sys.stdin.isatty()):
        secret = "-"
    check_one_stdin(CLOAK=cloak, SECRET=secret)
    if cloak != "-":
        check_first_file(cloak, "CLOAK", "minleak draw CLOAK SECRET", MAGIC)
    if scope_column and (scope is not None or secret != "-"):
        raise InvalidParameter("--scope-column reads scopes and secrets from stdin: give - as SECRET, and no --scope")
    scoped = scope is not None or scope_column
    if pins is not None and (lineage is not None or key is None or not scoped):
        raise InvalidParameter("--pins finds the lineage of a --scope by the --key: give both, and no --lineage")
    with as_file(cloak, ".cloak") as path:
        plans = [*(older or ()), path]
        drawing = ml.Cloak(plans, key=key)
        asked = [key is not None, scoped]
        if drawing.plan.randomised and (any(asked) if fresh else not all(asked)):
            raise InvalidParameter("say either --key and --scope for a sticky draw, or --fresh")
        labels = drawing.plan.prior.labels if drawing.listed else ("",)
        if stand_in is not None:
            drawing = ml.Cloak(plans, key=key, stand_in=as_label(stand_in, labels))
    fixed = drawing.current if lineage is None else _parse_lineage(lineage)
    if fixed not in drawing.lineages:
        raise InvalidParameter("neither CLOAK nor --older has a plan of this lineage: give its file with --older too")
    pinned = None if pins is None else ml.Pins(pins, drawing)
    cleaner = LabelCleaner(strip=clean, nfc=clean)

    def answer(text: str) -> DrawAnswer:
        who, tab, text = text.partition("\t") if scope_column else (scope, "\t", text)
        if not tab:
            raise InvalidParameter("with --scope-column a line is a scope, a tab and a secret, and this has no tab")
        chosen = fixed if pinned is None else pinned.lineage(who or "")
        if chosen not in drawing.lineages:
            raise InvalidParameter("a subject is pinned to a lineage of neither CLOAK nor --older: give its file too")
        (text,) = cleaner.clean([text])
        try:
            (members,) = drawing.draw_all([as_label(str(text), labels)], scope=who, fresh=fresh, lineage=chosen)
        except UnknownSecret as error:
            raise type(error)(_refusal(error, drawing.listed)) from None
        shown = ShownSet(drawing.set_id(members, lineage=chosen), tuple(members))
        return DrawAnswer(chosen.hex(), (shown,))

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
        return (
            "this secret was counted but has no set yet: refuse it until an update makes the next part, or choose a "
            "--stand-in"
        )
    remedy = "refuse it, or choose a --stand-in for all such secrets" if listed else "refuse it"
    return f"the plan does not know this secret: {remedy}"


def _parse_lineage(lineage: str) -> bytes:
    try:
        return bytes.fromhex(lineage)
    except ValueError:
        raise InvalidParameter("--lineage is in hexadecimal, as minleak show says it") from None
