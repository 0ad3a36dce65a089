"""metric_invariance: yes with a proof, no with two entropies, undecided with what was tried."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lab.optimise.problems import COUNTEREXAMPLE, hamming, random_problem, subsets

import minleak as ml
from minleak.errors import InvalidParameter
from paper.invariance import metric_invariance

OTHERS = ["shannon", "min-entropy", "guesswork", "guess-error:2", "arimoto:0.5", "arimoto:3", "hayashi:2", "tsallis:2"]


@pytest.mark.parametrize(
    ("weights", "k"),
    [
        ((30, 28, 22, 20), 3),
        ((36, 30, 20, 14), 3),
        ((40, 35, 15, 10), 3),
        ((9, 4, 3, 2, 1), 2),
        ((50, 9, 8, 7, 6, 5), 3),
    ],
)
def test_yes_on_the_capped_problem(weights, k):
    """All sets of k listed as observables: the channel found is as good as our plan in every entropy."""
    found = metric_invariance(weights, allowed=subsets(len(weights), k))
    plan = ml.design(weights, k)
    assert found.ok is True
    assert found.posterior[:k] == pytest.approx(plan.target, abs=1e-9)
    assert found.spread < 1e-9
    assert found.conflict is None
    for name in OTHERS:
        assert ml.leakage(weights, found.channel, name) == pytest.approx(plan.leakage(name), abs=1e-8)
        optimum = ml.lab.optimise(weights, entropy=name, allowed=subsets(len(weights), k))
        assert optimum.leakage == pytest.approx(plan.leakage(name), abs=1e-7)


def test_no_on_the_papers_counterexample():
    """Shannon wants x = 0.3, Arimoto 2 wants 0.2573593; guesswork's optimum has 0.15 for one end of its interval."""
    found = metric_invariance(**COUNTEREXAMPLE)
    assert found.ok is False
    assert found.conflict.entropies == ("shannon", "arimoto:2")
    assert found.conflict.shortfall > 1e-3
    x = {name: 0.5 * best.channel.toarray()[1, 1] for name, best in found.optima.items()}
    assert x["shannon"] == pytest.approx(0.3, abs=1e-7)
    assert x["arimoto:2"] == pytest.approx(0.2573593129, abs=1e-7)
    assert 0.15 - 1e-9 <= x["guesswork"] <= 0.3 + 1e-9
    lost = [
        ml.Arimoto(2).conditional(COUNTEREXAMPLE["prior"], found.optima[best].channel)
        for best in ("arimoto:2", "shannon")
    ]
    assert found.conflict.regret[0] == pytest.approx(lost[0] - lost[1], abs=1e-9)
    assert "shannon and arimoto:2" in found.why


@pytest.mark.parametrize("prior", [[1, 1, 1], [5, 3, 2]])
def test_yes_with_a_budget(prior):
    """Secrets that may be wrong 30% of the time: one posterior (0.7, 0.15, 0.15), best for all, whatever the prior."""
    found = metric_invariance(prior, cost=hamming(3), budget=0.3)
    assert found.ok is True
    assert found.posterior == pytest.approx([0.7, 0.15, 0.15], abs=1e-7)


def test_no_with_a_budget():
    """Costs without symmetry: no channel is best for all."""
    found = metric_invariance(**random_problem(2))
    assert found.ok is False
    first, second = found.conflict.entropies
    assert min(found.conflict.regret) > 0
    assert {first, second} <= set(found.optima)


def test_undecided_says_what_was_tried():
    """With entropies that agree there is no conflict to show, and the posteriors prove nothing."""
    found = metric_invariance(entropies=["guesswork", "min-entropy"], **COUNTEREXAMPLE)
    assert found.ok is None
    assert found.channel is None
    assert "guesswork, min-entropy" in found.why


def test_everything_in_one_set_is_invariant():
    found = metric_invariance([3, 2, 1], allowed=np.ones((3, 2)))
    assert found.ok is True
    assert found.posterior == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=1e-9)


def test_gains_are_refused():
    """The theorem is about symmetric entropies."""
    with pytest.raises(InvalidParameter, match="symmetric"):
        metric_invariance([1, 1], allowed=np.ones((2, 2)), entropies=[ml.Gain(ml.Shannon(), [1, 2])])
