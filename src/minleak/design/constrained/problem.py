"""Problem: raw masks, costs, budgets and partial channels, checked and brought into one form."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.channel import Channel
from minleak.design.constrained.grouped import Array, Indices
from minleak.errors import Infeasible, InvalidParameter
from minleak.labels import Labels, named
from minleak.matrices import is_number, is_sparse
from minleak.prior import Prior, as_prior

# A row of a partial channel may pass one by this much, as a channel's may.
_ROUNDING = 1e-9
# A budget with no more than this to spare, relative to the least cost, is the least cost.
_SPARE = 1e-12
# Costs that exceed the usual one by more than two to this set the scale themselves.
_SPREAD = 300


@dataclass(frozen=True, eq=False)
class Problem:
    """Over joints J >= 0 with row sums p, zero outside the allowed pairs, some entries settled, <cost_i, J> <= b_i.

    The unknowns z are the entries J[x,y] of the free pairs (`rows`, `columns`), column by column; `left[x]` is what
    they must sum to in row x. Settled entries J[x,y] = p_x C[x,y] are `settled`, at `settled_rows`, `settled_columns`.
    `budgets` is what is left of them for the free pairs. `allowed` and `partial` are as they were given.

    Cost i and its budget are divided by `scales[i]`, a power of two that makes the usual cost about 1, so that
    tolerances mean the same in every unit; prices are per scaled unit.
    """

    prior: Prior
    outputs: Labels
    rows: Indices
    columns: Indices
    left: Array
    costs: tuple[Array, ...]
    budgets: tuple[float, ...]
    settled_rows: Indices
    settled_columns: Indices
    settled: Array
    settled_costs: tuple[float, ...]
    scales: tuple[float, ...]
    allowed: npt.NDArray[np.bool_]
    partial: Array | None

    @property
    def shape(self) -> tuple[int, int]:
        """(number of secrets, number of observables)."""
        return len(self.prior), len(self.outputs)

    @cached_property
    def _by_row(self) -> tuple[Indices, Indices, Indices]:
        order = np.argsort(self.rows, kind="stable")
        present, starts = np.unique(self.rows[order], return_index=True)
        return order, present, starts

    def row_best(self, values: Array) -> Array:
        """The largest of the free pairs' values in each row; 0 where a row has none."""
        order, present, starts = self._by_row
        best = np.zeros(len(self.left))
        if len(order):
            best[present] = np.maximum.reduceat(values[order], starts)
        return best

    @cached_property
    def summing(self) -> Any:
        """The sparse matrix that takes z to the sums of its rows."""
        import scipy.sparse as sp

        pairs = len(self.rows)
        return sp.csr_array((np.ones(pairs), (self.rows, np.arange(pairs))), shape=(len(self.left), pairs))

    def row_scaled(self, z: Array) -> Array:
        """z >= 0 with every row multiplied to sum to what it must; rows of zeros stay."""
        sums = np.bincount(self.rows, weights=z, minlength=len(self.left))
        return np.asarray(z * np.divide(self.left, sums, out=np.zeros_like(sums), where=sums > 0)[self.rows])

    def cheapest(self, i: int) -> Array:
        """The joint that puts each row where cost i is least; in its first pair if there are no costs."""
        cost = self.costs[i] if self.costs else np.zeros(len(self.rows))
        order = np.lexsort((cost, self.rows))
        first = order[np.unique(self.rows[order], return_index=True)[1]]
        z = np.zeros(len(self.rows))
        z[first] = self.left[self.rows[first]]
        return z

    def grain(self, i: int) -> float:
        """The least positive size of cost i; 1 if there is none. Differences far below it are rounding."""
        sizes = np.abs(self.costs[i])
        return float(sizes[sizes > 0].min(initial=1.0))

    def scaled(self, i: int, budget: float) -> float:
        """A budget for cost i in the scaled unit; one that cannot bind is kept small."""
        if budget == math.inf:
            return budget
        largest = float(np.abs(self.costs[i]).max(initial=1.0))
        return min(budget / self.scales[i], 2 * largest + abs(self.settled_costs[i]))

    def spent(self, z: Array) -> tuple[float, ...]:
        """The expected costs, settled entries included, in the units that they were given in."""
        return tuple(
            (float(cost @ z) + settled) * scale
            for cost, settled, scale in zip(self.costs, self.settled_costs, self.scales, strict=True)
        )

    def least_costs(self) -> tuple[float, ...]:
        """The least expected cost that any channel can have, for each cost alone; scaled."""
        return tuple(
            settled - float(self.left @ self.row_best(-cost))
            for cost, settled in zip(self.costs, self.settled_costs, strict=True)
        )

    def with_budgets(self, budgets: Sequence[float]) -> Problem:
        """The same under other budgets (for the whole, settled entries included; scaled)."""
        left = tuple(b - s for b, s in zip(budgets, self.settled_costs, strict=True))
        return replace(self, budgets=left)

    def unaffordable(self) -> npt.NDArray[np.bool_]:
        """Where the only budget is just the least cost: the pairs that cost more than the cheapest of their row, which
        no feasible channel uses.
        """
        none = np.zeros(len(self.rows), dtype=bool)
        if len(self.budgets) != 1:
            return none
        cost = self.costs[0]
        cheapest = -self.row_best(-cost)
        least = float(self.left @ cheapest)
        grain = self.grain(0)
        if self.budgets[0] - least > _SPARE * max(grain, abs(least)):
            return none
        at = cheapest[self.rows]
        return np.asarray(cost > at + _SPARE * np.maximum(grain, np.abs(at)))

    def channel(self, z: Array) -> Channel:
        """The channel of the free entries z and the settled ones; impossible secrets go where most others go."""
        n, m = self.shape
        p = self.prior.p
        matrix = np.zeros((n, m)) if self.partial is None else np.nan_to_num(self.partial)
        matrix[self.rows, self.columns] = z / p[self.rows]
        free = self.allowed if self.partial is None else self.allowed & np.isnan(self.partial)
        popular = p @ matrix
        for x in np.flatnonzero(p == 0):
            if free[x].any():
                y = int(np.argmax(np.where(free[x], popular, -1.0)))
                matrix[x, y] = max(1 - float(matrix[x].sum()), 0.0)
        return Channel(matrix, inputs=self.prior.labels, outputs=self.outputs)

    def on(self, kept: npt.NDArray[np.bool_]) -> Problem:
        """The same with only those of the free pairs."""
        return replace(
            self, rows=self.rows[kept], columns=self.columns[kept], costs=tuple(cost[kept] for cost in self.costs)
        )


def as_problem(
    prior: Prior | Iterable[Any],
    *,
    allowed: Any = None,
    cost: Any = None,
    budget: Any = None,
    fixed: Any = None,
    outputs: Iterable[Hashable] | None = None,
) -> Problem:
    """Check raw input and bring it into one form; an empty row of it, or one that does not fit, is named."""
    prior = as_prior(prior)
    n = len(prior)
    costs, budgets = _costs(cost, budget, n)
    partial = None if fixed is None else _matrix(fixed, n, "the fixed part of the channel")
    mask = None if allowed is None else _mask(allowed, n)
    shapes = {m.shape[1] for m in (*costs, partial, mask) if m is not None}
    if not shapes:
        raise InvalidParameter(
            "nothing is constrained: one observable for all would leak nothing; give allowed=, cost= with budget=, "
            "or fixed="
        )
    if len(shapes) > 1:
        raise InvalidParameter(f"allowed, cost and fixed have different numbers of columns: {sorted(shapes)}")
    m = shapes.pop()
    names = _outputs(outputs, m)
    mask = np.ones((n, m), dtype=bool) if mask is None else mask
    where = named(prior.labels)
    free = mask if partial is None else mask & np.isnan(partial)
    mass = np.zeros(n) if partial is None else _settled_mass(partial, mask, where)
    missing = (mass < 1 - _ROUNDING) & ~free.any(axis=1)
    if missing.any():
        x = int(np.argmax(missing))
        has = "has no allowed observable" if partial is None or not mass[x] else f"is fixed to only {mass[x]:g} in all"
        raise Infeasible(f"{where(x)} {has}: allow it at least one (free) observable")
    p = prior.p
    costs, scales = _of_one_size(costs, mask & (p > 0)[:, None])
    left = np.where(free.any(axis=1), p * np.maximum(1 - mass, 0.0), 0.0)
    columns, rows = np.nonzero((free & (left > 0)[:, None]).T)
    known = np.zeros((n, m)) if partial is None else np.where(free, 0.0, np.nan_to_num(partial)) * p[:, None]
    settled_columns, settled_rows = np.nonzero(known.T)
    problem = Problem(
        prior=prior,
        outputs=names,
        rows=rows,
        columns=columns,
        left=left,
        costs=tuple(c[rows, columns] for c in costs),
        budgets=tuple(budgets),
        settled_rows=settled_rows,
        settled_columns=settled_columns,
        settled=known[settled_rows, settled_columns],
        settled_costs=tuple(float((c * known).sum()) for c in costs),
        scales=scales,
        allowed=mask,
        partial=partial,
    )
    return problem.with_budgets([problem.scaled(i, given) for i, given in enumerate(budgets)])


def _of_one_size(costs: list[Array], used: npt.NDArray[np.bool_]) -> tuple[list[Array], tuple[float, ...]]:
    """Costs of the pairs in use, zero elsewhere, divided by powers of two, which are exact, and these."""
    kept = [np.where(used, cost, 0.0) for cost in costs]
    scales = tuple(math.ldexp(1.0, _exponent(np.abs(cost[cost != 0]))) for cost in kept)
    return [cost / scale for cost, scale in zip(kept, scales, strict=True)], scales


def _exponent(sizes: Array) -> int:
    """Of the power of two below the middle one of these; the dearest pairs may cost far more, and are hardly used."""
    if not len(sizes):
        return 0
    middle, largest = float(np.quantile(sizes, 0.5, method="lower")), float(sizes.max())
    return max(math.frexp(middle)[1], math.frexp(largest)[1] - _SPREAD) - 1


def _matrix(given: Any, n: int, what: str) -> Array:
    """A dense float matrix with a row for each secret."""
    raw = given.toarray() if is_sparse(given) else getattr(given, "matrix", given)
    raw = raw.toarray() if is_sparse(raw) else raw
    try:
        matrix = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameter(f"{what} is a matrix of numbers with a row for each secret") from None
    if matrix.ndim != 2 or matrix.shape[0] != n or 0 in matrix.shape:
        raise InvalidParameter(f"{what} has shape {matrix.shape}: give {n} rows, one for each secret, and columns")
    return matrix


def _mask(allowed: Any, n: int) -> npt.NDArray[np.bool_]:
    matrix = _matrix(allowed, n, "allowed")
    if not ((matrix == 0) | (matrix == 1)).all():  # NaN fails
        x, y = np.argwhere(~((matrix == 0) | (matrix == 1)))[0]
        raise InvalidParameter(f"allowed is true or false for each pair, but row {x}, column {y} is {matrix[x, y]}")
    return np.asarray(matrix == 1)


def _costs(cost: Any, budget: Any, n: int) -> tuple[list[Array], list[float]]:
    """Cost matrices and as many budgets; infinity where there is none."""
    if cost is None:
        if budget is not None:
            raise InvalidParameter("a budget needs costs: give cost=, a matrix of what each pair costs")
        return [], []
    several = isinstance(cost, list | tuple) and isinstance(budget, list | tuple)
    matrices = [_matrix(c, n, "cost") for c in (cost if several else [cost])]
    for matrix in matrices:
        if not np.isfinite(matrix).all():
            x, y = np.argwhere(~np.isfinite(matrix))[0]
            raise InvalidParameter(
                f"the cost at row {x}, column {y} is {matrix[x, y]}: costs are finite; leave a pair out by allowed="
            )
    if budget is None:
        return matrices, [math.inf] * len(matrices)
    budgets = list(budget) if several else [budget]
    if len(budgets) != len(matrices):
        raise InvalidParameter(f"{len(matrices)} costs and {len(budgets)} budgets: give one budget for each cost")
    for value in budgets:
        if not is_number(value) or not math.isfinite(value):
            raise InvalidParameter(f"a budget is a finite number, not {value!r}")
    return matrices, [float(value) for value in budgets]


def _settled_mass(partial: Array, mask: npt.NDArray[np.bool_], where: Any) -> Array:
    """What each row of a partial channel sums to, if it is one."""
    known = np.nan_to_num(partial)
    if not (known.min() >= 0 and known.max() < math.inf):
        x, y = np.argwhere(~((known >= 0) & (known < math.inf)))[0]
        raise InvalidParameter(f"the fixed entry at {where(x)}, column {y} is {partial[x, y]}: probabilities, or NaN")
    if (known[~mask] > 0).any():
        x, y = np.argwhere((known > 0) & ~mask)[0]
        raise Infeasible(f"{where(x)} is fixed to show observable {y}, which is not allowed: allow it or free it")
    sums = known.sum(axis=1)
    if not sums.max() <= 1 + _ROUNDING:
        x = int(np.argmax(sums))
        raise Infeasible(f"the fixed entries of {where(x)} sum to {sums[x]:g}, more than 1: lower them or free some")
    return np.asarray(sums)


def _outputs(outputs: Iterable[Hashable] | None, m: int) -> Labels:
    names = Labels.of(outputs, m)
    if len(names) != m:
        raise InvalidParameter(f"{len(names)} outputs for {m} columns: give one label for each")
    twice = names.first_duplicate()
    if twice is not None:
        raise InvalidParameter(f"outputs {twice[0]} and {twice[1]} are both {names[twice[0]]!r}: labels must differ")
    return names
