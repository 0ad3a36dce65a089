"""Loading the compiler ahead of its use: half a second of work that needs no data, done while data is being read."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

_one_at_a_time = threading.Lock()


@contextlib.contextmanager
def warm(*, meanwhile: bool) -> Iterator[None]:
    """Load what large priors need, numba and the loops over labels, while the block runs; or do not.

    Loops that the block calls wait until they are loaded.
    """
    thread = threading.Thread(target=_load, name="minleak-warming", daemon=True)
    if meanwhile:
        thread.start()
    try:
        yield
    finally:
        if meanwhile:
            thread.join()


def _load() -> None:
    with contextlib.suppress(Exception), _one_at_a_time:  # whoever needs the loops meets what is wrong with them
        import numpy as np

        with contextlib.suppress(ImportError, AttributeError):  # of another numba, which then loads as it likes
            _load_numba()
        from minleak._kernels import hashing

        hashing.fill_slots(np.array([0, 1], dtype=np.int32), np.array([0], dtype=np.uint8))


def _load_numba() -> None:
    """numba imports scipy.linalg, a third of its time, to see if there is a BLAS. There is, since minleak needs scipy;
    so this import is left to the first loop that uses it, for which numba asks again.
    """
    from numba.np import linalg

    if "numba.np.arraymath" in sys.modules:
        return
    ask = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = ask
    vars(arraymath)["ensure_blas"] = ask
