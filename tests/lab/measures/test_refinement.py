"""Refinement: yes with a post-processing that multiplies out, no with a witness under which the second leaks more."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak import lab
from minleak.errors import InvalidChannel, InvalidParameter, SolverFailed
from minleak.lab import _exact
from minleak.lab._orders import programme, sparse

RNG = np.random.default_rng(5)


def fractions(n, m, most=5, rng=RNG):
    """A channel of small Fractions, zeros among them."""
    counts = rng.integers(0, most, (n, m))
    counts[:, 0] += counts.sum(axis=1) == 0
    return np.array([[Fraction(int(v), int(row.sum())) for v in row] for row in counts], dtype=object)


def checked(A, B, found):
    """Every claim of an answer, from the definition."""
    if found.ok:
        R = found.post_processing
        assert np.abs((ml.Channel(A) @ R).toarray() - ml.Channel(B).toarray()).max() <= 1e-8
        if found.exact:
            assert (A @ R.exact == B).all()
        return
    H = ml.Gain(ml.MinEntropy(), found.gain)
    assert ml.leakage(found.prior, B, H) > ml.leakage(found.prior, A, H)
    if found.exact:
        gain = found.gain.astype(int).astype(object)
        assert (gain @ B).max(axis=0).sum() > (gain @ A).max(axis=0).sum()


@pytest.mark.parametrize("seed", range(30))
def test_small_channels_exactly_and_in_floats(seed):
    """Both ways decide alike, and both say why; a post-processing is always found."""
    rng = np.random.default_rng(seed)
    n, m, k = rng.integers(1, 6, 3)
    A = fractions(n, m, rng=rng)
    B = A @ fractions(m, k, rng=rng) if seed % 2 else fractions(n, k, rng=rng)
    found, floats = ml.lab.refined_by(A, B), ml.lab.refined_by(A.astype(float), B.astype(float))
    assert found.exact
    assert not floats.exact
    assert found.ok == floats.ok
    assert found.ok or seed % 2 == 0
    checked(A, B, found)
    checked(A.astype(float), B.astype(float), floats)


def test_by_enumeration():
    """All channels of halves from 2 secrets to 2 observables: refined exactly if a grid of R's contains a factor."""
    rows = [(Fraction(i, 2), Fraction(2 - i, 2)) for i in range(3)]
    grid = [(Fraction(i, 4), Fraction(4 - i, 4)) for i in range(5)]
    channels = [np.array(rows, dtype=object) for rows in product(rows, rows)]
    for A, B in product(channels, channels):
        # every factor of channels of halves, if there is one, is also there in quarters
        some = any((A @ np.array(R, dtype=object) == B).all() for R in product(grid, grid))
        assert ml.lab.refined_by(A, B).ok == some


@pytest.mark.parametrize("wide", [False, True])
def test_thirty_secrets(wide):
    """Independent columns are solved for, others go through the programme; witnesses have two guesses."""
    n, m = 30, 36 if wide else 30
    A = RNG.dirichlet(np.ones(m), n)
    yes, no = A @ RNG.dirichlet(np.ones(n), m), RNG.dirichlet(np.ones(n), n)
    assert ml.lab.refined_by(A, yes).ok
    checked(A, yes, ml.lab.refined_by(A, yes))
    found = ml.lab.refined_by(A, no)
    checked(A, no, found)
    assert found.gain.shape == (2, n)
    assert found.gain.max() <= 20
    assert set(found.gain.ravel() % 1) == {0}


def test_where_each_column_is_in_reach_but_not_all_at_once():
    """Posteriors that are means of A's, but too often the extreme ones: only gains for all columns together show it."""
    A = [[Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)], [Fraction(1, 5), Fraction(1, 5), Fraction(3, 5)]]
    B = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    assert lab.max_refined_by(A, B).ok
    found = ml.lab.refined_by(A, B)
    assert not found.ok
    checked(np.array(A, dtype=object), np.array(B, dtype=object), found)


def test_a_difference_that_floats_do_not_show():
    """Fractions decide it; floats say yes within the tolerance."""
    e = Fraction(1, 10**15)
    A = np.array([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    B = np.array([[Fraction(3, 4) + e, Fraction(1, 4) - e], [Fraction(1, 4), Fraction(3, 4)]])
    assert ml.lab.refined_by(B, A).ok
    found = ml.lab.refined_by(A, B)
    assert not found.ok
    assert found.earned[1] > found.earned[0]
    assert ml.lab.refined_by(A.astype(float), B.astype(float)).ok
    three, two = np.vstack([A, A.mean(axis=0)]), np.vstack([B, A.mean(axis=0)])
    assert not ml.lab.refined_by(three, two).ok  # more secrets than observables: rows that no R meets
    split = np.column_stack([A[:, 0], A[:, 1] / 3, A[:, 1] * 2 / 3])
    assert ml.lab.refined_by(split, A).ok


def sparse_fractions(n, m, rng):
    """Small Fractions with many zeros."""
    counts = rng.integers(1, 4, (n, m)) * (rng.random((n, m)) < 0.4)
    counts[np.arange(n), rng.integers(0, m, n)] += 1
    return np.array([[Fraction(int(v), int(row.sum())) for v in row] for row in counts])


@pytest.mark.parametrize("seed", [216, 1174, 1608, 2461, 3634])
def test_what_rounding_hides_is_found(seed):
    """Factors at the edge of what there is: witnesses that earn by rounding alone are none, in floats and exactly."""
    rng = np.random.default_rng(seed)
    n, m, k = rng.integers(2, 8, 3)
    A = sparse_fractions(min(n, 5), m, rng)
    B = A @ sparse_fractions(m, k, rng)
    for one, two in ((A, B), (A.astype(float), B.astype(float))):
        found = ml.lab.refined_by(one, two)
        assert found.ok
        checked(one, two, found)


def test_gains_that_take_many_digits():
    """An entry of R that is negative by 10^-25: no small whole numbers show it, and those that do are above 2^63."""
    rng = np.random.default_rng(0)
    A = np.array([[Fraction(int(v), int(row.sum())) for v in row] for row in rng.integers(1, 10**9, (4, 4))])
    e = Fraction(1, 10**25)
    R = [[Fraction(1, 2), Fraction(1, 2) + e, -e], [Fraction(1, 3)] * 3, [e, e, 1 - 2 * e], [0, 1 - e, e]]
    found = ml.lab.refined_by(A, A @ np.array(R))
    assert found.exact
    assert found.gain.max() > 2**63
    assert len({tuple(guess) for guess in found.gain}) == len(found.gain)
    assert found.earned[1] > found.earned[0]


def test_what_is_too_large_to_be_exact_is_refused():
    rng = np.random.default_rng(0)
    A = sparse_fractions(12, 16, rng)
    with pytest.raises(SolverFailed, match="16 and 12 observables are too large to be compared exactly"):
        ml.lab.refined_by(A, A @ sparse_fractions(16, 12, rng))


def test_the_exact_simplex_and_the_programme_agree():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        A = fractions(2, 4, rng=rng)
        B = A @ fractions(4, 3, rng=rng) if seed % 2 else fractions(2, 3, rng=rng)
        R, gain = _exact.stochastic(A, B)
        near = programme.closest(A.astype(float), B.astype(float), enough=1e-11)
        assert (near.distance < 1e-8) == (gain is None)
        if gain is None:
            assert (A @ R == B).all()
            assert min(R.flat) >= 0
        else:
            assert (gain * B).sum() > (A.T @ gain).max(axis=1).sum()
            assert near.bound > 0


def test_linear_systems_over_fractions():
    M = fractions(6, 6, most=9)
    X = fractions(6, 4, most=9)
    assert (_exact.solve(M, _exact.product(M, X)) == X).all()
    assert (_exact.product(M, X) == M @ X).all()
    assert _exact.solve(np.array([[Fraction(1), Fraction(1)]] * 2), X[:2]) is None


def test_sparse_channels_are_decided_as_dense_ones():
    for seed in range(24):
        rng = np.random.default_rng(seed)
        n, m, k = rng.integers(2, 7, 3)
        A, R, B = (_with_zeros(*shape, rng) for shape in ((n, m), (m, k), (n, k)))
        B = A @ R if seed % 2 else B
        A, B = A[:, A.any(axis=0)], B[:, B.any(axis=0)]
        found, gain = sparse.factorise(sp.csc_array(A), sp.csc_array(B), 1e-8)
        assert (gain is None) == ml.lab.refined_by(A, B).ok
        if gain is None:
            assert abs(A @ found.toarray() - B).max() <= 1e-8
        else:
            gain = gain if isinstance(gain, np.ndarray) else gain.toarray()
            assert (gain @ B).max(axis=0).sum() > (gain @ A).max(axis=0).sum() + 1e-12


def _with_zeros(n, m, rng):
    C = rng.dirichlet(np.full(m, 0.3), n)
    C[C < 0.15] = 0
    C[:, 0] += C.sum(axis=1) == 0
    return C / C.sum(axis=1, keepdims=True)


def test_a_large_sparse_channel():
    """3,000 secrets, a plan and what is left of it when observables are merged."""
    plan = ml.design(np.random.default_rng(1).zipf(1.5, 3000).clip(1, 10**6).tolist(), k=4).channel()
    merged = plan @ ml.Channel.deterministic([y % 100 for y in range(plan.shape[1])], inputs=plan.outputs)
    found = ml.lab.refined_by(plan, merged)
    assert found.ok
    assert abs(plan.matrix @ found.post_processing.matrix - merged.matrix).max() <= 1e-8
    back = ml.lab.refined_by(merged, plan)
    assert not back.ok
    assert back.gain.shape[0] == 2
    assert back.earned[1] > back.earned[0]
    assert not lab.max_refined_by(merged, plan).ok
    assert lab.max_refined_by(plan, merged).ok


@pytest.mark.parametrize("t", [0.0, 0.25])
def test_a_large_sparse_channel_where_only_all_columns_together_tell(t):
    """Halves of {1,2}, {3,4}, {1,3}, {2,4}, and B = {1,2}, {3,4}, each of which is in reach. {1,3} fits into neither,
    unless B shows all four with probability t; by hand, B earns 4 (1 - t/2) and A 3 with a guess for each pair.
    """
    halves = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]]) / 2
    pairs = np.array([[1 - t, 0, t], [1 - t, 0, t], [0, 1 - t, t], [0, 1 - t, t]])
    A, B = (sp.block_diag([sp.csc_array(C), sp.eye_array(200)], format="csc") for C in (halves, pairs))
    assert lab.max_refined_by(A, B).ok
    found = ml.lab.refined_by(A, B)
    assert not found.ok
    assert np.array(found.earned) * 204 == pytest.approx([203, 204 - 2 * t])
    assert ml.lab.refined_by(B, A).ok is False


def test_sparse_post_processings_go_back_to_all_columns():
    """Two halves of each secret and observables that never occur, into pairs that are split and one that never is."""
    n = 210
    one, none = sp.eye_array(n, format="csc"), sp.csc_array((n, 1))
    pair = sp.csc_array((np.ones(n), (np.arange(n), np.arange(n) // 2)))
    A, B = sp.hstack([none, one / 2, one / 2], format="csc"), sp.hstack([none, pair / 4, pair * 0.75], format="csc")
    R = ml.lab.refined_by(A, B).post_processing.matrix
    assert abs(A @ R - B).max() <= 1e-8
    assert R.sum(axis=1) == pytest.approx(1)
    assert R.toarray()[0].tolist() == [1] + [0] * n


def test_max_refinement_is_weaker_and_its_witness_holds():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        A, B = rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.full(3, 5.0), 3)
        found = lab.max_refined_by(A, B)
        assert found.ok or not ml.lab.refined_by(A, B).ok
        if not found.ok:
            worst = [lab.max_case_vulnerability(found.prior, C, gain=found.gain) for C in (A, B)]
            assert worst[1] > worst[0]
            assert tuple(worst) == found.earned


def test_what_never_occurs_and_what_is_proportional():
    """Zero columns and split ones change no answer, and have their rows in the post-processing."""
    A, B = [[1, 0, 0], [0, 0, 1]], [[0, 0.5, 0.5], [0, 1, 0]]
    found = ml.lab.refined_by(A, B)
    assert found.post_processing.toarray().tolist() == [[0, 0.5, 0.5], [1, 0, 0], [0, 1, 0]]
    assert ml.lab.refined_by([[0.25, 0.75], [0.5, 0.5]], [[0.25, 0.5, 0.25], [0.5, 1 / 3, 1 / 6]]).ok


def test_channels_factor_with_labels():
    A = ml.Channel([[1, 0], [0, 1]], inputs=["a", "b"], outputs=["hot", "cold"])
    R = ml.lab.refined_by(A, ml.Channel([[0.5, 0.5], [0, 1]], inputs=["a", "b"], outputs=["x", "y"])).post_processing
    assert (list(R.inputs), list(R.outputs)) == (["hot", "cold"], ["x", "y"])
    assert ml.lab.refined_by([[0.5, 0.5], [0.5, 0.5]], [[1, 0], [0, 1]]).post_processing is None


def test_what_is_refused():
    with pytest.raises(InvalidChannel, match="share their secrets: the first has 2 rows and the second 3 rows"):
        ml.lab.refined_by(np.eye(2), np.eye(3))
    with pytest.raises(InvalidChannel, match="bring both into one order"):
        ml.lab.refined_by(ml.Channel(np.eye(2), inputs=["a", "b"]), ml.Channel(np.eye(2), inputs=["b", "a"]))
    for tolerance in (0, 1, -1, float("nan"), "x", True):
        with pytest.raises(InvalidParameter, match="above 0 and below 1"):
            ml.lab.refined_by(np.eye(2), np.eye(2), tolerance=tolerance)


def test_answers_can_be_read():
    assert str(ml.lab.refined_by(np.eye(2), np.eye(2))) == "the first is refined by the second, which never leaks more"
    assert "between 2 guesses earns 1.5" in str(ml.lab.refined_by([[0.75, 0.25], [0.25, 0.75]], np.eye(2)))
