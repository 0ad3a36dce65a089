"""Maximal leakage as an objective, and a cap on what each observable leaks, against linear programs of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import minleak as ml
from minleak import lab
from minleak.errors import Infeasible, InvalidParameter


def least_maximal_leakage(p, cost, budget, pml=None):
    """log2 of the least sum of maxima under an expected cost, entry by entry."""
    n, m = cost.shape
    rows, limits = [], []
    for x in range(n):
        for y in range(m):
            row = np.zeros(n * m + m)
            row[x * m + y], row[n * m + y] = 1, -1
            rows.append(row)
            limits.append(0)
            if pml is not None:
                row = np.zeros(n * m + m)
                row[y : n * m : m] = -(2**pml) * p
                row[x * m + y] += 1
                rows.append(row)
                limits.append(0)
    rows.append(np.r_[(p[:, None] * cost).ravel(), np.zeros(m)])
    limits.append(budget)
    whole = np.zeros((n, n * m + m))
    for x in range(n):
        whole[x, x * m : (x + 1) * m] = 1
    solved = linprog(np.r_[np.zeros(n * m), np.ones(m)], A_ub=rows, b_ub=limits, A_eq=whole, b_eq=np.ones(n))
    return math.log2(solved.fun) if solved.status == 0 else None


@pytest.mark.parametrize("seed", range(6))
def test_the_least_maximal_leakage_under_a_cost(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    p, cost = rng.dirichlet(np.ones(n)), rng.random((n, m))
    budget = float((p * cost.min(axis=1)).sum()) + 0.05
    best = lab.optimise(p, entropy="maximal-leakage", cost=cost, budget=budget)
    assert best.leakage == pytest.approx(least_maximal_leakage(p, cost, budget), abs=1e-7)
    assert best.leakage == pytest.approx(lab.maximal_leakage(best.channel), abs=1e-9)
    for pml in (0.4, 0.8):
        least = least_maximal_leakage(p, cost, budget, pml)
        if least is None:
            with pytest.raises(Infeasible, match="pml must be what the other constraints leave possible; got"):
                lab.optimise(p, entropy="maximal-leakage", cost=cost, budget=budget, pml=pml)
            continue
        capped = lab.optimise(p, entropy="maximal-leakage", cost=cost, budget=budget, pml=pml)
        assert capped.leakage == pytest.approx(least, abs=1e-7)
        assert lab.pointwise_maximal_leakage(p, capped.channel).largest <= pml + 1e-7


def test_a_capped_channel_in_shannon():
    p = [0.5, 0.25, 0.125, 0.125]
    wrong = 1 - np.eye(4)
    free = lab.optimise(p, cost=wrong, budget=0.4)
    capped = lab.optimise(p, cost=wrong, budget=0.4, pml=1.0)
    assert lab.pointwise_maximal_leakage(p, free.channel).largest > 1.2
    assert lab.pointwise_maximal_leakage(p, capped.channel).largest <= 1 + 1e-6
    assert capped.leakage > free.leakage + 0.01
    assert len(capped.costs) == len(capped.stages[0].shadow_prices) == 1
    assert ml.leakage(p, capped.channel, "shannon") == pytest.approx(capped.leakage)


def test_allowed_pairs_alone():
    p, allowed = [4, 2, 1], np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], dtype=bool)
    best = lab.optimise(p, entropy="maximal-leakage", allowed=allowed)
    assert best.leakage == pytest.approx(lab.least_capacity(3, allowed=[(0, 1), (1, 2), (0, 2)]).capacity)
    capped = lab.optimise(p, entropy="shannon", allowed=allowed, pml=1.3)
    assert capped.costs == ()
    assert lab.pointwise_maximal_leakage(p, capped.channel).largest <= 1.3 + 1e-6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pml": -1, "allowed": np.ones((2, 2))}, "pml is a finite number of bits from 0 on, not -1"),
        ({"pml": 1}, "pml must come with allowed, fixed, or a cost and its budget"),
        ({"pml": 1, "k": 2}, "pml must go without k and d_privacy"),
        ({"pml": 1, "cost": np.ones((2, 2))}, "a cost must have a budget under pml"),
        (
            {"entropy": "maximal-leakage", "gains": [1, 2], "allowed": np.ones((2, 2))},
            "maximal leakage is over all gains, and takes none; got some. Leave them out.",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(given, message):
    with pytest.raises(InvalidParameter) as refused:
        lab.optimise([1, 1], **given)
    assert str(refused.value).startswith(message)
