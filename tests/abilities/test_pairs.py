"""The optimum where each observable is one secret or an allowed pair."""

from fractions import Fraction

from tests.abilities.names import best_pairs, certify_pairs


def test_a_path():
    path = [(0, 1), (1, 2), (2, 3)]
    found = best_pairs([3, 2, 1, 1], path)
    assert found.theta == {0: Fraction(3, 5), 1: Fraction(2, 5), 2: Fraction(1, 2), 3: Fraction(1, 2)}
    assert certify_pairs(found.plan(), [3, 2, 1, 1], path).ok
    assert not certify_pairs([[1, 0], [1, 0], [0, 1], [0, 1]], [1, 3, 1, 1], path).ok
