"""The least capacity under allowed sets, and a channel that leaks little through each observable."""

from fractions import Fraction

from tests.abilities.names import least_capacity, maximal_leakage, pml_channel


def test_least_capacity():
    assert least_capacity(7, 2).factor == Fraction(7, 2)
    assert least_capacity(4, sizes=[3, 3, 2, 2], budget=5).factor == 2
    assert least_capacity(3, allowed=[(0, 1), (1, 2), (0, 2)]).factor == Fraction(3, 2)


def test_pml():
    channel = pml_channel([8, 4, 2, 1, 1], 3)
    assert max(len(members) for members in channel.outputs) <= 3
    assert 1 < 2 ** maximal_leakage(channel) <= 5 / 2
