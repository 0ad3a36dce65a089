"""Large sparse channels: every measure and operation at the cost of the non-zeros, never of the dense matrix."""

from __future__ import annotations

import math
import tracemalloc
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from tests.plain import CLOSE

import minleak as ml

N = 50_000
# Far below the 20 GB of the dense matrix; Python's own label objects are most of it.
MOST_BYTES = 125_000_000


@pytest.fixture(scope="module")
def large():
    """Secret x shows x with probability 1/2, and x+1 or x+7 (around a circle) with 1/4 each."""
    x = np.arange(N)
    rows, shown = np.tile(x, 3), np.concatenate([x, (x + 1) % N, (x + 7) % N])
    return ml.Channel(sp.coo_array((np.repeat([0.5, 0.25, 0.25], N), (rows, shown)), shape=(N, N)))


@pytest.fixture
def memory():
    """No test that uses this may ever hold more than MOST_BYTES."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES


@pytest.mark.usefixtures("memory")
def test_a_large_sparse_channel_is_measured_at_the_cost_of_its_non_zeros(large):
    """Under the uniform prior every posterior is (1/2, 1/4, 1/4), which gives all numbers by hand."""
    prior = ml.Prior.uniform(N)
    after = {"shannon": 1.5, "min-entropy": 1.0, "guesswork": 1.75, "hartley": math.log2(3), "tsallis:2": 0.625}
    table = ml.leakage_table(prior, large, list(after))
    for name, expected in after.items():
        assert math.isclose(table[name].after, expected, rel_tol=CLOSE)
        assert math.isclose(ml.entropy(name).conditional(prior, large), expected, rel_tol=CLOSE)
    assert math.isclose(table["shannon"].leakage, math.log2(N) - 1.5, rel_tol=CLOSE)
    assert math.isclose(ml.lab.posterior_vulnerability(prior, large), 0.5, rel_tol=CLOSE)
    assert math.isclose(ml.lab.posterior_vulnerability(prior, large, gain=np.full(N, 2.0)), 1.0, rel_tol=CLOSE)
    assert math.isclose(ml.lab.maximal_leakage(large), math.log2(N / 2), rel_tol=CLOSE)
    assert ml.lab.local_dp_epsilon(large) == math.inf
    assert np.array_equal(ml.lab.best_guesses(prior, large), np.arange(N))
    assert math.isclose(ml.lab.UniformAdversary().success(prior, large), 1 / 3, rel_tol=CLOSE)
    assert math.isclose(ml.lab.MismatchedAdversary(prior).success(prior, large), 0.5, rel_tol=CLOSE)


@pytest.mark.usefixtures("memory")
def test_a_large_sparse_channel_gives_its_posteriors(large):
    """Output, joint, pre-images and posteriors."""
    prior = ml.Prior.uniform(N)
    assert np.allclose(ml.lab.Joint(prior, large).output(), 1 / N, rtol=CLOSE, atol=0)
    assert ml.lab.Joint(prior, large).matrix().nnz == 3 * N
    found = ml.lab.posteriors(prior, large)
    assert found.dropped == ()
    assert sorted(set(found.matrix.data)) == [0.25, 0.5]
    assert large.preimage_sizes.tolist() == [3] * N


@pytest.mark.usefixtures("memory")
def test_a_large_sparse_channel_composes(large):
    """Seen with the parity of the secret: x = y is alone with its parity, y-1 and y-7 share the other."""
    prior = ml.Prior.uniform(N)
    both = ml.lab.parallel(large, ml.Channel(np.eye(2)[np.arange(N) % 2]))
    assert both.shape == (N, 2 * N)
    assert math.isclose(ml.Shannon().conditional(prior, both), 0.5, rel_tol=CLOSE)
    cascade = large @ ml.Channel.deterministic(np.arange(N) % 2)
    assert cascade.shape == (N, 2)
    assert math.isclose(ml.Shannon().conditional(prior, cascade), math.log2(N), rel_tol=CLOSE)


def test_repeated_use_costs_its_non_zeros():
    """Two uses of a sparse channel have far fewer outputs than pairs, and the leakage of the definition."""
    n = 3000
    x = np.arange(n)
    shows = [(0, 0.5), (1, 0.25), (7, 0.25)]
    matrix = sum(q * sp.coo_array((np.ones(n), (x, (x + step) % n)), shape=(n, n)) for step, q in shows)
    twice = ml.lab.repeated(ml.Channel(matrix), 2)
    assert twice.shape[1] <= 6 * n
    joint: dict[tuple[int, ...], list[float]] = {}
    for secret in range(n):
        sums: dict[tuple[int, ...], float] = {}
        for (a, q), (b, r) in product(shows, shows):
            seen = tuple(sorted(((secret + a) % n, (secret + b) % n)))
            sums[seen] = sums.get(seen, 0.0) + q * r / n
        for seen, q in sums.items():
            joint.setdefault(seen, []).append(q)
    expected = sum(v * math.log2(sum(column) / v) for column in joint.values() for v in column)
    assert twice.shape[1] == len(joint)
    assert math.isclose(ml.Shannon().conditional(ml.Prior.uniform(n), twice), expected, rel_tol=1e-10)
