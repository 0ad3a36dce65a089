"""exposure: exact and simulated, of one lineage and of several; what it refuses."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from tests.design.living.worlds import changes, named, walked, zipf

import minleak as ml
from minleak._design.living import exposures
from minleak._design.stored.sampler import Sampler
from minleak._design.stored.saving import tables_of
from minleak.errors import InvalidParameter


class Grid:
    """Streams that are given, the same number for all purposes but a giant's, as fractions."""

    def __init__(self, values):
        self.values = values

    def bits(self, which, number, counter):
        value = int(self.values[number] * 2 ** (128 * (counter + 1))) % 2**128
        return np.array([[value >> 64, value % 2**64]] * len(which), dtype=np.uint64)


def listed(plans, weights):
    """The attacker's success by going through a grid of streams so fine that every version's places are equally long
    on it, and drawing as a cloak does. Secrets are never giants here.
    """
    total = Fraction(sum(weights.values()))
    seen = defaultdict(lambda: defaultdict(Fraction))
    samplers = [Sampler(plan, tables_of(plan)) for plan in plans]
    for name, weight in weights.items():
        places = [plan.prior.labels.position(name) for plan in plans]
        owned = [max(int(s.owned(np.array([x]))[0]), 1) for s, x in zip(samplers, places, strict=True)]
        steps = lcm(*owned)
        for i in range(steps):
            streams = Grid([Fraction(2 * i + 1, 2 * steps)])
            sets = []
            for plan, sampler, x in zip(plans, samplers, places, strict=True):
                row = sampler.sets(np.array([x]), sampler.coupled(np.array([x]), streams))[0]
                sets.append(frozenset(plan.prior.labels.at(row[row >= 0])))
            seen[tuple(sets)][name] += Fraction(weight) / total / steps
    return float(sum(max(odds.values()) for odds in seen.values()))


@settings(max_examples=25)
@given(changes(max_size=6, max_weight=6))
def test_exact_exposure_is_that_of_all_streams(change):
    """Two ways: boxes of streams in fractions, and draws from a grid of streams."""
    plan, prior = change
    newer = plan.update(prior)
    if plan.n_giants or newer.n_giants:
        return
    old = set(plan.prior.labels)
    common = {name: w for name, w in zip(prior.labels, prior.weights.tolist(), strict=True) if name in old}
    if not sum(common.values()):
        return
    found = ml.exposure([plan, newer])
    assert found.exact
    assert found.success == pytest.approx(listed([plan, newer], common))


@pytest.mark.parametrize("heavy", [False, True])
def test_simulated_is_exact(monkeypatch, heavy):
    """With a giant and without, of versions of one lineage and of two; never too low."""
    rng = np.random.default_rng(4)
    weights = rng.integers(20, 60, 10)
    weights[0] = 400 if heavy else 50
    plan = ml.design(named(weights), 3)
    newer = plan.update(walked(plan.prior, rng, 0.2))
    other = ml.design(walked(plan.prior, rng, 0.2), 3)
    cases = ([plan], [plan, newer], [plan, newer, other])
    exact = [ml.exposure(plans).success for plans in cases]
    monkeypatch.setattr(exposures, "exact_exposure", lambda *_: None)
    for plans, success in zip(cases, exact, strict=True):
        found = ml.exposure(plans, trials=20_000, seed=1)
        assert not found.exact
        assert found.low - 0.002 <= success <= found.high + 0.002


def test_the_fault_and_the_remedy():
    """A plan made anew gives most secrets away, an update few; one set alone leaks what the plan says."""
    rng = np.random.default_rng(6)
    plan = ml.design(named(10**6 + 1000 * np.arange(4000)), 8)
    prior = walked(plan.prior, rng)
    assert ml.exposure([plan, ml.design(prior, 8)], trials=3000).low > 0.4
    assert ml.exposure([plan, plan.update(prior)], trials=3000).high < 0.16
    alone = ml.exposure([plan], trials=3000)
    assert alone.success == pytest.approx(alone.single) == pytest.approx(0.125)
    assert str(alone).startswith("who saw one set of a secret is right with probability 0.1250")


def test_an_update_of_the_same_counts_shows_nothing_more():
    """Nor does the same plan twice; both are one draw."""
    plan = ml.design(named(zipf(200)), 6)
    once = ml.exposure([plan], trials=2000).success
    assert ml.exposure([plan, plan], trials=2000).success == pytest.approx(once)
    assert ml.exposure([plan, plan.update(plan.prior)], trials=2000).success == pytest.approx(once)


def test_branches_are_not_mixed():
    """Two updates of one parent are two lineages, whatever comes between; a chain with gaps is one."""
    rng = np.random.default_rng(8)
    plan = ml.design(named(zipf(60)), 4)
    one, two = (plan.update(walked(plan.prior, rng)) for _ in range(2))
    last = two.update(walked(plan.prior, rng))
    for mixed in ([one, two], [plan, one, last], [last, one]):
        with pytest.raises(InvalidParameter, match="two branches: two updates of one parent are two lineages"):
            ml.exposure(mixed)
    assert ml.exposure([plan, last], trials=200).versions == 2


def test_old_files_are_independent_of_their_updates(tmp_path):
    """A plan without a lineage is drawn by its digest: its update is one more draw."""
    from tests.design.stored.mutants import OLD

    old = ml.load(OLD.with_name("version3") / "text.cloak")
    newer = old.update(old.prior)
    assert (newer.version, newer.lineage) == (2, old.lineage)
    coupled = ml.design(old.prior, 2)
    assert ml.exposure([old, newer]).success > ml.exposure([coupled, coupled.update(old.prior)]).success


def test_blocks():
    """Always the same block: two versions show no more, unless members are cut off."""
    plan = ml.design(named(zipf(40)), 4, layout="blocks")
    same = ml.exposure([plan, plan.update(walked(plan.prior, np.random.default_rng(0)))])
    assert same.exact
    weights = named([8, 7, 6, 5]).weights
    blocks = ml.design(named(weights), 2, layout="blocks")
    assert ml.exposure([blocks]).success == pytest.approx(blocks.success) == pytest.approx(14 / 26)
    with pytest.raises(InvalidParameter, match="some are blocks and some draw their sets"):
        ml.exposure([plan, ml.design(plan.prior, 4)])


def test_refusals():
    """In one line each."""
    plan = ml.design(named([5, 4, 3, 2]), 2)
    for plans, words in (
        ([], "not none"),
        (7, "one or more plans over listed secrets"),
        (["plan.cloak"], "not a str"),
        ([plan, ml.design(named([1, 2], ["x", "y"]), 2)], "no secret of positive probability is in all versions"),
        ([plan, ml.design([5, 4], 2)], "some plans have labels and some have none"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            ml.exposure(plans)
    for wrong in ({"trials": 1}, {"trials": True}, {"seed": -1}, {"seed": 0.5}):
        with pytest.raises(InvalidParameter):
            ml.exposure([plan], **wrong)
    assert ml.exposure(plan).versions == 1
    assert ml.exposure([plan], prior=named([1, 1, 1, 1])).success == pytest.approx(ml.exposure([plan]).success, abs=0.2)
