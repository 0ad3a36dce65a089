"""Blocks: they hold every column once, dense or sparse, in order; and sums keep their digits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import minleak as ml
from minleak import lab
from minleak.core import _columns as columns
from minleak.core._columns import blocks_of, packed, sums_of, tops_of
from minleak.core._entropy.base import evaluate
from minleak.core._entropy.forms import heavy_columns
from minleak.core._entropy.gain import under_gain

RNG = np.random.default_rng(20)
MATRIX = RNG.random((7, 60)) * (RNG.random((7, 60)) < 0.4)
MATRIX[:, 5] = 0  # one column is empty
SCALE = np.array([0.0, 1, 2, 3, 4, 5, 6])  # and one row counts for nothing
KINDS = pytest.mark.parametrize("kind", [np.asarray, sp.csc_array], ids=["dense", "sparse"])
SCALES = pytest.mark.parametrize("scale", [None, SCALE], ids=["plain", "scaled"])


@pytest.fixture(params=[1, 20, 10**6], ids=lambda size: f"blocks of {size}")
def size(request, monkeypatch):
    """The columns come in many blocks or in one."""
    monkeypatch.setattr(columns, "BLOCK", request.param)
    monkeypatch.setattr(columns, "_STORED", request.param)


def full(block):
    return block.copy() if isinstance(block, np.ndarray) else block.toarray()


def scaled(scale):
    return MATRIX if scale is None else scale[:, None] * MATRIX


@pytest.mark.usefixtures("size")
@KINDS
@SCALES
def test_blocks_are_the_columns_in_order(kind, scale):
    """Side by side the blocks are scale * matrix; what is sparse stays so."""
    made = [full(block) for block in blocks_of(kind(MATRIX), scale)]
    assert np.array_equal(np.concatenate(made, axis=1), scaled(scale))
    assert (len(made) > 1) == (MATRIX.size > columns.BLOCK)


@pytest.mark.usefixtures("size")
@KINDS
@SCALES
def test_tops_and_sums_are_those_of_the_columns(kind, scale):
    """Zeros that a sparse block leaves out are entries: the largest of what is negative elsewhere."""
    for sign in (1, -1):
        found = list(zip(*((tops_of(b), sums_of(b)) for b in blocks_of(kind(sign * MATRIX), scale)), strict=True))
        tops, sums = map(np.concatenate, found)
        assert np.array_equal(tops, (sign * scaled(scale)).max(axis=0))
        assert sums == pytest.approx((sign * scaled(scale)).sum(axis=0), rel=1e-14)


@pytest.mark.usefixtures("size")
@SCALES
def test_packed_are_the_stored_entries_of_each_column_once(scale):
    """As a collection, the columns are the non-empty ones without their zeros, in row order."""
    made = [tuple(v) for b in blocks_of(sp.csc_array(MATRIX), scale) for part in packed(b) for v in part.T]
    factor = np.ones(7) if scale is None else scale
    assert sorted(made) == sorted(tuple((factor * v)[v != 0]) for v in MATRIX.T if v.any())


def test_packed_columns_of_one_size_share_an_array():
    """There are as many arrays as sizes, not as many as columns."""
    sizes = set(np.count_nonzero(MATRIX, axis=0).tolist()) - {0}
    assert len(list(packed(sp.csc_array(MATRIX)))) == len(sizes)


def test_the_matrix_is_never_written_to():
    before = MATRIX.copy()
    for scale in (None, SCALE):
        for block in blocks_of(MATRIX, scale):
            block[:] = -1
    assert np.array_equal(MATRIX, before)


GAINS = {
    "vector": (np.arange(7.0) - 3, np.diag(np.arange(7.0) - 3)),
    "dense": (RNG.random((3, 7)) - 0.5,) * 2,
    "sparse": (sp.csr_array(np.eye(9, 7, k=1)), np.eye(9, 7, k=1)),
}


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(("gain", "matrix"), GAINS.values(), ids=GAINS)
@KINDS
@SCALES
def test_under_a_gain_the_columns_are_its_products(gain, matrix, kind, scale):
    """Blocks under G are G J, for every kind of gain on every kind of matrix."""
    made = [full(block) for block in under_gain(gain, blocks_of(kind(MATRIX), scale))]
    expected = [[sum(g * v for g, v in zip(row, c, strict=True)) for c in scaled(scale).T] for row in matrix]
    assert np.allclose(np.concatenate(made, axis=1), expected, rtol=1e-13, atol=1e-15)


def test_a_vector_gain_keeps_sparsity():
    """diag(gamma) never builds a matrix of gains."""
    (made,) = under_gain(np.arange(7.0), [sp.csc_array(MATRIX)])
    assert made.nnz == np.count_nonzero(MATRIX)


ENTROPIES = ["shannon", "min-entropy", "arimoto:2", "guesswork", "guess-error:2", "hartley", "hayashi:0.5", "tsallis:3"]


@pytest.mark.usefixtures("size")
@KINDS
def test_one_pass_measures_what_single_ones_do(kind):
    """Whatever the blocks, and whether gains are among the entropies."""
    joint = scaled(SCALE) / scaled(SCALE).sum()
    measures = [
        *map(ml.entropy, ENTROPIES),
        ml.Gain("shannon", np.arange(7.0)),
        ml.Gain("guesswork", RNG.random((3, 7))),
    ]
    found = evaluate(measures, blocks_of(kind(joint)))
    assert found == pytest.approx([evaluate([H], [joint])[0] for H in measures], rel=1e-13)


def test_columns_of_nothing_are_measured_as_one_zero():
    assert evaluate([ml.GuessError(), ml.Guesswork()], [sp.csc_array((3, 4))]) == [0, 0]


def test_a_joint_that_was_measured_gives_the_same_again():
    """No measure writes into what another one reads."""
    for n, m in ((3, 2), (20, 30)):
        rng = np.random.default_rng(n)
        joint = lab.Joint(rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m), n))
        first = [ml.leakage(joint, None, H) for H in ENTROPIES]
        lab.best_guesses(joint)
        lab.posterior_vulnerability(joint, gain=np.ones((2, n)))
        joint.matrix()[:] = 0  # a copy
        assert [row.leakage for row in ml.leakage_table(joint, None, ENTROPIES).rows] == pytest.approx(first, rel=1e-15)
        assert [ml.leakage(joint, None, H) for H in ENTROPIES] == first


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


def test_gains_that_are_not_finite_are_refused_however_few():
    for bad in (np.nan, np.inf):
        with pytest.raises(ml.errors.InvalidParameter, match="finite"):
            lab.vulnerability([1, 1], gain=[[1, bad], [0, 1]])
    assert lab.vulnerability([1, 1], gain=np.full((2, 2), 1.7e308)) == 1.7e308  # the sum overflows, no entry does
