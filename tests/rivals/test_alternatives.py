"""Baselines: closed forms against listing every set, simulations against exact values, none better than the plan."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import CORES, FIGURES, HARD, names

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lab.paper import Cachin
from minleak.rivals._alternatives import BASELINES, FixedBuckets, NoCloak, OneSet, PopularDecoys, UniformRandomisation
from minleak.rivals._random_sets import RandomSets
from minleak.testing import priors

CLOSED = (ml.MinEntropy(), ml.GuessError(1), ml.GuessError(2), ml.GuessError(5), ml.Guesswork(), ml.Shannon())
# Those whose value is a mean over sets, which is what a simulation can tell.
MEANS = (
    ml.Collision(),
    ml.lab.Hayashi(0.5),
    ml.lab.FehrBerens(3),
    ml.lab.Tsallis(2),
    ml.lab.SharmaMittal(2, 0.5),
)


def uniform_randomisation(n, k):
    """Every set of k that contains x, equally likely."""
    sets = list(combinations(range(n), k))
    containing = Counter(x for members in sets for x in members)
    return ml.Channel([[Fraction(x in members, containing[x]) for members in sets] for x in range(n)])


def popular_decoys(weights, k):
    """All sequences of k-1 decoys from the prior; what is seen is how often each label stands there."""
    n, total = len(weights), sum(weights)
    rows = []
    for x in range(n):
        row: Counter[tuple[int, ...]] = Counter()
        for decoys in product(range(n), repeat=k - 1):
            chance = Fraction(1)
            for decoy in decoys:
                chance *= Fraction(weights[decoy], total)
            row[tuple(sorted((x, *decoys)))] += chance
        rows.append(row)
    seen = sorted({members for row in rows for members in row})
    return ml.Channel([[row[members] for members in seen] for row in rows])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any), st.integers(1, 7))
def test_uniform_randomisation_in_closed_form(weights, k):
    """Against listing the sets, for guessing attackers and Shannon; exact, so without an interval."""
    baseline = UniformRandomisation(weights, k)
    channel = uniform_randomisation(len(weights), min(k, len(weights)))
    for H in CLOSED:
        found = baseline.entropy(H)
        assert found.exact
        assert found.low == found.value == found.high
        assert found.value == pytest.approx(H.conditional(weights, channel), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("k", "leakage"), [(5, 2.3692338097), (16, 0.8667334691)])
def test_reference_values_of_the_figures(k, leakage):
    """Min-entropy leakage of uniform randomisation under p = (30, ..., 1)/465, to ten digits."""
    assert UniformRandomisation(FIGURES, k).leakage("min-entropy").value == pytest.approx(leakage, abs=5e-11)


def test_never_listing_the_sets():
    """At n = 30, k = 15 there are 155 million, and Shannon is exact all the same; at n = 5000 ranks are."""
    assert UniformRandomisation(FIGURES, 15).entropy("shannon").exact
    assert UniformRandomisation(range(1, 5001), 2500).entropy("guesswork").exact


def test_floats_are_simulated_where_integers_are_counted():
    """Shannon of float weights: the interval is about the exact value of the same weights as integers."""
    exact = UniformRandomisation([9, 5, 3, 2, 1], 3).entropy("shannon").value
    found = UniformRandomisation([0.45, 0.25, 0.15, 0.1, 0.05], 3).entropy("shannon")
    assert not found.exact
    assert within(exact, found)


def within(value, found):
    """Inside twice the interval of 99%: by chance outside in fewer than one of a million."""
    assert found.low <= found.value <= found.high
    return abs(found.value - value) <= found.high - found.low <= 0.1


@pytest.mark.parametrize("H", MEANS, ids=names(MEANS))
@pytest.mark.parametrize(("weights", "k"), [((9, 5, 3, 2, 1), 3), ((4, 4, 1), 2), ((5, 0, 3, 1), 2)], ids=str)
def test_simulated_uniform_randomisation(weights, k, H):
    """Near the value of the listed channel."""
    found = UniformRandomisation(weights, k).entropy(H)
    assert not found.exact
    assert within(H.conditional(weights, uniform_randomisation(len(weights), k)), found)


@pytest.mark.parametrize("H", [*MEANS, *CLOSED], ids=names([*MEANS, *CLOSED]))
@pytest.mark.parametrize(("weights", "k"), [((5, 3, 2), 3), ((4, 1), 4), ((5, 0, 3, 1), 2)], ids=str)
def test_popular_decoys(weights, k, H):
    """Near the value of the channel that lists every sequence."""
    found = PopularDecoys(weights, k).entropy(H)
    assert not found.exact
    truth = H.conditional(weights, popular_decoys(weights, k))
    assert within(truth, found) or truth == pytest.approx(found.value, abs=1e-12)


def test_intervals_hold_as_often_as_they_say():
    """Of 200 intervals of 99% at least 192 hold the truth: by chance fewer do so once in a thousand."""
    truth = ml.Collision().conditional([5, 3, 2], popular_decoys([5, 3, 2], 3))
    found = [PopularDecoys([5, 3, 2], 3, trials=400, seed=seed).entropy("collision") for seed in range(200)]
    assert 192 <= sum(one.low <= truth <= one.high for one in found) < 200


def test_channels_are_what_they_are_called():
    """Buckets of the sorted secrets, the secret itself, and nothing."""
    assert FixedBuckets([1, 9, 5, 3], 2).channel().toarray().tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert NoCloak([1, 9, 5], 2).entropy("shannon").value == 0
    assert NoCloak([1, 9, 5], 2).leakage("guesswork").value == pytest.approx(ml.Guesswork()([1, 9, 5]) - 1)
    assert OneSet([1, 9, 5], 2).leakage("shannon").value == 0


@given(priors(max_size=7), st.integers(1, 7))
@settings(max_examples=25)
def test_buckets_are_measured_as_their_channel_is(prior, k):
    """Though without it, where an entropy does not ask whose a probability is."""
    buckets = FixedBuckets(prior, k)
    for H in (*CLOSED, *MEANS, ml.Gain(ml.Shannon(), np.eye(len(prior)))):
        assert buckets.entropy(H).value == pytest.approx(H.conditional(prior, buckets.channel()), abs=1e-12)


@given(priors(max_size=7), st.integers(1, 7))
@settings(max_examples=25)
def test_none_with_sets_of_k_is_better_than_the_plan(prior, k):
    """Exact ones never, simulated ones not beyond their interval."""
    plan = ml.design(prior, k)
    for baseline in ml.lab.baselines(prior, k, trials=200):
        if isinstance(baseline, OneSet) and k < len(prior):
            continue
        for H in (*CLOSED, ml.Collision()):
            assert baseline.entropy(H).low <= plan.entropy(H) + 1e-11
            assert baseline.leakage(H).high >= plan.leakage(H) - 1e-11


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_leakage_is_what_is_lost(weights):
    """With the ends of the interval exchanged."""
    for baseline in ml.lab.baselines(weights, 2, trials=100):
        for H in ("shannon", "min-entropy", "tsallis:2"):
            after, lost = baseline.entropy(H), baseline.leakage(H)
            before = ml.entropy(H)(weights)
            expected = (before - after.value, before - after.high, before - after.low)
            assert (lost.value, lost.low, lost.high) == pytest.approx(expected, rel=1e-12, abs=1e-14)
            assert lost.exact == after.exact


def test_all_of_them():
    """In one call, each by its own name."""
    found = ml.lab.baselines([3, 2, 1], 2)
    assert [type(baseline) for baseline in found] == list(BASELINES)
    assert len({baseline.name for baseline in found}) == len(found)


@pytest.mark.parametrize("H", CORES, ids=names(CORES))
def test_from_n_on_uniform_randomisation_is_one_set(H):
    """Then nothing leaks; maxima over sets are no means, and refused."""
    baseline = UniformRandomisation([5, 3, 2], 7, trials=50)
    if H.name in ("hayashi:inf", "arimoto:0", "hartley"):
        with pytest.raises(InvalidParameter, match="a mean over sets"):
            baseline.entropy(H)
    else:
        assert baseline.entropy(H).value == pytest.approx(H([5, 3, 2]), rel=1e-6)


REFUSED = {
    "maximum": ml.lab.Hayashi(float("inf")),
    "gain": ml.Gain(ml.MinEntropy(), [1, 2, 3]),
    "other form": Cachin(2),
}


@pytest.mark.parametrize("H", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("kind", [UniformRandomisation, PopularDecoys])
def test_what_cannot_be_simulated_is_refused(kind, H):
    """Only means over sets can."""
    with pytest.raises(InvalidParameter, match="a mean over sets"):
        kind([3, 2, 1], 2).entropy(H)


@pytest.mark.parametrize("trials", [0, 1, 2.5, True, "9"], ids=repr)
def test_trials_are_a_whole_number(trials):
    """From 2 on."""
    with pytest.raises(InvalidParameter, match="whole number from 2 to"):
        ml.lab.baselines([3, 2, 1], 2, trials=trials)


def test_the_cap_is_checked():
    """As everywhere."""
    with pytest.raises(InvalidParameter, match="whole number from 1 on"):
        ml.lab.baselines([3, 2, 1], 0)


# -- in the true population ------------------------------------------------------------------------------------------


def true_success(kind, counts, q, k, trials=50_000):
    """How often an attacker is right who knows the true frequencies q, by other sets, decoys drawn by the counts."""
    rng, n = np.random.default_rng(9), len(counts)
    if kind is UniformRandomisation:
        return float(q @ RandomSets(ml.Prior(q), k).among_best(1)[np.argsort(np.argsort(-q))])
    p = counts / counts.sum()
    shown = np.column_stack([rng.choice(n, trials, p=q), rng.choice(n, (trials, k - 1), p=p)])
    odds = (q / p)[shown] * (shown[:, :, None] == shown[:, None, :]).sum(axis=2)
    together = np.where(np.triu(shown[:, :, None] == shown[:, None, :], 1).any(axis=1), 0, odds)
    return float((odds.max(axis=1) / together.sum(axis=1)).mean())


@pytest.mark.parametrize("events", [3_000, 100_000])
@pytest.mark.parametrize("kind", [UniformRandomisation, PopularDecoys])
def test_in_the_true_population(kind, events):
    """Eight samples of a Zipf law: the attacker who knows it is within the 95% interval (twice not: once in 17 tests),
    and close to the estimate, which is above the claim where decoys follow the counts.
    """
    missed = 0
    for seed in range(8):
        q = 1 / np.arange(3, 303) ** 0.9
        counts = np.random.default_rng(seed).poisson(events * q / q.sum())
        q, counts = q[counts > 0] / q[counts > 0].sum(), counts[counts > 0]
        found = ml.population(kind(counts, 8, trials=2000), seed=seed)
        truth = true_success(kind, counts, q, 8)
        missed += not found.low <= truth <= found.high
        assert found.success == pytest.approx(truth, rel=0.06)
        assert found.events == counts.sum()
        assert kind is UniformRandomisation or found.success > found.claimed
    assert missed <= 1


def test_with_many_events_the_population_is_the_counts():
    """Both figures of a leakage then agree."""
    for kind in (UniformRandomisation, PopularDecoys):
        baseline = kind(10**9 // np.arange(3, 203), 8)
        found = ml.population(baseline, entropies=["shannon"])
        assert found.leakage("shannon") == pytest.approx(baseline.leakage("shannon").value, abs=0.03)
        assert found.success == pytest.approx(found.claimed, abs=0.01)


def test_secrets_that_were_never_seen_have_no_rate():
    """Zeros change nothing but the decoys: a set of the secret and zeros shows it."""
    counts = [400, 300, 200, 100, 50, 25] + [0] * 600
    assert ml.population(UniformRandomisation(counts, 3)).success > 0.98


def test_without_events_there_is_no_population():
    """As for plans."""
    with pytest.raises(InvalidParameter, match="not counts of events"):
        ml.population(UniformRandomisation([0.5, 0.3, 0.2], 2))
