"""Progress: the callback by which long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

# Called with the number of steps done, the number of all steps, and what comes next.
Progress = Callable[[int, int, str], None]

# Seconds between two reports of work that cannot report by itself.
_EVERY = 1.0


def no_progress(_done: int, _steps: int, _what: str) -> None:
    """A progress callback that does nothing."""


def report_during(work: Callable[[], Any], report: Callable[[], None] | None) -> Any:
    """The result of some work, done in a thread of its own; `report` is called in this one every second until then.

    For a solver or a compiled loop that may take long and releases the interpreter. Without a `report` it is called as
    it is.
    """
    if report is None:
        return work()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return await_result(pool.submit(work), report)


def await_result(future: Future[Any], report: Callable[[], None] | None) -> Any:
    """The result of a future; `report` is called every second until there is one."""
    while report is not None and not future.done():
        try:
            return future.result(_EVERY)
        except TimeoutError:  # or the work's own, raised again below
            report()
    return future.result()
