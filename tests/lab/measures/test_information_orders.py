"""Deficiency, less noisy and more capable: what is said is proven on both sides, and textbook cases come out."""

import math

import numpy as np
import pytest

import minleak as ml
from minleak import lab
from minleak.lab._orders.information_orders import _eigenvalues_from, _prove_less_noisy


def erasure(e):
    return [[1 - e, e, 0], [0, e, 1 - e]]


def random_channel(rng, n, m):
    C = rng.random((n, m)) ** 2 + 0.01
    return C / C.sum(axis=1, keepdims=True)


def test_deficiency_is_attained_and_bounded():
    """Le Cam: the largest loss in decisions with gains from 0 to 1, over priors, is the least distance over R."""
    rng = np.random.default_rng(1)
    for _ in range(15):
        A, B = random_channel(rng, 3, 3), random_channel(rng, 3, 4)
        found = lab.deficiency(A, B)
        made = (ml.Channel(A) @ found.post_processing).toarray()
        assert max(lab.total_variation(p, q) for p, q in zip(made, B, strict=True)) == pytest.approx(found.value)
        with_b = sum(found.prior.p[x] * B[x, y] * found.gain[y, x] for x in range(3) for y in range(4))
        with_a = lab.posterior_vulnerability(found.prior, A, gain=found.gain)
        assert with_b - with_a == pytest.approx(found.bound, abs=1e-9)
        assert found.bound <= found.value <= found.bound + 1e-7
        R = random_channel(rng, 3, 4)
        assert lab.deficiency(A, A @ R).value == pytest.approx(0, abs=1e-9)


def test_an_erasure_channel_beside_a_symmetric_one():
    """El Gamal and Kim, Network Information Theory, example 5.4: with p = .1 the erasure channel is degraded into the
    symmetric one up to e = 2p, less noisy up to 4p(1-p), more capable up to the binary entropy of p.
    """
    p = 0.1
    symmetric = [[1 - p, p], [p, 1 - p]]
    entropy = -(p * math.log2(p) + (1 - p) * math.log2(1 - p))
    for e in (2 * p - 0.01, 4 * p * (1 - p) + 0.01, entropy + 0.01):
        less = lab.less_noisy(erasure(e), symmetric, trials=6)
        more = lab.more_capable(erasure(e), symmetric, trials=6)
        assert less.ok is (e < 2 * p)
        assert more.ok is (True if e < 2 * p else False if e > entropy else None)
    between = lab.less_noisy(erasure(4 * p * (1 - p) - 0.01), symmetric, trials=6)
    assert between.ok is True
    assert "no prior has a negative eigenvalue" in between.because
    assert between.margin == pytest.approx(0, abs=1e-9)


def test_witnesses_are_what_they_claim():
    rng = np.random.default_rng(2)
    seen = 0
    for _ in range(6):
        A, B = random_channel(rng, 3, 3), random_channel(rng, 3, 3)
        less, more = lab.less_noisy(A, B, trials=5), lab.more_capable(A, B, trials=5)
        if less.ok is False:
            p, q = (prior.p for prior in less.priors)
            apart = [lab.kl_divergence(p @ C, q @ C) for C in (A, B)]
            assert apart[0] < apart[1]
        if more.ok is False:
            seen += 1
            assert ml.leakage(more.priors[0], A, "shannon") < ml.leakage(more.priors[0], B, "shannon")
            assert less.ok is False  # less noisy implies more capable
    assert seen


@pytest.mark.parametrize(("erased", "ok"), [(0.15, True), (0.3, True), (0.35, True), (0.37, False), (0.45, False)])
def test_an_erasure_channel_against_a_symmetric_one(erased, ok):
    """With an error of .1 it is less noisy up to 4 x .1 x .9 = .36 erased, beyond .2 without being simulated; it is
    more capable up to h(.1) = .469.
    """
    first, second = lab.binary_erasure(erased), lab.binary_symmetric(0.1)
    found = lab.less_noisy(first, second)
    assert found.ok is ok
    assert ("can be made" in found.because) is (erased < 0.2)
    assert lab.more_capable(first, second).ok is not False


def test_symmetric_channels_of_four_symbols_and_ties():
    """What is proven is never what a witness refutes; a channel against one of the same information stays open."""
    clear, noisy = (np.array(lab.symmetric(4, error)) for error in (0.05, 0.3))
    noisy[0], noisy[3] = noisy[3].copy(), noisy[0].copy()
    assert _prove_less_noisy(clear, noisy)
    assert not _prove_less_noisy(noisy, clear)
    assert not _prove_less_noisy(noisy, noisy)
    rng = np.random.default_rng(4)
    for _ in range(20):
        a, b = rng.dirichlet(np.full(3, 0.5), size=3), rng.dirichlet(np.full(3, 3.0), size=3)
        if _prove_less_noisy(a, b):
            for p, q in rng.dirichlet(np.ones(3), size=(200, 2)):
                assert lab.kl_divergence(p @ a, q @ a) >= lab.kl_divergence(p @ b, q @ b)


def test_what_is_said_of_a_simplex_holds_in_it():
    """The least eigenvalue at its corners is below that of every prior inside, by its own definition."""
    rng = np.random.default_rng(6)
    a, b = random_channel(rng, 3, 4), random_channel(rng, 3, 3)
    basis = np.linalg.svd(np.eye(3) - 1 / 3)[0][:, :2]
    for size in (1.0, 0.1, 1e-3):
        start = rng.dirichlet(np.ones(3), size=(20, 1))
        cells = start + size * (rng.dirichlet(np.ones(3), size=(20, 3)) - start)
        least = _eigenvalues_from(cells, a, b, basis)
        for k, weights in enumerate(rng.dirichlet(np.ones(3), size=20)):
            q = weights @ cells[k]
            difference = a @ np.diag(1 / (q @ a)) @ a.T - b @ np.diag(1 / (q @ b)) @ b.T
            assert least[k] <= np.linalg.eigvalsh(basis.T @ difference @ basis)[0] + 1e-9
            point = _eigenvalues_from(q[None, None], a, b, basis)[0]
            assert point == pytest.approx(np.linalg.eigvalsh(basis.T @ difference @ basis)[0], abs=1e-9)
