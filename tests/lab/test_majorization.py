"""Majorization: the order by its definition, and its witness."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import minleak as ml
from minleak.testing import priors


def distribution(prior):
    return [Fraction(int(w), int(prior.total)) for w in prior.weights]


def spread(p, threshold):
    """sum of max(p - threshold, 0): a majorizes b if and only if this is at least as large for every threshold."""
    return sum(max(v - threshold, Fraction(0)) for v in p)


@given(priors(), priors())
def test_the_order_is_that_of_all_thresholds(a, b):
    """Hardy, Littlewood and Polya: partial sums and thresholds give one order, also between different lengths."""
    p, q = distribution(a), distribution(b)
    expected = all(spread(p, t) >= spread(q, t) for t in {*p, *q})
    assert ml.lab.majorizes(a, b).ok == expected
    assert bool(ml.lab.majorizes(a, b)) == expected
    assert ml.lab.majorizes(a, b).exact


@given(priors(), priors())
def test_a_failure_has_a_witness(a, b):
    """`at` is the least j whose largest sums show it, and `sums` are they, exactly."""
    found = ml.lab.majorizes(a, b)
    if found.ok:
        assert found.at is None
        assert found.sums is None
        return
    largest = [sorted(distribution(prior), reverse=True) for prior in (a, b)]
    sums = [tuple(sum(values[:j]) for values in largest) for j in range(1, 10)]
    assert found.at == next(j for j, (s, t) in enumerate(sums, start=1) if s < t)
    assert found.sums == sums[found.at - 1]


@given(priors(min_size=2, max_size=6), st.data())
def test_moving_weight_to_the_smaller_goes_down_the_order(prior, data):
    """After a transfer from a larger to a smaller weight the old distribution majorizes the new."""
    weights = prior.weights.tolist()
    large, small = weights.index(max(weights)), weights.index(min(weights))
    moved = data.draw(st.integers(0, (weights[large] - weights[small]) // 2))
    after = list(weights)
    after[large] -= moved
    after[small] += moved
    assert ml.lab.majorizes(weights, after)
    assert ml.lab.majorizes(after, weights).ok == (sorted(after) == sorted(weights))


def test_exact_where_floats_cannot_tell():
    """One part in 10^40 decides, and integers of any size are compared."""
    big = 10**40
    assert ml.lab.majorizes([big + 1, big - 1], [big, big])
    found = ml.lab.majorizes([big, big], [big + 1, big - 1])
    assert (found.ok, found.exact, found.at) == (False, True, 1)
    assert ml.lab.majorizes([Fraction(2, 3), Fraction(1, 3)], [2, 1])


def test_floats_are_compared_within_the_tolerance():
    """A difference of rounding is none; a tolerance of zero sees it."""
    a, b = [0.5, 0.5], [0.5 + 1e-13, 0.5 - 1e-13]
    assert ml.lab.majorizes(a, b)
    assert not ml.lab.majorizes(a, b, tolerance=0)
    found = ml.lab.majorizes([0.5, 0.5], [0.75, 0.25])
    assert (found.exact, found.at, found.sums) == (False, 1, (0.5, 0.75))


@given(priors(), st.integers(0, 3))
def test_zeros_and_order_do_not_matter(prior, zeros):
    """Padding with zeros and rearranging give an equivalent distribution, exactly and in floats."""
    weights = prior.weights.tolist()
    for other in (sorted(weights) + [0] * zeros, [0.0] * zeros + [float(w) for w in weights]):
        assert ml.lab.majorizes(weights, other)
        assert ml.lab.majorizes(other, weights)
