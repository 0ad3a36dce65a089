"""Loading the compiler ahead of its use: half a second of work that needs no data, done while data is being read."""

from __future__ import annotations

import threading


def warm_up() -> threading.Thread:
    """Start loading what large priors need: numba and the loops over labels. Loops that are called meanwhile wait."""
    thread = threading.Thread(target=_load, name="minleak-warming", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    import numpy as np

    from minleak._kernels import hashing

    hashing.fill_slots(np.array([0, 1], dtype=np.int32), np.array([0], dtype=np.uint8))
