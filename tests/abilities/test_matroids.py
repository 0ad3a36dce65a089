"""The optimum where a matroid says which sets may be shown."""

from fractions import Fraction

from tests.abilities.names import matroid_optimum, matroid_partition, matroid_uniform


def test_one_of_each():
    found = matroid_optimum([4, 2, 2, 2], matroid_partition(["ch", "ch", "fr", "fr"], at_most=1))
    assert found.target == (Fraction(3, 5), Fraction(2, 5))
    assert sum(share for _, share in found.bases) == 1
    assert all(len({x // 2 for x in members}) == 2 for members, _ in found.bases)


def test_uniform():
    assert matroid_optimum([6, 1, 1, 1, 1], matroid_uniform(5, 3)).target == (
        Fraction(6, 10),
        Fraction(2, 10),
        Fraction(2, 10),
    )
