"""Channels reduced, as hyper-distributions, and together without being multiplied out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak import lab
from minleak.errors import InvalidChannel

RNG = np.random.default_rng(9)
PARTS = [RNG.dirichlet(np.full(m, 0.5), 6) for m in (3, 4, 2)]
P = RNG.dirichlet(np.ones(6))
close = pytest.approx


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_channels_together_are_measured_as_their_product(kind):
    parts = [
        ml.Channel(kind(np.where(part < 0.05, 0, part) / np.where(part < 0.05, 0, part).sum(1, keepdims=True)))
        for part in PARTS
    ]
    lazy, built = lab.Together(parts), lab.parallel(lab.parallel(parts[0], parts[1]), parts[2])
    for H in ("shannon", "min-entropy", "guesswork", "arimoto:2", "hartley"):
        assert ml.entropy(H).conditional(P, lazy) == close(ml.entropy(H).conditional(P, built), rel=1e-12)
    assert ml.lab.maximal_leakage(lazy) == close(ml.lab.maximal_leakage(built), rel=1e-12)
    for gain in (RNG.random((3, 6)), RNG.normal(size=(3, 6)), RNG.random(6), -RNG.random(6)):
        after = [ml.lab.posterior_vulnerability(P, channel, gain=gain) for channel in (lazy, built)]
        assert after[0] == close(after[1], rel=1e-12)
    assert lazy.channel().toarray() == close(built.toarray())
    assert list(lazy.channel().outputs) == list(built.outputs)
    assert lazy.shape == (6, 24)


def test_what_needs_the_matrix_of_channels_together_says_how_to_get_it():
    """Nothing is built unasked: a product is no channel."""
    lazy = lab.Together(PARTS)
    for call in (
        ml.capacity,
        lambda C: ml.lab.refined_by(C, C),
        lambda C: lab.Joint(P, C).matrix(),
        lambda C: lab.parallel(PARTS[0], C),
    ):
        with pytest.raises(InvalidChannel, match=r"a Together is not a channel: give its .channel\(\)"):
            call(lazy)
    assert ml.capacity(lazy.channel()).value > 0


def test_more_than_fits_is_measured_and_not_built():
    """Two plans whose giant is in every set: 4 * 10^8 pairs of observables for one secret."""
    weights = [10**7] + [1] * 40_000
    plan = ml.design(weights, k=3).channel()
    with pytest.raises(InvalidChannel, match=r"entries, about [0-9,]+ GiB, where at most 8 GiB .* by lab.Together"):
        lab.parallel(plan, plan)
    with pytest.raises(InvalidChannel, match="GiB"):
        lab.Together([plan, plan]).channel()
    many = lab.Together([[[0.6, 0.4], [0.4, 0.6]]] * 16)
    assert many.shape == (2, 65536)
    expected = ml.lab.posterior_vulnerability([1, 1], lab.repeated(ml.Channel([[0.6, 0.4], [0.4, 0.6]]), 16))
    assert ml.lab.posterior_vulnerability([1, 1], many) == close(expected, rel=1e-12)


def test_what_is_together_shares_its_secrets():
    assert list(lab.Together([np.eye(2), ml.Channel(np.eye(2), inputs=["a", "b"])]).inputs) == ["a", "b"]
    for bad in ([], [np.eye(2), np.eye(3)], 5):
        with pytest.raises(InvalidChannel, match="together"):
            lab.Together(bad)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_reduced_channels(kind):
    """Proportional columns are one under the first label, zeros are none; leakage stays."""
    C = RNG.dirichlet(np.ones(4), 6)
    shares = np.array([0.2, 0.5, 0.3])
    split = np.column_stack([C[:, :2], np.zeros(6), C[:, 2:3] * shares, C[:, 3]])
    channel = ml.Channel(kind(split), outputs=list("abzcdef"))
    reduced = lab.reduced(channel)
    assert list(reduced.outputs) == list("abcf")
    assert reduced.toarray() == close(C)
    assert ml.leakage(P, reduced, "shannon") == close(ml.leakage(P, channel, "shannon"))
    again = lab.reduced(reduced)
    assert again.toarray() == close(C)


def test_nearly_proportional_fractions_stay_apart():
    e = Fraction(1, 10**20)
    half = Fraction(1, 2)
    exact = ml.Channel([[half, half], [half + e, half - e]])
    assert lab.reduced(exact).shape == (2, 2)
    assert lab.reduced(exact).exact is not None
    assert lab.reduced(ml.Channel([[half, half], [half, half]])).shape == (2, 1)
    assert lab.reduced(ml.Channel(exact.toarray())).shape == (2, 1)


def test_hyper_distributions():
    """Outers sum to one, inners are posteriors, and their mean is the prior; Fractions where all is exact."""
    half = Fraction(1, 2)
    C = [[1, 0, 0, 0], [0, half, Fraction(1, 4), Fraction(1, 4)], [half, Fraction(1, 3), Fraction(1, 6), 0]]
    found = lab.hyper(ml.Prior([1, 2, 1], labels=["x1", "x2", "x3"]), ml.Channel(C, inputs=["x1", "x2", "x3"]))
    assert found.outers.tolist() == [Fraction(3, 8), half, Fraction(1, 8)]
    assert (found.inners @ found.outers == [Fraction(1, 4), half, Fraction(1, 4)]).all()
    assert str(found).splitlines() == [
        "    3/8  1/2  1/8",
        "x1  2/3  0    0",
        "x2  0    3/4  1",
        "x3  1/3  1/4  0",
    ]
    floats = lab.hyper(P, ml.Channel(PARTS[0]))
    assert floats.outers.sum() == close(1)
    assert floats.inners @ floats.outers == close(P)
    assert lab.hyper(P, ml.Channel(sp.csr_array(PARTS[0]))).inners.toarray() == close(floats.inners)
    large = lab.hyper(ml.Prior.uniform(30), ml.Channel.random(30, 12, seed=0))
    assert len(large) == 12
    assert str(large).splitlines()[0].endswith("...")
