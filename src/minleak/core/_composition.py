"""Products of dense or sparse matrices, by which channels are composed. Results beyond memory are refused first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._matrices import DENSE, MOST, SPARSE, as_csr, too_large
from minleak.errors import InvalidChannel, quote

if TYPE_CHECKING:
    import scipy.sparse as sp

_PARALLEL = "both in parallel"


def cascade(a: Any, b: Any) -> Any:
    """a @ b, sparse only if both are."""
    dense = _is_dense(a) or _is_dense(b)
    entries = a.shape[0] * b.shape[1]
    if not dense:  # each non-zero in column y of a meets those in row y of b
        entries = min(entries, int(_lengths(a) @ _lengths(as_csr(b))))
    _check_size("the cascade", entries, dense=dense)
    return a @ b


def parallel(a: Any, b: Any) -> tuple[Any, Indices]:
    """The row-wise products a[x,y] b[x,z], and the pairs y * width + z that the columns stand for.

    Pairs that are zero in all rows are left out.
    """
    width = a.shape[1] * b.shape[1]
    if _is_dense(a) and _is_dense(b):
        _check_size(_PARALLEL, a.shape[0] * width, labels=width, dense=True)
        matrix = (a[:, :, None] * b[:, None, :]).reshape(a.shape[0], -1)
        pairs = np.flatnonzero(matrix.any(axis=0))
        return matrix if len(pairs) == width else matrix[:, pairs], pairs
    a, b = as_csr(a), as_csr(b)
    entries = int(_lengths(a) @ _lengths(b))
    _check_size(_PARALLEL, entries, labels=min(entries, width))
    return _row_products(a, b)


def kronecker(a: Any, b: Any) -> Any:
    """The Kronecker product."""
    import scipy.sparse as sp

    labels = a.shape[0] * b.shape[0] + a.shape[1] * b.shape[1]
    if _is_dense(a) and _is_dense(b):
        _check_size("the product", a.size * b.size, labels=labels, dense=True)
        return np.kron(a, b)
    a, b = as_csr(a), as_csr(b)
    _check_size("the product", a.nnz * b.nnz, labels=labels)
    return sp.kron(a, b, format="csc")


def repeated(matrix: Any, times: int, *, ordered: bool) -> tuple[Any, list[tuple[int, ...]]]:
    """The matrix in parallel with itself, `times` times, and the tuple of columns that each column of the result stands
    for: in the order of the uses, or sorted, where columns with the same multiset are merged.
    """
    import scipy.sparse as sp

    _check_times(matrix, times, ordered=ordered)
    m = matrix.shape[1]
    done = matrix
    columns: list[tuple[int, ...]] = [(y,) for y in range(m)]
    for _ in range(times - 1):
        done, pairs = parallel(done, matrix)
        columns = [(*columns[pair // m], pair % m) for pair in pairs.tolist()]
        if not ordered:
            at: dict[tuple[int, ...], int] = {}
            to = [at.setdefault(tuple(sorted(used)), len(at)) for used in columns]
            done = done @ sp.csc_array((np.ones(len(to)), (np.arange(len(to)), to)), shape=(len(to), len(at)))
            columns = list(at)
    return done, columns


def _row_products(a: sp.csr_array, b: sp.csr_array) -> tuple[sp.csr_array, Indices]:
    """`parallel` for sparse matrices, in the time to sort the non-zeros of the result."""
    import scipy.sparse as sp

    n, width = a.shape[0], b.shape[1]
    of_a, of_b = _lengths(a), _lengths(b)
    per_entry = np.repeat(of_b, of_a)  # the number of partners of each entry of a
    left = np.repeat(np.arange(a.nnz), per_entry)
    first = np.cumsum(per_entry) - per_entry
    row = np.repeat(np.arange(n), of_a)
    right = np.arange(len(left)) - first[left] + b.indptr[:-1].astype(np.int64)[row[left]]
    column = a.indices[left].astype(np.int64) * width + b.indices[right]
    pairs, column = np.unique(column, return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(of_a * of_b)])
    found = sp.csr_array((a.data[left] * b.data[right], column, indptr), shape=(n, len(pairs)))
    found.eliminate_zeros()  # products that underflow
    return found, pairs


def _is_dense(matrix: Any) -> bool:
    return isinstance(matrix, np.ndarray)


def _lengths(matrix: Any) -> Indices:
    """The number of non-zeros in each row of a csr matrix, or in each column of a csc matrix."""
    return np.asarray(np.diff(matrix.indptr), dtype=np.int64)


def _check_size(what: str, entries: int, *, labels: int = 0, dense: bool = False) -> None:
    """Refuse a result that would not fit into memory."""
    size = too_large(entries, each=DENSE if dense else SPARSE, labels=labels)
    if size is not None:
        raise InvalidChannel(
            f"{what} would have up to {size}: merge observables or secrets first"
            + (", or measure them without building it, by lab.Together" if what == _PARALLEL else "")
        )


def _check_times(matrix: Any, times: int, *, ordered: bool) -> None:
    """Refuse so many uses that the labels of one secret's observations alone would not fit into memory."""
    shows = int(_lengths(as_csr(matrix)).max())
    if times * 8 <= MOST:
        lists = math.log(shows) * times
        sets = math.lgamma(shows + times) - math.lgamma(times + 1) - math.lgamma(shows)
        if (lists if ordered else sets) + math.log(8 * times) <= math.log(MOST):
            return
    raise InvalidChannel(
        f"used {quote(times)} times, one secret alone shows more than {MOST >> 30} GiB of different observations: use "
        "the channel less often, or merge observables first"
    )
