"""A few numbers are measured in Python's floats, many by numpy: the two agree to all digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minleak as ml
from minleak import lab
from minleak.core._columns import FEW, FewColumns

ORDERS = (0, 0.01, 0.3, 0.5, 0.75, 1 - 1e-9, 1, 1 + 1e-9, 1.2, 1.25, 1.3, 2, 3.5, 50, math.inf)
ENTROPIES = [
    ml.Shannon(),
    ml.Shannon(base=math.e),
    ml.MinEntropy(),
    *(family(a) for family in (ml.Arimoto, lab.Hayashi, lab.FehrBerens) for a in ORDERS),
    *(lab.Tsallis(q) for q in ORDERS[:-1]),
    *(lab.SharmaMittal(a, b) for a in ORDERS for b in (-1, 0.5, 1, 3)),
    ml.Hartley(),
    ml.Collision(form="hayashi"),
    *(ml.GuessError(l) for l in (1, 2, 3, 9)),
    ml.Guesswork(),
]


def by_numpy(H, joint):
    return H.value(H.summary(np.array(joint)))


def weights(n):
    """Columns of all kinds: zeros, entries of very different size, one that is nearly all."""
    entry = st.one_of(st.just(0.0), st.floats(0.01, 1), st.floats(-250, -1).map(lambda e: 10.0**e), st.just(1.0))
    return st.lists(entry, min_size=n, max_size=n)


@st.composite
def joints(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    joint = np.array([draw(weights(m)) for _ in range(n)])
    if not joint.sum() > 0:
        joint[0, 0] = 1.0
    return joint / joint.sum()


@given(joints())
def test_both_ways_agree(joint):
    for H in ENTROPIES:
        few = H.of_few(FewColumns(joint.T.tolist()))
        assert isinstance(few, float), H
        assert few == pytest.approx(by_numpy(H, joint), rel=2e-12, abs=1e-300), H


def test_digits_are_kept_where_a_guess_is_almost_sure():
    for e in (1e-3, 1e-9, 1e-17, 1e-200):
        column = FewColumns([[1.0, e]])
        assert ml.MinEntropy(base=math.e).of_few(column) == pytest.approx(math.log1p(e), rel=1e-14)
        shannon = (math.log1p(e) + e * (math.log1p(e) - math.log(e))) / 1.0
        assert ml.Shannon(base=math.e).of_few(column) == pytest.approx(shannon, rel=1e-13)


def test_the_way_is_chosen_by_size_alone(monkeypatch):
    rng = np.random.default_rng(0)
    asked = []
    monkeypatch.setattr(ml.Shannon, "of_few", lambda _, columns: asked.append(len(columns)))
    for m in (FEW // 2, FEW // 2 + 1):
        p, C = rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(m), 2)
        ml.Shannon().conditional(p, C)
    assert asked == [FEW // 2]


def test_a_joint_that_was_measured_gives_the_same_again():
    """What a joint keeps of its columns depends on nothing that a call could change."""
    for n, m in ((3, 2), (20, 30)):
        rng = np.random.default_rng(n)
        _gives_the_same_again(lab.Joint(rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m), n)))


def _gives_the_same_again(joint):
    first = [ml.leakage(joint, None, H) for H in ENTROPIES]
    lab.best_guesses(joint)
    lab.posterior_vulnerability(joint, gain=np.ones((2, len(joint.p))))
    joint.posteriors()
    joint.hyper()
    joint.matrix()[:] = 0  # a copy
    assert [ml.leakage(joint, None, H) for H in ENTROPIES] == first


def test_gains_that_are_not_finite_are_refused_however_few():
    for bad in (math.nan, math.inf):
        with pytest.raises(ml.errors.InvalidParameter, match="finite"):
            lab.vulnerability([1, 1], gain=[[1, bad], [0, 1]])
    assert lab.vulnerability([1, 1], gain=np.full((2, 2), 1.7e308)) == 1.7e308  # the sum overflows, no entry does
