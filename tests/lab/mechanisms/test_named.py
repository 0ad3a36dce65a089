"""Mechanisms of the line and of any metric: their entries, their epsilon, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter
from minleak.lab import mechanisms

qif = pytest.importorskip("qif")
THEIRS = qif.mechanism.d_privacy


def away(x: int, y: int) -> float:
    """The distance of whole numbers."""
    return abs(x - y)


@pytest.mark.parametrize(("n", "epsilon"), [(2, 5.0), (4, 1.0), (7, 0.3), (40, 2.0)])
def test_the_entries_are_those_of_libqif(n, epsilon):
    """To all digits, for the four mechanisms that both have."""
    pairs = [
        (mechanisms.randomised_response(n, epsilon), THEIRS.randomized_response(n, epsilon)),
        (mechanisms.geometric(n, epsilon), THEIRS.geometric(n, epsilon)),
        (mechanisms.exponential(n, epsilon, away), THEIRS.exponential(n, lambda x, y: epsilon * away(x, y))),
        (
            mechanisms.tight_constraints(n, epsilon, away),
            THEIRS.tight_constraints(n, lambda x, y: epsilon * away(x, y)),
        ),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours.toarray(), theirs, atol=1e-14)
        assert ours.epsilon <= epsilon * (1 + 1e-12)


def test_other_numbers_of_observables_are_those_of_libqif_too():
    """Cut off within and beyond the secrets, and lies of other numbers."""
    for low, high, given in ((-1, 4, (6, 1, 0)), (0, 3, (4, 0, 0)), (1, 1 + 1, (2, 0, 1))):
        ours = mechanisms.truncated_geometric(3, 0.5, low=low, high=high)
        np.testing.assert_allclose(ours.toarray(), THEIRS.geometric(3, 0.5, *given), atol=1e-14)
        assert list(ours.outputs) == list(range(low, high + 1))
    for m in (2, 5):
        ours = mechanisms.randomised_response(3, 1.0, observables=m)
        np.testing.assert_allclose(ours.toarray(), THEIRS.randomized_response(3, 1.0, m), atol=1e-14)
    ours = mechanisms.exponential(3, 0.7, away, observables=5)
    np.testing.assert_allclose(ours.toarray(), THEIRS.exponential(3, lambda x, y: 0.7 * away(x, y), 5), atol=1e-14)


def test_the_epsilon_is_that_of_the_entries():
    """By all triples, and as the library measures it where all secrets are 1 apart."""
    mechanism = mechanisms.exponential(5, 1.3, away)
    C = mechanism.toarray()
    worst = max(
        math.log(C[x, y] / C[z, y]) / abs(x - z) for x in range(5) for z in range(5) for y in range(5) if x != z
    )
    assert mechanism.epsilon == pytest.approx(worst, rel=1e-12)
    response = mechanisms.randomised_response(6, 0.7)
    assert response.epsilon == pytest.approx(ml.lab.local_dp_epsilon(response), rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 4.0, 40.0, 800.0])
def test_closed_forms_are_channels_whose_epsilon_holds_for_all_pairs(epsilon):
    """They are held unchecked: here as a stranger's matrix would be; on a line neighbours give what all pairs give."""
    made = [mechanisms.randomised_response(5, epsilon, observables=m) for m in (1, 3, 5, 9)]
    made += [mechanisms.truncated_geometric(5, epsilon, low=low, high=high) for low, high in ((0, 4), (2, 2), (-3, 9))]
    made += [mechanisms.exponential(5, epsilon, away), mechanisms.exponential(5, epsilon, away, observables=3)]
    made += [mechanisms.planar_laplace(3, 2, epsilon), mechanisms.planar_laplace(1, 1, epsilon)]
    if epsilon > 0.1:
        made += [mechanisms.tight_constraints(5, epsilon, away), mechanisms.planar_geometric(2, 3, epsilon)]
    for mechanism in made:
        checked = ml.Channel(mechanism.toarray(), tolerance=1e-12)
        assert mechanism.epsilon == pytest.approx(ml.lab.d_privacy(checked, mechanism.distances), rel=1e-12, abs=1e-14)
        assert not mechanism.matrix.flags.writeable


def test_a_mechanism_is_a_channel():
    """With the secrets' names on both sides."""
    mechanism = mechanisms.geometric(3, 1.0, inputs=["low", "middle", "high"])
    assert list(mechanism.outputs) == ["low", "middle", "high"]
    prior = ml.Prior([1, 2, 1], labels=["low", "middle", "high"])
    assert ml.leakage(prior, mechanism, "shannon") > 0


@pytest.mark.parametrize("epsilon", [math.nan, -1, 0, math.inf, "1", True, None, 10**400])
def test_an_epsilon_that_is_none_is_refused(epsilon):
    """For every mechanism, in one line."""
    makers = (mechanisms.geometric, mechanisms.randomised_response, lambda n, e: mechanisms.exponential(n, e, away))
    for make in (*makers, lambda n, e: mechanisms.tight_constraints(n, e, away), mechanisms_of_a_plane):
        with pytest.raises(InvalidParameter, match="epsilon is a positive"):
            make(3, epsilon)


def mechanisms_of_a_plane(n: int, epsilon: float) -> None:
    mechanisms.planar_geometric(n, n, epsilon)


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ([[0, 1], [1, 0]], r"shape \(2, 2\): it is square, 3 x 3"),
        ([[0, 1, 2], [1, 0, -1], [2, -1, 0]], "from 1 to 2 is -1.0: distances are from 0 on"),
        ([[0, 1, math.nan], [1, 0, 1], [math.nan, 1, 0]], "is nan: distances"),
        ([[0, 1, 2], [2, 0, 1], [2, 1, 0]], "from 0 to 1 is 1, and back it is 2: a metric is symmetric"),
        ([[0, 1, 2], [1, 1, 1], [2, 1, 0]], "from 1 to itself is 1.0"),
        ("line", "a matrix of distances or a callable of two labels, not str"),
        (lambda x: x, "raised TypeError for the labels at 0 and 0"),
        (lambda *_: "near", "is 'near': a number is expected"),
    ],
)
def test_a_metric_that_is_none_is_refused(metric, said):
    """Naming the pair."""
    with pytest.raises(InvalidParameter, match=said):
        mechanisms.exponential(3, 1.0, metric)


def test_observables_that_a_metric_does_not_reach():
    """A matrix says nothing of other observables than the secrets, and each secret needs one within reach."""
    with pytest.raises(InvalidParameter, match="with observables= the metric is a callable"):
        mechanisms.exponential(3, 1.0, 1 - np.eye(3), observables=4)
    with pytest.raises(InvalidParameter, match="secret 2 is infinitely far from every observable"):
        mechanisms.exponential(3, 1.0, lambda x, y: 0.0 if x == y else math.inf, observables=2)


def test_where_no_constraints_can_be_tight():
    """Two at the same place; and a star with near leaves, whose centre would need a negative weight."""
    with pytest.raises(Infeasible, match="same place"):
        mechanisms.tight_constraints(2, 1.0, [[0, 0], [0, 0]])
    star = np.full((6, 6), 1.1)
    star[0, :] = star[:, 0] = 0.55
    np.fill_diagonal(star, 0.0)
    with pytest.raises(Infeasible, match="observable 0 would need a negative weight"):
        mechanisms.tight_constraints(6, 1.0, star)
    with pytest.raises(InvalidParameter, match="low=3 is above high=1"):
        mechanisms.truncated_geometric(4, 1.0, low=3, high=1)
    with pytest.raises(InvalidParameter, match="GiB"):
        mechanisms.geometric(10**6, 1.0)


def test_to_show_a_mechanism_computes_nothing(monkeypatch):
    """A notebook or a debugger shows it at every turn, and its epsilon takes n^2 m steps."""
    shown = mechanisms.exponential(5, 1, np.abs(np.subtract.outer(range(5), range(5))).astype(float))
    monkeypatch.setattr("minleak.lab.mechanisms._mechanism.d_privacy", None)
    assert repr(shown) == "Mechanism(5 secrets, 5 observables)"
    monkeypatch.undo()
    assert shown.epsilon
    assert f"epsilon {shown.epsilon:.9g}" in repr(shown)
