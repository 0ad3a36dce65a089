"""Progress: how long work reports how far it is."""

from __future__ import annotations

from collections.abc import Callable

# Called with the steps that are done, how many there are, and what comes next.
Progress = Callable[[int, int, str], None]


def no_progress(_done: int, _steps: int, _what: str) -> None:
    """A progress callback that does nothing."""
