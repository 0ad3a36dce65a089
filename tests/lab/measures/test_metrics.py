"""Metrics: one way to write them, wherever they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab import mechanisms

AT = {"home": 0.0, "work": 3.0, "park": 4.0}
FAR = np.abs(np.subtract.outer([*AT.values()], [*AT.values()]))
PRIOR = ml.Prior([3, 2, 1], labels=[*AT])


def by_name(first, second):
    return abs(AT[first] - AT[second])


def by_position(first, second):
    return FAR[first, second]


def loss(metric, prior=PRIOR):
    return ml.lab.least_budget(prior, cost=FAR, d_privacy=(0.5, metric)).budget


ASKED = {
    "exponential": lambda metric, names: mechanisms.exponential(3, 1.0, metric, inputs=names).toarray(),
    "tight": lambda metric, names: mechanisms.tight_constraints(3, 1.0, metric, inputs=names).toarray(),
    "d_privacy": lambda metric, names: ml.lab.d_privacy(ml.Channel(np.eye(3) / 2 + 1 / 6, inputs=names), metric),
    "optimise": lambda metric, names: (
        ml.lab.optimise(
            ml.Prior([3, 2, 1], labels=names), entropy="min-entropy", cost=FAR, budget=2.0, d_privacy=(1.0, metric)
        ).leakage
    ),
    "least_budget": lambda metric, names: loss(metric, ml.Prior([3, 2, 1], labels=names)),
    "a cap": lambda metric, names: (
        ml.lab.optimise(ml.Prior([3, 2, 1], labels=names), entropy="min-entropy", k=3, d_privacy=(1.0, metric)).leakage
    ),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_callable_takes_labels_and_positions_where_there_are_none(ask):
    """The same answer as from the matrix, with names and without."""
    wanted = ask(FAR, None)
    assert ask(by_position, None) == pytest.approx(wanted, abs=1e-12)
    assert ask(by_name, [*AT]) == pytest.approx(wanted, abs=1e-12)
    with pytest.raises(InvalidParameter, match="for the labels at 0 and 0: it takes two labels, or positions") as told:
        ask(by_position, [*AT])
    assert "home" not in str(told.value)


def test_labels_that_are_numbers_are_not_positions():
    """1, 4, 5 are three apart where 0, 1, 2 are one apart."""
    channel = ml.Channel([[0.5, 0.5], [0.25, 0.75]], inputs=[1, 4])
    assert ml.lab.d_privacy(channel, lambda x, y: abs(x - y)) == pytest.approx(np.log(2) / 3)
    assert mechanisms.exponential(2, 1.0, lambda x, y: abs(x - y), inputs=[1, 4]).distances[0, 1] == 3


def test_secrets_at_one_place_stay_there():
    """Zero is a distance: two secrets at one place are to have equal rows, however far others are."""
    d = np.array([[0, 0, 3], [0, 0, 3], [3, 3, 0]])
    best = ml.lab.least_budget([1, 2, 3], cost=1 - np.eye(3), d_privacy=(0.5, d)).channel
    assert best.matrix[0] == pytest.approx(best.matrix[1], abs=0)
    assert ml.lab.d_privacy(best, d) <= 0.5 * (1 + 1e-9)
    assert ml.lab.least_budget([1, 2], cost=1 - np.eye(2), d_privacy=(0.5, np.zeros((2, 2)))).budget == pytest.approx(
        1 / 3
    )


def test_a_label_for_each_secret():
    with pytest.raises(InvalidParameter, match="2 inputs for a matrix of 3 rows"):
        mechanisms.exponential(3, 1.0, FAR, inputs=["home", "work"])
