"""Cutting planes for cores known by their gradient, with or without kinks: one linear programme per round.

A gradient at any point is a plane above U. HiGHS maximises the least of the planes so far; planes that touch U at its
answer are added until the two meet. The mean of the planes, by their multipliers, proves the bound.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from minleak.core._arrays import Array
from minleak.errors import SolverFailed
from minleak.lab._optimise.barrier import solve_barrier
from minleak.lab._optimise.cores.base import Core, Polyhedron
from minleak.lab._optimise.cores.grouped import Grouped
from minleak.lab._optimise.feasible import make_feasible
from minleak.lab._optimise.linear import LinearModel
from minleak.lab._optimise.programme import Programme, Solution

_ROUNDS = 100
# Stop when bound and value are this close.
_CLOSE = 1e-10
# Share of a uniform column mixed into the points where planes touch, so that no entry is zero.
_EVEN = 1e-7


def solve_by_planes(programme: Programme) -> Iterator[Solution]:
    """The best entries found, starting from those of the barrier method, with the bound of the last round."""
    problem, term = programme.problem, programme.terms[0]
    by = term.view.by

    def touch(v: Array) -> Array:
        total = by.sum(v)[by.of]
        return term.core.gradient_at(v + _EVEN * np.where(total > 0, total, 1.0) / by.sizes[by.of], by)

    planes = [touch(np.zeros(by.n_entries))]
    best, value = np.zeros(0), -np.inf
    with contextlib.suppress(SolverFailed):
        close = solve_barrier(programme)
        planes.append(term.core.gradient_at(term.view.of(close), by))
        best = make_feasible(problem, close, programme.objective)
        value = term.total(best)
    for _ in range(_ROUNDS):
        core = _LeastPlane(planes)
        model = LinearModel(replace(programme, terms=(replace(term, core=core),)))
        found = model.solve(problem.budgets)
        z = make_feasible(problem, found.z, programme.objective)
        v = term.view.of(z)
        if term.total(z) > value:
            best, value = z, term.total(z)
        if float(core.values(v, by).sum()) - value <= _CLOSE:
            break
        planes.append(touch(v))
    plane = _mean_plane(model, planes[: len(core.planes)], by)
    yield replace(found, z=best, duals=(), planes=(plane,), status="cutting planes")


class _LeastPlane(Core):
    """U(v) = the least of some planes at v, in each column."""

    linear = True

    def __init__(self, planes: list[Array]) -> None:
        self.planes = list(planes)

    def polyhedron(self, by: Grouped) -> Polyhedron:
        """U = t - c |v|_1 with t at most each plane plus c |v|_1, where c makes every plane non-negative."""
        import scipy.sparse as sp

        raised = -float(np.min(self.planes))
        rows = sp.vstack([by.selection.T * -(plane + raised) for plane in self.planes])
        kept = sp.vstack([sp.eye_array(len(by))] * len(self.planes))
        return Polyhedron(np.full(by.n_entries, -raised), np.ones(len(by)), rows.tocsr(), kept.tocsr())

    def values(self, v: Array, by: Grouped) -> Array:
        return np.asarray(np.min([by.sum(plane * v) for plane in self.planes], axis=0))


def _mean_plane(model: LinearModel, planes: list[Array], by: Grouped) -> Array:
    """The mean of the planes by their multipliers in each column, which lies above U for any multipliers."""
    problem = model.programme.problem
    first = len(problem.left) + len(problem.budgets)
    dual = -np.array(model.highs.getSolution().row_dual)[first : first + len(planes) * len(by)]
    weights = np.maximum(dual.reshape(len(planes), len(by)), 0.0)
    sums = weights.sum(axis=0)
    weights = np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), 1 / len(planes))
    return np.asarray(np.einsum("ky,ky->y", weights[:, by.of], np.array(planes)))
