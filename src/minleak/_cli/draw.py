"""draw: the set that is shown for a secret."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import typer

import minleak as ml
from minleak._cli.inputs import as_file, check_first_file, check_one_stdin, stdin_lines
from minleak._cli.options import CloakFile, argument, option
from minleak._cli.output import Outcome
from minleak._data.cleaning import LabelCleaner
from minleak._data.labels import as_label
from minleak._face.plain import record
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._file.format import MAGIC
from minleak.errors import InvalidParameter, PendingSecret, UnknownSecret


@dataclass(frozen=True)
class DrawnSet(Result):
    """A set to show."""

    id: str
    """Its name, the same for the same members."""
    members: tuple[Any, ...]
    """Its secrets."""


@dataclass(frozen=True)
class DrawnSets(Result):
    """The sets to show, one for each secret that was given."""

    lineage: str
    """That of the plan they were drawn by, in hexadecimal."""
    sets: tuple[DrawnSet, ...]
    """Of each `id` and `members`."""

    def to_parts(self) -> list[str | Table]:
        return [record(shown.members) for shown in self.sets]


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
    fresh: bool = option("Draw anew each time; repeated draws leak more.", default=False),
    clean: bool = option("Clean the secret as `design --clean` cleaned those of the plan.", default=False),
    stand_in: str | None = option("A label of the plan to take for unknown secrets."),
    older: list[str] | None = option("The .cloak file of an earlier lineage, for those who have seen it; or several."),
    lineage: str | None = option("Draw by the plan of this lineage, in hexadecimal, of CLOAK and --older."),
    pins: str | None = option("A file that remembers for each scope the lineage it began with; made if there is none."),
) -> Outcome[DrawnSets]:
    """Draw the set to show for a secret.

    With --key and --scope a draw is sticky: always the same set. With --fresh it is not. Blocks need neither. Sets
    are printed one a line, with a tab between members. A plan designed anew is for those who have seen nothing yet:
    with --older and --pins everybody stays with the plan that was CLOAK when they were first shown something.

    Example: minleak draw queries.cloak - --key queries.key --scope user-17
    """
    if secret is None and not (sys.stdin is not None and sys.stdin.isatty()):
        secret = "-"
    check_one_stdin(CLOAK=cloak, SECRET=secret)
    if cloak != "-":
        check_first_file(cloak, "CLOAK", "minleak draw CLOAK SECRET", MAGIC)
    if pins is not None and (lineage is not None or key is None or scope is None):
        raise InvalidParameter("--pins finds the lineage of a --scope by the --key: give both, and no --lineage")
    with as_file(cloak, ".cloak") as path:
        plans = [*(older or ()), path]
        drawing = ml.Cloak(plans, key=key)
        asked = [key is not None, scope is not None]
        if drawing.plan.randomised and (any(asked) if fresh else not all(asked)):
            raise InvalidParameter("say either --key and --scope for a sticky draw, or --fresh")
        labels = drawing.plan.prior.labels if drawing.listed else ("",)
        if stand_in is not None:
            drawing = ml.Cloak(plans, key=key, stand_in=as_label(stand_in, labels))
    chosen = drawing.current if lineage is None else _parse_lineage(lineage)
    if secret is None:
        given = [typer.prompt("Secret", hide_input=True, err=True)]
    else:
        given = stdin_lines() if secret == "-" else [secret]
    given = [str(text) for text in LabelCleaner(strip=clean, nfc=clean).clean(given)]
    if pins is not None and scope is not None:
        chosen = ml.Pins(pins, drawing).lineage(scope)
    if chosen not in drawing.lineages:
        raise InvalidParameter("neither CLOAK nor --older has a plan of this lineage: give its file with --older too")
    try:
        drawn = drawing.draw_all([as_label(text, labels) for text in given], scope=scope, fresh=fresh, lineage=chosen)
    except UnknownSecret as error:
        where = f"line {(error.at or 0) + 1} of stdin: " if secret == "-" else ""
        raise type(error)(f"{where}{_refusal(error, drawing.listed)}") from None
    sets = tuple(DrawnSet(drawing.set_id(members, lineage=chosen), tuple(members)) for members in drawn)
    return Outcome(DrawnSets(chosen.hex(), sets))


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
