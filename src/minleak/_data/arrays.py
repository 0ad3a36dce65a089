"""The arrays that everything is computed on, by the names that signatures use; and Arrow's in one piece."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

#: Bytes of text that 32-bit offsets can address.
SHORT_TEXT = 2**31 - 1


def in_one_piece(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """An Arrow column without chunks and dictionaries, its text of one of two types."""
    kind = values.type
    if pa.types.is_dictionary(kind):  # which may name a value twice, not at all, or name nothing
        return in_one_piece(values.cast(kind.value_type))
    if pa.types.is_string_view(kind) or (pa.types.is_string(kind) and values.nbytes > SHORT_TEXT):
        values = values.cast(pa.large_string())
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
