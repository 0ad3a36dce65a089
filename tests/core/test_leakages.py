"""Leakage: entropies before and after, and vulnerabilities under any gain, by the definitions, dense and sparse."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests import plain
from tests.plain import CHANNEL, CLOSE, FLOATS, PRIOR, WEIGHTS

import minleak as ml
from minleak.core._entropy.gain import gain_matrix
from minleak.core._entropy.names import STANDARD
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.lab.paper import Cachin
from minleak.testing import channels, entropies, priors, systems
from paper.increases import find_increase

KINDS = {"dense": np.array, "sparse": sp.csr_array}
POINT = [[1.0]] * 4  # nothing can be seen
EYE = np.eye(4)  # everything can be seen
GINI = ml.lab.CoreConcave(lambda z: z, core=lambda p: 1 - (p**2).sum(), name="gini")


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def channel(request):
    return ml.Channel(request.param(FLOATS))


# -- entropies -----------------------------------------------------------------------------------------------------


def test_entropies_of_the_small_system(channel):
    """Shannon, min-entropy, guess error and guesswork after the observation, against loops over Fractions."""
    right = plain.posterior_vulnerability(PRIOR, CHANNEL, plain.identity(4))
    expected = {
        "shannon": plain.shannon(PRIOR, CHANNEL),
        "min-entropy": -math.log2(right),
        "guess-error:1": float(1 - right),
        "guesswork": float(plain.guesswork(PRIOR, CHANNEL)),
    }
    table = ml.leakage_table(WEIGHTS, channel, list(expected))
    for name, after in expected.items():
        assert table[name].after == pytest.approx(after, rel=CLOSE)
        before = ml.entropy(name).conditional(WEIGHTS, POINT)
        assert table[name].before == pytest.approx(before, rel=CLOSE)
        assert ml.leakage(WEIGHTS, channel, name) == pytest.approx(before - after, rel=1e-9)


@given(systems(), st.lists(entropies(), min_size=1, max_size=4))
def test_the_table_has_the_numbers_of_the_single_functions(system, measures):
    """One pass gives what each entropy alone gives, and the leakage of ml.leakage; dense and sparse agree."""
    prior, channel = system
    table = ml.leakage_table(prior, channel, measures)
    sparse = ml.leakage_table(prior, sp.csr_array(channel.toarray()), measures)
    assert len(table.rows) == len(measures)
    for row, other, H in zip(table.rows, sparse.rows, measures, strict=True):
        assert row.entropy == H.name
        assert row.before == pytest.approx(H(prior), rel=1e-14)
        assert row.after == pytest.approx(H.conditional(prior, channel), rel=1e-14)
        assert row.leakage == pytest.approx(ml.leakage(prior, channel, H), rel=1e-14, abs=1e-14)
        assert row.after == pytest.approx(other.after, rel=1e-10, abs=1e-12)
        assert row.leakage >= 0


@given(priors(min_size=2, max_size=5), entropies())
def test_the_two_extremes(prior, H):
    """Nothing seen leaks nothing; everything seen leaves what a sure secret has."""
    n = len(prior)
    assert ml.leakage(prior, [[1.0]] * n, H) == 0
    assert ml.leakage(prior, np.eye(n), H) == pytest.approx(H(prior) - H([1]), rel=1e-10, abs=1e-10)


def test_rounding_below_zero_is_zero_but_real_increase_is_kept():
    """A leakage that is never negative is not reported so; a measure that may grow may show it."""
    assert ml.leakage([0.1, 0.2, 0.7], [[0.3, 0.7]] * 3, "shannon") == 0
    found = find_increase(Cachin(2))
    assert found is not None
    prior, channel = found.prior, found.channel
    assert ml.leakage(prior, channel, Cachin(2)) < 0


def test_a_table_is_read_by_name_and_prints():
    """Rows have the name they were asked by, and are found by any; what is not there is a KeyError."""
    table = ml.leakage_table(WEIGHTS, FLOATS)
    assert len(table.rows) == len(STANDARD)
    for name in STANDARD:
        assert table[name].after == ml.entropy(name).conditional(WEIGHTS, FLOATS)
    asked = ml.leakage_table(WEIGHTS, FLOATS, [ml.Collision(), "arimoto:2", ml.Arimoto(0), "gUesswork", GINI])
    assert [row.entropy for row in asked.rows] == ["collision", "arimoto:2", "arimoto:0", "guesswork", "gini"]
    assert asked["hartley"] is asked[ml.Hartley(base=3)] is asked.rows[2]
    assert (asked[ml.Collision()], asked["arimoto:2"]) == asked.rows[:2]
    assert asked["gini"] is asked[GINI] is asked.rows[4]
    for missing in ("arimoto:3", "nonsense"):
        with pytest.raises(KeyError, match=missing):
            table[missing]
    row = table["shannon"]
    assert row.ratio == row.before / row.after
    assert ml.leakage_table([1, 1], np.eye(2))["shannon"].ratio == math.inf
    assert ml.leakage_table([1, 0], np.eye(2))["shannon"].ratio == 1
    lines = str(table).splitlines()
    assert len(lines) == len(STANDARD) + 1
    assert len({len(line) for line in lines}) == 1
    assert str(ml.leakage_table(WEIGHTS, FLOATS, [])).split() == ["entropy", "before", "after", "leakage"]


def test_gains_stand_in_a_table_too():
    """An entropy under a gain takes its own pass and its own row."""
    gain = ml.Gain(ml.MinEntropy(), [1, 2, 3, 4])
    table = ml.leakage_table(WEIGHTS, FLOATS, ["shannon", gain, "min-entropy"])
    assert [row.entropy for row in table.rows] == ["shannon", "gain(min-entropy)", "min-entropy"]
    assert table["gain(min-entropy)"].after == gain.conditional(WEIGHTS, FLOATS)


# -- vulnerabilities -----------------------------------------------------------------------------------------------

GAINS = {
    "none": None,
    "vector": [1.0, 0.5, 4.0, 2.0],
    "diagonal": np.diag([1.0, 0.5, 4.0, 2.0]).tolist(),
    "losses": [-1.0, -2.0, -0.5, -1.0],
    "mixed vector": [-1.0, 2.0, -0.5, 0.0],
    "two guesses": [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.25, 5.0]],
    "more guesses than secrets": np.arange(24.0).reshape(6, 4).tolist(),
    "signed": [[1.0, -1.0, 0.0, 0.0], [-2.0, 3.0, 0.0, 1.0], [0.0, 0.0, -1.0, 0.0]],
    "all negative": [[-1.0, -2.0, -3.0, -4.0], [-2.0, -1.0, -1.0, -1.0]],
    "zero guess": [[0.0, 0.0, 0.0, 0.0], [1.0, -9.0, -9.0, 0.0]],
}


def as_rows(gain):
    """The full matrix that a gain stands for."""
    if gain is None:
        return plain.identity(4)
    return gain if isinstance(gain[0], list) else [[g * (w == x) for x in range(4)] for w, g in enumerate(gain)]


def forms(gain):
    """The gain as it may be given: as it is, as an array, and as sparse matrices."""
    if gain is None:
        return [None]
    return [gain, np.array(gain), sp.csr_array(as_rows(gain)), sp.coo_matrix(as_rows(gain))]


@pytest.mark.parametrize("gain", GAINS.values(), ids=GAINS)
def test_vulnerabilities_by_definition(channel, gain):
    """max over w of sum over x of G[w,x] p(x), and its posterior form, for gains of any sign and any storage."""
    before = float(plain.vulnerability(PRIOR, as_rows(gain)))
    after = float(plain.posterior_vulnerability(PRIOR, CHANNEL, as_rows(gain)))
    for form in forms(gain):
        assert ml.lab.vulnerability(WEIGHTS, gain=form) == pytest.approx(before, rel=CLOSE)
        assert ml.lab.posterior_vulnerability(WEIGHTS, channel, gain=form) == pytest.approx(after, rel=CLOSE)
        assert ml.lab.additive_leakage(WEIGHTS, channel, gain=form) == pytest.approx(
            after - before, rel=1e-9, abs=1e-13
        )
        if before > 0:
            assert ml.lab.multiplicative_leakage(WEIGHTS, channel, gain=form) == pytest.approx(
                after / before, rel=CLOSE
            )


entry = st.one_of(st.just(0.0), st.integers(-4, 4).map(float))


@given(systems(), st.data())
def test_vulnerabilities_of_random_systems(system, data):
    """The same by hypothesis, sparse gains on sparse channels included; observing never lowers a vulnerability."""
    prior, dense = system
    n = len(prior)
    rows = st.lists(st.lists(entry, min_size=n, max_size=n), min_size=1, max_size=4)
    gain = data.draw(st.one_of(rows, st.lists(entry, min_size=n, max_size=n).map(lambda g: np.diag(g).tolist())))
    p, c = prior.p.tolist(), dense.toarray().tolist()
    before, after = plain.vulnerability(p, gain), plain.posterior_vulnerability(p, c, gain)
    assert after >= before - 1e-12
    for channel in (dense, ml.Channel(sp.csr_array(dense.toarray()))):
        for form in (gain, sp.csr_array(gain)):
            assert ml.lab.vulnerability(prior, gain=form) == pytest.approx(before, rel=CLOSE, abs=1e-14)
            assert ml.lab.posterior_vulnerability(prior, channel, gain=form) == pytest.approx(
                after, rel=CLOSE, abs=1e-13
            )


@pytest.mark.parametrize("gamma", [[1.0, 0.0, 2.0], [1.0, -1.0, 0.5], [0.0, 0.0, 0.0]], ids=repr)
def test_a_diagonal_gain_is_recognised(gamma):
    """Dense or sparse, a diagonal matrix is kept as its diagonal, which costs no product of matrices."""
    for matrix in (np.diag(gamma), sp.csr_array(np.diag(gamma)), sp.diags_array(gamma)):
        assert gain_matrix(matrix).ndim == 1
        assert gain_matrix(matrix).tolist() == gamma
    almost = np.diag(gamma)
    almost[2, 0] = 1e-300
    for matrix in (almost, sp.csr_array(almost), np.diag(gamma)[:2], np.diag(gamma)[:, :2]):
        assert gain_matrix(matrix).ndim == 2


def test_g_entropy_is_the_logarithm_of_g_vulnerability(channel):
    """Gain(MinEntropy, G) and the vulnerabilities of the field are one thing."""
    for gain in (GAINS["vector"], GAINS["two guesses"], GAINS["more guesses than secrets"]):
        H = ml.Gain(ml.MinEntropy(), gain)
        assert H(WEIGHTS) == pytest.approx(-math.log2(ml.lab.vulnerability(WEIGHTS, gain=gain)), rel=CLOSE)
        factor = ml.lab.multiplicative_leakage(WEIGHTS, channel, gain=gain)
        assert ml.leakage(WEIGHTS, channel, H) == pytest.approx(math.log2(factor), rel=1e-9)


def test_gains_that_reach_no_possible_secret(channel):
    """A gain only on the impossible secret is worth nothing: no factor, and infinite g-entropy, dense and sparse."""
    only_last = [[0, 0, 0, 1.0], [0, 0, 0, 2.0]]
    for form in (only_last, sp.csr_array(only_last)):
        assert ml.lab.posterior_vulnerability(WEIGHTS, channel, gain=form) == 0
        assert ml.lab.multiplicative_leakage(WEIGHTS, channel, gain=form) == 1
        assert ml.Gain(ml.MinEntropy(), form).conditional(WEIGHTS, channel) == math.inf


def test_factors_at_and_below_zero():
    """From nothing to something is an infinite factor; a factor on a loss is refused."""
    bet = [[1.0, -1.0], [-1.0, 1.0]]
    assert ml.lab.vulnerability([1, 1], gain=bet) == 0
    assert ml.lab.multiplicative_leakage([1, 1], np.eye(2), gain=bet) == math.inf
    assert ml.lab.multiplicative_leakage([1, 1], [[1.0], [1.0]], gain=bet) == 1
    with pytest.raises(InvalidParameter, match=r"-1\.5.* use additive_leakage"):
        ml.lab.multiplicative_leakage([1, 1], np.eye(2), gain=[[-1.0, -2.0], [-3.0, -1.0]])


@pytest.mark.parametrize(
    ("gain", "says"),
    [
        ([1.0, 2.0], "the gains are for 2 secrets, and there are 4"),
        (np.eye(3), "the gains are for 3 secrets, and there are 4"),
        (sp.csr_array(np.ones((4, 5))), "the gains are for 5 secrets, and there are 4"),
        ([1.0, math.nan, 1.0, 1.0], "finite"),
        ([[1.0, math.inf, 1.0, 1.0]], "finite"),
        (["a", "b", "c", "d"], "numbers"),
        ([True, False, True, True], "numbers"),
        ([], "shape"),
    ],
    ids=str,
)
def test_gains_that_do_not_fit_are_refused(channel, gain, says):
    """Everywhere that takes a gain."""
    for call in (
        lambda: ml.lab.vulnerability(WEIGHTS, gain=gain),
        lambda: ml.lab.posterior_vulnerability(WEIGHTS, channel, gain=gain),
        lambda: ml.lab.multiplicative_leakage(WEIGHTS, channel, gain=gain),
        lambda: ml.lab.additive_leakage(WEIGHTS, channel, gain=gain),
        lambda: ml.lab.best_guesses(WEIGHTS, channel, gain=gain),
    ):
        with pytest.raises(InvalidParameter, match=says):
            call()


# -- worst cases ---------------------------------------------------------------------------------------------------


def test_maximal_leakage_by_definition(channel):
    """log of the sum of the largest entry of each column, in any base."""
    total = float(sum(max(column) for column in plain.columns(CHANNEL)))
    assert ml.lab.maximal_leakage(channel) == pytest.approx(math.log2(total), rel=CLOSE)
    assert ml.lab.maximal_leakage(channel, base=math.e) == pytest.approx(math.log(total), rel=CLOSE)
    assert ml.lab.maximal_leakage(POINT) == 0
    assert ml.lab.maximal_leakage(EYE) == 2
    with pytest.raises(InvalidParameter, match="base"):
        ml.lab.maximal_leakage(channel, base=1)


@given(systems(), st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(lambda g: min(g) > 0))
def test_maximal_leakage_bounds_every_factor(system, gamma):
    """No prior and no gain that is not negative multiplies a vulnerability by more."""
    prior, channel = system
    bound = 2 ** ml.lab.maximal_leakage(channel)
    assert ml.lab.multiplicative_leakage(prior, channel) <= bound * (1 + CLOSE)
    assert ml.lab.multiplicative_leakage(prior, channel, gain=gamma[: len(prior)]) <= bound * (1 + CLOSE)


@given(channels(3))
def test_epsilon_by_definition(channel):
    """The largest log ratio within a column, inf where a zero meets a non-zero; empty columns do not count."""
    seen = [column for column in plain.columns(channel.toarray().tolist()) if any(column)]
    ratios = [math.log(max(column) / min(column)) if min(column) > 0 else math.inf for column in seen]
    for form in (channel, sp.csr_array(channel.toarray())):
        assert ml.lab.local_dp_epsilon(form) == pytest.approx(max(ratios), rel=CLOSE, abs=1e-15)


def test_epsilon_of_randomised_response(channel):
    """log 3 for three truths in four, dense and sparse, with and without an observable that never occurs."""
    response = np.array([[0.75, 0.25, 0.0], [0.25, 0.75, 0.0]])
    for form in (response, response[:, :2], sp.csr_array(response)):
        assert ml.lab.local_dp_epsilon(form) == pytest.approx(math.log(3), rel=CLOSE)
    assert ml.lab.local_dp_epsilon(channel) == math.inf
    assert ml.lab.local_dp_epsilon(POINT) == 0


def test_a_plan_is_no_channel():
    with pytest.raises(InvalidChannel, match=r"a Plan is not a channel: give its \.channel\(\)"):
        ml.leakage([3, 2, 1], ml.design([3, 2, 1], 2), "shannon")
