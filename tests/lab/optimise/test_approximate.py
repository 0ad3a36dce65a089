"""optimise and least_budget under approximate d-privacy: (epsilon, delta)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter

ONE = 1.0 - np.eye(4)
PRIOR = np.array([4, 3, 2, 1]) / 10
LINE = np.abs(np.arange(5.0)[:, None] - np.arange(5))


def programme_by_hand(p, cost, factors, delta, *, budget=None, allowed=None):
    """The least cost, or the least posterior vulnerability within a budget, written out row by row."""
    n, m = cost.shape
    pairs = [(x, y) for x in range(n) for y in range(n) if x != y and math.isfinite(factors[x, y])]
    slack = {(x, y, z): n * m + i for i, (x, y, z) in enumerate((x, y, z) for x, y in pairs for z in range(m))}
    best = n * m + len(slack)
    size = best + m
    rows, limits = [], []

    def row(entries, limit):
        line = np.zeros(size)
        for place, value in entries:
            line[place] += value
        rows.append(line)
        limits.append(limit)

    for x, y in pairs:
        for z in range(m):
            row([(x * m + z, 1), (y * m + z, -factors[x, y]), (slack[x, y, z], -1)], 0)
        row([(slack[x, y, z], 1) for z in range(m)], delta)
    for x in range(n):
        for z in range(m):
            row([(x * m + z, p[x]), (best + z, -1)], 0)
    price = np.zeros(size)
    price[: n * m] = (p[:, None] * cost).ravel()
    objective = price
    if budget is not None:
        row(enumerate(price), budget)
        objective = np.append(np.zeros(best), np.ones(m))
    sums = np.zeros((n, size))
    for x in range(n):
        sums[x, x * m : (x + 1) * m] = 1
    open_to = np.ones(n * m, dtype=bool) if allowed is None else np.ravel(allowed).astype(bool)
    bounds = [(0, None if is_open else 0) for is_open in open_to] + [(0, None)] * (size - n * m)
    found = linprog(objective, A_ub=np.array(rows), b_ub=limits, A_eq=sums, b_eq=np.ones(n), bounds=bounds)
    assert found.status in (0, 2)
    return found.fun if found.status == 0 else math.inf


@pytest.mark.parametrize(("epsilon", "delta"), [(0.7, 0.1), (0.0, 0.3), (2.0, 1e-4), (1.0, 1.0)])
def test_the_least_vulnerability_is_that_of_the_programme_by_hand(epsilon, delta):
    """And the curve of the channel is at most delta at epsilon."""
    factors = np.full((4, 4), math.exp(epsilon))
    least = programme_by_hand(PRIOR, ONE, factors, delta)
    cheapest = ml.lab.least_budget(PRIOR, cost=ONE, d_privacy=(epsilon, ONE), delta=delta)
    assert cheapest.budget == pytest.approx(least, abs=1e-9)
    assert cheapest.gap < 1e-9
    budget = least + 0.05
    best = ml.lab.optimise(PRIOR, entropy="guess-error", cost=ONE, budget=budget, d_privacy=(epsilon, ONE), delta=delta)
    hand = programme_by_hand(PRIOR, ONE, factors, delta, budget=budget)
    assert 1 - best.value == pytest.approx(hand, abs=1e-9)
    assert best.gap < 1e-9
    for found in (cheapest, best):
        assert ml.lab.mechanisms.privacy_curve(found.channel).delta(epsilon) <= delta


@pytest.mark.parametrize("entropy", ["min-entropy", "guesswork", "shannon", "arimoto:2"])
@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_every_entropy_is_certified_in_a_metric(entropy, delta):
    """Between what exact privacy leaks and what no privacy does; each pair by its own distance."""
    given = {"entropy": entropy, "cost": LINE, "budget": 1.1}
    weights = [5, 3, 0, 2, 4]
    best = ml.lab.optimise(weights, **given, d_privacy=(0.6, LINE), delta=delta)
    assert best.gap < 1e-6
    C = best.channel.toarray()
    for x in range(5):
        for y in range(5):
            assert ml.lab.hockey_stick(C[x], C[y], math.exp(0.6 * LINE[x, y])) <= delta
    assert ml.lab.optimise(weights, **given).bound - 1e-7 <= best.leakage
    assert best.leakage <= ml.lab.optimise(weights, **given, d_privacy=(0.6, LINE)).leakage + 1e-7


def test_a_delta_of_nothing_is_exact_privacy():
    given = {"entropy": "min-entropy", "cost": LINE, "budget": 1.1, "d_privacy": (0.6, LINE)}
    exact = ml.lab.optimise([5, 3, 1, 2, 4], **given)
    assert ml.lab.optimise([5, 3, 1, 2, 4], **given, delta=0).channel == exact.channel
    nearly = ml.lab.optimise([5, 3, 1, 2, 4], **given, delta=1e-9)
    assert nearly.leakage == pytest.approx(exact.leakage, abs=1e-7)


def test_an_observable_need_not_be_open_to_all():
    """Where no observable is, exact privacy is infeasible and a large delta is not; the message has the least."""
    allowed = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    metric = 1.0 - np.eye(3)
    given = {"entropy": "guess-error", "allowed": allowed}
    with pytest.raises(Infeasible, match="allowed to all secrets"):
        ml.lab.optimise([1, 1, 1], **given, d_privacy=(0.5, metric))
    with pytest.raises(Infeasible, match=r"needs at least 0\.5 at this epsilon"):
        ml.lab.optimise([1, 1, 1], **given, d_privacy=(0.5, metric), delta=0.4)
    factors = np.full((3, 3), math.exp(0.5))
    assert programme_by_hand(np.full(3, 1 / 3), np.zeros((3, 3)), factors, 0.49, allowed=allowed) == math.inf
    best = ml.lab.optimise([1, 1, 1], **given, d_privacy=(0.5, metric), delta=0.6)
    assert ml.lab.mechanisms.privacy_curve(best.channel).delta(0.5) <= 0.6
    assert not (best.channel.toarray()[allowed == 0] > 0).any()


def test_a_cap_and_delta_together():
    """No observable from more than two secrets, which exact privacy between all would forbid."""
    best = ml.lab.optimise(PRIOR, entropy="min-entropy", k=2, d_privacy=(0.5, ONE), delta=0.75)
    assert best.channel.preimage_sizes.max() <= 2
    assert ml.lab.mechanisms.privacy_curve(best.channel).delta(0.5) <= 0.75
    assert best.gap < 1e-9


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"delta": 0.1}, "delta goes with d_privacy"),
        ({"delta": -0.1, "d_privacy": (1, ONE)}, "delta is a probability, from 0 to 1, not -0.1"),
        ({"delta": math.nan, "d_privacy": (1, ONE)}, "delta is a probability, from 0 to 1, not nan"),
        ({"delta": 0.1, "d_privacy": (1, ONE, 1.1)}, "without a dilation"),
        ({"delta": 0.1, "d_privacy": (30, ONE)}, "from 0 to 1 is 30: with delta it is at most 20"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    """One line that says why."""
    with pytest.raises(InvalidParameter, match=said):
        ml.lab.optimise(PRIOR, cost=ONE, budget=0.5, **given)


@pytest.mark.parametrize(
    ("weights", "cost", "epsilon", "delta", "entropy", "cap"),
    [
        ([0, 4, 4], [[3, 4, 0, 3], [4, 1, 4, 4], [4, 1, 1, 3]], 5.0, 0.5, "shannon", None),
        ([3, 2, 2], [[2, 1], [1, 1], [2, 2]], 1.0, 0.5, "shannon", None),
        ([0, 1, 0, 2], [[4, 2, 1, 1], [2, 2, 1, 2], [0, 2, 1, 0], [1, 4, 0, 0]], 0.0, 0.7551, "guesswork", 2),
    ],
)
def test_a_budget_of_the_least_cost(weights, cost, epsilon, delta, entropy, cap):
    """Rounding of the cost must not replace the answer by the cheapest channel, which leaks more."""
    metric = 1.0 - np.eye(len(weights))
    given = {"cost": np.array(cost), "d_privacy": (epsilon, metric), "delta": delta, "k": cap}
    least = ml.lab.least_budget(weights, **given).budget
    best = ml.lab.optimise(weights, entropy=entropy, budget=least, **given)
    assert best.gap < 1e-6
    assert best.costs[0] <= least + 1e-8


def test_a_delta_of_one_asks_for_nothing():
    """Rows that share no observable need all of it, which must not count as too much."""
    allowed = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]])
    given = {"entropy": "shannon", "allowed": allowed}
    weights, metric = [0, 1, 4, 1, 5, 4], 1.0 - np.eye(6)
    best = ml.lab.optimise(weights, **given, d_privacy=(1.0, metric), delta=1)
    assert best.leakage == pytest.approx(ml.lab.optimise(weights, **given).leakage, abs=1e-9)


@pytest.mark.filterwarnings("error")
def test_an_epsilon_of_zero_with_secrets_infinitely_far():
    far = np.where((np.arange(4)[:, None] < 2) == (np.arange(4) < 2), ONE, np.inf)
    best = ml.lab.optimise(PRIOR, entropy="guess-error", cost=ONE, budget=0.9, d_privacy=(0, far), delta=0.1)
    assert best.gap < 1e-9
