"""Factoring sparse channels: only columns of A whose secrets all cause a column of B can become part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minleak.core._matrices import SPARSE, too_large
from minleak.errors import InvalidChannel
from minleak.lab._orders import gains

# How many columns are tried for a witness of two guesses.
_TRIED = 50


def factorise(A: Any, B: Any, tolerance: float) -> tuple[Any, Any]:
    """(R, None) or (None, gains) by one linear programme over the pairs of columns that can be used; (None, None) where
    rounding does not let it tell.

    min sum(U + V) with A R + U - V = B on the non-zeros of B, and R 1 = 1 with R, U, V >= 0.
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    A, B = sp.csc_array(A), sp.csc_array(B)
    (n, m), k = A.shape, B.shape[1]
    met = ((A != 0).astype(np.int64).T @ (B != 0).astype(np.int64)).tocoo()
    inside = met.data == np.diff(A.indptr)[met.coords[0]]
    i, j = met.coords[0][inside], met.coords[1][inside]
    size = too_large(int(np.diff(A.indptr)[i].sum()), each=SPARSE)
    if size is not None:
        raise InvalidChannel(f"what would have to be compared has {size}: merge observables first")
    # Rows of the programme: the non-zeros of B, in the order of their columns, and one for each column of A.
    B.sort_indices()
    place = np.repeat(np.arange(k), np.diff(B.indptr)) * n + B.indices
    length = np.diff(A.indptr)[i]
    pair = np.repeat(np.arange(len(i)), length)
    entry = np.arange(len(pair)) - np.repeat(np.cumsum(length) - length, length) + np.repeat(A.indptr[i], length)
    rows = np.searchsorted(place, j[pair].astype(np.int64) * n + A.indices[entry])
    uses = sp.csc_array((A.data[entry], (rows, pair)), shape=(B.nnz, len(i)))
    sums = sp.csc_array((np.ones(len(i)), (i, np.arange(len(i)))), shape=(m, len(i)))
    one, none = sp.eye_array(B.nnz), sp.csc_array((m, 2 * B.nnz))
    found = linprog(
        np.concatenate([np.zeros(len(i)), np.ones(2 * B.nnz)]),
        A_eq=sp.vstack([sp.hstack([uses, one, -one]), sp.hstack([sums, none])], format="csc"),
        b_eq=np.concatenate([B.data, np.ones(m)]),
        bounds=(0, None),
        method="highs",
    )
    # A column of A that fits nowhere makes the programme infeasible: all it may become has a secret that B lacks.
    if found.status == 0 and np.abs(found.x[len(i) :]).max(initial=0.0) <= tolerance:
        R = sp.csc_array((np.maximum(found.x[: len(i)], 0), (i, j)), shape=(m, k))
        R = sp.csc_array(R.multiply(1 / R.sum(axis=1)[:, None]))
        if abs(A @ R - B).max() <= tolerance:
            return R, None
    slack = np.ones(B.nnz) if found.status else found.x[len(i) : len(i) + B.nnz] + found.x[len(i) + B.nnz :]
    worst = np.argsort(-np.add.reduceat(slack, B.indptr[:-1]), kind="stable")[:_TRIED]
    gain = by_columns(A, B, worst, tolerance, gains.difference(A, B))
    if gain is not None:
        return None, gain
    if found.status == 0:
        prices = sp.csc_array((found.eqlin.marginals[: B.nnz], B.indices, B.indptr), shape=B.shape)
        gain = _separating_gains(A, B, prices, found.eqlin.marginals[B.nnz :])
    else:
        gain = _homeless_gains(A, B)
    return None, gain


def by_columns(A: Any, B: Any, order: Any, tolerance: float, earns: Callable[[Any], Any]) -> Any:
    """Gains with two guesses from the first of these columns of B that no weights reach; None if all are reached.

    The first guess is what is left of the column on its secrets, so much more than elsewhere that columns of A which
    are elsewhere too lose by it; the second is the same for all secrets.
    """
    from scipy.optimize import nnls

    rows, mass = A.tocsr(), np.asarray(A.sum(axis=0))
    for j in order:
        inside = B.indices[B.indptr[j] : B.indptr[j + 1]]
        b = B.data[B.indptr[j] : B.indptr[j + 1]]
        part = rows[inside].tocsc()
        met = np.flatnonzero(np.diff(part.indptr))
        part = part[:, met].toarray()
        share = part.sum(axis=0) / mass[met]
        whole = share >= 1 - 1e-15
        left = b - part[:, whole] @ nnls(part[:, whole], b)[0] if whole.any() else b
        if np.abs(left).max() <= tolerance:
            continue
        left = left / np.abs(left).max()
        over = np.maximum(left @ part[:, ~whole], 0) / mass[met][~whole]
        high = 1 + float((over / (1 - share[~whole])).max(initial=0.0))
        gain = np.zeros((2, A.shape[0]))
        gain[0, inside], gain[1] = left + high, high
        gain = gains.readable(gain, earns)
        if gain is not None:
            return gain
    return None


def _separating_gains(A: Any, B: Any, prices: Any, shadow: Any) -> Any:
    """Gains from the duals: a guess for each column of B, of gain zero outside its secrets, so large inside that what
    a column of A loses outside outweighs what it gains.
    """
    import scipy.sparse as sp

    on = (B != 0).astype(np.float64)
    mass = np.asarray(A.sum(axis=0))
    both = (A.T @ (on + 1j * prices)).tocoo()  # what of a column of A is inside, and what it earns there
    i = both.coords[0]
    outside = 1 - both.data.real / mass[i]
    over = (both.data.imag + shadow[i]) / mass[i]
    beyond = (outside > 1e-15) & (over > 0)
    high = max(1.0, float((over[beyond] / outside[beyond]).max(initial=0.0)), float((shadow / mass).max(initial=0.0)))
    gain = sp.csr_array((prices + high * on).T)
    best = gain @ B
    used = np.unique(np.asarray(best.argmax(axis=0)).ravel())
    gain = gain[used] / gain.max()
    return gain if gains.difference(A, B)(gain) > 1e-12 else None


def _homeless_gains(A: Any, B: Any) -> Any:
    """Gains against a column of A that fits into no column of B: a guess for each column of B, right on its secrets."""
    import scipy.sparse as sp

    gain = sp.csr_array((B != 0).astype(np.float64).T)
    return gain if gains.difference(A, B)(gain) > 1e-12 else None
