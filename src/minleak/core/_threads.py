"""Limit BLAS to one thread while small systems are solved: several threads would mostly wait for each other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
_inside: list[Any] = []


@cache
def _blas() -> Any:
    """The BLAS libraries of numpy and scipy, found once, since finding them takes milliseconds."""
    import scipy.linalg  # noqa: F401 - scipy has a library of its own, which must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread, in a `with` or as a decorator. The limit holds for the process until the last exit.

    >>> with one_thread():
    ...     pass
    """
    with _lock:  # the limit is global: the first to leave must not lift it for others
        limit = _inside[0] if _inside else _limit()
        _inside.append(limit)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if not _inside and limit is not None:
                limit.restore_original_limits()


def _limit() -> Any:
    """The limit, to be lifted later; None if there is one thread anyway."""
    blas = _blas()
    return None if all(library.num_threads == 1 for library in blas.lib_controllers) else blas.limit(limits=1)
