"""Channels and priors where arrays, frames and other channels are expected, and the channels that papers name."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak import lab
from minleak.errors import InvalidChannel, InvalidParameter, InvalidPrior

C = ml.Channel([[0.5, 0.5], [0.25, 0.75]], inputs=["a", "b"], outputs=["y", "z"])
P = ml.Prior([2, 1], labels=["a", "b"])


def test_a_channel_of_a_channel_is_the_same():
    exact = ml.Channel([[Fraction(1, 3), Fraction(2, 3)]], tolerance=1e-4)
    for channel in (C, exact, ml.Channel(sp.csr_array(C.toarray()))):
        again = ml.Channel(channel)
        assert again == channel
        assert hash(again) == hash(channel)
        assert (again.exact is None) == (channel.exact is None)
        assert again.tolerance == channel.tolerance
    assert list(ml.Channel(C, inputs=["u", "v"]).inputs) == ["u", "v"]


def test_a_prior_of_a_prior_is_the_same():
    again = ml.Prior(P)
    assert again == P
    assert again.events == P.events == 3
    assert ml.Prior(ml.Prior([1.5, 1.5])).events is None
    assert ml.Prior([2, 2]) == ml.Prior([1, 1])
    assert ml.Prior([2, 1]) != P
    assert ml.Prior([1, 2, 3]) != ml.Prior([1, 2])


def test_channels_differ_by_an_entry_or_a_label():
    other = C.toarray().copy()
    other[0] = [0.5 + 1e-12, 0.5 - 1e-12]
    assert ml.Channel(other, inputs=C.inputs, outputs=C.outputs) != C
    assert ml.Channel(C.toarray()) != C
    assert ml.Channel(sp.csr_array(C.toarray()), inputs=C.inputs, outputs=C.outputs) == C
    assert C != "C"


def test_numpy_takes_them():
    assert np.array_equal(np.asarray(C), C.toarray())
    assert np.asarray(C, dtype=np.float32).dtype == np.float32
    assert np.allclose(np.asarray(P) @ np.asarray(C), lab.Joint(P, C).output())
    assert len(C) == len(P) == 2


def test_entries_are_found_by_label():
    assert (C["b", "y"], P["a"]) == (0.25, 2 / 3)
    assert ml.Channel([[0.5, 0.5]])[0, 1] == 0.5
    for wrong in (lambda: C["b"], lambda: C["b", "w"], lambda: C["c", "y"], lambda: P["c"], lambda: P[0]):
        with pytest.raises(InvalidParameter):
            wrong()
    with pytest.raises(TypeError):
        list(P)


def test_frames_and_decimals():
    counts = ml.Prior.from_counts(pd.Series({"a": 2, "b": 1}))
    assert counts == P
    assert counts.events == 3
    assert ml.Prior([Decimal("0.1"), Decimal("0.9")], normalised=True).exact
    assert ml.Channel([[Decimal("0.1"), Decimal("0.9")]]).exact[0, 0] == Fraction(1, 10)
    with pytest.raises(InvalidPrior, match="Decimal"):
        ml.Prior([Decimal("nan"), Decimal(1)])
    with pytest.raises(InvalidPrior, match="mapping"):
        ml.Prior.from_counts([1, 2])


def test_floats_of_32_bits_are_tolerated_and_not_rescaled():
    single = np.random.default_rng(0).dirichlet(np.ones(500), size=3).astype(np.float32)
    channel = ml.Channel(single)
    assert channel.tolerance == 1e-6
    assert np.array_equal(channel.toarray(), single.astype(np.float64))
    with pytest.raises(InvalidChannel, match="sums to"):
        ml.Channel(single.astype(np.float64))
    with pytest.raises(InvalidChannel, match="sums to"):
        ml.Channel(np.array([[0.5, 0.4999]], dtype=np.float32))


def test_a_joint_matrix_is_a_prior_and_a_channel():
    counts = lab.Joint.from_matrix([[2, 2], [1, 3]], inputs=["a", "b"])
    assert counts.channel.exact[1, 0] == Fraction(1, 4)
    assert counts.prior["a"] == 0.5
    J = np.random.default_rng(1).dirichlet(np.ones(6)).reshape(2, 3)
    assert np.allclose(lab.Joint.from_matrix(J).matrix(), J, rtol=1e-12)
    with pytest.raises(InvalidChannel, match=r"row 1 .* zero"):
        lab.Joint.from_matrix([[1, 2], [0, 0]])
    with pytest.raises(InvalidChannel, match="one length"):
        lab.Joint.from_matrix([[1, 2], [3]])


def test_named_channels_have_their_capacities():
    def h(p):
        return -(p * math.log2(p) + (1 - p) * math.log2(1 - p))

    assert ml.capacity(lab.binary_symmetric(0.11)).value == pytest.approx(1 - h(0.11))
    assert ml.capacity(lab.binary_erasure(0.3)).value == pytest.approx(0.7)
    assert ml.capacity(lab.z_channel(0.5)).value == pytest.approx(math.log2(1.25))
    assert ml.capacity(lab.symmetric(4, 0.2)).value == pytest.approx(2 - h(0.2) - 0.2 * math.log2(3))
    assert lab.binary_symmetric(Fraction(1, 3)).exact is not None
    for make in (lab.binary_symmetric, lab.binary_erasure, lab.z_channel):
        with pytest.raises(InvalidParameter, match="from 0 to 1"):
            make(1.5)
