"""The cap k on the size of a set, as whoever is given one checks it."""

from __future__ import annotations

import numpy as np

from minleak.errors import InvalidParameter, shown


def cap(k: object) -> int:
    """k as an int, if it is a cap on the size of a set."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InvalidParameter(f"the cap k on the size of a set is a whole number from 1 on, not {shown(k)}")
    return int(k)
