"""The columns of a joint distribution, some at a time: dense or sparse blocks that fit in cache."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from minleak.core._arrays import Array
from minleak.core._labels import Labels

if TYPE_CHECKING:
    import scipy.sparse as sp

#: Columns of all secrets: an array of shape (n, m) or, without its zeros, a csc array.
Block: TypeAlias = "Array | sp.csc_array"

# The entries of a dense block, 2 MB: several passes over it stay in cache.
BLOCK = 1 << 18
# The entries of a sparse block, whose columns of one size are put together: few and large ones take fewer calls.
_STORED = 1 << 20
# Columns come in multiples of this where there are enough of them, so that vector loads stay aligned.
_ALIGN = 16


class Source(ABC):
    """What a secret is observed through: the labels of the secrets, and a column for each observable."""

    inputs: Labels

    @abstractmethod
    def blocks(self, scale: Array | None = None) -> Iterator[Block]:
        """Yield the columns C[:,y], or scale * C[:,y], in order. See `blocks_of`."""


def blocks_of(matrix: Any, scale: Array | None = None) -> Iterator[Block]:
    """Yield the columns scale * matrix[:,y] of a dense or csc matrix in order, some at a time.

    Dense blocks have at most `BLOCK` entries (or one column) and share one buffer: each is valid until the next is
    asked for. None may be changed.

    >>> [block.tolist() for block in blocks_of(np.eye(2), np.array([1.0, 3.0]))]
    [[[1.0, 0.0], [0.0, 3.0]]]
    """
    return _dense_blocks(matrix, scale) if isinstance(matrix, np.ndarray) else _sparse_blocks(matrix, scale)


def _dense_blocks(matrix: Array, scale: Array | None) -> Iterator[Array]:
    n, m = matrix.shape
    width = max(1, BLOCK // max(1, n))
    width -= width % _ALIGN if width > _ALIGN else 0
    buffer = np.empty(n * min(width, m))
    for start in range(0, m, width):
        part = matrix[:, start : start + width]
        block = buffer[: part.size].reshape(part.shape)
        if scale is None:
            block[:] = part
        else:
            np.multiply(scale[:, None], part, out=block)
        yield block


def _sparse_blocks(matrix: sp.csc_array, scale: Array | None) -> Iterator[sp.csc_array]:
    import scipy.sparse as sp

    n, m = matrix.shape
    start = 0
    while start < m:
        begin = matrix.indptr[start]
        stop = max(start + 1, int(np.searchsorted(matrix.indptr, begin + _STORED, side="right")) - 1)
        entries = slice(begin, matrix.indptr[stop])
        data, rows = matrix.data[entries], matrix.indices[entries]
        data = data if scale is None else data * scale[rows]
        yield sp.csc_array((data, rows, matrix.indptr[start : stop + 1] - begin), shape=(n, stop - start))
        start = stop


def packed(block: Block) -> Iterator[Array]:
    """Yield the columns of a block as arrays of shape (r, m): a dense block as it is, a sparse one without its zeros,
    columns of equally many entries side by side. A symmetric and expansible function of a column needs no more.

    >>> import scipy.sparse as sp
    >>> [part.tolist() for part in packed(sp.csc_array([[1, 2, 0], [0, 3, 4]]))]
    [[[1, 4]], [[2], [3]]]
    """
    if isinstance(block, np.ndarray):
        yield block
        return
    sizes = np.diff(block.indptr)
    filled = np.flatnonzero(sizes)
    order = filled[np.argsort(sizes[filled], kind="stable")]
    ends = np.flatnonzero(np.diff(sizes[order], append=-1)) + 1
    begin = 0
    for end in ends.tolist():
        size = int(sizes[order[begin]])
        width = max(1, BLOCK // size)
        for start in range(begin, end, width):
            columns = order[start : min(start + width, end)]
            yield block.data[block.indptr[columns][None, :] + np.arange(size)[:, None]]
        begin = end


def tops_of(block: Block) -> Array:
    """Return the largest entry of each column; zeros that a sparse block leaves out are entries too."""
    tops = block.max(axis=0)
    return tops if isinstance(tops, np.ndarray) else np.asarray(tops.toarray()).ravel()


def sums_of(block: Block) -> Array:
    """Return the sum of each column."""
    return np.asarray(block.sum(axis=0)).ravel()


_thread = threading.local()


def workspace(shape: tuple[int, ...]) -> Array:
    """Return uninitialised memory, the same in every call on one thread: use it before the next call.

    Getting fresh megabytes from the system takes longer than the arithmetic on them.
    """
    size = int(np.prod(shape))
    if size > BLOCK:
        return np.empty(shape)
    if not hasattr(_thread, "kept"):
        _thread.kept = np.empty(BLOCK)
    return np.asarray(_thread.kept[:size].reshape(shape))
