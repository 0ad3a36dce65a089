"""Progress: what long work tells while it goes on, and the one who does not listen."""

from __future__ import annotations

from collections.abc import Callable

# Called with the steps that are done, how many there are, and what comes next.
Progress = Callable[[int, int, str], None]


def in_silence(_done: int, _steps: int, _what: str) -> None:
    """Progress that nobody asked for."""
