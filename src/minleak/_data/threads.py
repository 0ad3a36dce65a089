"""One BLAS thread while small systems are solved: several threads wait for each other far longer than they work."""

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
    """The BLAS libraries of numpy and scipy. To look for them takes milliseconds, so they are looked for once."""
    import scipy.linalg  # noqa: F401 - scipy has a library of its own, which must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread, in a `with` or as a decorator; the limit is the process's, and the last out lifts it.

    >>> with one_thread():
    ...     pass
    """
    with _lock:  # as the limit is everybody's, whoever left first would give back what others still rely on
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
    """The limit, to be lifted again; None where there is one thread anyway, which is sooner seen than set."""
    blas = _blas()
    return None if all(library.num_threads == 1 for library in blas.lib_controllers) else blas.limit(limits=1)
