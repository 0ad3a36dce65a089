"""The theorem for every matroid: max H(X|Y) = H(pi) over all channels with independent pre-images, for every H."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from tests.lab.matroids.families import FAMILIES, least_top, partition_by_subsets, random_matroid, random_weights

import minleak as ml
from minleak import lab
from minleak.core._entropy.names import STANDARD


def check(family: str, seed: int, *, programmes: bool) -> None:
    """pi is that of the definition, exactly; the channel attains it, exactly; and for every l no channel has less mass
    on the l likeliest secrets, so that pi is majorized by what any channel leaves.
    """
    rng = random.Random(f"{family} {seed}")
    n = rng.randint(2, 7)
    matroid, weights = random_matroid(family, n, rng), random_weights(n, rng)
    found = lab.matroid_optimum(weights, matroid)
    assert list(found.target) == partition_by_subsets(weights, matroid)
    channel, total = found.channel(), sum(weights)
    assert channel.exact is not None
    for y, members in enumerate(channel.outputs):
        joint = [Fraction(weights[x], total) * channel.exact[x][y] for x in range(n)]
        assert matroid.independent(frozenset(members))
        assert {x for x in range(n) if channel.exact[x][y]} <= set(members)
        if sum(joint):
            assert tuple(sorted((part / sum(joint) for part in joint if part), reverse=True)) == found.target
    assert len(found.bases) <= n
    for H in STANDARD:
        assert found.entropy(H) == pytest.approx(ml.entropy(H).conditional(weights, channel))
    if programmes:
        for guesses in range(1, len(found.target) + 1):
            assert least_top(weights, matroid, guesses) == pytest.approx(float(sum(found.target[:guesses])), abs=1e-8)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(6))
def test_pi_is_the_optimum_over_all_channels(family, seed):
    check(family, seed, programmes=seed < 3)


@pytest.mark.parametrize("seed", range(10))
def test_the_uniform_matroid_gives_the_papers_theorem(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 12)
    weights, k = random_weights(n, rng), rng.randint(1, n)
    found = lab.matroid_optimum(weights, lab.Matroid.uniform(n, k))
    assert found.target == ml.design(weights, k).exact_target
