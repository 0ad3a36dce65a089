"""least_budget: the inverse of optimise, for one attacker and for several; and for padding."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter, SolverFailed

LINE = np.abs(np.arange(6.0)[:, None] - np.arange(6))
WEIGHTS = [5, 3, 8, 1, 2, 4]


@pytest.mark.parametrize(
    ("entropy", "leakage"),
    [
        ("min-entropy", 0.25),
        ("guesswork", 0.25),
        ("guess-error:2", 0.25),
        ("shannon", 0.25),
        ("shannon", 2.25),  # nearly all, which is proven only by budgets nearer and nearer
        ("arimoto:2", 0.25),
    ],
)
def test_optimise_at_the_budget_found_leaks_what_was_asked(entropy, leakage):
    """And the bound is proven."""
    least = ml.lab.least_budget(WEIGHTS, cost=LINE, entropy=entropy, leakage=leakage)
    assert least.gap < 1e-7
    assert least.leakages[0] <= leakage + 1e-12
    assert ml.leakage(WEIGHTS, least.channel, entropy) == pytest.approx(leakage, abs=1e-7)
    assert ml.lab.optimise(WEIGHTS, entropy=entropy, cost=LINE, budget=least.budget).leakage == pytest.approx(
        leakage, abs=1e-7
    )


def test_libqif_finds_the_same_for_one_guess():
    """Its least loss for a largest vulnerability."""
    qif = pytest.importorskip("qif")
    p = np.array(WEIGHTS) / sum(WEIGHTS)
    before = p.max()
    theirs = qif.mechanism.bayes_vuln.min_loss_given_max_vuln(p, 6, before * 2**0.5, lambda x, y: LINE[x, y])
    least = ml.lab.least_budget(WEIGHTS, cost=LINE, entropy="min-entropy", leakage=0.5)
    assert least.budget == pytest.approx(float((p[:, None] * theirs * LINE).sum()), abs=1e-9)


@pytest.mark.parametrize("other", [("min-entropy", 0.4), ("arimoto:2", 0.2)])
def test_several_attackers_are_all_held(other):
    """At a cost that is no less than for each alone."""
    given = (other, ("shannon", 0.3))
    both = ml.lab.least_budget(WEIGHTS, cost=LINE, entropy=[H for H, _ in given], leakage=[most for _, most in given])
    assert both.gap < 1e-7
    for leaked, (entropy, leakage) in zip(both.leakages, given, strict=True):
        assert leaked <= leakage + 1e-12
        assert ml.lab.least_budget(WEIGHTS, cost=LINE, entropy=entropy, leakage=leakage).budget <= both.budget + 1e-7
    assert "shannon" in str(both)


def test_several_attackers_who_cannot_all_be_held():
    """Two bits, one of which has to be shown: either can be hidden, and both cannot."""
    first, second = np.kron(np.eye(2), np.ones(2)), np.kron(np.ones(2), np.eye(2))
    attackers = [ml.Gain(ml.MinEntropy(), G) for G in (first, second)]
    given = {"cost": np.zeros((4, 4)), "allowed": np.hstack([first.T, second.T]), "entropy": attackers}
    assert ml.lab.least_budget([1] * 4, leakage=[0, 1], **given).leakages == pytest.approx((0, 1))
    with pytest.raises(Infeasible, match="keeps to all 2 leakages at once, though each alone can be kept"):
        ml.lab.least_budget([1] * 4, leakage=[0.1, 0.1], **given)


def test_nothing_at_all():
    """No leakage costs what the cheapest common observable does; any leakage costs nothing."""
    silent = ml.lab.least_budget(WEIGHTS, cost=LINE, leakage=0)
    p = np.array(WEIGHTS) / sum(WEIGHTS)
    assert silent.budget == pytest.approx((p @ LINE).min())
    assert ml.lab.least_budget(WEIGHTS, cost=LINE, leakage=9).budget == pytest.approx(0, abs=1e-9)


def test_next_to_nothing_costs_no_more_than_nothing():
    """Where solvers find only channels that cost more."""
    least = ml.lab.least_budget([3, 2, 1], cost=1 - np.eye(3), leakage=1e-7)
    assert 0.499 < least.budget <= 0.5
    assert least.leakages[0] <= 1e-7


def test_gains_are_the_attackers():
    """Worth guessing only one of two halves: pairs of secrets look alike to him."""
    halves = np.kron(np.eye(2), np.ones(3))
    least = ml.lab.least_budget(WEIGHTS, cost=LINE, entropy="min-entropy", gains=halves, leakage=0.1)
    assert ml.leakage(WEIGHTS, least.channel, ml.Gain(ml.MinEntropy(), halves)) == pytest.approx(0.1, abs=1e-7)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"leakage": -1}, InvalidParameter, "a number from 0 on, not -1"),
        ({"leakage": math.nan}, InvalidParameter, "a number from 0 on, not nan"),
        ({"leakage": [1, 2]}, InvalidParameter, "2 leakages for 1 entropies"),
        ({}, InvalidParameter, "nothing is constrained: give leakage="),
        ({"leakage": 0.1, "allowed": np.eye(6)}, Infeasible, "leaks less than 2.3"),
        ({"leakage": 0, "allowed": np.eye(6)}, Infeasible, "no observable is open to all"),
        ({"leakage": 0.1, "cost": None}, InvalidParameter, "give cost="),
        ({"leakage": 0.1, "gap": 1e-15}, SolverFailed, "is proven to be the least: further apart than gap=1e-15"),
    ],
)
def test_what_cannot_be_is_refused(given, error, said):
    """One line that says why."""
    with pytest.raises(error, match=said):
        ml.lab.least_budget(WEIGHTS, **{"cost": LINE, **given})


def test_the_least_overhead_of_padding():
    """No budget below the bound does, one at the overhead does."""
    sizes = [10, 12, 15, 21, 22, 40]
    least = ml.padding.least_budget(sizes, WEIGHTS, leakage=0.8)
    assert least.padding.leakage <= 0.8
    assert least.gap <= 1e-5
    short = ml.padding.design(sizes, WEIGHTS, budget=least.bound * (1 - 1e-6))
    assert short.leakage > 0.8
    # by all buckets
    p = np.array(WEIGHTS) / sum(WEIGHTS)
    found = math.inf
    for ends in range(2**5):
        cuts = [i for i in range(5) if ends >> i & 1] + [5]
        shown = np.array([sizes[next(c for c in cuts if c >= i)] for i in range(6)])
        if ml.leakage(WEIGHTS, ml.Channel.deterministic(shown.tolist()), "shannon") <= 0.8:
            found = min(found, float(p @ (shown - sizes)))
    assert least.overhead == pytest.approx(found)
    with pytest.raises(InvalidParameter, match="from 0 on, not nan"):
        ml.padding.least_budget(sizes, leakage=math.nan)
    # a floor may ask for more than the leakage does: two buckets of two
    paired = ml.padding.least_budget([10, 20, 30, 40], [80, 20, 5, 5], leakage=2, floor=2)
    assert paired.overhead == pytest.approx((80 * 10 + 5 * 10) / 110)
