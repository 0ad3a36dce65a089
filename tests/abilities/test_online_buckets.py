"""Buckets for secrets that come one at a time with their weights."""

from tests.abilities.names import online_buckets


def test_two_classes():
    found = online_buckets([8, 1, 9, 1, 1, 8, 1, 1], 2, step=0.5)
    assert found.buckets.tolist() == [0, 1, 0, 1, 2, 3, 2, 4]
