"""Column generation: the cheapest weights of sets, with a lower bound, by a linear programme that grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._progress import report_during
from minleak.errors import SolverFailed
from minleak.near._pricing.caps import Caps

# How much of the duals of the best bound is kept when pricing (Wentges).
_SMOOTHING = 0.5
# Neighbours that weight may be exchanged with while duals settle, and up to how many times the mean weight.
_NEIGHBOURS = 3
_LIGHT = 2.0
# Exchanges in use are taken away once the gap is below this.
_SETTLED = 1e-2
# Sets whose costs are found in one go.
_CHUNK = 256
# Rounds beyond those allowed in which the exchanges still in use end.
_ENDING = 3


@dataclass(frozen=True)
class SetSolution:
    """Sets with positive values that cover every member's weight, their cost (the sum of values * c(M)), and a bound
    that none is below.
    """

    members: Indices
    values: Array
    cost: float
    bound: float


def generate(
    distances: Array,
    weights: Array,
    u: int,
    start: Indices,
    *,
    caps: Caps,
    gap: float = 1e-6,
    rounds: int = 1000,
    progress: Callable[[float], None] | None = None,
) -> SetSolution:
    """Minimise sum v_M c(M) over v >= 0 with sum over M containing i of v_M = w_i, c the star cost of `distances`.

    The sets `start` must be able to cover the weights. Each round solves the linear programme over the sets known so
    far by the primal simplex method from the last basis, and prices: for duals lambda and centre z the best set is the
    u members that keep the caps with least d(z,i) - lambda_i. If none has
    negative reduced cost, the solution is optimal; and for any lambda

        w . lambda + (sum of w / u) * min over z of that sum  <=  the least cost.

    Duals of the first rounds change much, as hardly any sets are known. Two things keep them close: pricing is at a
    mean of the last duals and those of the best bound, and light neighbours i, j may at first exchange weight for
    d(i,j), which keeps |lambda_i - lambda_j| below it; exchanges that are used are taken away until none is. A round
    costs O(n^2) for pricing and what the simplex method takes, some 30 to 60 rounds in all. Stops at a `gap`, or after
    so many `rounds`, with what it has then.
    """
    best, best_duals, open_gap = -np.inf, np.zeros(len(weights)), 1.0

    def report() -> None:
        if progress is not None:
            progress(max(open_gap, 0.0))

    programme = _SetProgramme(distances, weights, u, start, caps, None if progress is None else report)
    for done in range(1, rounds + _ENDING):
        value, duals = programme.solve()
        bound, smooth, added = programme.price(duals, best_duals if done > 1 else duals)
        if bound > best:
            best, best_duals = bound, smooth
        open_gap = (value - best) / value if value > 0 else 0.0
        late = done >= rounds
        report()
        if programme.exchanging():
            if late or open_gap < _SETTLED or not added:
                programme.forbid_exchange(all=late)
            continue
        if late or open_gap <= gap or not added:
            break
    members, values = programme.positive()
    cost = float(values @ star_costs(programme.to_centres, members)[0])
    # a bound in floats may be off by the roundings of a sum of n products
    slack = 1e-15 * len(weights) * float(np.abs(best_duals) @ weights + cost)
    return SetSolution(members, values, cost, min(best - slack, cost))


def star_costs(to_centres: Array, sets: Indices) -> tuple[Array, Indices]:
    """c(M) for each set, and its centre; row i of `to_centres` is d(z,i) over all z."""
    costs, centres = np.empty(len(sets)), np.empty(len(sets), dtype=np.int64)
    for begin in range(0, len(sets), _CHUNK):
        some = slice(begin, begin + _CHUNK)
        sums = sum(to_centres[member] for member in sets[some].T)
        centres[some], costs[some] = np.argmin(sums, axis=1), np.min(sums, axis=1)
    return costs, centres


class _SetProgramme:
    """The linear programme over the sets known so far, with weights scaled to a mean of one and costs to a mean of
    one.
    """

    def __init__(
        self,
        distances: Array,
        weights: Array,
        u: int,
        start: Indices,
        caps: Caps,
        report: Callable[[], None] | None,
    ) -> None:
        """With `report`, which is called every second while the solver or a compiled loop is at work."""
        import highspy

        self.report = report
        self.distances = np.ascontiguousarray(distances)
        self.to_centres = np.ascontiguousarray(distances.T)
        self.u, n = u, len(weights)
        self.caps = caps
        self.mean = float(weights.mean())
        self.weights = weights / self.mean
        self.known: set[bytes] = set()
        self.members = np.empty((0, u), dtype=np.int64)
        costs, _ = star_costs(self.to_centres, start)
        self.unit = float(costs.mean()) or 1.0
        self.model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self.model.silent()
        options: dict[str, Any] = {
            "presolve": "off",
            "solver": "simplex",
            "simplex_strategy": 4,  # primal, as new columns leave the basis feasible
            "threads": 1,
            "primal_feasibility_tolerance": 1e-9,
            "dual_feasibility_tolerance": 1e-9,
        }
        for name, option in options.items():
            self.model.setOptionValue(name, option)
        nothing = np.empty(0, dtype=np.int32)
        self.model.addRows(n, self.weights, self.weights, 0, np.zeros(n, dtype=np.int32), nothing, np.empty(0))
        self.exchanges = self._add_exchange()
        self._add(start, costs)

    def _add_exchange(self) -> int:
        """Columns that give weight to i and take it from a neighbour j, both light."""
        nearest = self.distances.argmin(axis=0)  # the centre of each member: itself, if members are centres
        light = np.flatnonzero(self.weights <= _LIGHT)
        if len(light) <= _NEIGHBOURS:
            return 0
        between = self.distances[np.ix_(nearest[light], light)]
        near = np.argpartition(between, _NEIGHBOURS, axis=1)[:, : _NEIGHBOURS + 1]
        pairs = np.stack([np.repeat(np.arange(len(light)), _NEIGHBOURS + 1), near.ravel()], axis=1)
        pairs = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        costs = between[pairs[:, 0], pairs[:, 1]] / self.unit
        rows = light[np.sort(pairs, axis=1)]
        signs = np.where(pairs[:, :1] < pairs[:, 1:], [[1.0, -1.0]], [[-1.0, 1.0]])
        self._add_columns(rows, signs, costs)
        return len(pairs)

    def _add_columns(self, rows: Indices, signs: Array, costs: Array) -> None:
        count, width = rows.shape
        starts = np.arange(count, dtype=np.int32) * width
        free = np.full(count, np.inf)
        self.model.addCols(
            count, costs, np.zeros(count), free, count * width, starts, rows.astype(np.int32).ravel(), signs.ravel()
        )

    def _add(self, sets: Indices, costs: Array) -> int:
        """Add the sets that are not known yet; returns how many."""
        ordered = np.sort(sets, axis=1)
        fresh = []
        for place, row in enumerate(ordered):
            name = row.tobytes()
            if name not in self.known:
                self.known.add(name)
                fresh.append(place)
        if fresh:
            self._add_columns(ordered[fresh], np.ones((len(fresh), self.u)), costs[fresh] / self.unit)
            self.members = np.concatenate([self.members, ordered[fresh]])
        return len(fresh)

    def solve(self) -> tuple[float, Array]:
        """The least cost over the sets known, and the duals, both as if nothing were scaled."""
        import highspy

        report_during(self.model.run, self.report)
        status = self.model.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            self.model.clearSolver()  # without the last basis, which columns that were taken away may have spoilt
            report_during(self.model.run, self.report)
            status = self.model.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverFailed(
                f"the linear programme of the cheapest plan ended with {self.model.modelStatusToString(status)!r}: "
                "coordinates or costs of very different sizes may be the reason"
            )
        solution = self.model.getSolution()
        self.values = np.array(solution.col_value)
        duals = np.array(solution.row_dual)
        value = self.model.getInfo().objective_function_value
        return value * self.unit * self.mean, duals * self.unit

    def price(self, duals: Array, anchor: Array) -> tuple[float, Array, int]:
        """The best bound at the smoothed duals (or the plain ones, if those find nothing), its duals, and how many
        sets with negative reduced cost were added.
        """
        from minleak.near._pricing import kernels as pricing

        count = len(self.distances)
        values, sets = np.empty(count), np.empty((count, self.u), dtype=np.int64)
        bound, found, added = -np.inf, duals, 0
        for smooth in (_SMOOTHING * anchor + (1 - _SMOOTHING) * duals, duals):
            given = self.distances, smooth, self.caps.chains, self.caps.most, self.u
            report_during(partial(pricing.price_stars, *given, values, sets), self.report)
            here = self.mean * float(self.weights @ smooth + self.weights.sum() / self.u * values.min())
            if here > bound:
                bound, found = here, smooth
            costs, _ = star_costs(self.to_centres, sets)
            promising = costs - duals[sets].sum(axis=1) < -1e-10 * self.unit
            if promising.any():
                added = self._add(sets[promising], costs[promising])
            if added:
                break
        return bound, found, added

    def exchanging(self) -> bool:
        """Whether the solution still exchanges weight."""
        return bool((self.values[: self.exchanges] > 0).any())

    def forbid_exchange(self, *, all: bool) -> None:
        """Take away all exchanges, or those in use."""
        ended = np.full(self.exchanges, True) if all else self.values[: self.exchanges] > 0
        self.model.deleteCols(int(ended.sum()), np.flatnonzero(ended).astype(np.int32))
        self.values = np.concatenate([self.values[: self.exchanges][~ended], self.values[self.exchanges :]])
        self.exchanges -= int(ended.sum())

    def positive(self) -> tuple[Indices, Array]:
        """The sets in use and their values."""
        values = self.values[self.exchanges :] * self.mean
        used = values > 0
        return self.members[: len(values)][used], values[used]
