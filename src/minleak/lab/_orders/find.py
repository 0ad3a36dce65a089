"""Whether A R = B for a stochastic R: yes with R, no with gains of which B earns more than A, whatever R is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._matrices import is_sparse
from minleak.core._threads import one_thread
from minleak.errors import SolverFailed
from minleak.lab import _exact
from minleak.lab._hyper import group_columns, group_shares, merge_columns
from minleak.lab._orders import gains, programme, sparse

# Matrices with at most so many entries, and programmes with at most so many, are worked on densely.
_DENSE = 4_000_000
# Dense programmes with at most so many entries are also solved by the simplex method, where the other is not sure.
_SIMPLEX = 1_000_000
# Singular values this much smaller than the largest count as zero.
_RANK = 1e-10


class Found(NamedTuple):
    """R (m x k) or gains (guesses as rows), dense or sparse; Fractions where they are exact. The other is None, and
    both where rounding leaves it open.
    """

    R: Any = None
    gain: Any = None

    @property
    def decided(self) -> bool:
        """Whether it is one or the other."""
        return self.R is not None or self.gain is not None


@one_thread()
def factorise(A: Any, B: Any, *, tolerance: float) -> Found:
    """R with A R = B: exact for matrices of Fractions, else within the tolerance in every entry.

    Proportional columns count as one. If the columns of A are independent then R is unique; else it is found by
    a linear programme, and moved onto the equations.
    """
    R = None if A.dtype == object else _solution(A, B)
    if R is not None:
        R = _make_stochastic(R)
        if _apart(A @ R, B) <= tolerance:
            return Found(R)
    of_a, of_b = group_columns(A), group_columns(B)
    less_a, less_b = merge_columns(A, of_a), merge_columns(B, of_b)
    if A.dtype == object:
        found = _factorise_exactly(less_a, less_b, tolerance)
    elif _fits(less_a, less_b):
        a, b = (x if isinstance(x, np.ndarray) else x.toarray() for x in (less_a, less_b))
        found = _dense(a, b, tolerance)
        if found.gain is not None:
            found = Found(gain=gains.readable(found.gain, gains.difference(a, b)))
        if not found.decided and a.size * b.shape[1] <= _SIMPLEX:
            R, gain = sparse.factorise(a, b, tolerance)
            found = Found(*(x.toarray() if is_sparse(x) else x for x in (R, gain)))
    else:
        found = Found(*sparse.factorise(less_a, less_b, tolerance))
    if not found.decided:
        raise SolverFailed(
            "the channels are too close to tell whether one is refined by the other: "
            "give a larger tolerance, or Fractions"
        )
    if found.R is None or (less_a is A and less_b is B):
        return found
    return Found(_spread_back(found.R, B, of_a, of_b))


@one_thread()
def in_cone(A: Any, B: Any, *, tolerance: float) -> Any:
    """None if every column of B is a sum of columns of A with weights that are not negative; else gains that earn
    nothing on any column of A and something on one of B.
    """
    R = _solution(A, B)
    if R is not None and _apart(A @ np.maximum(R, 0), B) <= tolerance:
        return None
    a, b = (merge_columns(x, group_columns(x)) for x in (A, B))
    earns = gains.largest(a, b)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        R, _ = _solve_nearly(a, b)
        left = np.abs(a @ np.maximum(R, 0) - b).max(axis=0)
        gain = _by_columns(a, b, np.flatnonzero(left > tolerance).tolist(), tolerance, earns)
        return None if gain is None else gains.readable(gain, earns)
    import scipy.sparse as sp

    return sparse.by_columns(sp.csc_array(a), sp.csc_array(b), range(b.shape[1]), tolerance, earns)


def _fits(A: Any, B: Any) -> bool:
    (n, m), k = A.shape, B.shape[1]
    return bool(n * max(m, k) <= _DENSE and m * k <= _DENSE and (isinstance(A, np.ndarray) or m * k <= 20_000))


def _dense(A: Array, B: Array, tolerance: float) -> Found:
    R, independent = _solve_nearly(A, B)
    if independent:
        R = _make_stochastic(R)
        error = np.abs(A @ R - B).max(axis=0)
        if error.max() <= tolerance:
            return Found(R)
        gain = _by_columns(A, B, np.argsort(-error)[:12].tolist(), tolerance, gains.difference(A, B))
        if gain is not None:
            return Found(gain=gain)
    near = programme.closest(A, B, enough=0.1 * tolerance)
    error = np.abs(A @ near.R - B).max(axis=0)
    if error.max() <= tolerance:
        return Found(near.R)
    gain = _by_columns(A, B, np.argsort(-error)[:12].tolist(), tolerance, gains.difference(A, B))
    return Found(gain=near.G.T if gain is None else gain)


def _solve_nearly(A: Array, B: Array) -> tuple[Array, bool]:
    """R with A R closest to B, but for rounding, and whether it is the only one."""
    R = _solution(A, B)
    if R is not None:
        return R, True
    closest, _, _, values = np.linalg.lstsq(A, B, rcond=None)
    R = np.asarray(closest, dtype=np.float64)
    return R, bool(len(values) == A.shape[1] and values[-1] > _RANK * values[0])


def _solution(A: Any, B: Any) -> Array | None:
    """The only R with A R = B, but for rounding; None where A is not square and dense, or close to singular."""
    if A.shape[0] != A.shape[1] or not (isinstance(A, np.ndarray) and isinstance(B, np.ndarray)):
        return None
    from scipy.linalg.lapack import dgesv  # numpy's `solve` takes a fifth longer at 100 x 100, and four times at 3 x 3

    *_, by_columns, singular = dgesv(A, B)
    R = np.ascontiguousarray(by_columns)
    # Rows of A and B sum to one, and so do those of R; what does not, or is larger, is rounding, or nearly.
    if singular or not size_of(R) < 1e-3 / _RANK or not size_of(R.sum(axis=1) - 1) < 0.5:
        return None
    return R


def _apart(product: Array, B: Array) -> float:
    """How far the product is from B in any entry; its memory is used."""
    product -= B
    return size_of(product)


def _make_stochastic(R: Array) -> Array:
    """R without what rounding took below zero, its rows of sum one."""
    if R.item(R.argmin()) < 0:
        R = np.maximum(R, 0)
    return np.asarray(R / R.sum(axis=1)[:, None])


def _by_columns(A: Array, B: Array, order: Any, tolerance: float, earns: Callable[[Any], Any]) -> Array | None:
    """Gains with two guesses from the columns of B that no weights reach: what is left of one, and nothing.

    What the closest point of a cone leaves of b earns nothing on the cone and |h|^2 on b.
    """
    from scipy.optimize import nnls

    best, most = None, 0.0
    for j in order:
        try:
            left = B[:, j] - A @ nnls(A, B[:, j])[0]
        except RuntimeError:  # too many steps; the others may do
            continue
        if np.abs(left).max() > tolerance:
            gain = np.stack([left, np.zeros(len(left))]) / np.abs(left).max()
            earned = float(earns(gain))
            if earned > most:
                best, most = gain, earned
    return best


def _factorise_exactly(A: Any, B: Any, tolerance: float) -> Found:
    earns = gains.difference(A, B)
    guess = _dense(A.astype(np.float64), B.astype(np.float64), tolerance)
    if guess.gain is not None:
        gain = gains.readable(guess.gain, earns, exact=True)
        if gain is not None:
            return Found(gain=gain)
        guess = Found(programme.closest(A.astype(np.float64), B.astype(np.float64), enough=0.0).R)
    rows, columns = _choose_independent(A.astype(np.float64), guess.R)
    M = A[np.ix_(rows, columns)]
    unique = len(columns) == A.shape[1]
    R = np.full(guess.R.shape, Fraction(0), dtype=object) if unique else _round(guess.R)
    moved = _exact.solve(M, (B if unique else B - _exact.product(A, R))[rows])
    if moved is not None:
        R[columns] += moved
        off = _exact.product(A, R) - B
        if not off.any() and min(R.flat) >= 0:
            return Found(R)
        if unique:
            return Found(gain=gains.readable(_separating_gains(A, M, (rows, columns), R, off), earns, exact=True))
    found, gain = _exact.stochastic(A, B)
    if found is None and gain is None:
        raise SolverFailed(
            f"channels of {A.shape[1]} and {B.shape[1]} observables are too large to be compared exactly where the "
            "first one's columns depend on each other: give floats"
        )
    return Found(found) if gain is None else Found(gain=gains.readable(gain.T, earns, exact=True))


def _choose_independent(A: Array, R: Array) -> tuple[list[int], list[int]]:
    """Rows and columns of A that make an invertible matrix of full rank; the columns whose rows of R have most room."""
    from scipy.linalg import qr

    _, upper, order = qr(A * np.maximum(R.min(axis=1), 1e-9), mode="economic", pivoting=True)
    sizes = np.abs(np.diagonal(upper))
    columns = order[: int((sizes > _RANK * sizes[0]).sum())]
    _, _, rows = qr(A[:, columns].T, mode="economic", pivoting=True)
    return rows[: len(columns)].tolist(), columns.tolist()


def _round(R: Array) -> npt.NDArray[Any]:
    """R in multiples of 2^-40, rows of sum one."""
    units = np.floor(R * 2**40).astype(np.int64)
    units[np.arange(len(R)), R.argmax(axis=1)] += 2**40 - units.sum(axis=1)
    return np.array([[Fraction(v, 2**40) for v in row] for row in units.tolist()], dtype=object)


def _separating_gains(A: Any, M: Any, at: tuple[list[int], list[int]], R: Any, off: Any) -> npt.NDArray[Any]:
    """Exact gains for independent columns: against a negative entry of the only R, or a row that it does not meet."""
    rows, columns = at
    h = np.full(len(A), Fraction(0), dtype=object)
    wrong = next(((x, j) for (x, j), value in np.ndenumerate(off) if value), None)
    if wrong is None:
        i, _ = min(np.ndindex(R.shape), key=lambda entry: R[entry])
        wanted = [Fraction(-1) if column == i else Fraction(0) for column in columns]
    else:
        x, j = wrong
        wanted = [-value for value in A[x, columns]]
        h[x] = Fraction(1)
    solved: Any = _exact.solve(M.T, np.array(wanted, dtype=object)[:, None])
    h[rows] = solved[:, 0]
    if wrong is not None and off[x, j] > 0:
        h = -h
    return np.stack([h, np.full(len(A), Fraction(0), dtype=object)])


def _spread_back(R: Any, B: Any, of_a: Any, of_b: Any) -> Any:
    """R between all columns: those that are one go the same way, and those that never occur to the first."""
    shares, empty = group_shares(B, of_b), np.flatnonzero(of_a < 0)
    if isinstance(R, np.ndarray):
        full = R[of_a][:, of_b] * shares
        full[empty] = full.flat[0] * 0
        full[empty, 0] += 1
        return full
    import scipy.sparse as sp

    full = sp.lil_array(R.tocsr()[of_a][:, of_b] @ sp.diags_array(shares))
    full[empty] = 0
    full[empty, 0] = 1
    return full.tocsc()


def size_of(v: Array) -> float:
    """The largest |entry|; NaN if there is one."""
    return float(np.abs(v).max())
