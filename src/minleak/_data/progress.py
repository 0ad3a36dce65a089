"""Progress: the callback by which long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

# Called with the number of steps done, the number of all steps, and what comes next.
Progress = Callable[[int, int, str], None]


def no_progress(_done: int, _steps: int, _what: str) -> None:
    """A progress callback that does nothing."""
