"""Channel: what it is made of, what it gives under a prior, how it composes, and what is refused, dense and sparse."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests import plain
from tests.plain import CHANNEL, CLOSE, FLOATS, OBSERVABLES, PRIOR, SECRETS, WEIGHTS

import minleak as ml
from minleak.core._channel import SUM_TOLERANCE, as_channel
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.testing import channels, systems

KINDS = {"dense": np.array, "sparse": sp.csr_array}
AS_PRIOR = ml.Prior(WEIGHTS, labels=SECRETS)


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def made(request):
    """How a matrix of plain numbers becomes a channel."""
    return lambda matrix, **names: ml.Channel(request.param(np.array(matrix, dtype=float)), **names)


@pytest.fixture
def channel(made):
    return made(FLOATS, inputs=SECRETS, outputs=OBSERVABLES)


def full(matrix):
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def by_output(channel):
    """The columns by their labels."""
    return {name: column.tolist() for name, column in zip(channel.outputs, channel.toarray().T, strict=True)}


def close(matrix, expected):
    return np.allclose(np.array(matrix, float), np.array(expected, float), rtol=CLOSE, atol=0)


# -- what it is ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "matrix",
    [
        FLOATS,
        CHANNEL,
        np.array(FLOATS),
        np.asfortranarray(FLOATS),
        np.array(FLOATS, dtype=np.float32),
        sp.csr_array(FLOATS),
        sp.csc_matrix(FLOATS),
        sp.coo_array(FLOATS),
        sp.lil_array(FLOATS),
        sp.dia_array(FLOATS),
    ],
    ids=lambda matrix: type(matrix).__name__,
)
def test_a_channel_from_any_matrix(matrix):
    """Lists, Fractions, arrays of any order and type, and every sparse format give the same channel."""
    channel = ml.Channel(matrix)
    assert channel.toarray().tolist() == FLOATS
    assert channel.shape == (4, 5)
    assert channel.is_dense == (not sp.issparse(matrix))
    assert list(channel.inputs) == [0, 1, 2, 3]
    assert as_channel(channel) is channel
    assert as_channel(matrix).toarray().tolist() == FLOATS


def test_fractions_are_kept_and_checked_exactly():
    """A matrix of Fractions and integers stays beside its floats; other floats are not exact."""
    assert ml.Channel(CHANNEL).exact.tolist() == [list(row) for row in CHANNEL]
    assert ml.Channel([[Fraction(1, 2), 0.5]]).exact is None
    assert ml.Channel(FLOATS).exact is None


def test_the_given_matrix_is_copied_and_the_channel_cannot_be_changed(made):
    """Changing the source later changes nothing, and the channel's own numbers are read-only."""
    source = np.eye(2)
    channel = made(source)
    source[0, 0] = 7
    assert channel.toarray().tolist() == [[1, 0], [0, 1]]
    given_sparse = sp.csc_array(np.eye(2))
    kept = ml.Channel(given_sparse)
    given_sparse.data[0] = 7
    assert kept.toarray()[0, 0] == 1
    for array in (channel.matrix if channel.is_dense else channel.matrix.data, kept.matrix.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_stored_zeros_and_repeated_entries_of_a_sparse_matrix():
    """Stored zeros are no non-zeros; entries stored in pieces are added up, as sparse formats mean them."""
    pieces = sp.coo_array(([0.5, 0.5, 0.0, 1.0], ([0, 0, 0, 1], [1, 1, 0, 0])), shape=(2, 2))
    channel = ml.Channel(pieces)
    assert channel.toarray().tolist() == [[0, 1], [1, 0]]
    assert channel.preimage_sizes.tolist() == [1, 1]
    assert repr(channel) == "Channel(2 secrets, 2 observables, sparse with 2 non-zeros)"


def test_preimages(channel):
    """The secrets that can cause each observable, in order, and how many they are."""
    expected = [[x for x in range(4) if CHANNEL[x][y] > 0] for y in range(5)]
    assert [preimage.tolist() for preimage in channel.preimages()] == expected
    assert channel.preimage_sizes.tolist() == [len(preimage) for preimage in expected]


# -- under a prior -------------------------------------------------------------------------------------------------


def test_joint_and_output(channel):
    """J[x,y] = p(x) C[x,y], and its column sums are the distribution of the observable."""
    joint = ml.lab.Joint(AS_PRIOR, channel).matrix()
    assert isinstance(joint, np.ndarray) == channel.is_dense
    assert close(full(joint), plain.joint(PRIOR, CHANNEL))
    assert close(ml.lab.Joint(AS_PRIOR, channel).output(), plain.output(PRIOR, CHANNEL))


def test_posteriors_drop_what_cannot_occur_and_say_so(channel):
    """Columns are p(x given y) of the observables that occur; the labels of the others are listed."""
    found = ml.lab.posteriors(AS_PRIOR, channel)
    expected = plain.posteriors(PRIOR, CHANNEL)
    assert list(found.outputs) == [OBSERVABLES[y] for y in expected]
    assert found.dropped == ("x", "y")
    assert close(full(found.matrix).T, list(expected.values()))
    assert close(found.probabilities, [plain.output(PRIOR, CHANNEL)[y] for y in expected])


def test_posteriors_of_unnamed_observables_are_named_by_number(made):
    """After dropping, numbers still refer to the channel's columns."""
    found = ml.lab.posteriors([0, 0, 0, 1], made(FLOATS))
    assert list(found.outputs) == [2, 3]
    assert found.dropped == (0, 1, 4)
    assert ml.lab.posteriors([1, 1], made([[1.0, 0.0], [0.0, 1.0]])).dropped == ()


@given(systems())
def test_dense_and_sparse_agree_with_the_definitions(system):
    """Joint, output and posteriors of random systems, against loops."""
    prior, dense = system
    p, c = prior.p.tolist(), dense.toarray().tolist()
    sparse = ml.Channel(sp.csr_array(dense.toarray()))
    expected = plain.posteriors(p, c)
    for channel in (dense, sparse):
        assert close(full(ml.lab.Joint(prior, channel).matrix()), plain.joint(p, c))
        assert close(ml.lab.Joint(prior, channel).output(), plain.output(p, c))
        found = ml.lab.posteriors(prior, channel)
        assert list(found.outputs) == list(expected)
        assert len(found.outputs) + len(found.dropped) == channel.shape[1]
        assert close(full(found.matrix).T, list(expected.values()))


def test_a_prior_is_matched_by_its_labels(channel):
    """A mapping goes by its labels, a prior must have them in order, and unnamed weights go by position."""
    with pytest.raises(InvalidChannel, match="4 rows"):
        ml.lab.Joint([1, 1], channel).matrix()
    swapped = {"flu": 4, "gout": 3, "cold": 2, "none": 1}
    with pytest.raises(InvalidChannel, match=r"the prior's secret 1 is not the channel's row 1: .* one order"):
        ml.lab.Joint(ml.Prior.from_counts(swapped), channel).output()
    ordered = [swapped[name] for name in channel.inputs]
    assert close(ml.lab.Joint(swapped, channel).output(), ml.lab.Joint(ordered, channel).output())
    with pytest.raises(InvalidChannel, match="1 secrets are missing and 1 names are of no secret"):
        ml.lab.Joint({"flu": 4, "gout": 3, "cold": 2, "mumps": 1}, channel).output()
    assert close(ml.lab.Joint(WEIGHTS, channel).output(), ml.lab.Joint(AS_PRIOR, channel).output())


# -- made of other things ------------------------------------------------------------------------------------------

ROWS = [
    (SECRETS[x], OBSERVABLES[y], entry) for x, row in enumerate(CHANNEL) for y, entry in enumerate(row) if entry > 0
]


def test_from_tidy_rows():
    """Triples in any order; labels by appearance, or by the inputs given."""
    channel = ml.Channel.from_rows(reversed(ROWS))
    assert not channel.is_dense
    assert list(channel.inputs) == list(reversed(SECRETS))
    seen = {(x, y) for x, y, _ in ROWS}
    for (i, x), (j, y) in product(enumerate(channel.inputs), enumerate(channel.outputs)):
        expected = CHANNEL[SECRETS.index(x)][OBSERVABLES.index(y)]
        assert channel.toarray()[i, j] == expected
        assert ((x, y) in seen) == (expected > 0)
    fixed = ml.Channel.from_rows(iter(reversed(ROWS)), inputs=AS_PRIOR.labels)
    assert list(fixed.inputs) == list(SECRETS)
    assert close(ml.lab.Joint(AS_PRIOR, fixed).output().sum(), 1)


def test_the_channel_of_a_function():
    """observables[x] is what x shows, surely; without inputs the secrets stay unnamed, so that any prior fits."""
    shows = ["long", "short", "long"]
    channel = ml.Channel.deterministic(shows)
    assert by_output(channel) == {"long": [1, 0, 1], "short": [0, 1, 0]}
    assert channel.inputs.is_default
    assert ml.lab.Joint({"a": 1, "b": 2, "c": 1}, channel).output().tolist() == [0.5, 0.5]
    assert list(ml.Channel.deterministic(shows, inputs=[*"abc"]).inputs) == ["a", "b", "c"]


@pytest.mark.parametrize(("n", "m", "cap"), [(1, 1, None), (5, 3, None), (6, 3, 2), (6, 4, 2), (5, 4, 9), (9, 3, 3)])
@pytest.mark.parametrize("seed", range(5))
def test_random_channels_keep_to_the_cap(n, m, cap, seed):
    """Rows sum to one, pre-images have at most `cap` secrets, and a seed repeats the channel."""
    channel = ml.Channel.random(n, m, seed=seed, cap=cap)
    assert channel.shape == (n, m)
    assert channel.preimage_sizes.max() <= (n if cap is None else cap)
    assert np.array_equal(channel.toarray(), ml.Channel.random(n, m, seed=seed, cap=cap).toarray())
    generator = np.random.default_rng(seed)
    assert np.array_equal(channel.toarray(), ml.Channel.random(n, m, seed=generator, cap=cap).toarray())


def test_a_cap_is_used_in_full_where_it_can_be():
    """Each observable gets as many secrets as it may have."""
    assert ml.Channel.random(9, 5, cap=4, seed=1).preimage_sizes.tolist() == [4] * 5


@pytest.mark.parametrize("arguments", [(0, 1), (-1, 2), (2, 0), (2.5, 1), (True, 2)], ids=repr)
def test_random_channels_need_whole_sizes(arguments):
    """Sizes are whole numbers from 1 on."""
    with pytest.raises(InvalidParameter, match="whole number from 1 on"):
        ml.Channel.random(*arguments)


@pytest.mark.parametrize("cap", [0, -1, 1.5, math.nan, True], ids=repr)
def test_random_channels_need_a_whole_cap(cap):
    """So is the cap; and it must leave every secret an observable."""
    with pytest.raises(InvalidParameter, match="cap is a whole number"):
        ml.Channel.random(2, 2, cap=cap)
    with pytest.raises(InvalidParameter, match="3 observables with pre-images of at most 2 cannot serve 7 secrets"):
        ml.Channel.random(7, 3, cap=2)


# -- composition ---------------------------------------------------------------------------------------------------

SECOND = ((1, 0), (_third := Fraction(1, 3), 1 - _third), (0, 1), (_third, 1 - _third), (1, 0))
OTHER = ((1, 0, 0), (0, Fraction(1, 2), Fraction(1, 2)), (1, 0, 0), (0, 1, 0))
MIXES = list(product(KINDS, KINDS))


def pair(a, b, kinds, **names):
    first, second = (
        ml.Channel(KINDS[kind](np.array(matrix, dtype=float))) for kind, matrix in zip(kinds, (a, b), strict=True)
    )
    return first, ml.Channel(second.matrix, **names)


@pytest.mark.parametrize("kinds", MIXES, ids="-".join)
def test_cascade(kinds):
    """C1 @ C2 sums over what lies between; it is sparse only if both are, and keeps the outer labels."""
    first, second = pair(CHANNEL, SECOND, kinds, outputs=[*"ab"])
    cascade = first @ second
    assert close(cascade.toarray(), plain.cascade(CHANNEL, SECOND))
    assert list(cascade.outputs) == ["a", "b"]
    assert cascade.inputs.is_default
    assert cascade.is_dense == ("dense" in kinds)


@pytest.mark.parametrize("kinds", MIXES, ids="-".join)
def test_parallel(kinds):
    """Two looks at one secret: C[x,(y,z)] = C1[x,y] C2[x,z], pairs that cannot occur left out."""
    first, second = pair(CHANNEL, OTHER, kinds, outputs=[*"abc"], inputs=SECRETS)
    both = ml.lab.parallel(first, second)
    expected = {(y, "abc"[z]): column for (y, z), column in plain.parallel(CHANNEL, OTHER).items()}
    assert by_output(both) == expected
    assert list(both.inputs) == list(SECRETS)


def test_what_is_put_together_of_exact_channels_is_exact():
    """Entries are products and sums of Fractions; floats on one side make floats."""
    third, half = Fraction(1, 3), Fraction(1, 2)
    first, second = [[third, 1 - third], [half, half]], [[Fraction(1), Fraction(0)], [third, 1 - third]]
    a, b = ml.Channel(first), ml.Channel(second)
    assert (a @ b).exact.tolist() == [[third + (1 - third) * third, (1 - third) ** 2], [half + half * third, third]]
    assert ml.lab.parallel(a, b).exact.sum(axis=1).tolist() == [1, 1]
    assert ml.lab.product(a, b).exact[1, 1] == third * (1 - third)
    assert (a @ ml.Channel(np.array(second, dtype=float))).exact is None


@pytest.mark.parametrize("kinds", MIXES, ids="-".join)
def test_product(kinds):
    """Two secrets, two channels: C[(x,w),(y,z)] = C1[x,y] C2[w,z], all labelled by pairs."""
    first, second = pair(CHANNEL, OTHER, kinds, outputs=[*"abc"], inputs=SECRETS)
    both = ml.lab.product(first, second)
    rows = {(x, SECRETS[w]): i for i, (x, w) in enumerate(product(range(4), range(4)))}
    assert list(both.inputs) == list(rows)
    assert list(both.outputs) == list(product(range(5), "abc"))
    expected = [
        [CHANNEL[x][y] * OTHER[w][z] for y, z in product(range(5), range(3))] for x, w in product(range(4), range(4))
    ]
    assert both.toarray().tolist() == expected


@pytest.mark.parametrize("times", [1, 2, 3])
def test_repeated_in_order(made, times):
    """All sequences that can be seen, each with the product of its probabilities."""
    found = by_output(ml.lab.repeated(made(FLOATS, outputs=OBSERVABLES), times, ordered=True))
    expected = {tuple(OBSERVABLES[y] for y in seen): column for seen, column in plain.repeated(CHANNEL, times).items()}
    impossible = {("y",): [0] * 4} if times == 1 else {}
    assert found == expected | impossible


@pytest.mark.parametrize("times", [1, 2, 3])
def test_repeated_without_order(made, times):
    """Sequences that differ only in their order are one output, in the order of the channel's outputs."""
    found = by_output(ml.lab.repeated(made(FLOATS, outputs=OBSERVABLES, inputs=SECRETS), times))
    expected = {}
    for seen, column in plain.repeated(CHANNEL, times).items():
        name = tuple(OBSERVABLES[y] for y in sorted(seen))
        expected[name] = [a + b for a, b in zip(expected.get(name, [0] * 4), column, strict=True)]
    impossible = {("y",): [0] * 4} if times == 1 else {}
    assert found == expected | impossible


@given(channels(3), st.integers(1, 3))
def test_order_tells_nothing(channel, times):
    """Repeated use leaks the same with and without the order, and more than a single use."""
    ordered, unordered = (
        ml.leakage([3, 2, 1], ml.lab.repeated(channel, times, ordered=o), "shannon") for o in (True, False)
    )
    assert math.isclose(ordered, unordered, rel_tol=1e-9, abs_tol=1e-12)
    assert unordered >= ml.leakage([3, 2, 1], channel, "shannon") - 1e-12


def test_compositions_tolerate_what_their_parts_do(made):
    """Rows that are off by what was tolerated make rows that are off by more, which is no error."""
    off = made([[1 + 0.9 * SUM_TOLERANCE]])
    loose = made([[1.01]], tolerance=0.02)
    for channel in (off, loose):
        for composed in (
            channel @ channel,
            ml.lab.parallel(channel, channel),
            ml.lab.product(channel, channel),
            ml.lab.repeated(channel, 4),
        ):
            assert composed.toarray().sum() > 1
    with pytest.raises(InvalidChannel, match=r"sums to 1.01"):
        made([[1.01]])


def test_matrices_compose_as_channels_do():
    """What can be a channel need not be made one first."""
    first = ml.Channel(CHANNEL)
    assert np.array_equal((first @ SECOND).toarray(), (first @ ml.Channel(SECOND)).toarray())
    assert by_output(ml.lab.parallel(first, OTHER)) == by_output(ml.lab.parallel(first, ml.Channel(OTHER)))
    assert by_output(ml.lab.product(first, OTHER)) == by_output(ml.lab.product(first, ml.Channel(OTHER)))


def test_what_does_not_fit_together_is_refused_by_name():
    """Sizes and labels must agree."""
    one, two = ml.Channel([[1.0, 0.0]], outputs=[*"ab"]), ml.Channel([[1.0], [1.0]], inputs=[*"ac"])
    with pytest.raises(InvalidChannel, match="the first channel's output 1 is not the second's input 1: bring both"):
        one @ two
    with pytest.raises(
        InvalidChannel, match="the first channel has 2 outputs and the second 1 inputs: they must be the same"
    ):
        one @ one
    with pytest.raises(InvalidChannel, match="the first has 1 rows and the second 2 rows"):
        ml.lab.parallel(one, two)
    with pytest.raises(InvalidChannel, match="the first's row 0 is not the second's row 0: bring both into one order"):
        ml.lab.parallel(two, ml.Channel([[1.0], [1.0]], inputs=[*"ca"]))


@pytest.mark.parametrize("times", [0, -1, 1.0, True, "2"], ids=repr)
def test_repeated_needs_a_whole_number(times):
    """From 1 on."""
    with pytest.raises(InvalidParameter, match="times is a whole number from 1 on"):
        ml.lab.repeated(ml.Channel([[1.0]]), times)


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [-0.25, math.nan, math.inf, -math.inf], ids=repr)
def test_a_bad_entry_is_named_by_row_and_column(made, bad):
    """By number, and by label where there are labels."""
    matrix = [[0.5, 0.5, 0], [0, 1, 0], [0, bad, 1]]
    with pytest.raises(InvalidChannel, match=rf"^the entry at row 2, column 1 is {bad}: [^\n]* not negative$"):
        made(matrix)
    with pytest.raises(InvalidChannel, match=r"row 2 \('gout'\), column 1 \('cold'\)"):
        made(matrix, inputs=["flu", "pox", "gout"], outputs=["hot", "cold", "mild"])


def test_the_worst_row_is_named(made):
    """The row whose sum is farthest from one, with its sum and what is tolerated."""
    matrix = [[0.5, 0.4], [0.25, 0.25], [1, 0]]
    with pytest.raises(InvalidChannel, match=r"^row 1 sums to 0\.5, not to 1 \(the worst of 3 rows; 1e-09 is tol"):
        made(matrix)
    with pytest.raises(InvalidChannel, match=r"^row 1 \('cold'\) sums to 0\.5"):
        made(matrix, inputs=["flu", "cold", "gout"])
    with pytest.raises(InvalidChannel, match=r"^row 3 sums to 1\.75"):
        made([*matrix, [1, 0.75]])
    with pytest.raises(InvalidChannel, match=r"^row 0 sums to 0\.0"):
        made([[0, 0], [1, 0]])
    with pytest.raises(InvalidChannel, match="sums to inf"):
        made([[1e308, 1e308]])


def test_the_tolerance_is_what_it_says(made):
    """Just within passes, just beyond does not; the entries are never rescaled."""
    within, beyond = 1 - 0.9 * SUM_TOLERANCE, 1 - 1.1 * SUM_TOLERANCE
    assert made([[within]]).toarray().tolist() == [[within]]
    with pytest.raises(InvalidChannel):
        made([[beyond]])
    assert made([[beyond]], tolerance=2 * SUM_TOLERANCE).toarray().tolist() == [[beyond]]


def test_fractions_must_sum_to_one_exactly():
    """No tolerance where none is needed."""
    tiny = Fraction(1, 10**15)
    with pytest.raises(InvalidChannel, match=r"row 1 sums to 1000000000000001/1000000000000000.* 0 is tolerated"):
        ml.Channel([[Fraction(1), Fraction(0)], [Fraction(1), tiny]])
    with pytest.raises(InvalidChannel, match="far above 1"):
        ml.Channel([[Fraction(10**400)]])


@pytest.mark.parametrize("bad", [True, "0.5", None, 1j, b"1"], ids=repr)
def test_an_entry_that_is_no_number_is_named(bad):
    """Booleans and text are no probabilities."""
    with pytest.raises(InvalidChannel, match=rf"row 1, column 0 is a {type(bad).__name__}: give floats"):
        ml.Channel(np.array([[1, 0], [bad, 0]], dtype=object))


@pytest.mark.parametrize(
    "matrix",
    [5, None, "text", [1.0], [], [[]], np.ones((1, 1, 1)), np.ones((0, 2)), sp.csr_array((0, 2)), sp.coo_array([1.0])],
    ids=str,
)
def test_what_has_no_rows_and_columns_is_refused_by_its_shape(matrix):
    """A channel is a matrix, and not an empty one."""
    with pytest.raises(InvalidChannel, match="has rows and columns, not shape"):
        ml.Channel(matrix)


def test_matrices_of_other_things_are_refused():
    """Ragged rows, and sparse or dense booleans and text."""
    with pytest.raises(InvalidChannel, match="not of one length"):
        ml.Channel([[1.0], [0.5, 0.5]])
    with pytest.raises(InvalidChannel, match="numbers, not bool"):
        ml.Channel(sp.csr_array([[True]]))
    for matrix in ([[True]], [["1"]], np.array([[True]]), np.array([["1"]])):
        with pytest.raises(InvalidChannel, match=r"row 0, column 0 is a (bool|str)"):
            ml.Channel(matrix)


def test_labels_of_a_channel_must_fit():
    """As many as rows or columns, and no two alike."""
    with pytest.raises(InvalidChannel, match="3 inputs for a matrix of 2 rows"):
        ml.Channel(np.eye(2), inputs=[*"abc"])
    with pytest.raises(InvalidChannel, match="1 outputs for a matrix of 2 columns"):
        ml.Channel(np.eye(2), outputs=[*"a"])
    with pytest.raises(InvalidChannel, match="inputs 0 and 1 are both 'a'"):
        ml.Channel(np.eye(2), inputs=[*"aa"])
    with pytest.raises(InvalidChannel, match="outputs 0 and 1 are both 'a'"):
        ml.Channel(np.eye(2), outputs=[*"aa"])


BAD_ROWS = {
    "no triple": ([("flu", "hot", 1), ("flu", "cold")], "row 1 is not a triple"),
    "nothing": ([("flu", "hot", 1), None], "row 1 is not a triple"),
    "given twice": (
        [("flu", "hot", 0.5), ("flu", "hot", 0.5)],
        "row 1 lists a secret and an observable for the second time",
    ),
    "text": ([("flu", "hot", 1), ("pox", "hot", "1")], "the probability at row 1 is a str"),
    "bool": ([("flu", "hot", 1), ("pox", "hot", True)], "the probability at row 1 is a bool"),
    "missing": ([("flu", "hot", None)], "the probability at row 0 is a NoneType"),
    "beyond floats": ([("flu", "hot", 10**400)], "the probability at row 0 is not a finite number"),
    "no rows": ([], "rows are a sequence of triples, not none"),
    "negative": ([("flu", "hot", 1.5), ("flu", "mild", -0.5)], "row 0 ('flu'), column 1 ('mild') is -0.5"),
    "NaN": ([("flu", "hot", math.nan)], "the probability at row 0 is not a finite number"),
    "sum": ([("pox", "hot", 1), ("flu", "hot", 0.5)], "row 1 ('flu') sums to 0.5, not to 1"),
}


@pytest.mark.parametrize(("rows", "says"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_are_named(rows, says):
    """By number, by secret or by both, in one line."""
    with pytest.raises(InvalidChannel) as refused:
        ml.Channel.from_rows(rows)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_rows_must_fit_the_inputs_given():
    """A secret that is not among them, one without rows, one named twice."""
    rows = [("flu", "hot", 1), ("pox", "hot", 1)]
    with pytest.raises(InvalidChannel, match="row 1 names a secret that is not among the inputs"):
        ml.Channel.from_rows(rows, inputs=["flu", "gout"])
    with pytest.raises(InvalidChannel, match=r"row 1 \('gout'\) sums to 0"):
        ml.Channel.from_rows(rows, inputs=["flu", "gout", "pox"])
    with pytest.raises(InvalidParameter, match="inputs 0 and 1 are the same"):
        ml.Channel.from_rows(rows, inputs=["flu", "flu", "pox"])
    with pytest.raises(InvalidChannel, match="3 inputs for a matrix of 2 rows"):
        ml.Channel.deterministic(["a", "b"], inputs=["flu", "gout", "pox"])
