"""What commands print: a table for people, JSON for programs, a spinner while they wait."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table

# The version of the JSON that every command prints; docs/cli.md describes it.
SCHEMA = "minleak/1"


def emit(command: str, data: dict[str, Any], parts: Sequence[Any], *, as_json: bool) -> None:
    """Print the data as JSON, or the parts (text and tables) for people."""
    if as_json:
        print(json.dumps({"schema": SCHEMA, "command": command, **_plain(data)}, ensure_ascii=False, allow_nan=False))
        return
    console = Console(highlight=False, soft_wrap=True)
    for part in parts:
        console.print(part, markup=False) if isinstance(part, str) else console.print(part)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """A table whose first column is text and whose others are numbers."""
    shown = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for i, column in enumerate(columns):
        shown.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    for row in rows:
        shown.add_row(*(_cell(value) for value in row))
    return shown


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on the terminal while something takes its time; nothing where there is no terminal."""
    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield
        return
    with console.status(what):
        yield


@contextmanager
def progressing(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on the terminal for something that tells how far it is: a function of (done, steps, step's name)."""
    if not sys.stderr.isatty():
        yield lambda _done, _steps, _name: None
        return
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, steps, name: bar.update(task, completed=done, total=steps, description=f"{what}: {name}")


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """Numbers, text, lists and mappings only; infinities as text, since JSON has none."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
