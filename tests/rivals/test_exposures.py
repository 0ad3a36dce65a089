"""exposure: exact and simulated, of one lineage and of several; what it refuses."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from tests.lineage.worlds import histories, named, walked, zipf

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.rivals import _intersections as intersections


def by_channels(plans, weights):
    """The attacker's success by the explicit channels alone: independent draws from each, all pairs of sets."""
    total = Fraction(sum(weights.values()))
    seen = defaultdict(lambda: defaultdict(Fraction))
    for name, weight in weights.items():
        rows = []
        for plan in plans:
            channel = plan.channel()
            row = channel.toarray()[plan.prior.labels.position(name)]
            rows.append([(frozenset(names), Fraction(p)) for names, p in zip(channel.outputs, row, strict=True) if p])
        for sets in product(*rows):
            chance = Fraction(weight) / total
            for _, p in sets:
                chance *= p
            seen[tuple(names for names, _ in sets)][name] += chance
    return float(sum(max(odds.values()) for odds in seen.values()))


@settings(max_examples=25)
@given(histories(days=2, max_size=6, max_weight=6))
def test_exact_exposure_is_that_of_all_pairs_of_sets(history):
    """Two ways: intersections in fractions, and products of the channels' rows."""
    plan, (counts,) = history
    other = ml.design(counts, plan.k)
    common = {n: w for n, w in zip(counts.labels, counts.weights.tolist(), strict=True) if n in set(plan.prior.labels)}
    if not sum(common.values()) or plan.lineage == other.lineage:
        return
    found = ml.exposure([plan, other])
    assert found.exact
    assert found.lineages == 2
    assert found.success == pytest.approx(by_channels([plan, other], common))


@pytest.mark.parametrize("heavy", [False, True])
def test_simulated_is_exact(monkeypatch, heavy):
    """With a giant and without; within the interval, which misses one in a hundred."""
    rng = np.random.default_rng(4)
    weights = rng.integers(20, 60, 10)
    weights[0] = 400 if heavy else 50
    plan = ml.design(named(weights), 3)
    other = ml.design(walked(plan.prior, rng, 0.2), 3)
    blocks = ml.design(walked(plan.prior, rng, 0.2), 3, layout="blocks")
    cases = ([plan], [plan, other], [plan, other, blocks])
    exact = [ml.exposure(plans).success for plans in cases]
    monkeypatch.setattr(intersections, "_compute_exactly", lambda *_: None)
    for plans, success in zip(cases, exact, strict=True):
        found = ml.exposure(plans, trials=20_000, seed=1)
        assert not found.exact
        assert found.low - 0.002 <= success <= found.high + 0.002


def test_the_fault_and_the_remedy():
    """A plan made anew gives most secrets away, an update none; one set alone leaks what the plan says."""
    rng = np.random.default_rng(6)
    plan = ml.design(named(10**6 + 1000 * np.arange(4000)), 8)
    prior = walked(plan.prior, rng)
    assert ml.exposure([plan, ml.design(prior, 8)], trials=3000).low > 0.4
    kept = ml.exposure([plan, ml.update(plan, prior)], trials=3000)
    assert kept.high < 0.13
    assert kept.lineages == 1
    alone = ml.exposure([plan], trials=3000)
    assert alone.success == pytest.approx(alone.single) == pytest.approx(0.125)
    assert str(alone).startswith("an attacker who saw one set of a secret is right with probability 0.1250")


def test_versions_of_one_lineage_are_one_look():
    """The same plan twice, and all that it was updated to."""
    plan = ml.design(named(zipf(200)), 6)
    once = ml.exposure([plan], trials=2000).success
    assert ml.exposure([plan, plan], trials=2000).success == pytest.approx(once)
    again = ml.update(plan, plan.prior)
    assert ml.exposure([plan, again, ml.update(again, plan.prior)], trials=2000).success == pytest.approx(once)


def test_branches_are_not_mixed():
    """Two updates of one plan that list different newcomers are two branches."""
    plan = ml.design(named(zipf(60)), 2)
    one = ml.update(plan, named([5, 1, 1], ["s0", "a", "b"]), cohort=1)
    two = ml.update(plan, named([5, 1, 1], ["s0", "a", "c"]), cohort=1)
    for mixed in ([one, two], [plan, one, two]):
        with pytest.raises(InvalidParameter, match="updates of one plan that know nothing of each other"):
            ml.exposure(mixed)
    assert ml.exposure([plan, one], trials=200).lineages == 1


def test_blocks():
    """Always the same block: who saw two partitions knows both blocks."""
    blocks = ml.design(named([8, 7, 6, 5]), 2, layout="blocks")
    assert ml.exposure([blocks]).success == pytest.approx(blocks.success) == pytest.approx(14 / 26)
    other = ml.design(named([8, 5, 6, 7]), 2, layout="blocks")
    assert ml.exposure([blocks, other]).success == pytest.approx(1.0)
    big = ml.design(named(zipf(40)), 4, layout="blocks")
    assert ml.exposure([big, ml.update(big, walked(big.prior, np.random.default_rng(0)))]).exact


def test_refusals():
    """In one line each."""
    plan = ml.design(named([5, 4, 3, 2]), 2)
    for plans, words in (
        ([], "not none"),
        (7, "the plans are a list"),
        (["plan.cloak"], "load a file"),
        ([ml.lab.mechanisms.rounded([[0.5, 0.5], [0.25, 0.75]])], "sets that can be listed"),
        ([plan, ml.design(named([1, 2], ["x", "y"]), 2)], "no secret of positive probability is in all plans"),
        ([plan, ml.design([5, 4], 2)], "some plans have labels and some have none"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            ml.exposure(plans)
    for wrong in ({"trials": 1}, {"trials": True}, {"seed": -1}, {"seed": 0.5}):
        with pytest.raises(InvalidParameter):
            ml.exposure([plan], **wrong)
    assert ml.exposure(plan).lineages == 1


def test_a_set_alone_is_judged_under_the_given_prior():
    """`single` is the success of one look at the last plan, under the same prior as all looks."""
    weights = {"a": 40, "b": 30, "c": 20, "d": 10}
    other = {"a": 1, "b": 1, "c": 1, "d": 80}
    plan = ml.design(weights, 2)
    found = ml.exposure([plan], prior=other)
    assert found.single == pytest.approx(found.success) == pytest.approx(by_channels([plan], other))
    assert found.single > plan.success + 0.2
    both = ml.exposure([ml.design(other, 2), plan], prior=other)
    assert both.single == pytest.approx(found.single)
    assert both.success >= both.single


def test_the_last_plan_is_the_last_one_given():
    """Also where it is a newer version of a plan that was given first."""
    first, second = {"a": 40, "b": 30, "c": 20, "d": 10}, {"a": 25, "b": 26, "c": 24, "d": 25}
    today = {"a": 1, "b": 1, "c": 1, "d": 80}
    old, other = ml.design(first, 2), ml.design(second, 2)
    new = ml.update(old, today)
    found = ml.exposure([old, other, new])
    assert found == ml.exposure([other, new]) == ml.exposure([old, other, new], prior=today)
    assert found.success == pytest.approx(by_channels([old, other], today))
    assert found.single == pytest.approx(by_channels([old], today))
    back = ml.exposure([new, other, old])
    assert back.success == pytest.approx(by_channels([old, other], first))
