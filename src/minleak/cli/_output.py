"""What commands write: a result as text, with every control character made visible, or as JSON for programs."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from minleak.core._plain import plain, visible
from minleak.core._progress import Progress, no_progress

# The version of the JSON that every command prints; docs/cli.md describes it.
SCHEMA = "minleak/1"
R = TypeVar("R")


@dataclass(frozen=True)
class Outcome(Generic[R]):
    """What a command comes to: a result, the files that it wrote, the words of a command that can be run next, and the
    exit code; and what the page of --report is about, if not the result, and the most that a guess may be right by a
    requirement.
    """

    result: R
    files: tuple[str, ...] = ()
    then: Sequence[str] = ()
    code: int = 0
    about: Any = None
    most: float | None = None


# Notes of a command that prints JSON, which are part of it; None where they are for people.
_notes: list[str] | None = None


def begin(*, as_json: bool) -> None:
    """A command begins: where its notes go."""
    global _notes
    _notes = [] if as_json else None


def in_json() -> bool:
    """Whether JSON was asked for."""
    return _notes is not None


def emit(command: str, outcome: Outcome[Any]) -> None:
    """Print an outcome as JSON or for people, and see that it arrives."""
    result, files = outcome.result, list(outcome.files)
    if in_json():
        told = {"command": command, **(plain(result) or {})} | ({"files": files} if files else {})
        print(as_line_of_json(told))
    else:
        text = "" if result is None else visible(str(result), keep="\n\t")
        written = f"written to {', '.join(files)}" if files else ""
        then = f"next: {shlex.join(['minleak', *outcome.then])}" if outcome.then else ""
        ending = visible("; ".join(part for part in (written, then) if part))
        print("\n\n".join(part for part in (text, ending) if part))
    if sys.stdout is not None:
        sys.stdout.flush()  # a full disk or a closed pipe is an error of this command, not of Python when it ends


def note(message: str) -> None:
    """Tell in one line, on stderr or in the JSON, what may not be as it was meant."""
    if _notes is not None:
        _notes.append(message)
    elif sys.stderr is not None:
        print(f"minleak: note: {visible(message)}", file=sys.stderr, flush=True)


def remark(message: str) -> None:
    """Tell people, and not programs, one more thing: a note that is no part of the JSON."""
    if not in_json():
        note(message)


def as_line_of_json(data: dict[str, Any]) -> str:
    """One JSON object on one line, in ASCII, so that every terminal and every encoding carries it; with the notes."""
    notes = {"notes": _notes} if _notes else {}
    return json.dumps({"schema": SCHEMA, **data, **notes}, allow_nan=False)


def save_chart(draw: Callable[[], Any], path: str | None, *, title: str) -> tuple[str, ...]:
    """Draw and save a chart where that is asked for, and tell the file."""
    if path is None:
        return ()
    from minleak import report

    report.save_chart(draw(), path, title=title)
    return (path,)


def write_page(outcome: Outcome[R], path: str, command: str) -> Outcome[R]:
    """The outcome, with the page about it among its files."""
    from minleak import report

    about = outcome.result if outcome.about is None else outcome.about
    with progressing(f"writing {path}") as progress:
        made = report.write(about, path, success=outcome.most, file=f"minleak {command}", progress=progress)
    return replace(outcome, files=(*outcome.files, *made))


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on the terminal while something takes its time; nothing where there is no terminal."""
    if not _watched():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(visible(what))):
        yield


@contextmanager
def progressing(what: str) -> Iterator[Progress]:
    """A bar on the terminal for something that tells how far it is: a function of (done, steps, step's name)."""
    if not _watched():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bar

    words = TextColumn("{task.description}", markup=False)
    with Bar(words, BarColumn(), TaskProgressColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(visible(what), total=None)
        yield lambda done, steps, name: bar.update(
            task, completed=done, total=steps, description=visible(f"{what}: {name}")
        )


def _watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
