"""What an attacker sees of a joint: the columns G J[:,y], as an affine map of the free entries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minleak.design.constrained.problem import Problem
from minleak.entropy.cores.grouped import Array, Grouped, Indices
from minleak.errors import InvalidParameter


@dataclass(frozen=True, eq=False)
class Seen:
    """The vector v = K z + k of entries of G J, column by column, z the problem's free entries.

    `matrix` None stands for the identity (then `constant` is zero): no gains, and nothing settled.
    """

    matrix: Any
    constant: Array
    columns: Indices

    @cached_property
    def by(self) -> Grouped:
        """The entries by columns."""
        return Grouped(self.columns)

    def of(self, z: Array) -> Array:
        """v, where rounding must not make it negative."""
        return z if self.matrix is None else np.maximum(self.matrix @ z + self.constant, 0.0)

    def pulled(self, S: Array) -> Array:
        """K^T S: a plane in v as one in z."""
        return S if self.matrix is None else np.asarray(self.matrix.T @ S)


def seen_through(problem: Problem, gain: Any = None) -> Seen:
    """What is seen through a gain matrix, a vector for a diagonal one, or None."""
    import scipy.sparse as sp

    if gain is None and not len(problem.settled):
        return Seen(None, np.zeros(len(problem.rows)), problem.columns)
    n = problem.shape[0]
    if gain is not None and gain.shape[-1] != n:
        raise InvalidParameter(
            f"the gains are for {gain.shape[-1]} secrets, and there are {n}: G has one column for each secret"
        )
    gains = sp.csc_array(sp.diags_array(np.ones(n) if gain is None else gain) if _is_vector(gain) else gain)
    gains.eliminate_zeros()
    rows = np.concatenate([problem.rows, problem.settled_rows])
    columns = np.concatenate([problem.columns, problem.settled_columns])
    # A pair (x, y) reaches the entries (w, y) with G[w, x] > 0.
    reached = np.diff(gains.indptr)[rows]
    pair = np.repeat(np.arange(len(rows)), reached)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(reached) - reached, reached)
    at = gains.indptr[rows][pair] + within
    key = columns[pair].astype(np.int64) * gains.shape[0] + gains.indices[at]
    entries, place = np.unique(key, return_inverse=True)
    whole = sp.csr_array((gains.data[at], (place, pair)), shape=(len(entries), len(rows)))
    free = len(problem.rows)
    if not len(entries):
        raise InvalidParameter("every gain meets a secret of probability zero: nothing would be worth hiding")
    return Seen(whole[:, :free].tocsr(), np.asarray(whole[:, free:] @ problem.settled), entries // gains.shape[0])


def _is_vector(gain: Any) -> bool:
    return gain is None or gain.ndim == 1
