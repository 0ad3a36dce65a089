"""Core: the concave, homogeneous function U of an entropy whose sum over the columns the designer maximises.

H(X|Y) is an increasing function of sum over y of U(J[:,y]) for every entropy of the library. Where the paper's F is
convex and eta decreasing, U = (Fhat(v) - |v|_1)/c with the negative exponent c reverses both; near order 1 the same
form keeps the digits that eta(sum Fhat) loses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.lab._packages import package

# Relative step of differences.
_DIFFERENCE = 1e-6


class Grouped:
    """The column of each entry; entries of one column are consecutive, and no column is empty.

    >>> by = Grouped(np.array([0, 0, 2]))
    >>> by.sum(np.array([1.0, 2.0, 4.0])), by.of.tolist()
    (array([3., 4.]), [0, 0, 1])
    """

    def __init__(self, columns: Indices) -> None:
        begins = np.flatnonzero(np.diff(columns, prepend=-1))
        self.starts: Indices = begins.astype(np.int64)
        self.sizes: Indices = np.diff(begins, append=len(columns)).astype(np.int64)
        self.of: Indices = np.repeat(np.arange(len(begins)), self.sizes)

    def __len__(self) -> int:
        """The number of columns."""
        return len(self.starts)

    @property
    def n_entries(self) -> int:
        """The number of entries."""
        return len(self.of)

    def sum(self, values: Array) -> Array:
        """The sum of each column."""
        return np.asarray(np.add.reduceat(values, self.starts))

    def max(self, values: Array) -> Array:
        """The largest entry of each column."""
        return np.asarray(np.maximum.reduceat(values, self.starts))

    def min(self, values: Array) -> Array:
        """The least entry of each column."""
        return np.asarray(np.minimum.reduceat(values, self.starts))

    def ascending(self, values: Array) -> tuple[Array, Indices]:
        """The entries sorted within each column, and the place 1, 2, ... of each."""
        order = np.lexsort((values, self.of))
        return values[order], self.places

    @cached_property
    def places(self) -> Indices:
        """1, 2, ... within each column."""
        return np.arange(self.n_entries) - np.repeat(self.starts, self.sizes) + 1

    def running_sum(self, values: Array) -> Array:
        """Sums of the first 1, 2, ... entries of each column."""
        total = np.cumsum(values)
        before = total[self.starts] - values[self.starts]
        return np.asarray(total - before[self.of])

    @cached_property
    def selection(self) -> Any:
        """The sparse matrix E of shape (entries, columns) with E s = s[of]; E^T v are the columns' sums."""
        import scipy.sparse as sp

        return sp.csr_array((np.ones(self.n_entries), self.of, np.arange(self.n_entries + 1)))


@dataclass(frozen=True)
class Hypograph:
    """A concave cvxpy expression whose largest value under the constraints is the sum of U."""

    total: Any
    constraints: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Polyhedron:
    """sum of U = max over aux >= 0 of  on_entries . v + on_aux . aux  with  rows_v v + rows_aux aux <= 0."""

    on_entries: Array
    on_aux: Array
    rows_v: Any
    rows_aux: Any


class AttackerPart(NamedTuple):
    """An attacker's strategy: the `kind` of its numbers, one for each entry, and the result they are `promised`."""

    kind: str
    strategy: Array
    promised: float


class Core(ABC):
    """A concave function U of non-negative columns with U(tv) = t U(v), U(0) = 0."""

    #: There is a `polyhedron`, so the design problem is a linear programme. Else there is a `gradient_at`.
    linear: bool = False

    #: The gradient is infinite at zero entries, so the optimum uses every pair that it may.
    steep: bool = False

    #: U is Shannon's, whose optimum under a budget is a rate-distortion function.
    shannon: bool = False

    #: U is the chance that one guess is wrong.
    one_guess: bool = False

    @abstractmethod
    def values(self, v: Array, by: Grouped) -> Array:
        """U of each column."""

    @abstractmethod
    def majorant(self, a: Array, by: Grouped) -> Array:
        """A plane above U near `a`: entries S with U(v) <= <S, v> for all v >= 0, for any `a`.

        For optimal dual variables `a`, S - a is constant in each column and at most zero.
        """

    @abstractmethod
    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        """The sum of U over the columns of a cvxpy vector v >= 0, for a conic solver."""

    def polyhedron(self, by: Grouped) -> Polyhedron:
        """The sum of U as linear inequalities, where `linear`."""
        raise NotImplementedError

    def gradient_at(self, v: Array, by: Grouped) -> Array:
        """The gradient of U at v > 0, where not `linear`."""
        raise NotImplementedError

    def hessian_at(self, v: Array, by: Grouped) -> Array:
        """The second derivatives of the sum of U at v > 0, by differences of the gradient."""
        hessian = np.zeros((len(v), len(v)))
        for place in range(1, int(by.sizes.max()) + 1):  # the place-th entry of every column at once
            change = np.where(by.places == place, _DIFFERENCE * v, 0.0)
            rise = (self.gradient_at(v + change, by) - self.gradient_at(v - change, by)) / 2
            moved = np.where(by.sizes >= place, by.starts + place - 1, -1)[by.of]
            rows = np.flatnonzero(moved >= 0)
            hessian[rows, moved[rows]] = rise[rows] / change[moved[rows]]
        return hessian

    def attacker(self, plane: Array, bound: float) -> AttackerPart | None:  # noqa: ARG002
        """The strategy of the attacker whom U stands for, if there is one: `plane` is their loss at each entry, and
        `bound` their largest loss in all.
        """
        return None

    def easier(self) -> Core | None:
        """A nearby core that is easier to solve, as a start for Newton's method."""
        return None


class Linear(Core):
    """A core that is linear on each order of the entries, hence given by level(j) := U(1/j, ..., 1/j, 0, ...).

    The corners of the sorted simplex are the uniform vectors on j places, so U(q) <= <a, q> + delta on all of it iff
    delta >= level(j) - mean of the j least a, for every j.
    """

    linear = True

    @abstractmethod
    def level(self, j: Indices) -> Array:
        """U of the uniform distribution on j secrets."""

    def majorant(self, a: Array, by: Grouped) -> Array:
        least, j = by.ascending(a)
        delta = by.max(self.level(j) - by.running_sum(least) / j)
        return np.asarray(a + delta[by.of])

    def hypograph(self, v: Any, by: Grouped) -> Hypograph:
        cp = cvxpy()
        form = self.polyhedron(by)
        aux = cp.Variable(len(form.on_aux), nonneg=True)
        return Hypograph(form.on_entries @ v + form.on_aux @ aux, [form.rows_v @ v + form.rows_aux @ aux <= 0])


def cvxpy() -> Any:
    """Import cvxpy with Clarabel, or raise an error that says how to install them."""
    package("clarabel")
    return package("cvxpy")
