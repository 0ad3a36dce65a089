"""Matrices from outside, dense or sparse: their conversion, size limits and checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._numbers import exact_decimals
from minleak.core._parameters import is_number, real
from minleak.errors import InvalidChannel, quote

if TYPE_CHECKING:
    import scipy.sparse as sp


# The most memory that one operation may ask for, in bytes: 8 GiB.
MOST = 1 << 33
# Bytes for each entry while a dense or a sparse channel is made, and for each label that is a pair.
DENSE, SPARSE, LABEL = 16, 64, 128


def check_tolerance(tolerance: Any) -> float:
    """A tolerance for floats, checked."""
    return real(tolerance, "the tolerance is a number above 0 and below 1", above=0, below=1)


def too_large(entries: int, *, each: int, labels: int = 0) -> str | None:
    """The size, in words, of entries of `each` bytes and of labels that are pairs, if it is above 8 GiB; else None.

    >>> too_large(10**10, each=16)
    '10,000,000,000 entries, about 149 GiB, where at most 8 GiB are taken'
    """
    size = entries * each + labels * LABEL
    if size <= MOST:
        return None
    if size > 10**30:
        return "more entries than any memory holds"
    return f"{entries:,} entries, about {size / 2**30:,.0f} GiB, where at most {MOST >> 30} GiB are taken"


def check_size(what: str, entries: int, *, labels: int = 0, dense: bool = False, remedy: str = "") -> None:
    """Refuse a composed channel that would not fit into memory; `remedy` says what else can be done."""
    size = too_large(entries, each=DENSE if dense else SPARSE, labels=labels)
    if size is not None:
        raise InvalidChannel(f"{what} would have up to {size}: merge observables or secrets first{remedy}")


def is_sparse(matrix: Any) -> bool:
    """Whether it is a scipy.sparse matrix or array; for numpy and lists scipy is not imported."""
    if isinstance(matrix, np.ndarray | list | tuple):
        return False
    import scipy.sparse as sp

    return bool(sp.issparse(matrix))


def are_rows(starts: npt.NDArray[Any], columns: npt.NDArray[Any], shape: tuple[int, int]) -> bool:
    """Whether two arrays are the indptr and indices of a csr matrix of that shape. scipy reads out of bounds if they
    are not, so arrays from a file must be checked first.
    """
    n, m = shape
    if not (starts.dtype.kind == columns.dtype.kind == "i" and starts.ndim == columns.ndim == 1):
        return False
    if len(starts) != n + 1 or starts[0] != 0 or starts[-1] != len(columns) or (starts[1:] < starts[:-1]).any():
        return False
    return not len(columns) or bool(columns.min() >= 0 and columns.max() < m)


def as_csc(matrix: Any) -> sp.csc_array:
    """A csc copy without stored zeros."""
    import scipy.sparse as sp

    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidChannel(f"a channel has rows and columns, not shape {matrix.shape}")
    if matrix.dtype.kind not in "iuf":
        raise InvalidChannel(f"a sparse channel holds numbers, not {matrix.dtype}")
    csc = sp.csc_array(matrix, dtype=np.float64, copy=True)
    csc.sum_duplicates()
    csc.eliminate_zeros()
    return csc


def as_csr(matrix: Any) -> sp.csr_array:
    """The matrix as csr."""
    import scipy.sparse as sp

    return sp.csr_array(matrix)


def as_dense(matrix: Any) -> tuple[Array, npt.NDArray[Any] | None]:
    """The entries as float64, and as Fractions if they were given exactly."""
    _check_masks(matrix)
    try:
        given = np.asarray(matrix)
    except ValueError:
        raise InvalidChannel("the rows of the matrix are not of one length") from None
    if given.ndim != 2 or 0 in given.shape:
        raise InvalidChannel(f"a channel has rows and columns, not shape {given.shape}")
    if given.dtype.kind in "iuf":
        return np.array(given, dtype=np.float64, order="C"), None
    given = np.array(matrix, dtype=object)  # the types of the entries decide
    if any(isinstance(value, Decimal) for value in given.flat):
        given[...] = np.array(exact_decimals(given.flat), dtype=object).reshape(given.shape)
    for (x, y), value in np.ndenumerate(given):
        if not is_number(value):
            raise InvalidChannel(
                f"the entry at row {x}, column {y} is a {type(value).__name__}: give floats, integers or Fractions"
            )
    try:
        floats = given.astype(np.float64)
    except OverflowError:
        raise InvalidChannel("an entry of the channel is far above 1: rows hold p(y given x)") from None
    if all(isinstance(value, int | np.integer | Fraction) for value in given.flat):
        return floats, np.vectorize(lambda value: Fraction(value), otypes=[object])(given)
    return floats, None


def _check_masks(matrix: Any) -> None:
    """Refuse masked entries of numpy.ma, in the matrix or in one of its rows."""
    several = isinstance(matrix, list | tuple) or (isinstance(matrix, np.ma.MaskedArray) and matrix.ndim > 0)
    for x, row in enumerate(matrix if several else ()):
        if isinstance(row, list | tuple | np.ma.MaskedArray) and getattr(row, "ndim", 1) == 1:
            y = next((y for y, entry in enumerate(row) if entry is np.ma.masked), None)
            if y is not None:
                raise InvalidChannel(f"the entry at row {x}, column {y} is masked: fill it in")


def random_support(n: int, m: int, cap: int, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """A random support with an entry in each row and at most `cap` in each column (m * cap >= n)."""
    allowed = np.zeros((n, m), dtype=bool)
    places = np.repeat(np.arange(m), min(cap, n))
    home = rng.permutation(m * min(cap, n))[:n] if cap < n else rng.integers(0, m * n, n)
    allowed[np.arange(n), places[home]] = True
    for y in range(m):
        free = np.flatnonzero(~allowed[:, y])
        allowed[rng.permutation(free)[: cap - int(allowed[:, y].sum())], y] = True
    return allowed


def check_entries(matrix: Any, row: Callable[[int], str], column: Callable[[int], str]) -> None:
    """Refuse an entry that is not a probability. `row` and `column` name its place in messages."""
    is_dense = isinstance(matrix, np.ndarray)
    entries = matrix if is_dense else matrix.data
    if entries.min(initial=0.0) >= 0 and entries.max(initial=0.0) < math.inf:  # NaN fails
        return
    at = int(np.argmin((entries >= 0) & (entries < math.inf)))
    if is_dense:
        x, y = divmod(at, matrix.shape[1])
    else:
        x, y = int(matrix.indices[at]), int(np.searchsorted(matrix.indptr, at, side="right") - 1)
    raise InvalidChannel(
        f"the entry at {row(x)}, {column(y)} is {entries.flat[at]}: probabilities must be finite and not negative"
    )


def check_sums(matrix: Any, tolerance: float, row: Callable[[int], str]) -> None:
    """Refuse rows that do not sum to one: exactly for Fractions, within the tolerance for floats."""
    sums: Any
    if matrix.dtype == object:
        sums, tolerance = [sum(entries) for entries in matrix.tolist()], 0.0
        worst = max(range(len(sums)), key=lambda x: abs(sums[x] - 1))
    else:
        with np.errstate(over="ignore"):  # a sum may be infinite
            sums = np.asarray(matrix.sum(axis=1))
        worst = int(np.argmax(np.abs(sums - 1.0)))
    if not abs(sums[worst] - 1) <= tolerance:
        raise InvalidChannel(
            f"{row(worst)} sums to {quote(sums[worst])}, not to 1 (the worst of {len(sums)} rows; {tolerance:g} is "
            "tolerated): rows are secrets and hold p(y given x), so divide counts by their row's sum"
        )
