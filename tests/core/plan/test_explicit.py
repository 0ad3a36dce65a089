"""The explicit channel of a plan: the paper's tables, exact fractions, and all priors of up to seven secrets."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.cases import CORES, LAYOUTS, TOYS, posteriors, target

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab.paper import algorithm_1


@pytest.mark.parametrize(("weights", "table"), [(toy[0], toy[2]) for toy in TOYS.values()], ids=TOYS)
def test_toys(weights, table):
    """One ring in sorted order gives the paper's three channels to the four digits printed."""
    channel = ml.design(weights, 3, layout="circle").channel()
    columns = np.round(channel.toarray().T, 4)
    assert {y: tuple(column) for y, column in zip(channel.outputs, columns, strict=True)} == table


def drawn(n, kind):
    """A few priors of n secrets, the same in every run."""
    rng = random.Random(f"{n} {kind}")
    weigh = {
        "flat": lambda _: rng.randint(5, 9),
        "skewed": lambda i: rng.randint(1, 9) * 4**i,
        "ties": lambda _: rng.choice((1, 2, 4)),
        "zeros": lambda i: rng.choice((0, 0, 3, 5, 8)) if i else 7,
    }[kind]
    return [rng.sample(weights, n) for weights in ([weigh(i) for i in range(n)] for _ in range(4))]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["flat", "skewed", "ties", "zeros"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_every_posterior_is_the_target_at_every_cap(n, kind, layout):
    """In exact fractions: rows sum to one, at most k secrets cause an observable, and p(x given y) is pi."""
    for weights in drawn(n, kind):
        for k in range(1, n + 2):
            channel = ml.design(weights, k, layout=layout).channel(exact=True)
            matrix = channel.exact.tolist()
            assert all(sum(row) == 1 for row in matrix)
            assert all(sum(c > 0 for c in column) <= k for column in zip(*matrix, strict=True))
            assert all(posterior == target(weights, k) for posterior in posteriors(weights, matrix))


@pytest.mark.parametrize("kind", ["flat", "skewed", "ties"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_the_value_is_that_of_the_papers_algorithm(n, kind):
    """For every entropy, at every cap, to the solver's tolerance."""
    for weights in drawn(n, kind):
        for k in range(1, n + 1):
            plan, literal = ml.design(weights, k), algorithm_1(weights, k)
            for H in CORES:
                assert plan.entropy(H) == pytest.approx(H.conditional(weights, literal), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sparse_dense_and_exact_are_the_same(layout):
    """The same channel in three forms, labelled by the same sets."""
    plan = ml.design([7, 0, 5, 3, 3, 1, 0], 3, layout=layout)
    sparse, dense, exact = plan.channel(), plan.channel(dense=True), plan.channel(exact=True)
    assert (sparse.is_dense, dense.is_dense, exact.is_dense) == (False, True, True)
    assert dense.exact is None
    assert sparse.toarray().tolist() == dense.toarray().tolist()
    assert exact.exact.astype(float).tolist() == dense.toarray().tolist()
    assert list(sparse.outputs) == list(dense.outputs) == list(exact.outputs)
    for members, column in zip(sparse.outputs, sparse.preimages(), strict=True):
        assert list(members) == column.tolist()


def test_labels_are_the_priors():
    """Rows are named as the secrets, observables by the secrets in them."""
    channel = ml.design({"flu": 5, "cold": 3, "gout": 2}, 2, layout="circle").channel()
    assert list(channel.inputs) == ["flu", "cold", "gout"]
    assert list(channel.outputs) == [("flu", "cold"), ("flu", "gout")]
    assert ml.leakage({"flu": 5, "cold": 3, "gout": 2}, channel, "min-entropy") == 0


def test_a_set_that_two_rings_share_is_one_observable():
    """The home and the other ring can show the same set; its lengths add up."""
    plan = ml.design([3, 2, 2, 2, 2], 3)
    cells = [tuple(sorted(row)) for sets, _ in plan.cells() for row in sets.tolist()]
    assert len(cells) > len(set(cells))
    assert len(list(plan.channel().outputs)) == len(set(cells))


def test_a_channel_that_would_not_fit_is_refused():
    """With an estimate of its size, and what to do; dense counts every entry, sparse those that are not zero."""
    plan = ml.design(range(1, 1001), 10)
    with pytest.raises(InvalidParameter, match=r"up to [\d,]+ entries \([\d,]+ sets\), above the limit of 5,000"):
        plan.channel(limit=5_000)
    entries = plan.n_cells * 10
    assert plan.channel(limit=entries).shape[0] == 1000
    for form in ({"dense": True}, {"exact": True}):
        with pytest.raises(InvalidParameter, match=f"up to {plan.n_cells * 1000:,} entries"):
            plan.channel(limit=entries, **form)
