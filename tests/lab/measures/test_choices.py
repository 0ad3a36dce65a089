"""Visible and hidden choice of channels: the laws of their algebra."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.lab import hidden_choice, visible_choice

RNG = np.random.default_rng(3)
PRIOR = RNG.dirichlet(np.ones(4))
FIRST, SECOND, THIRD = (ml.Channel(RNG.dirichlet(np.full(m, 0.7), size=4)) for m in (3, 3, 2))
WEIGHTS = [3, 1]


def equivalent(first, second):
    return ml.lab.refined_by(first, second).ok and ml.lab.refined_by(second, first).ok


def test_what_a_visible_choice_leaks_is_the_mean():
    """For every gain, and for entropies without an outer function, whatever the weights."""
    choice = visible_choice(WEIGHTS, [FIRST, THIRD])
    for gain in (None, RNG.random((5, 4))):
        means = 0.75 * ml.lab.posterior_vulnerability(PRIOR, FIRST, gain=gain) + 0.25 * ml.lab.posterior_vulnerability(
            PRIOR, THIRD, gain=gain
        )
        assert ml.lab.posterior_vulnerability(PRIOR, choice, gain=gain) == pytest.approx(means)
    for name in ("shannon", "guesswork", "guess-error:2"):
        H = ml.entropy(name)
        mean = 0.75 * H.conditional(PRIOR, FIRST) + 0.25 * H.conditional(PRIOR, THIRD)
        assert H.conditional(PRIOR, choice) == pytest.approx(mean)


def test_a_hidden_choice_can_be_made_of_the_visible_one():
    """By forgetting which; so it leaks no more, and usually the visible one cannot be made of it."""
    visible, hidden = (choose(WEIGHTS, [FIRST, SECOND]) for choose in (visible_choice, hidden_choice))
    assert ml.lab.refined_by(visible, hidden).ok
    assert not ml.lab.refined_by(hidden, visible).ok
    forget = ml.Channel.deterministic([y for _, y in visible.outputs], inputs=visible.outputs)
    assert (visible @ forget).toarray() == pytest.approx(hidden.toarray())
    assert hidden.toarray() == pytest.approx(0.75 * FIRST.toarray() + 0.25 * SECOND.toarray())


def test_a_choice_of_one_thing_is_that_thing():
    assert hidden_choice(WEIGHTS, [FIRST, FIRST]).toarray() == pytest.approx(FIRST.toarray())
    assert equivalent(visible_choice(WEIGHTS, [FIRST, FIRST]), FIRST)
    assert equivalent(visible_choice([0, 1], [FIRST, SECOND]), SECOND)


def test_choices_are_associative_and_distribute():
    """Choosing twice is choosing once; what is run in parallel, or afterwards, may be chosen with it."""
    for choose in (visible_choice, hidden_choice):
        once = choose([2, 1, 1], [FIRST, SECOND, THIRD])
        twice = choose([3, 1], [choose([2, 1], [FIRST, SECOND]), _renamed(choose, THIRD)])
        assert equivalent(once, twice)
        beside = ml.lab.parallel(ml.Channel(FIRST), choose(WEIGHTS, [SECOND, THIRD]))
        assert equivalent(beside, choose(WEIGHTS, [ml.lab.parallel(FIRST, SECOND), ml.lab.parallel(FIRST, THIRD)]))
    after = ml.Channel(RNG.dirichlet(np.ones(2), size=3))
    both = hidden_choice(WEIGHTS, [FIRST, SECOND]) @ after
    assert both.toarray() == pytest.approx(hidden_choice(WEIGHTS, [FIRST @ after, SECOND @ after]).toarray())


def _renamed(choose, channel):
    """Outputs of a hidden choice are matched by name; those of a visible one are pairs, so a third needs a name too."""
    if choose is hidden_choice:
        return channel
    return ml.Channel(channel.matrix, outputs=[("third", y) for y in channel.outputs])


def test_outputs_are_matched_by_name():
    first = ml.Channel([[1, 0], [0, 1]], inputs=["a", "b"], outputs=["low", "high"])
    second = ml.Channel([[1, 0], [0.5, 0.5]], outputs=["high", "none"])
    hidden = hidden_choice([1, 1], [first, second])
    assert list(hidden.inputs) == ["a", "b"]
    assert list(hidden.outputs) == ["low", "high", "none"]
    assert hidden.toarray().tolist() == [[0.5, 0.5, 0], [0, 0.75, 0.25]]
    named = visible_choice(ml.Prior([1, 1], labels=["x", "y"]), [first, second])
    assert list(named.outputs) == [("x", "low"), ("x", "high"), ("y", "high"), ("y", "none")]


def test_exact_and_sparse_channels_stay_so():
    third = Fraction(1, 3)
    exact = ml.Channel([[third, 2 * third], [1, 0]])
    for choose in (visible_choice, hidden_choice):
        chosen = choose([1, 2], [exact, exact])
        assert chosen.exact is not None
        assert chosen.exact[0, 0] == (third * third if choose is visible_choice else third)
        sparse = ml.Channel(sp.csc_array(FIRST.toarray()))
        assert not choose(WEIGHTS, [sparse, sparse]).is_dense
        mixed = choose(WEIGHTS, [sparse, SECOND])
        assert mixed.toarray() == pytest.approx(choose(WEIGHTS, [FIRST, SECOND]).toarray())


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidParameter, match="2 weights for 3 channels"):
        visible_choice(WEIGHTS, [FIRST, SECOND, THIRD])
    with pytest.raises(InvalidChannel, match="to choose from share their secrets"):
        hidden_choice(WEIGHTS, [FIRST, [[1], [1]]])
    with pytest.raises(InvalidChannel, match="name those of all channels, or of none"):
        hidden_choice(WEIGHTS, [FIRST, ml.Channel(SECOND.matrix, outputs=["x", "y", "z"])])
