"""Loops on two threads: ordinary ones, since numba's own abort a process that uses them after a fork."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_A = TypeVar("_A")
_B = TypeVar("_B")


def both(here: Callable[[], _A], there: Callable[[], _B]) -> tuple[_A, _B]:
    """What two functions return that run at the same time, if they let go of the interpreter's lock.

    >>> both(lambda: 1, lambda: "b")
    (1, 'b')
    """
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(there)
        return here(), other.result()
