"""Loops on two threads: ordinary ones, since numba's own abort a process that uses them after a fork."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

# Work on fewer things is done before a thread has started.
_MANY = 50_000


def in_halves(work: Callable[..., T], first: tuple[Any, ...], second: tuple[Any, ...], *, size: int) -> tuple[T, T]:
    """What a function returns for the arguments of each half of `size` things, at the same time if there are many. It
    should let go of the interpreter's lock.

    >>> in_halves(max, (1, 2), (3, 4), size=4)
    (2, 4)
    """
    if size < _MANY:
        return work(*first), work(*second)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(work, *second)
        return work(*first), other.result()
