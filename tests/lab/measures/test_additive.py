"""Additive capacity over gains whose vulnerability lies between 0 and 1."""

from minleak import lab


def test_additive_capacity_of_possible_secrets():
    C = [[0.5, 0.5, 0], [0.25, 0.25, 0.5], [0, 0, 1]]
    assert lab.additive_capacity(C, prior=[1, 1, 0], spanning="vulnerabilities").value == 0.5
    assert lab.additive_capacity(C, prior=[1, 1, 1], spanning="vulnerabilities").value == 1
    assert lab.additive_capacity(C, spanning="vulnerabilities").value == 1
