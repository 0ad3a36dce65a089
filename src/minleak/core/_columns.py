"""Columns: the columns of a joint distribution as dense blocks that fit in cache, at the cost of its non-zeros."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices

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
# The least share of a column that an entry counts as, where the quotient underflows.
_LEAST = 1e-308
# Where the root of the number of rows is smaller than this, comparing them one by one is as fast.
_TALL = 6
# Columns come in multiples of this where there are enough of them, so that vector loads stay aligned.
_ALIGN = 16


class FewColumns(list[list[float]]):
    """A few columns as lists of Python floats: numpy takes longer to be called than to add up so few numbers."""

    @cached_property
    def mass(self) -> float:
        """The sum of all entries, correctly rounded."""
        return math.fsum(chain.from_iterable(self))

    @cached_property
    def shares(self) -> tuple[list[float], list[float]]:
        """The positive entries of all columns, and each as a share of its column (at least 1e-308)."""
        entries, shares = [], []
        for v in self:
            total = sum(v)
            for x in v:
                if x > 0:
                    entries.append(x)
                    shares.append(x / total or _LEAST)
        return entries, shares


class Columns:
    """The vectors J[:,y] = scale * matrix[:,y] of a joint distribution (or of gains under it).

    `matrix` is a dense array or a `csc_array`. A block is an array of shape (r, m): m columns, of which r entries are
    kept. From a dense matrix r = n; from a sparse one, columns of equally many non-zeros are put together and only
    those are kept, in row order, since an expansible function of a column does not see its zeros.
    """

    def __init__(self, matrix: Array | sp.csc_array, scale: Array | None = None) -> None:
        self.matrix: Any = matrix
        self.scale = scale

    @cached_property
    def few(self) -> FewColumns | None:
        """The columns as Python floats, if a dense matrix has at most `FEW` of them; built once."""
        if not isinstance(self.matrix, np.ndarray) or not 0 < self.matrix.size <= FEW:
            return None
        return FewColumns(self.whole().T.tolist())  # type: ignore[union-attr]

    @property
    def plain(self) -> bool:
        """Whether the columns are those of a dense matrix, unscaled, so that a single pass needs no blocks."""
        return isinstance(self.matrix, np.ndarray) and self.scale is None

    @property
    def complete(self) -> bool:
        """Whether a block has all rows, so that its largest entry is the column's even where all are negative."""
        return isinstance(self.matrix, np.ndarray)

    def whole(self) -> Array | None:
        """All columns as one read-only block, if a dense matrix fits into one; built once."""
        return self._whole

    @cached_property
    def entries(self) -> Array | None:
        """The entries of the whole block as a vector, in the order of memory."""
        return None if self._whole is None else self._whole.ravel(order="K")

    @cached_property
    def _whole(self) -> Array | None:
        if not isinstance(self.matrix, np.ndarray) or not (0 < self.matrix.size <= BLOCK or self.many == 1):
            return None
        whole = self.matrix.view() if self.scale is None else self.scale[:, None] * self.matrix
        whole.flags.writeable = False
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
            return largest_of_columns(whole)
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
        return float(self.tops().sum()) if whole is None else sum_of_tops(whole)

    def sums(self) -> Array:
        """The sum of each column, read-only; computed once."""
        return self._sums

    @cached_property
    def _sums(self) -> Array:
        sums = np.asarray(self.matrix.sum(axis=0) if self.scale is None else self.matrix.T @ self.scale)
        sums.flags.writeable = False
        return sums

    @cached_property
    def mass(self) -> float:
        """The sum of all entries: one, up to rounding, if the columns are a joint distribution."""
        few = self.few
        return float(self.sums().sum()) if few is None else few.mass

    @cached_property
    def light(self) -> bool:
        """Whether the columns form one block without zeros in which no entry exceeds half of its column."""
        whole = self.whole()
        positive = whole is not None and bool(whole.min() > 0)
        return positive and bool((np.maximum(2 * self.tops(), 1e-30) <= self.sums()).all())

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


def sum_of_tops(v: Array) -> float:
    """The sum of the largest entries of the columns of v, an array of shape (r, m)."""
    m = v.shape[1]
    if m == 1:
        return float(v.item(v.argmax()))  # a fifth of the time of `max`
    if v.size <= FEW:
        return float(sum(map(max, v.T.tolist())))
    return float(largest_of_columns(v).dot(ones(m)))  # BLAS adds up in half the time of `sum`


def largest_of_columns(v: Array) -> Array:
    """The largest entry of each column of v, an array of shape (r, m).

    numpy compares row by row. Rows end to end, sqrt(r) at a time, are fewer and longer: at 100 x 100 that takes two
    thirds of the time.
    """
    r, m = v.shape
    k = math.isqrt(r)
    if k < _TALL or r * m > BLOCK or not v.flags.c_contiguous:
        return np.asarray(np.maximum.reduce(v))
    top = np.maximum.reduce(np.maximum.reduce(v[: r // k * k].reshape(k, -1)).reshape(-1, m))
    return np.asarray(top if r % k == 0 else np.maximum(top, np.maximum.reduce(v[r // k * k :])))


@lru_cache(maxsize=4)
def ones(n: int) -> Array:
    """A read-only vector of n ones, to add up numbers by a product."""
    found = np.ones(n)
    found.flags.writeable = False
    return found


def size_of(v: Array) -> float:
    """The largest |entry|; NaN if there is one."""
    return max(v.item(v.argmax()), -v.item(v.argmin()))  # a quarter of the time of `abs` and `max`


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
