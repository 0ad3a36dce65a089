"""The paper's Algorithm 1 to the letter: a linear system with one unknown for every set. For small n, as an oracle."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from minleak.core._channel import Channel
from minleak.core._parameters import whole
from minleak.core._prior import Prior, as_prior
from minleak.errors import InvalidParameter, SolverFailed


def algorithm_1(prior: Prior | Iterable[Any], k: int, *, limit: int = 2_000_000) -> Channel:
    """Return the channel of the paper's Algorithm 1: find j*, solve Step 2 by linear programming (HiGHS), fill in Steps
    3 to 5.

    Step 2 has C(n - j* + 1, k - j* + 1) unknowns; more than `limit` are refused. Floats, up to the solver's tolerance
    of about 1e-9. `minleak.design` gives the same optimum without the system.

    >>> algorithm_1([0.4, 0.35, 0.15, 0.1], 3).toarray().round(4)
    array([[0.6, 0.4],
           [0.6, 0.4],
           [1. , 0. ],
           [0. , 1. ]])
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    p = as_prior(prior).p
    n, k = len(p), whole(k, "the cap k on the size of a set")
    if k >= n:
        return Channel(np.ones((n, 1)), outputs=[tuple(range(n))])
    if not (p > 0).all():
        raise InvalidParameter("the paper's algorithm takes positive probabilities only: leave out impossible secrets")
    order = np.argsort(-p, kind="stable")
    sorted_p = p[order]
    j = next(j for j in range(k) if sorted_p[j] * (k - j) <= sorted_p[j:].sum() * (1 + 1e-12))
    u = k - j
    unknowns = math.comb(n - j, u)
    if unknowns > limit:
        many = f"{unknowns:,}" if unknowns < 10**100 else "more than 10^100"
        raise InvalidParameter(f"Step 2 would have {many} unknowns, above the limit of {limit:,}: use minleak.design")
    sets: Any = np.fromiter(combinations(range(j, n), u), dtype=np.dtype((np.int64, u)), count=unknowns)
    columns = np.repeat(np.arange(unknowns), u)
    system = sp.csr_array((np.ones(sets.size), (sets.ravel() - j, columns)), shape=(n - j, unknowns))
    solved = linprog(np.zeros(unknowns), A_eq=system, b_eq=sorted_p[j:], bounds=(0, None), method="highs")
    if solved.status != 0:
        raise SolverFailed(f"Step 2 was not solved: {solved.message}")
    used = np.flatnonzero(solved.x > 1e-12)
    matrix = np.zeros((n, len(used)))
    for column, which in enumerate(used):
        matrix[order[sets[which]], column] = solved.x[which] / sorted_p[sets[which]]
        matrix[order[:j], column] = solved.x[which] * u / sorted_p[j:].sum()
    names = [tuple(sorted(order[[*range(j), *sets[which]]].tolist())) for which in used]
    return Channel(matrix, outputs=names, tolerance=1e-6)
