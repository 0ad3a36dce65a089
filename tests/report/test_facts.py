"""The facts of a report are the library's own numbers, also where they are got by a shorter way."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import minleak as ml
from minleak.report import _facts as facts_module
from minleak.report._facts import DRAWS, ENTROPIES, NAMED, SENSITIVE, Facts, gather
from minleak.report._thinning import BINS, SINGLE, rank_bins
from minleak.rivals._alternatives import FixedBuckets, NoCloak, PopularDecoys, UniformRandomisation

WORDS = Path(__file__).parents[2] / "examples" / "data" / "words.csv"
TRIALS = 200


@pytest.fixture(scope="module")
def plan() -> ml.Plan:
    return ml.design(ml.read_prior(WORDS, secret="secret", weight="count"), k=20)


@pytest.fixture(scope="module")
def facts(plan: ml.Plan) -> Facts:
    return gather(plan, trials=TRIALS, seed=3)


def test_what_the_plan_is(plan: ml.Plan, facts: Facts) -> None:
    assert (facts.n, facts.possible, facts.k, facts.layout, facts.gains) == (2000, 2000, 20, "stable", False)
    assert facts.distance == 0
    assert [(giant.label, giant.rank) for giant in facts.giants] == [("the", 1)]
    assert facts.certificate.checks == ml.certify(plan, plan.prior).checks
    assert facts.certificate.ok


def test_chances_are_the_vulnerabilities(plan: ml.Plan, facts: Facts) -> None:
    assert facts.chance.blind == pytest.approx(ml.lab.vulnerability(plan.prior))
    assert facts.chance.bare == 1
    assert facts.chance.plan == pytest.approx(ml.lab.posterior_vulnerability(plan.prior, plan.channel()))


def test_leakages_are_those_of_plan_and_baselines(plan: ml.Plan, facts: Facts) -> None:
    """The short ways for no cloak and buckets give what their channels give."""
    kinds = {kind.name: kind for kind in (NoCloak, UniformRandomisation, PopularDecoys, FixedBuckets)}
    assert [row.entropy for row in facts.comparisons] == list(ENTROPIES)
    for row in facts.comparisons:
        assert row.plan == plan.leakage(row.entropy)
        assert list(row.rivals) == list(kinds)
        for name, leakage in row.rivals.items():
            expected = kinds[name](plan.prior, plan.k, trials=TRIALS, seed=3).leakage(row.entropy)
            assert leakage.exact == expected.exact
            assert leakage.value == pytest.approx(expected.value, abs=1e-10)
            assert leakage.high == pytest.approx(expected.high, abs=1e-10)
            assert leakage.high >= row.plan - 1e-9  # nothing leaks less than the plan


def test_leakage_by_k_is_the_sweep(plan: ml.Plan, facts: Facts) -> None:
    table = facts.by_k
    assert plan.k in table.ks
    assert (table.ks[0], table.ks[-1]) == (1, 2000)
    at = table.ks.index(plan.k)
    for entropy, row in zip(table.entropies, table.leakage.T, strict=True):
        assert facts.world is not None
        assert row[at] == pytest.approx(facts.world.leakage(entropy), rel=1e-6, abs=1e-6)
        assert row[at] == pytest.approx(plan.leakage(entropy), rel=1e-3, abs=1e-4)  # of many events
        assert row[-1] == pytest.approx(0, abs=1e-9)


def test_repeated_draws_are_those_of_both_layouts(plan: ml.Plan, facts: Facts) -> None:
    layouts = dict(facts.repeated)
    assert set(layouts) == {"stable", "circle"}
    for layout, repeated in layouts.items():
        other = ml.design(plan.prior, plan.k, layout=layout)
        assert repeated == ml.repeated(other, DRAWS, trials=TRIALS, seed=3)


def test_wrong_priors_are_measured_by_the_library(plan: ml.Plan, facts: Facts) -> None:
    assert [drift.entropy for drift in facts.drift] == list(SENSITIVE)
    for drift in facts.drift:
        assert (drift.thetas[0], drift.thetas[-1]) == (0.5, 1.5)
        for theta, ours, least in list(zip(drift.thetas, drift.plan, drift.least, strict=True))[::5]:
            q = ml.Prior(plan.prior.p**theta, labels=plan.prior.labels)
            assert ours == pytest.approx(plan.leakage(drift.entropy, prior=q), abs=1e-9)
            assert least == pytest.approx(ml.design(q, plan.k).leakage(drift.entropy), abs=1e-9)
            assert ours >= least - 1e-9


@pytest.mark.parametrize("n", [1, 2, SINGLE, SINGLE + 1, 500, 100_000])
def test_bins_hold_every_secret_once(n: int) -> None:
    p = np.sort(np.random.default_rng(n).pareto(1.2, n) + 1e-3)[::-1]
    p /= p.sum()
    bins = rank_bins(p)
    assert len(bins) <= SINGLE + BINS
    assert [bin.first for bin in bins] == [1, *(bin.last + 1 for bin in bins[:-1])]
    assert bins[-1].last == n
    assert sum(bin.mean * (bin.last - bin.first + 1) for bin in bins) == pytest.approx(1)
    assert all(bin.lowest - 1e-15 <= bin.mean <= bin.highest + 1e-15 for bin in bins)


@pytest.mark.parametrize("layout", ["stable", "circle"])
def test_gains_are_those_of_gain_based_leakage(layout: str) -> None:
    prior, gains, k = [30, 25, 20, 10, 8, 7], [1, 2, 0.5, 3, 1, 0], 3
    plan = ml.design(prior, k, gains=gains, layout=layout)
    facts = gather(plan, trials=TRIALS)
    e = plan.prior.p * np.array(gains)
    assert facts.gains
    assert (facts.n, facts.possible) == (6, 5)
    assert facts.chance.blind == pytest.approx(e.max())
    assert facts.chance.bare == pytest.approx(e.sum())
    assert facts.chance.plan == pytest.approx(
        ml.lab.posterior_vulnerability(prior, plan.channel(), gain=np.diag(gains))
    )
    identity = ml.Channel.deterministic(range(6))
    order = np.argsort(-e, kind="stable")
    bucket = np.empty(6, dtype=int)
    bucket[order] = np.arange(6) // k
    for row in facts.comparisons:
        H = ml.Gain(ml.entropy(row.entropy), gains)
        assert row.plan == pytest.approx(ml.leakage(prior, plan.channel(), H), abs=1e-9)
        leaks = {name: leakage.value for name, leakage in row.rivals.items()}
        assert leaks["no cloak"] == pytest.approx(ml.leakage(prior, identity, H), abs=1e-9)
        buckets = ml.Channel.deterministic(bucket.tolist())
        assert leaks["fixed buckets"] == pytest.approx(ml.leakage(prior, buckets, H), abs=1e-9)
    at = facts.by_k.ks.index(k)
    for row, swept in zip(facts.comparisons, facts.by_k.leakage.T, strict=True):
        assert swept[at] == pytest.approx(row.plan, abs=1e-9)
    for drift in facts.drift:
        for theta, ours, least in zip(drift.thetas, drift.plan, drift.least, strict=True):
            q = ml.Prior(plan.prior.p**theta)
            assert ours == pytest.approx(plan.leakage(drift.entropy, prior=q), abs=1e-9)
            assert least == pytest.approx(ml.design(q, k, gains=gains).leakage(drift.entropy), abs=1e-9)


CASES = {
    "one secret": ([7], 1),
    "k = 1": ([5, 3, 2], 1),
    "k >= n": ([5, 3, 2], 9),
    "zeros": ([5, 0, 3, 0, 2, 0], 2),
    "more zeros than places": ([5, 0, 0, 0, 0], 2),
    "all giants": ([64, 16, 4, 1], 4),
    "uniform": ([1] * 12, 4),
    "floats": ([0.5, 0.3, 0.15, 0.05], 2),
}


@pytest.mark.parametrize("case", CASES)
def test_small_priors_have_facts_that_json_takes(case: str) -> None:
    weights, k = CASES[case]
    facts = gather(ml.design(weights, k), trials=50)
    assert facts.certificate.ok
    assert facts.possible == sum(w > 0 for w in weights)
    assert facts.chance.blind - 1e-12 <= facts.chance.plan <= facts.chance.bare
    assert all(0 <= row.plan <= row.bare + 1e-12 for row in facts.comparisons)
    text = json.dumps(facts.to_dict(), allow_nan=False)
    assert json.loads(text)["k"] == facts.k


def test_floats_state_their_distance() -> None:
    plan = ml.design([0.1, 0.2, 0.3, 0.4], 2)
    assert gather(plan, trials=50).distance == plan.distance


def test_many_giants_are_counted_and_some_named() -> None:
    weights = [2**i for i in range(60)]
    plan = ml.design(weights, 59)
    facts = gather(plan, trials=50)
    assert facts.n_giants == plan.n_giants > NAMED
    assert len(facts.giants) == NAMED


def test_large_sets_take_fewer_trials_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_module, "_WORK", 1000)
    facts = gather(ml.design(range(1, 101), 10), trials=100_000)
    assert facts.trials == 100
    assert all(repeated.trials == 100 for _, repeated in facts.repeated)


def test_rivals_are_known_in_the_true_population() -> None:
    """No cloak shows the secret, fixed buckets are blocks, and decoys are simulated: by the library's own figures."""
    plan = ml.design(np.random.default_rng(3).poisson(30 / np.arange(1, 60)) + 1, 4)
    rows = gather(plan, trials=TRIALS).comparisons
    blocks = ml.population(ml.design(plan.prior, 4, layout="blocks"))
    random = {kind.name: ml.population(kind(plan.prior, 4)) for kind in (UniformRandomisation, PopularDecoys)}
    for row in rows:
        assert list(row.worldly) == ["this plan", "no cloak", "fixed buckets", *random]
        assert row.worldly["this plan"] == ml.population(plan).leakage(row.entropy)
        for name, world in random.items():
            assert row.worldly[name] == pytest.approx(world.leakage(row.entropy))
        assert row.worldly["fixed buckets"] == pytest.approx(blocks.leakage(row.entropy))
        assert row.worldly["no cloak"] >= row.worldly["fixed buckets"]
