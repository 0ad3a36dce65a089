"""Loops on two threads: ordinary ones, since numba's own abort a process that uses them after a fork."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_A = TypeVar("_A")
_B = TypeVar("_B")

# Work on fewer things is done before a thread has started.
_MANY = 50_000


def run_two(first: Callable[[], _A], second: Callable[[], _B], *, size: int) -> tuple[_A, _B]:
    """What two functions return that do their halves of `size` things at the same time, if there are many. They should
    let go of the interpreter's lock.

    >>> run_two(lambda: 1, lambda: "b", size=2)
    (1, 'b')
    """
    if size < _MANY:
        return first(), second()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(second)
        return first(), other.result()
