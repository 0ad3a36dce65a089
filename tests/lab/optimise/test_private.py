"""optimise and least_budget under d-privacy, caps, and both with a loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter
from minleak.lab._optimise.private import as_privacy

LINE = np.abs(np.arange(7.0)[:, None] - np.arange(7))
WEIGHTS = np.random.default_rng(0).integers(1, 20, 7)


def grid(width: int) -> np.ndarray:
    at = np.array([(x % width, x // width) for x in range(width**2)], dtype=float)
    return np.linalg.norm(at[:, None] - at, axis=2)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_the_least_loss_is_that_of_libqif(epsilon):
    """Optimal geo-indistinguishability on a grid; the matrix keeps to epsilon, to its last digit."""
    qif = pytest.importorskip("qif")
    d = grid(4)
    p = np.random.default_rng(1).random(16)
    least = ml.lab.least_budget(p, cost=d, d_privacy=(epsilon, d))
    theirs = qif.mechanism.d_privacy.min_loss_given_d(
        p / p.sum(), 16, lambda x, y: epsilon * d[x, y], lambda x, y: d[x, y]
    )
    assert least.budget == pytest.approx(float((p[:, None] / p.sum() * theirs * d).sum()), abs=1e-9)
    assert least.gap < 1e-9
    assert ml.lab.d_privacy(least.channel, d) <= epsilon * (1 + 1e-12)


def test_pairs_on_the_way_of_others_are_left_out():
    """On a line the neighbours are enough, on a grid those that see each other."""
    first, second, _ = as_privacy((1.0, LINE), 7).pairs
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == {
        (x, y) for x in range(7) for y in range(7) if abs(x - y) == 1
    }
    first, second, _ = as_privacy((1.0, grid(4)), 16).pairs
    steps = {(abs(a % 4 - b % 4), abs(a // 4 - b // 4)) for a, b in zip(first.tolist(), second.tolist(), strict=True)}
    assert {math.gcd(*step) for step in steps} == {1}


@pytest.mark.parametrize("entropy", ["min-entropy", "guesswork", "shannon", "arimoto:2"])
def test_the_least_leakage_under_epsilon_and_a_loss(entropy):
    """Certified, within the budget, and private to the last digit; never less than without privacy."""
    best = ml.lab.optimise(WEIGHTS, entropy=entropy, cost=LINE, budget=1.2, d_privacy=(0.6, LINE))
    assert best.gap < 1e-7
    assert best.costs[0] <= 1.2 + 1e-9
    assert ml.lab.d_privacy(best.channel, LINE) <= 0.6 * (1 + 1e-12)
    assert best.leakage >= ml.lab.optimise(WEIGHTS, entropy=entropy, cost=LINE, budget=1.2).bound


def test_gains_under_epsilon():
    """gamma_x p(x) in the place of p(x), each secret's cost by as much less: the same vulnerability."""
    p, gains, d = np.array([4, 3, 2, 1]) / 10, np.array([1, 2, 0.5, 3]), LINE[:4, :4]
    given = {"budget": 0.65, "d_privacy": (0.7, d)}
    worth = p * gains
    same = ml.lab.optimise(worth, entropy="guess-error", cost=d * (p / worth * worth.sum())[:, None], **given)
    for form in (gains, np.diag(gains)[::-1]):  # in any order of the guesses
        best = ml.lab.optimise(p, entropy="guess-error", gains=form, cost=d, **given)
        after = [(worth[:, None] * found.channel.toarray()).max(axis=0).sum() for found in (best, same)]
        assert after[0] == pytest.approx(after[1], abs=1e-9)
        assert after[0] > worth.max() + 0.01
    with pytest.raises(InvalidParameter, match="for 3 secrets, and there are 4"):
        ml.lab.optimise(p, entropy="min-entropy", gains=np.ones(3), cost=d, **given)


def test_impossible_secrets_are_private_too():
    """Their rows are chosen with the others, since not every private channel can be continued to them."""
    weights = [3, 0, 5, 0, 2, 1, 1]
    best = ml.lab.optimise(weights, entropy="min-entropy", cost=LINE, budget=1.0, d_privacy=(0.8, LINE))
    assert ml.lab.d_privacy(best.channel, LINE) <= 0.8 * (1 + 1e-12)
    assert best.gap < 1e-9


def test_an_epsilon_of_zero_tells_nothing():
    """And infinite distances ask for nothing: two classes that may be told apart."""
    best = ml.lab.optimise(WEIGHTS, entropy="shannon", cost=LINE, d_privacy=(0, LINE))
    assert best.leakage == pytest.approx(0, abs=1e-9)
    apart = np.where((np.arange(7)[:, None] < 3) == (np.arange(7) < 3), LINE, np.inf)
    least = ml.lab.least_budget(WEIGHTS, cost=LINE, d_privacy=(0, apart))
    p = WEIGHTS / WEIGHTS.sum()
    assert least.budget == pytest.approx((p[:3] @ LINE[:3]).min() + (p[3:] @ LINE[3:]).min(), abs=1e-9)


def test_a_cap_alone_is_what_design_does():
    """By an exhaustive list of sets, for every k, in two entropies."""
    weights = [7, 4, 3, 2, 2]
    for k in (1, 2, 3, 5):
        plan = ml.design(weights, k)
        for entropy in ("min-entropy", "shannon"):
            best = ml.lab.optimise(weights, entropy=entropy, k=k)
            assert best.leakage == pytest.approx(ml.leakage(weights, plan.channel(), entropy), abs=1e-7)
            assert best.channel.preimage_sizes.max() <= k


def test_a_cap_and_epsilon_and_a_loss():
    """All three at once; observables say their place and their set."""
    apart = np.where(np.arange(6)[:, None] // 2 == np.arange(6) // 2, LINE[:6, :6], np.inf)
    given = {"cost": LINE[:6, :6], "budget": 0.9, "entropy": "min-entropy"}
    best = ml.lab.optimise(WEIGHTS[:6], k=4, d_privacy=(1.0, apart), **given)
    assert best.channel.preimage_sizes.max() <= 4
    assert ml.lab.d_privacy(best.channel, apart) <= 1 + 1e-12
    assert best.costs[0] <= 0.9 + 1e-9
    assert best.gap < 1e-9
    assert best.channel.outputs[0] == (0, (0, 1, 2, 3))
    for looser in ({"k": 4}, {"d_privacy": (1.0, apart)}, {}):
        assert ml.lab.optimise(WEIGHTS[:6], **looser, **given).leakage <= best.leakage + 1e-9


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"d_privacy": 1.0}, InvalidParameter, r"\(epsilon, metric, dilation\), not 1.0"),
        (
            {"d_privacy": (math.nan, LINE)},
            InvalidParameter,
            "a finite number from 0 on, in nats for a distance of 1, not nan",
        ),
        ({"d_privacy": (-1, LINE)}, InvalidParameter, "a finite number from 0 on, in nats for a distance of 1, not -1"),
        (
            {"d_privacy": (math.inf, LINE)},
            InvalidParameter,
            "a finite number from 0 on, in nats for a distance of 1, not inf",
        ),
        ({"d_privacy": (1, LINE[:3])}, InvalidParameter, r"shape \(3, 7\): it is square, 7 x 7"),
        ({"d_privacy": (1, LINE), "budget": 0.01}, Infeasible, "every channel that is so private costs at least"),
        ({"d_privacy": (1, LINE), "k": 3}, Infeasible, "ties 7 secrets together"),
        ({"d_privacy": (1, LINE), "allowed": np.eye(7)}, Infeasible, "allowed to all secrets at finite distances"),
        ({"d_privacy": (1, LINE), "fixed": np.full((7, 7), np.nan)}, InvalidParameter, "leave out fixed="),
        ({"k": 0}, InvalidParameter, "k is a whole number from 1 on"),
        ({"k": 3, "fixed": np.full((7, 7), np.nan)}, InvalidParameter, "leave out fixed="),
    ],
)
def test_what_cannot_be_is_refused(given, error, said):
    """One line that says why."""
    with pytest.raises(error, match=said):
        ml.lab.optimise(WEIGHTS, **{"cost": LINE, "budget": 1.0, **given})


def test_too_many_sets_are_refused():
    """Before they are listed."""
    with pytest.raises(InvalidParameter, match="for a cap alone use design"):
        ml.lab.optimise(np.ones(60), entropy="min-entropy", k=10)


@pytest.mark.parametrize(
    ("weights", "cost", "epsilon", "share"),
    [
        ([6**8, 9**8], [[1038.4432706481957, 2.9173437113820206], [1.060938351928203, 0.10734931191949944]], 4.0, 0),
        ([9, 0, 7], [[1.0, 3.0], [1.0, 3.0], [2.0, 1.0]], 0.0, -5e-10),
        ([9, 7], [[1.0, 3.0], [2.0, 1.0]], 0.5, 0),
    ],
)
@pytest.mark.parametrize("delta", [0.0, 1 - 1e-12])
def test_a_budget_at_the_least_cost_of_a_steep_entropy(weights, cost, epsilon, share, delta):
    """There the price of a budget is huge, and its tolerance worth more than the rounding of the objective: the bound
    is of the exact budget, and does not contradict a channel within the tolerance.
    """
    n = len(weights)
    apart = np.full((n, n), 2.0) - 2 * np.eye(n)
    given = {"cost": cost, "d_privacy": (epsilon, apart), "delta": delta}
    budget = ml.lab.least_budget(weights, **given, gap=1e-3).budget * (1 + share)
    best = ml.lab.optimise(weights, entropy="arimoto:0.5", budget=budget, **given, gap=1e-3)
    assert best.bound <= best.leakage <= best.bound + 1e-3
    costs = np.array(weights)[:, None] / sum(weights) * np.array(cost)
    assert best.costs[0] - budget <= 2e-9 * max(budget, costs[costs > 0].min())
