"""Columns: blocks hold every column once, dense or sparse, and sums keep their digits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from minleak.core import _columns as columns
from minleak.core._columns import Columns, heavy_columns, largest_of_columns, size_of, sum_of_tops

RNG = np.random.default_rng(20)
MATRIX = RNG.random((7, 60)) * (RNG.random((7, 60)) < 0.4)
MATRIX[:, 5] = 0  # one column is empty
SCALE = np.array([0.0, 1, 2, 3, 4, 5, 6])  # and one row counts for nothing


@pytest.fixture(params=[1, 20, 10**6], ids=lambda size: f"blocks of {size}")
def block(request, monkeypatch):
    """The columns come in many blocks or in one."""
    monkeypatch.setattr(columns, "BLOCK", request.param)


def sparse(matrix):
    return sp.csc_array(matrix)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("scale", [None, SCALE], ids=["plain", "scaled"])
def test_dense_blocks_are_the_columns_in_order(scale):
    """Side by side the blocks are scale * matrix."""
    made = np.concatenate([make() for make in Columns(MATRIX, scale).blocks()], axis=1)
    assert np.array_equal(made, MATRIX if scale is None else scale[:, None] * MATRIX)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("scale", [None, SCALE], ids=["plain", "scaled"])
def test_sparse_blocks_are_the_stored_entries_of_each_column_once(scale):
    """As a collection, the blocks' columns are the non-empty columns without their zeros, in row order."""
    made = [tuple(v) for make in Columns(sparse(MATRIX), scale).blocks() for v in make().T]
    factor = np.ones(7) if scale is None else scale
    expected = [tuple((factor * v)[v != 0]) for v in MATRIX.T if v.any()]
    assert sorted(made) == sorted(expected)


def test_sparse_columns_of_one_size_share_a_block():
    """There are as many blocks as sizes, not as many as columns."""
    sizes = set(np.count_nonzero(MATRIX, axis=0).tolist()) - {0}
    assert len(list(Columns(sparse(MATRIX)).blocks())) == len(sizes)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("matrix", [MATRIX, sparse(MATRIX)], ids=["dense", "sparse"])
def test_map_keeps_the_order_of_blocks(matrix):
    """Threads or none, results come in the order of the blocks."""
    made = Columns(matrix, SCALE)
    results = made.map(lambda v: v.sum(axis=0))
    expected = [make().sum(axis=0) for make in made.blocks()]
    assert len(results) == len(expected)
    assert all(np.array_equal(a, b) for a, b in zip(results, expected, strict=True))


@pytest.mark.parametrize("matrix", [MATRIX, sparse(MATRIX)], ids=["dense", "sparse"])
def test_blocks_may_be_overwritten(matrix):
    """A block is a fresh array each time: writing into it leaves the matrix as it was."""
    for scale in (None, SCALE):
        for make in Columns(matrix, scale).blocks():
            make()[:] = -1
    assert np.array_equal(matrix if matrix is MATRIX else matrix.toarray(), MATRIX)
    assert (MATRIX >= 0).all()


GAINS = {
    "vector": (np.arange(7.0) - 3, np.diag(np.arange(7.0) - 3)),
    "dense": (RNG.random((3, 7)) - 0.5,) * 2,
    "sparse": (sp.csr_array(np.eye(9, 7, k=1)), np.eye(9, 7, k=1)),
}


@pytest.mark.parametrize(("gain", "full"), GAINS.values(), ids=GAINS)
@pytest.mark.parametrize("matrix", [MATRIX, sparse(MATRIX)], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [None, SCALE], ids=["plain", "scaled"])
def test_under_a_gain_the_columns_are_its_products(gain, full, matrix, scale):
    """Columns under G are G J, for every kind of gain on every kind of matrix."""
    made = Columns(matrix, scale).under(gain)
    entries = made.matrix if isinstance(made.matrix, np.ndarray) else made.matrix.toarray()
    product = entries if made.scale is None else made.scale[:, None] * entries
    joint = MATRIX if scale is None else scale[:, None] * MATRIX
    expected = [[sum(g * v for g, v in zip(row, column, strict=True)) for column in joint.T] for row in full]
    assert np.allclose(product, expected, rtol=1e-13, atol=1e-15)


def test_a_vector_gain_keeps_sparsity():
    """diag(gamma) never builds a matrix of gains."""
    made = Columns(sparse(MATRIX), SCALE).under(np.arange(7.0))
    assert made.matrix.nnz == np.count_nonzero(MATRIX)


def test_columns_of_nothing_give_one_zero():
    """Where gains leave nothing, a column of zero stands for all, so that sums have something to add."""
    assert [make().tolist() for make in Columns(sp.csc_array((3, 4))).blocks()] == [[[0.0]]]


@given(
    st.lists(
        st.lists(st.one_of(st.just(0.0), st.floats(1e-300, 1.0)), min_size=3, max_size=3), min_size=1, max_size=6
    ).map(np.array)
)
def test_heavy_columns_lose_no_digits(v):
    """The largest entry and the sum of the others are right to a few roundings, also where one is 1e300 the other."""
    before = v.copy()
    top, rest, heavy, at = heavy_columns(v)
    assert np.array_equal(v, before)
    for y, column in enumerate(v.T.tolist()):
        others = sum(map(Fraction, column)) - Fraction(max(column))
        assert top[y] == max(column)
        assert abs(Fraction(rest[y]) - others) <= others * 10 * Fraction(1, 2**53)
    for y, x in zip(heavy, at, strict=True):
        assert v[x, y] == top[y]


@pytest.mark.parametrize("rows", [1, 5, 35, 36, 37, 100, 144, 150])
@pytest.mark.parametrize("order", ["C", "F"])
def test_column_maxima_are_those_of_numpy(rows, order):
    v = np.array(np.random.default_rng(rows).normal(size=(rows, 7)), order=order)
    assert np.array_equal(largest_of_columns(v), v.max(axis=0))
    assert sum_of_tops(v) == pytest.approx(v.max(axis=0).sum(), rel=1e-14)
    assert size_of(v) == np.abs(v).max()


@given(st.lists(st.lists(st.sampled_from([0.0, 1e-40, 0.1, 0.2, 0.4, 0.9]), min_size=3, max_size=3), min_size=1))
def test_light_columns_have_no_zero_and_no_entry_above_half(rows):
    """Kept answers are those of the definition: sums, mass, and whether a column has a zero or a heavy entry."""
    scale, matrix = np.linspace(0.5, 1, len(rows)), np.array(rows)
    seen, J = Columns(matrix, scale), scale[:, None] * np.array(rows)
    s = J.sum(axis=0)
    assume((np.abs(2 * J.max(axis=0) - s) >= 1e-12 * s).all())  # rounding decides about what is just half
    assert seen.light == (J.min() > 0 and bool((2 * J.max(axis=0) <= s).all() and s.min() >= 1e-30))
    for _ in range(2):
        assert seen.sums() == pytest.approx(s, rel=1e-14)
        assert seen.mass == pytest.approx(s.sum(), rel=1e-14)
    assert not seen.sums().flags.writeable
