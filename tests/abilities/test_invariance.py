"""Whether one channel is best for every entropy under given sets."""

from tests.abilities.names import invariance


def test_pairs_and_a_conflict():
    assert invariance([(0, 1), (1, 2), (2, 3)]).ok
    found = invariance([(0, 1, 2), (0, 3)])
    assert not found.ok
    assert found.witness.better > found.witness.forced
