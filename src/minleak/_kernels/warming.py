"""Loading the compiler ahead of its use: half a second of work that needs no data, done while data is being read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
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
    import numpy as np

    from minleak._kernels import hashing

    hashing.fill_slots(np.array([0, 1], dtype=np.int32), np.array([0], dtype=np.uint8))
