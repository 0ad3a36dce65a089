"""The cheapest plan by listing every set: the definitions once more, without the library's pricing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import linprog


def star(distances, members):
    """c(M) = min over z of the sum of d(z,i) over M."""
    return min(sum(row[i] for i in members) for row in np.asarray(distances).tolist())


def listed_optimum(distances, weights, u, *, groups=(), at_most=1):
    """The least of sum v_M c(M) / s over all sets of u members, none with more of a group; None if infeasible."""
    n = len(weights)
    sets = [
        members
        for members in combinations(range(n), u)
        if not any(len(set(members) & set(group)) > at_most for group in groups)
    ]
    if not sets:
        return None
    rows = np.array([[float(i in members) for members in sets] for i in range(n)])
    costs = np.array([star(distances, members) for members in sets])
    total = float(sum(weights))
    found = linprog(costs, A_eq=rows, b_eq=np.asarray(weights, dtype=float) / total, method="highs")
    return None if found.status == 2 else float(found.fun)


def cost_of(plan, distances):
    """The mean of c(M)/u over the published sets of a plan, set by set."""
    total = 0.0
    for sets, lengths in plan.cells():
        for members, length in zip(sets[:, plan.n_giants :].tolist(), lengths.tolist(), strict=True):
            total += length * star(distances, members) / plan.u
    return total / plan.rest


def euclidean(points):
    """Distances between rows, by the norm of differences."""
    points = np.atleast_2d(np.asarray(points, dtype=float).T).T
    return np.linalg.norm(points[:, None] - points[None], axis=2)
