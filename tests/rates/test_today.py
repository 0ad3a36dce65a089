"""What a lineage says it leaks today, beside what an attacker gets who knows the true rates."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml

EVENTS, K, DAYS = 30_000, 12, 6


def days(seed: int, walk: float, churn: float, first: int = EVENTS):
    """(true rates, counts) of each day: a Zipf law whose logarithms walk, secrets that die and others born."""
    rng = np.random.default_rng(seed)
    rates = rng.permutation(np.arange(1, 2501) ** -0.8)
    for day in range(DAYS + 1):
        yield rates, rng.poisson(rates / rates.sum() * (EVENTS if day else first))
        rates = rates * np.exp(walk * rng.standard_normal(len(rates)))
        dead = (rates > 0) & (rng.random(len(rates)) < churn)
        born = rng.choice(rates[rates > 0], int(dead.sum()))
        rates = np.concatenate([np.where(dead, 0.0, rates), born])


def prior(counts):
    seen = np.flatnonzero(counts)
    return ml.Prior(counts[seen], labels=[f"s{i}" for i in seen.tolist()])


def attacked(plan, rates) -> float:
    """One look at one set, with code of its own; secrets that are not listed count as known."""
    channel = plan.channel()
    q = rates[[int(name[1:]) for name in channel.inputs]]
    joint = sp.csc_array(sp.csc_array(channel.matrix).multiply(q[:, None]))
    return float((joint.max(axis=0).sum() + rates.sum() - q.sum()) / rates.sum())


@cache
def lived(
    seed: int,
    walk: float = 0.1,
    churn: float = 0.005,
    cohort: int = 3,
    layout: str = "stable",
    first: int = EVENTS,
):
    """(the lineage after some days, what it says of the last, the true rates and the pooled counts of that day)."""
    pool, plan = np.zeros(0), None
    for rates, counts in days(seed, walk, churn, first):
        pool = 0.7 * np.append(pool, np.zeros(len(rates) - len(pool))) + counts
        plan = (
            ml.design(prior(counts), K, layout=layout)
            if plan is None
            else ml.update(plan, prior(counts), cohort=cohort)
        )
    return plan, ml.population(plan), rates, pool


@pytest.mark.parametrize("layout", ["stable", "blocks"])
@pytest.mark.parametrize("seed", [0, 1])
def test_success_is_near_the_truth(seed, layout):
    """Within 5%: on 24 other seeds the error had the mean 0 and the standard deviation 1%, so that about 1 in a million
    seeds would fail.
    """
    plan, today, rates, _ = lived(seed, layout=layout)
    truth = attacked(plan, rates)
    assert abs(today.success / truth - 1) < 0.05
    assert today.low <= today.success <= today.high


FAST_OR_SMALL = {
    "days of a twentieth of the design's events": {"walk": 0.0, "first": 20 * EVENTS},
    "days of ten times the design's events": {"walk": 0.0, "first": EVENTS // 10},
    "rates that move 40% a day": {"walk": 0.4},
    "both": {"walk": 0.4, "first": 10 * EVENTS},
}


@pytest.mark.parametrize("log", FAST_OR_SMALL.values(), ids=FAST_OR_SMALL)
def test_success_is_near_the_truth_however_large_days_are_and_however_fast_rates_move(log):
    """Within 5% and inside the interval: on 12 other seeds the errors had the means +.8%, -.2%, -1.7% and -2.1% and
    standard deviations below .9%. Pools that forget what the sets were made from, and rates that are blurred instead
    of filtered, had +5.9%, +1.8%, -6.6% and -9.6%, with the truth outside in all but the second.
    """
    plan, today, rates, _ = lived(0, churn=0.0, **log)
    truth = attacked(plan, rates)
    assert abs(today.success / truth - 1) < 0.05
    assert today.low <= truth <= today.high
    assert today.movement == pytest.approx(log["walk"], abs=0.05)


def test_counts_of_days_add_up_where_nothing_moves():
    """Days of which all is kept and one day of all their events say the same, whatever the days' volumes are."""
    rng = np.random.default_rng(5)
    rates = np.arange(1, 801) ** -0.7
    rates /= rates.sum()
    first, *later = (rng.poisson(rates * events) for events in (40_000, 2_000, 30_000, 8_000))
    plan = ml.design(prior(first), 6)
    once = ml.population(ml.update(plan, prior(np.sum(later, axis=0))))
    for counts in later:
        plan = ml.update(plan, prior(counts), cohort=99, keep=1.0)
    assert ml.population(plan).success == pytest.approx(once.success, rel=0.02)


def test_estimate_beats_pooled_counts_taken_for_the_truth():
    """In the mean of three seeds; on 24 others pooled counts were 5.8% too low (standard deviation 1.8%) and the
    estimate right (1%), so that fewer than 1 in 10,000 choices of seeds would fail.
    """
    errors = []
    for seed in range(3):
        plan, today, rates, pool = lived(seed)
        truth = attacked(plan, rates)
        errors.append([attacked(plan, pool) / truth - 1, today.success / truth - 1])
    plain, stated = np.abs(errors).mean(axis=0)
    assert stated < plain / 2


def test_least_is_what_a_plan_made_today_gives():
    """Within 5%, as the success: on 24 other seeds the error was -0.6% with a standard deviation of 1%."""
    _, today, rates, pool = lived(0)
    anew = ml.design(prior(np.rint(1024 * pool).astype(np.int64)), K)
    assert abs(today.least / attacked(anew, rates) - 1) < 0.05
    assert today.least < today.success


def test_movement_is_found_in_the_counts():
    """Within half of the truth: on 24 other seeds the relative standard deviation was 11%."""
    for walk in (0.1, 0.3):
        assert lived(0, walk=walk)[1].movement == pytest.approx(walk, rel=0.5)


def test_blind_guess_and_unlisted_share_are_near_the_truth():
    """The heaviest secret has about 1,000 events (a standard deviation of 3%) and several hundred are of pending ones
    (5%): both ends are five of these away.
    """
    plan, today, rates, _ = lived(1, cohort=50)
    known = np.zeros(len(rates), dtype=bool)
    known[[int(name[1:]) for name in plan.prior.labels]] = True
    assert today.blind == pytest.approx(rates.max() / rates.sum(), rel=0.2)
    assert today.unlisted == pytest.approx(rates[~known].sum() / rates.sum(), rel=0.25)
    assert today.success > today.unlisted


def test_pending_secrets_count_as_known():
    first = {f"s{i}": 200 for i in range(40)}
    plan = ml.update(ml.design(first, 4), first | {f"n{i}": 1000 for i in range(3)})
    assert len(plan.pending) == 3
    assert ml.population(plan).unlisted == pytest.approx(3000 / 11_000)
    assert ml.population(plan).success > 3000 / 11_000


def test_a_file_says_the_same(tmp_path):
    plan, today, *_ = lived(0)
    plan.save(tmp_path / "plan.cloak")
    assert ml.population(ml.load(tmp_path / "plan.cloak")) == today


def test_days_without_counts_leave_pools_comparable():
    """A secret that came after a gap has the exposure of one day, one from before it that of what is left."""
    counts = {f"s{i}": 300 for i in range(60)}
    plan = ml.update(ml.update(ml.design(counts, 4), counts, day=5), counts, day=6, keep=0.5)
    assert plan.ledger.days.tolist() == [0, 5, 6]
    assert plan.ledger.shares[-2] == 512
    today = ml.population(plan)
    assert today.blind == pytest.approx(1 / 60, rel=0.3)
    assert today.low < today.success < today.high


def test_advice_is_to_keep_on_or_to_make_a_new_plan():
    calm, wild = lived(0, walk=0.01, churn=0.0)[1], lived(0, walk=0.3)[1]
    assert calm.advice.startswith("keep this plan")
    assert wild.advice.startswith("make a new plan for new subjects")
    assert wild.advice in str(wild)
    assert f"{wild.least:.4g}" in str(wild)


def test_nothing_is_said_from_too_little():
    few = {f"s{i}": 2 for i in range(20)}
    with pytest.raises(ml.errors.InvalidParameter, match="40 events today are too few"):
        ml.population(ml.update(ml.design(few, 4), few))
    many = {f"s{i}": 1 for i in range(200)}
    with pytest.raises(ml.errors.InvalidParameter, match="every secret was seen once"):
        ml.population(ml.update(ml.design(many, 4), many, keep=0))
    with pytest.raises(ml.errors.InvalidParameter, match="not counts of events"):
        ml.update(ml.design([0.5, 0.3, 0.2], 2), [5, 3, 2])
    worth = [1.0] * 150 + [2.0] * 50
    gained = ml.design([9] * 200, 4, gains=worth)
    with pytest.raises(ml.errors.InvalidParameter, match="with gains"):
        ml.population(ml.update(gained, [8] * 200))
