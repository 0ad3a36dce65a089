"""In the world inside an engine: what the same plan in memory says, from aggregates and a few sets."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.scale.priors import given, segments, table_of

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter, UnreadableFile


def sample(giant=0.0, events=20_000, n=3000):
    """Counts of events, of which one secret may have a part of its own, and the truth."""
    truth = np.random.default_rng(1).lognormal(0, 1.5, n)
    truth[7] += giant * truth.sum()
    truth /= truth.sum()
    counts = np.random.default_rng(2).multinomial(events, truth)
    return table_of(counts[counts > 0]), truth[counts > 0]


@pytest.fixture(scope="module")
def plan(duckdb, tmp_path_factory):
    return scale.design(given(duckdb, sample()[0], tmp_path_factory.mktemp("prior")), 8)


def agree(plan, truth):
    """The same counts of counts, so the same unseen mass and leakage as counted, as for the same plan in memory; the
    success of other draws; and the truth is between its ends.
    """
    inside, whole = plan.in_the_world(), scale.to_plan(plan)
    memory = whole.in_the_world()
    assert (inside.events, inside.claimed, inside.unseen) == (memory.events, memory.claimed, memory.unseen)
    assert inside._certified == pytest.approx(memory._certified, rel=1e-9)
    assert inside.success == pytest.approx(memory.success, rel=0.01)
    assert (inside.low, inside.high) == pytest.approx((memory.low, memory.high), rel=0.03)
    for entropy in inside.entropies:
        assert inside.leakage(entropy) == pytest.approx(memory.leakage(entropy), rel=0.01, abs=0.005)
    known = ml.Prior([truth[int(label[1:])] for label in whole.prior.labels])
    assert inside.low <= ml.lab.posterior_vulnerability(known, whole.channel()) <= inside.high


def test_as_in_memory(backend, tmp_path):
    """With homes, a common ring and a giant, in each engine."""
    table, truth = sample(giant=0.5)
    plan = scale.design(given(backend, table, tmp_path), 8)
    assert plan.header.giants
    assert 0 < plan.at_home < 1
    agree(plan, truth)


def test_the_circle(duckdb, tmp_path):
    """Without homes; the same seed gives the same."""
    table, truth = sample()
    plan = scale.design(given(duckdb, table, tmp_path), 8, layout="circle")
    agree(plan, truth)
    assert plan.in_the_world(seed=3) == plan.in_the_world(seed=3)


def test_large_weights_are_put_together(duckdb, tmp_path):
    """Thousands of different ones leak as in memory, to more digits than are shown."""
    weights = np.random.default_rng(3).integers(1, 10**7, 4000)
    plan = scale.design(given(duckdb, table_of(weights), tmp_path), 5)
    inside, memory = plan.in_the_world(), ml.design(weights, 5).in_the_world()
    assert inside._certified == pytest.approx(memory._certified, rel=1e-6)
    assert inside.success == pytest.approx(inside.claimed, rel=0.01)


def test_all_are_giants(duckdb, tmp_path):
    """All are in one set, which tells nothing."""
    for weights in ([500, 300, 200], [500, 300, 200, 0]):
        world = scale.design(given(duckdb, table_of(weights), tmp_path), len(weights)).in_the_world()
        assert world.success == pytest.approx(0.5, abs=0.02)


def test_weights_that_are_no_counts(plan, duckdb, tmp_path):
    """Weights a thousand times as large, of as many events as before."""
    table = sample()[0]
    larger = table_of(1000 * table["count"].to_numpy())
    scaled = scale.design(given(duckdb, larger, tmp_path), 8)
    world = scaled.in_the_world(events=20_000)
    assert world.success == pytest.approx(plan.in_the_world().success, rel=0.01)
    assert world.unseen == plan.in_the_world().unseen
    assert scaled.in_the_world().success < 0.9 * world.success


@pytest.mark.parametrize("events", [0, -1, 1.5, True, "many"])
def test_what_is_no_number_of_events(plan, events):
    with pytest.raises(InvalidParameter, match="events is a whole number from 1 on"):
        plan.in_the_world(events=events)


@pytest.mark.parametrize(("weights", "words"), [([5, 3, 2], "10 events are too few"), ([1] * 200, "seen once")])
def test_nothing_can_be_said(weights, words, duckdb, tmp_path):
    """A reason, not a number."""
    with pytest.raises(InvalidParameter, match=words):
        scale.design(given(duckdb, table_of(weights), tmp_path), 2).in_the_world()


def test_an_entropy_that_sees_every_secret(plan):
    own = ml.lab.CoreConcave(lambda z: z, core=lambda p: 1 - (p**2).sum(), name="gini")
    with pytest.raises(InvalidParameter, match="every secret by itself"):
        plan.in_the_world(entropies=[own])


def test_a_plan_that_was_changed(plan, duckdb, tmp_path):
    """A row that is missing is seen."""
    rows = segments(plan)
    changed = scale.WarehousePlan(given(duckdb, pa.Table.from_pylist(rows[1:]), tmp_path), plan.header)
    with pytest.raises(UnreadableFile, match="changed or damaged"):
        changed.in_the_world()
