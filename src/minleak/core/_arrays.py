"""Types of arrays in signatures, runs in sorted ones, and Arrow columns without chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

#: The bytes of text that 32-bit offsets can address.
SHORT_TEXT = 2**31 - 1


def find_run(ordered: npt.NDArray[Any], begin: int, end: int) -> tuple[int, int]:
    """Return where the entries from `begin` to before `end` stand in an increasing array of integers, in O(log n).

    The searched numbers are of the array's type: numpy would convert the whole array to another type first.

    >>> find_run(np.array([1, 1, 2, 5], dtype=np.int32), 1, 3)
    (0, 3)
    """
    first, last = np.array([begin, end - 1], dtype=ordered.dtype)  # `end` itself may be beyond the type
    return int(np.searchsorted(ordered, first)), int(np.searchsorted(ordered, last, side="right"))


def in_one_piece(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """An Arrow column without chunks and dictionaries, with text as string or large_string."""
    kind = values.type
    if pa.types.is_dictionary(kind):  # it may hold a value twice, unused, or null
        return in_one_piece(values.cast(kind.value_type))
    if pa.types.is_string_view(kind) or (pa.types.is_string(kind) and values.nbytes > SHORT_TEXT):
        values = values.cast(pa.large_string())
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
