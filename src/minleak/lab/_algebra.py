"""Channels put together: in parallel, on independent secrets, used several times. What is beyond memory is refused."""

from __future__ import annotations

import math
from functools import reduce
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._channel import Channel, add_tolerances, as_channel, entries_of
from minleak.core._labels import Labels, match
from minleak.core._matrices import MOST, as_csr, check_size
from minleak.core._parameters import whole
from minleak.errors import InvalidChannel, quote

if TYPE_CHECKING:
    import scipy.sparse as sp


def sharing(first: Channel, other: Channel | Any, what: str) -> Channel:
    """The other channel, if it has the same secrets; `what` names the composition in messages."""
    other = as_channel(other)
    rule = f"channels {what} share their secrets: "
    match(first.inputs, other.inputs, ("the first", "row"), ("the second", "row"), InvalidChannel, rule=rule)
    return other


def parallel(first: Channel | Any, second: Channel | Any) -> Channel:
    """Two channels on the same secret, both observed: C[x,(y,z)] = C1[x,y] C2[x,z], outputs labelled by pairs.

    Pairs that no secret can cause are left out. The cost is proportional to the non-zeros. Exact if both channels are,
    as is `product`.

    >>> channel = parallel([[1, 0], [0.5, 0.5]], Channel([[1, 0], [0, 1]], outputs=["a", "b"]))
    >>> list(channel.outputs)
    [(0, 'a'), (0, 'b'), (1, 'b')]
    """
    first = as_channel(first)
    second = sharing(first, second, "in parallel")
    matrix, pairs = _multiply_rows(*entries_of(first, second))
    ys, zs = list(first.outputs), list(second.outputs)
    return Channel(
        matrix,
        inputs=second.inputs if first.inputs.is_default else first.inputs,
        outputs=Labels(tuple((ys[pair // len(zs)], zs[pair % len(zs)]) for pair in pairs.tolist())),
        tolerance=add_tolerances(first.tolerance, second.tolerance),
    )


def product(first: Channel | Any, second: Channel | Any) -> Channel:
    """Two channels on independent secrets: the Kronecker product, inputs and outputs labelled by pairs."""
    first, second = as_channel(first), as_channel(second)
    return Channel(
        _kronecker(*entries_of(first, second)),
        inputs=[(x, z) for x in first.inputs for z in second.inputs],
        outputs=[(y, z) for y in first.outputs for z in second.outputs],
        tolerance=add_tolerances(first.tolerance, second.tolerance),
    )


def repeated(channel: Channel | Any, times: int, *, ordered: bool = False) -> Channel:
    """The same secret sent t = `times` times, independently, all observables seen.

    The order of the observations is independent of the secret, so by default an output is a multiset of
    observables, labelled by a tuple in the order of this channel's outputs: at most C(m+t-1, t) outputs instead
    of m^t. `ordered=True` keeps all sequences. Those that no secret can cause are left out.
    """
    given, count = as_channel(channel), whole(times, "times")
    matrix, columns = _multiply_often(given.matrix, count, ordered=ordered)
    names = list(given.outputs)
    return Channel(
        matrix,
        inputs=given.inputs,
        outputs=[tuple(names[y] for y in used) for used in columns],
        tolerance=reduce(add_tolerances, repeat(given.tolerance, count)),
    )


def _multiply_rows(a: Any, b: Any) -> tuple[Any, Indices]:
    """The row-wise products a[x,y] b[x,z], and the pairs y * width + z that the columns stand for.

    Pairs that are zero in all rows are left out.
    """
    width = a.shape[1] * b.shape[1]
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        _check_pairs(a.shape[0] * width, labels=width, dense=True)
        matrix = (a[:, :, None] * b[:, None, :]).reshape(a.shape[0], -1)
        pairs = np.flatnonzero(matrix.any(axis=0))
        return matrix if len(pairs) == width else matrix[:, pairs], pairs
    a, b = as_csr(a), as_csr(b)
    entries = int(_lengths(a) @ _lengths(b))
    _check_pairs(entries, labels=min(entries, width))
    return _row_products(a, b)


def _kronecker(a: Any, b: Any) -> Any:
    """The Kronecker product."""
    import scipy.sparse as sp

    labels = a.shape[0] * b.shape[0] + a.shape[1] * b.shape[1]
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        check_size("the product", a.size * b.size, labels=labels, dense=True)
        return np.kron(a, b)
    a, b = as_csr(a), as_csr(b)
    check_size("the product", a.nnz * b.nnz, labels=labels)
    return sp.kron(a, b, format="csc")


def _multiply_often(matrix: Any, times: int, *, ordered: bool) -> tuple[Any, list[tuple[int, ...]]]:
    """The matrix in parallel with itself, `times` times, and the tuple of columns that each column of the result stands
    for: in the order of the uses, or sorted, where columns with the same multiset are merged.
    """
    import scipy.sparse as sp

    _check_times(matrix, times, ordered=ordered)
    m = matrix.shape[1]
    done = matrix
    columns: list[tuple[int, ...]] = [(y,) for y in range(m)]
    for _ in range(times - 1):
        done, pairs = _multiply_rows(done, matrix)
        columns = [(*columns[pair // m], pair % m) for pair in pairs.tolist()]
        if not ordered:
            at: dict[tuple[int, ...], int] = {}
            to = [at.setdefault(tuple(sorted(used)), len(at)) for used in columns]
            done = done @ sp.csc_array((np.ones(len(to)), (np.arange(len(to)), to)), shape=(len(to), len(at)))
            columns = list(at)
    return done, columns


def _row_products(a: sp.csr_array, b: sp.csr_array) -> tuple[sp.csr_array, Indices]:
    """`_multiply_rows` for sparse matrices, in the time to sort the non-zeros of the result."""
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


def _lengths(matrix: Any) -> Indices:
    """The number of non-zeros in each row of a csr matrix, or in each column of a csc matrix."""
    return np.asarray(np.diff(matrix.indptr), dtype=np.int64)


def _check_pairs(entries: int, *, labels: int, dense: bool = False) -> None:
    check_size(
        "both in parallel", entries, labels=labels, dense=dense, remedy=", or measure them unbuilt, by lab.Together"
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
