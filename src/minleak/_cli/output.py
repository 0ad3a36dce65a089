"""What commands write: text as it is, never as markup, with every control character made visible; JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from minleak._data.progress import Progress, no_progress

# The version of the JSON that every command prints; docs/cli.md describes it.
SCHEMA = "minleak/1"
# A number in a table that is nearer to zero is what is left of a difference of floats.
_ROUNDING = 1e-12


@dataclass
class Answer:
    """What a command found: `data` for programs, `parts` for people, and the exit code."""

    data: dict[str, Any]
    parts: list[str]
    code: int = 0

    def wrote(self, path: str, said: str, *, key: str = "file") -> None:
        """Say that a file was written."""
        self.data[key] = path
        self.parts += ["", said]


# Notes of a command that prints JSON, which are part of it; None where they are for people.
_notes: list[str] | None = None


def begin(*, as_json: bool) -> None:
    """A command begins: where its notes go."""
    global _notes
    _notes = [] if as_json else None


def noted() -> dict[str, list[str]]:
    """The notes so far, for JSON."""
    return {"notes": _notes} if _notes else {}


def emit(command: str, data: dict[str, Any], parts: Sequence[str], *, as_json: bool) -> None:
    """Print the data as JSON, or the parts for people, and see that it arrives."""
    if as_json:
        parts = [as_line_of_json({"command": command, **data, **noted()})]
    for part in parts:
        print(visible(part, keep="\n\t"))
    if sys.stdout is not None:
        sys.stdout.flush()  # a full disk or a closed pipe is an error of this command, not of Python when it ends


def note(message: str) -> None:
    """Tell in one line, on stderr or in the JSON, what may not be as it was meant."""
    if _notes is not None:
        _notes.append(message)
    elif sys.stderr is not None:
        print(f"minleak: note: {visible(message)}", file=sys.stderr, flush=True)


def as_line_of_json(data: dict[str, Any]) -> str:
    """One JSON object on one line, in ASCII, so that every terminal and every encoding carries it."""
    return json.dumps({"schema": SCHEMA, **_plain(data)}, allow_nan=False)


def visible(text: str, *, keep: str = "") -> str:
    r"""Text whose every character can be seen: others are written as in Python, such as \n, \x1b and \u202e."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def field(label: Any) -> str:
    r"""A label in a table or a record: visible, with \\ for a backslash, so that it can be read back."""
    return visible(_text(label).replace("\\", "\\\\"))


def record(labels: Iterable[Any]) -> str:
    """Labels as one line with a tab between them, which no field holds."""
    return "\t".join(map(field, labels))


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A title and aligned columns, of which the first is text and the others are numbers."""
    from rich.cells import cell_len

    cells = [[*columns], *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = [visible(title)]
    for row in cells:
        gaps = [" " * (width - cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
        line = [row[0] + gaps[0], *(gap + cell for gap, cell in zip(gaps[1:], row[1:], strict=True))]
        lines.append("  ".join(line).rstrip())
    return "\n".join(lines)


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


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "0" if abs(value) < _ROUNDING else f"{value:.6g}"
    return field(value)


def _text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _plain(value: Any) -> Any:
    """What JSON has; infinities as text, bytes in hexadecimal, and whatever else a label may be as its text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else _text(value)
