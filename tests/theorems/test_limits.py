"""Orders tend to their limits from both sides: every limit in the table of entropies."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from tests.rounding import equal

import minleak as ml
from minleak.testing import systems

INF = math.inf
NATS = math.e


class FehrBerensAtOne(ml.lab.CoreConcave):
    """-log of the mean of 2^-H(X given y), in bits."""

    def __init__(self):
        super().__init__(lambda z: -math.log2(z), core=lambda q: 2 ** -ml.Shannon()(q), increasing=False)


# The family as a function of its order, the limit of the order, and what it tends to.
LIMITS = {
    "Arimoto, 1: Shannon": (ml.Arimoto, 1, ml.Shannon()),
    "Arimoto, inf: min-entropy": (ml.Arimoto, INF, ml.MinEntropy()),
    "Arimoto, 0: the largest support": (ml.Arimoto, 0, ml.Hartley()),
    "Hayashi, 1: Shannon": (ml.lab.Hayashi, 1, ml.Shannon()),
    "Hayashi, inf: the largest posterior": (ml.lab.Hayashi, INF, ml.lab.Hayashi(INF)),
    "Hayashi, 0: the mean support": (ml.lab.Hayashi, 0, ml.Hartley(form="hayashi")),
    "Fehr-Berens, inf: min-entropy": (ml.lab.FehrBerens, INF, ml.MinEntropy()),
    "Fehr-Berens, 1: not Shannon": (ml.lab.FehrBerens, 1, FehrBerensAtOne()),
    "Sharma-Mittal, degree 1: Hayashi": (lambda b: ml.lab.SharmaMittal(2, b), 1, ml.lab.Hayashi(2, base=NATS)),
    "Sharma-Mittal, degree 1, order 1/2: Hayashi": (
        lambda b: ml.lab.SharmaMittal(0.5, b),
        1,
        ml.lab.Hayashi(0.5, base=NATS),
    ),
    "Sharma-Mittal, both 1: Shannon": (lambda a: ml.lab.SharmaMittal(a, 2 - a), 1, ml.Shannon(base=NATS)),
    "Sharma-Mittal, order inf": (lambda a: ml.lab.SharmaMittal(a, 2), INF, ml.lab.SharmaMittal(INF, 2)),
    "Tsallis, 1: Shannon": (ml.lab.Tsallis, 1, ml.Shannon(base=NATS)),
}


def approach(limit, distance):
    """Orders at that distance from the limit, on either side of it."""
    if limit == INF:
        return [1 / distance]
    return [limit + distance] if limit == 0 else [limit - distance, limit + distance]


@pytest.mark.parametrize(("family", "limit", "tends_to"), LIMITS.values(), ids=LIMITS.keys())
@given(system=systems())
def test_limit(family, limit, tends_to, system):
    """|H_a - H_limit| <= 100 d at the distance d from the limit, and nothing at the limit itself."""
    assert_same(family(limit), tends_to, system)
    for distance in (1e-4, 1e-6, 1e-9, 1e-12):
        for order in approach(limit, distance):
            assert_same(family(order), tends_to, system, tolerance=100 * distance)


@pytest.mark.parametrize("q", [0, 0.5, 1 - 1e-12, 1, 1 + 1e-12, 2, 3.5])
@given(system=systems())
def test_tsallis_is_sharma_mittal_of_equal_order_and_degree(q, system):
    """H_{q,q} = Tsallis(q)."""
    assert_same(ml.lab.SharmaMittal(q, q), ml.lab.Tsallis(q), system)


@given(systems())
def test_the_named_orders(system):
    """Hartley is order 0 and collision order 2, of Arimoto's form or of Hayashi's."""
    for form, family in (("arimoto", ml.Arimoto), ("hayashi", ml.lab.Hayashi), ("fehrberens", ml.lab.FehrBerens)):
        assert_same(ml.Hartley(form=form), family(0), system)
        assert_same(ml.Collision(form=form), family(2), system)


@given(systems())
def test_one_guess(system):
    """One guess errs with one minus the Bayes vulnerability, and min-entropy is minus its logarithm."""
    prior, channel = system
    hit = ml.lab.posterior_vulnerability(prior, channel)
    assert equal(ml.GuessError(1).conditional(prior, channel), 1 - hit)
    assert equal(ml.MinEntropy().conditional(prior, channel), -math.log2(hit))


@given(systems())
def test_supports_and_extremes(system):
    """The limits that are no means: log of the largest support, of the mean support, -log of the largest posterior."""
    prior, channel = system
    seen = ml.lab.posteriors(prior, channel)
    supports = (seen.matrix > 0).sum(axis=0)
    assert equal(ml.Arimoto(0).conditional(prior, channel), math.log2(supports.max()))
    assert equal(ml.lab.Hayashi(0).conditional(prior, channel), math.log2(seen.probabilities @ supports))
    assert equal(ml.lab.Hayashi(INF).conditional(prior, channel), -math.log2(seen.matrix.max()))


def assert_same(H, K, system, tolerance=1e-12):
    prior, channel = system
    assert equal(H(prior), K(prior), tolerance=tolerance)
    assert equal(H.conditional(prior, channel), K.conditional(prior, channel), tolerance=tolerance)
