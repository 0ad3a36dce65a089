"""Columns: the columns of a joint distribution as dense blocks that fit in cache, at the cost of its non-zeros."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array, Indices

if TYPE_CHECKING:
    import scipy.sparse as sp

T = TypeVar("T")

# Entries in a block, about 2 MB: several passes over it stay in cache, and there are blocks for every core.
BLOCK = 1 << 18
# Up to this many entries, Python's floats are faster than numpy.
FEW = 128
# Up to this many entries, numpy's argmax is faster than `Block.largest`.
_LITTLE = 1 << 14
# Fewer blocks than this are done before threads for them would have started.
_FEW = 8
# Dense blocks are a multiple of this wide where there are enough columns, so that vector loads stay aligned.
_ALIGN = 16


class Columns:
    """The vectors J[:,y] = scale * matrix[:,y] of a joint distribution (or of gains under it).

    `matrix` is a dense array or a `csc_array`. A block is an array of shape (r, m): m columns, of which r entries are
    kept. From a dense matrix r = n; from a sparse one, columns of equally many non-zeros are put together and only
    those are kept, in row order, since an expansible function of a column does not see its zeros.
    """

    __slots__ = ("_few", "_light", "_mass", "_sums", "_whole", "matrix", "scale")

    def __init__(self, matrix: Array | sp.csc_array, scale: Array | None = None) -> None:
        self.matrix: Any = matrix
        self.scale = scale
        self._few: list[list[float]] | bool | None = None
        self._whole: Array | None = None
        self._sums: Array | None = None
        self._mass: float | None = None
        self._light: bool | None = None

    @property
    def few(self) -> list[list[float]] | None:
        """The columns as Python's floats if a dense matrix has only a few; computed once."""
        if self._few is None:
            small = isinstance(self.matrix, np.ndarray) and 0 < self.matrix.size <= FEW
            self._few = self.whole().T.tolist() if small else False  # type: ignore[union-attr]
        return self._few or None  # type: ignore[return-value]

    @property
    def plain(self) -> bool:
        """Whether the columns are those of a dense matrix, unscaled, so that a single pass needs no blocks."""
        return isinstance(self.matrix, np.ndarray) and self.scale is None

    @property
    def complete(self) -> bool:
        """Whether a block has all rows, so that its largest entry is the column's even where all are negative."""
        return isinstance(self.matrix, np.ndarray)

    def whole(self) -> Array | None:
        """All columns as one read-only block, if the matrix is dense and small enough; computed once."""
        if self._whole is not None:  # kept beside the matrix, so that two threads cannot scale it twice
            return self._whole
        if not isinstance(self.matrix, np.ndarray) or not (0 < self.matrix.size <= BLOCK or self.many == 1):
            return None
        whole = self.matrix.view() if self.scale is None else self.scale[:, None] * self.matrix
        whole.flags.writeable = False
        self._whole = whole
        return whole

    def blocks(self) -> Iterator[Callable[[], Array]]:
        """Functions that build one block each, so that every thread builds its own.

        A matrix without entries has one block, a single zero, which adds nothing to any measure.
        """
        nothing = True
        for make in self.placed():
            nothing = False
            yield partial(_entries, make)
        if nothing:
            yield partial(np.zeros, (1, 1))

    def map(self, function: Callable[[Array], T]) -> list[T]:
        """The function of every block, in order, on as many threads as there are cores (numpy releases the lock).

        A thread reuses the memory of its blocks, so the function must not return a view of one.
        """
        return _map(function, list(self.blocks()))

    def placed(self) -> Iterator[Callable[[], Block]]:
        """The same blocks with the position of each entry."""
        if isinstance(self.matrix, np.ndarray):
            return (partial(self._slice, part) for part in self._ranges())
        return (partial(self._gather, columns, size) for columns, size in self._groups())

    def map_placed(self, function: Callable[[Block], T]) -> list[T]:
        """`map` for blocks with the position of each entry."""
        return _map(function, list(self.placed()))

    @property
    def many(self) -> int:
        """The number of columns, including empty ones that no block has."""
        return int(self.matrix.shape[1])

    def tops(self) -> Array:
        """The largest entry of each column. A dense matrix is read by blocks of rows, in memory order."""
        whole = self.matrix if self.plain else self.whole()
        if whole is not None:
            return np.asarray(whole.max(axis=0))
        if not isinstance(self.matrix, np.ndarray) or self.scale is None:
            return np.concatenate(self.map(lambda v: v.max(axis=0)))
        top = np.full(self.many, -math.inf)
        height = max(1, BLOCK // self.many)
        for start in range(0, self.rows, height):
            part = self.scale[start : start + height, None] * self.matrix[start : start + height]
            np.maximum(top, part.max(axis=0), out=top)
        return top

    def top_mass(self) -> float:
        """The sum of the columns' largest entries."""
        whole = self.whole()
        if whole is None:
            return float(self.tops().sum())
        if whole.shape[1] == 1:
            return float(whole.item(whole.argmax()))  # a third of the time of `max`
        return float(np.add.reduce(np.maximum.reduce(whole)))

    def sums(self) -> Array:
        """The sum of each column, read-only; computed once."""
        if self._sums is None:
            sums = np.asarray(self.matrix.sum(axis=0) if self.scale is None else self.matrix.T @ self.scale)
            sums.flags.writeable = False
            self._sums = sums
        return self._sums

    @property
    def mass(self) -> float:
        """The sum of all entries: one, up to rounding, for a joint distribution; computed once."""
        if self._mass is None:
            self._mass = float(self.sums().sum())
        return self._mass

    @property
    def light(self) -> bool:
        """Whether all columns are one block in which no entry is zero or above half of its column; computed once."""
        if self._light is None:
            whole = self.whole()
            positive = whole is not None and bool(whole.min() > 0)
            self._light = positive and bool((np.maximum(2 * self.tops(), 1e-30) <= self.sums()).all())
        return self._light

    def largest(self) -> tuple[Indices, Array]:
        """The row of each column's largest entry, the first of several, and the entry; missing entries are zeros."""
        n, whole = self.rows, self.whole()
        if whole is not None and whole.size <= _LITTLE:
            best = whole.argmax(axis=0)
            return best, whole[best, np.arange(self.many)]
        best, top = np.zeros(self.many, dtype=np.int64), np.zeros(self.many)
        for columns, row, entry in self.map_placed(lambda block: block.largest(n)):
            best[columns], top[columns] = row, entry
        return best, top

    @property
    def rows(self) -> int:
        """The number of entries of a column, including zeros that a block leaves out."""
        return int(self.matrix.shape[0])

    def under(self, gain: Array | sp.sparray) -> Columns:
        """The columns G J[:,y]. A vector gamma stands for diag(gamma), which keeps the columns sparse."""
        if gain.ndim == 1:
            return Columns(self.matrix, gain if self.scale is None else gain * self.scale)
        whole = self.whole()
        if whole is None and self.scale is not None:
            gain = gain * self.scale[None, :]
        product: Any = gain @ (self.matrix if whole is None else whole)
        if isinstance(product, np.ndarray):
            return Columns(product)
        product = product.tocsc()
        product.sort_indices()
        return Columns(product)

    def _slice(self, columns: range) -> Block:
        part = self.matrix[:, columns.start : columns.stop]
        block = workspace("block", part.shape)
        if self.scale is None:
            block[:] = part
        else:
            np.multiply(self.scale[:, None], part, out=block)
        return Block(block, np.arange(self.rows)[:, None], np.arange(columns.start, columns.stop))

    def _ranges(self) -> Iterator[range]:
        """The columns of each block of a dense matrix."""
        n, m = self.matrix.shape
        width = max(1, BLOCK // max(1, n))
        width -= width % _ALIGN if width > _ALIGN else 0
        for start in range(0, m, width):
            yield range(start, min(start + width, m))

    def _gather(self, columns: npt.NDArray[np.intp], size: int) -> Block:
        at = self.matrix.indptr[columns][None, :] + np.arange(size)[:, None]
        rows, entries = self.matrix.indices[at], self.matrix.data[at]
        return Block(entries if self.scale is None else entries * self.scale[rows], rows, columns)

    def _groups(self) -> Iterator[tuple[npt.NDArray[np.intp], int]]:
        """The columns of each block of a sparse matrix, and how many non-zeros they have."""
        sizes = np.diff(self.matrix.indptr)
        order = np.argsort(sizes, kind="stable")
        ends = np.flatnonzero(np.diff(sizes[order], append=-1)) + 1
        begin = 0
        for end in ends.tolist():
            group, size = order[begin:end], int(sizes[order[begin]])
            begin = end
            if size == 0:
                continue
            width = max(1, BLOCK // size)
            for start in range(0, len(group), width):
                yield group[start : start + width], size


class Block(NamedTuple):
    """Some columns of a joint: entries of shape (r, m), the row of each (broadcast), and the positions of the columns.

    Rows increase; rows that are left out hold zeros.
    """

    entries: Array
    rows: npt.NDArray[Any]
    columns: npt.NDArray[Any]

    def largest(self, n: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Array]:
        """The columns, the first row of n where each is largest, and the entry there."""
        v = self.entries
        r, m = v.shape
        if not v.size:
            return self.columns[:0], self.columns[:0], np.zeros(0)
        top = v.max(axis=0)
        places, columns = np.divmod(np.flatnonzero(v == top), m)  # numpy's own argmax takes four times as long
        first = np.zeros(m, dtype=np.int64)
        first[columns[::-1]] = places[::-1]
        best = self.rows[first, 0 if self.rows.shape[1] == 1 else np.arange(m)]
        if r < n and not top.min() > 0:  # a row that is left out is the best, or ties and may come first
            gap = self.rows != np.arange(r)[:, None]
            missing = np.where(gap.any(axis=0), gap.argmax(axis=0), r)
            best = np.where(top > 0, best, np.where(top < 0, missing, np.minimum(best, missing)))
            top = np.maximum(top, 0.0)
        return self.columns, best, top


def _entries(make: Callable[[], Block]) -> Array:
    entries = make().entries
    return entries if entries.size else np.zeros((1, 1))


def _map(function: Callable[[Any], T], makers: list[Callable[[], Any]]) -> list[T]:
    if len(makers) < _FEW:
        before = getattr(_thread, "kept", None)
        _reuse_memory()
        try:
            return [function(make()) for make in makers]
        finally:
            _thread.kept = before
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1), initializer=_reuse_memory) as pool:
        return list(pool.map(lambda make: function(make()), makers))


_thread = threading.local()


def _reuse_memory() -> None:
    _thread.kept = {}


def workspace(name: str, shape: tuple[int, ...]) -> Array:
    """Uninitialised memory; inside `Columns.map` the same in every call on one thread.

    Getting fresh megabytes from the system takes longer than the arithmetic on them.
    """
    kept = getattr(_thread, "kept", None)
    if kept is None:
        return np.empty(shape)
    size = math.prod(shape)
    if name not in kept or kept[name].size < size:
        kept[name] = np.empty(size)
    return np.asarray(kept[name][:size].reshape(shape))


def heavy_columns(
    v: Array, times: Array | None = None
) -> tuple[Array, Array, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The largest entry of each column and the sum of the others, both to full relative precision.

    Subtracting the largest from the sum cancels where it is above half of it. In those heavy columns the others are
    added up alone; also returned are the heavy columns and the row of each one's largest entry. `times` is the
    multiplicity of each entry in its column, where one of the largest is the top and all else are others.
    """
    top = v.max(axis=0)
    mass = v if times is None else times * v
    total = mass.sum(axis=0)
    rest = total - top
    heavy = np.flatnonzero(top > 0.5 * total)
    if not len(heavy):
        return top, rest, heavy, heavy
    part = mass[:, heavy]
    at = part.argmax(axis=0)
    part[at, np.arange(len(heavy))] = 0.0
    rest[heavy] = part.sum(axis=0)
    return top, rest, heavy, at
