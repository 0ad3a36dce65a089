"""Problem: the feasible joints, by row sums, allowed and fixed entries, budgets and privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak import Channel, Prior
from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels
from minleak.lab._optimise.private import ApproximatePrivacy, Privacy, Spanner

# A budget that exceeds the least cost by no more than this share is the least cost.
_SPARE = 1e-12


@dataclass(frozen=True, eq=False)
class Problem:
    """Joints J >= 0 with row sums p, zero outside the allowed pairs, some entries fixed, <cost_i, J> <= b_i.

    The unknowns z are the entries J[x,y] of the free pairs (`rows`, `columns`), column by column; they sum to `left[x]`
    in row x. Known entries J[x,y] = p_x C[x,y] are `fixed`, at `fixed_rows`, `fixed_columns`. `budgets` are for the
    free pairs, the cost of fixed ones subtracted. `allowed` and `partial` are as the user gave them.

    Cost i and its budget are divided by `scales[i]`, a power of two that makes the median cost about 1, so that
    tolerances mean the same in every unit. Prices are per scaled unit.

    Under `privacy` the unknowns are the entries of the channel, because secrets of probability zero must be private
    too, and small entries must keep their digits. Row sums are then `shares` of one, and costs include the factor
    p / shares. `cheapest_private` is a private channel of least cost.
    """

    prior: Prior
    outputs: Labels
    rows: Indices
    columns: Indices
    left: Array
    costs: tuple[Array, ...]
    budgets: tuple[float, ...]
    fixed_rows: Indices
    fixed_columns: Indices
    fixed: Array
    fixed_costs: tuple[float, ...]
    scales: tuple[float, ...]
    allowed: npt.NDArray[np.bool_]
    partial: Array | None
    shares: Array
    privacy: Privacy | None = None
    cheapest_private: Array | None = None

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
        """The largest value of each row; 0 where a row has no free pair."""
        order, present, starts = self._by_row
        best = np.zeros(len(self.left))
        if len(order):
            best[present] = np.maximum.reduceat(values[order], starts)
        return best

    @cached_property
    def summing(self) -> Any:
        """The sparse matrix that maps z to its row sums."""
        import scipy.sparse as sp

        pairs = len(self.rows)
        return sp.csr_array((np.ones(pairs), (self.rows, np.arange(pairs))), shape=(len(self.left), pairs))

    def row_sums(self, z: Array) -> Array:
        """The sums of z in each row."""
        return np.asarray(np.bincount(self.rows, weights=z, minlength=len(self.left)), dtype=np.float64)

    def scale_rows(self, z: Array) -> Array:
        """z >= 0 with each row scaled to its sum; rows of zeros stay."""
        sums = self.row_sums(z)
        return np.asarray(z * np.divide(self.left, sums, out=np.zeros_like(sums), where=sums > 0)[self.rows])

    def cheapest(self, i: int) -> Array:
        """The joint that puts each row on its pair of least cost i; on its first pair without costs."""
        cost = self.costs[i] if self.costs else np.zeros(len(self.rows))
        order = np.lexsort((cost, self.rows))
        first = order[np.unique(self.rows[order], return_index=True)[1]]
        z = np.zeros(len(self.rows))
        z[first] = self.left[self.rows[first]]
        return z

    def silent(self) -> Array | None:
        """The channel that shows all secrets as one observable, the cheapest of those open to all; None if there is
        none within the budgets, or some entries are fixed.
        """
        open_to = np.bincount(self.columns, minlength=self.shape[1])
        good = open_to == np.count_nonzero(self.left > 0)
        spent = [np.bincount(self.columns, weights=c * self.left[self.rows], minlength=len(good)) for c in self.costs]
        for each, budget in zip(spent, self.budgets, strict=True):
            good &= each <= budget
        if len(self.fixed) or not good.any():
            return None
        y = int(np.argmin(np.where(good, spent[0] if spent else 0.0, np.inf)))
        return np.where(self.columns == y, self.left[self.rows], 0.0)

    def grain(self, i: int) -> float:
        """The least positive |cost i|, 1 if there is none. Differences far below it are rounding."""
        sizes = np.abs(self.costs[i])
        return float(sizes[sizes > 0].min(initial=1.0))

    def scaled(self, i: int, budget: float) -> float:
        """A budget for cost i in the scaled unit; one too large to bind is lowered."""
        if budget == math.inf:
            return budget
        largest = float(np.abs(self.costs[i]).max(initial=1.0))
        return min(budget / self.scales[i], 2 * largest + abs(self.fixed_costs[i]))

    def spent(self, z: Array) -> tuple[float, ...]:
        """The expected costs, fixed entries included, in the user's units."""
        return tuple(
            (float(cost @ z) + fixed) * scale
            for cost, fixed, scale in zip(self.costs, self.fixed_costs, self.scales, strict=True)
        )

    def least_costs(self) -> tuple[float, ...]:
        """The least expected cost of any channel, for each cost alone; scaled."""
        return tuple(
            fixed - float(self.left @ self.row_best(-cost))
            for cost, fixed in zip(self.costs, self.fixed_costs, strict=True)
        )

    @cached_property
    def ratios(self) -> Any:
        """The sparse matrix A of the rows A z <= 0 of privacy, one for each observable and pair, the nearest first.
        With a delta the positive parts of the rows of a pair sum to at most that.
        """
        import scipy.sparse as sp

        if self.privacy is None:
            return sp.csr_array((0, len(self.rows)))
        first, second, _ = self.privacy.pairs
        at = np.full(self.shape, -1, dtype=np.int64)
        at[self.rows, self.columns] = np.arange(len(self.rows))
        begin, end = at[first].ravel(), at[second].ravel()
        live = begin >= 0  # and then the second is there too, without a delta: of a class all are, or none
        both = end[live] >= 0
        on_first, on_second = (np.repeat(each, self.shape[1])[live] for each in self.privacy.coefficients)
        row = np.arange(int(live.sum()))
        values = np.concatenate([on_first, on_second[both]])
        places = (np.concatenate([row, row[both]]), np.concatenate([begin[live], end[live][both]]))
        return sp.csr_array((values, places), shape=(len(row), len(self.rows)))

    @cached_property
    def ratio_pairs(self) -> Indices:
        """Which pair of secrets each row of `ratios` belongs to."""
        if self.privacy is None:
            return np.zeros(0, dtype=np.int64)
        at = np.zeros(self.shape, dtype=bool)
        at[self.rows, self.columns] = True
        return np.asarray(np.nonzero(at[self.privacy.pairs[0]])[0])

    @property
    def delta(self) -> float:
        """The delta of privacy; 0 if it is exact or absent."""
        return 0.0 if self.privacy is None else self.privacy.delta

    def price_privacy(self, multipliers: Array) -> tuple[Array, float]:
        """For multipliers w >= 0 of the rows of `ratios`, A^T w, and the most that <w, A z> is for any private z: delta
        times the largest multiplier of each pair.
        """
        w = np.maximum(multipliers, 0.0)
        most = np.zeros(int(self.ratio_pairs.max(initial=-1)) + 1)
        np.maximum.at(most, self.ratio_pairs, w)
        return np.asarray(self.ratios.T @ w), self.delta * float(most.sum())

    @cached_property
    def safest(self) -> tuple[float, Array]:
        """Where there is a delta: the least one of any channel on the allowed pairs, and such a channel."""
        privacy: Any = self.privacy
        found: tuple[float, Array] = privacy.safest(self.allowed)
        return found

    def make_private(self, z: Array) -> Array:
        """Entries near z that are exactly private."""
        if self.privacy is None:
            return z
        matrix = np.zeros(self.shape)
        matrix[self.rows, self.columns] = z / self.shares[self.rows]
        if isinstance(self.privacy, ApproximatePrivacy):
            private = self.privacy.keep_delta(matrix, self.allowed, self.safest[1])
        else:
            private = self.privacy.make_private(matrix)
        return np.asarray(private[self.rows, self.columns] * self.shares[self.rows])

    @property
    def spanner(self) -> Spanner | None:
        """The spanner that privacy is required along, if there is one."""
        return None if self.privacy is None else self.privacy.spanner

    def relax(self) -> Problem:
        """A relaxation: privacy along the spanner as the metric implies it, which every private channel has."""
        if self.spanner is None:
            return self
        return replace(self, privacy=Privacy(self.spanner.epsilon, self.spanner.ways), cheapest_private=None)

    def with_budgets(self, budgets: Sequence[float]) -> Problem:
        """The problem under other budgets: scaled, fixed entries included."""
        left = tuple(b - s for b, s in zip(budgets, self.fixed_costs, strict=True))
        return replace(self, budgets=left)

    def unaffordable(self) -> npt.NDArray[np.bool_]:
        """If the only budget equals the least cost: the pairs that cost more than the cheapest of their row, which no
        feasible channel uses.
        """
        none = np.zeros(len(self.rows), dtype=bool)
        if len(self.budgets) != 1 or self.privacy is not None:
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
        """The channel with the free entries z; impossible secrets show the likeliest observable open to them."""
        n, m = self.shape
        p = self.prior.p
        matrix = np.zeros((n, m)) if self.partial is None else np.nan_to_num(self.partial)
        matrix[self.rows, self.columns] = z / self.shares[self.rows]
        free = self.allowed if self.partial is None else self.allowed & np.isnan(self.partial)
        popular = p @ matrix
        for x in np.flatnonzero(self.shares == 0):
            if free[x].any():
                y = int(np.argmax(np.where(free[x], popular, -1.0)))
                matrix[x, y] = max(1 - float(matrix[x].sum()), 0.0)
        return Channel(matrix, inputs=self.prior.labels, outputs=self.outputs)

    def on(self, kept: npt.NDArray[np.bool_]) -> Problem:
        """The problem on some of the free pairs."""
        return replace(
            self, rows=self.rows[kept], columns=self.columns[kept], costs=tuple(cost[kept] for cost in self.costs)
        )
