"""Between numpy and Arrow by their buffers: Arrow's own conversions load pandas first, half a second, if they can."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def to_arrow(array: npt.NDArray[Any]) -> pa.Array:
    """A numeric vector as an Arrow array on the same memory.

    >>> to_arrow(np.array([1, 2], dtype=np.int32)).type
    DataType(int32)
    """
    whole = np.ascontiguousarray(array)
    return pa.Array.from_buffers(pa.from_numpy_dtype(whole.dtype), len(whole), [None, pa.py_buffer(whole)])


def to_numpy(array: pa.Array) -> npt.NDArray[Any]:
    """A primitive Arrow array without nulls as a read-only vector on the same memory.

    Unlike numpy's from_dlpack it does not trust a damaged file to have memory for so many entries.

    >>> to_numpy(pa.array([7, 8, 9])[1:])
    array([8, 9])
    """
    if array.null_count or pa.types.is_boolean(array.type):
        raise ValueError("nulls and packed truth values are no vector of numbers")
    if not len(array):
        return np.empty(0, dtype=array.type.to_pandas_dtype())
    kind = np.dtype(array.type.to_pandas_dtype())
    found = np.frombuffer(array.buffers()[1], dtype=kind, count=len(array), offset=array.offset * kind.itemsize)
    found.flags.writeable = False  # whoever else holds the memory
    return found


def text_of(names: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """An Arrow array of text as offsets, one more than there are texts, and the bytes that they point into.

    >>> offsets, data = text_of(pa.array(["a", "bc"]))
    >>> offsets, data.tobytes()
    (array([0, 1, 3], dtype=int32), b'abc')
    """
    width = np.int64 if pa.types.is_large_string(names.type) else np.int32
    _, offsets, data = names.buffers()
    ends = np.frombuffer(offsets, dtype=width)[names.offset : names.offset + len(names) + 1]
    return ends, np.frombuffer(data or b"", dtype=np.uint8)
