"""compare: a scheme of buckets beside blocks and the optimal plan."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.errors import InvalidParameter

NPM = Path(__file__).parents[2] / "examples" / "data" / "npm_downloads.csv"


def test_hash_prefixes_of_npm_names():
    """The first byte of SHA-256: .296; blocks of as many members .086, the plan .083."""
    prior = ml.read_prior(NPM)
    found = ml.compare(prior, [hashlib.sha256(name.encode()).digest()[0] for name in prior.labels])
    assert (found.buckets, found.average, found.largest) == (256, 12, 21)
    assert [round(value, 3) for value in (found.success, found.blocks, found.plan)] == [0.296, 0.086, 0.083]
    assert (found.same_blocks, found.same_plan) == (4, 4)
    assert "blocks of 4 or an optimal plan of 4" in str(found)


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), min_size=1, max_size=8).filter(
        lambda d: any(w for w, _ in d)
    )
)
def test_every_figure_by_another_way(rows):
    """The scheme as a channel; blocks and plans as they are designed, k by k."""
    weights, buckets = [w for w, _ in rows], [b for _, b in rows]
    found = ml.compare(weights, buckets, entropies=["shannon", "guesswork"], on_counts=True)
    channel = ml.Channel.deterministic(buckets)
    assert found.success == pytest.approx(ml.lab.posterior_vulnerability(weights, channel))
    assert found.rows[0].leakage["shannon"] == pytest.approx(ml.leakage(weights, channel, "shannon"), abs=1e-9)
    for row in found.rows[1:]:
        made = ml.design(weights, row.k, layout="blocks") if row.name == "blocks" else ml.design(weights, row.k)
        assert row.leakage["guesswork"] == pytest.approx(made.leakage("guesswork"), abs=1e-9)
    ks = range(1, len(weights) + 1)
    blocks = [ml.design(weights, k, layout="blocks").success for k in ks]
    plans = [float(ml.design(weights, k).target.max()) for k in ks]
    assert found.same_blocks == next(k for k in ks if blocks[k - 1] <= found.success * (1 + 1e-12))
    assert found.same_plan == next(k for k in ks if plans[k - 1] <= found.success * (1 + 1e-12))


@pytest.mark.parametrize(
    "scheme",
    [
        ["x", "y", "x", "z"],
        [1, 2, 1, 3],
        [(1,), (2,), (1,), ()],
        np.array([5, 0, 5, 7]),
        np.array(["x", "y", "x", "z"]),
        pa.array(["x", "y", "x", "z"]),
        pa.array(["x", "y", "x", "z"]).dictionary_encode(),
        pa.chunked_array([["x"], ["y", "x", "z"]]),
        pa.array(["q", "x", "y", "x", "z"]).dictionary_encode()[1:],
        iter("xyxz"),
    ],
)
def test_buckets_of_any_names(scheme):
    """Text, numbers, tuples; lists and arrays."""
    found = ml.compare([4, 3, 2, 1], scheme)
    assert (found.buckets, found.largest) == (3, 2)
    assert found.success == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("scheme", "said"),
    [
        (["x"], "1 buckets for 3 secrets: give one for each"),
        ([1.0, 2.0, 3.0], "the bucket of secret 0 is 1.0, a float"),
        (["x", float("nan"), "y"], "the bucket of secret 1 is nan, a float"),
        (np.array([1.0, np.nan, 2.0]), "the bucket of secret 0 is 1.0, a float"),
        (pa.array([1.0, 2.0, 3.0]), "the bucket of secret 0 is 1.0, a float"),
        (["x", None, "y"], "the bucket of secret 1 is missing"),
        (pa.array(["x", None, "y"]), "the bucket of secret 1 is missing"),
        ([["x"], ["y"], ["z"]], "cannot be looked up"),
        (pa.array([["x"], ["y"], ["z"]]), "cannot be looked up"),
        ({0: "x", 1: "y", 3: "z"}, "1 secrets are missing and 1 names are of no secret"),
        ({"x", "y", "z"}, "not a set"),
        ("xyz", "not str"),
        (7, "not int"),
        (np.eye(3), "cannot be looked up"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_schemes_that_are_none(scheme, said):
    """One line that says what a scheme is."""
    with pytest.raises(InvalidParameter, match=said):
        ml.compare([3, 2, 1], scheme)


@pytest.fixture(scope="module")
def sampled() -> tuple[ml.Prior, ml.Prior, list[int]]:
    """Counts of 20,000 events, the truth that they are a sample of, and a scheme of 150 buckets."""
    rng = np.random.default_rng(7)
    truth = rng.lognormal(0, 1, 3000)
    counts = rng.multinomial(20_000, truth / truth.sum())
    seen = np.flatnonzero(counts)
    return ml.Prior(counts[seen]), ml.Prior(truth[seen]), [i % 150 for i in range(len(seen))]


def test_an_attacker_who_knows_the_truth(sampled):
    """By default scheme, blocks and plan are judged as the truth judges them, and the result says so."""
    counts, truth, scheme = sampled
    found = ml.compare(counts, scheme, entropies=["shannon"])
    assert not found.on_counts
    assert "in the true population" in str(found)
    k = found.average
    designs = [ml.design(counts, k, layout="blocks"), ml.design(counts, k)]
    channels = [ml.Channel.deterministic(scheme), *(plan.channel() for plan in designs)]
    right = [ml.lab.posterior_vulnerability(truth, channel) for channel in channels]
    assert [found.success, found.blocks, found.plan] == pytest.approx(right, rel=0.05)
    assert found.plan == ml.population(designs[1]).success
    assert [row.leakage["shannon"] for row in found.rows[:3]] == pytest.approx(
        [ml.leakage(truth, channel, "shannon") for channel in channels], rel=0.01
    )
    assert found.same_plan == ml.least_k(counts, success=found.success)
    as_counted = ml.compare(counts, scheme, entropies=["shannon"], on_counts=True)
    assert as_counted.on_counts
    assert "as counted" in str(as_counted)
    assert "true population" not in str(as_counted)
    assert as_counted.plan == 1 / k < 0.7 * found.plan


@pytest.mark.parametrize(("weights", "why"), [([4, 3, 2, 1], "too few"), ([0.4, 0.3, 0.2, 0.1], "not counts")])
def test_where_nothing_is_known_of_the_truth(weights, why):
    found = ml.compare(weights, ["x", "y", "x", "z"])
    assert found.on_counts
    assert why in found.untold
    assert f"as counted only: {found.untold}" in str(found)
    assert found.success == ml.compare(weights, ["x", "y", "x", "z"], on_counts=True).success


def test_the_advice_is_what_the_table_shows(sampled):
    """Blocks of the same size, or blocks that read no more rows; none where nothing better was found."""
    counts, _, scheme = sampled
    found = ml.compare(counts, scheme, entropies=["shannon"])
    assert found.replacement == f"-k {found.average} --layout blocks"
    by_rows = ml.compare(counts, scheme, entropies=["shannon"], rows=counts.weights)
    today, best = by_rows.rows[0].read, by_rows.rows[-1]
    mean, worst = re.fullmatch(r"--layout blocks --mean-rows (\d+) --worst-rows (\d+)", by_rows.replacement).groups()
    made = ml.design(counts, len(counts), layout=ml.Blocks(mean_rows=int(mean), worst_rows=int(worst)))
    assert made.rows_read().mean <= int(mean) < today.mean + 1
    assert made.rows_read().worst <= int(worst) < today.worst + 1
    assert ml.population(made).success == pytest.approx(best.success, rel=0.02)
    blocks = ml.design(counts, 20, layout="blocks").blocks.block_of()
    kept = ml.compare(counts, blocks, entropies=["shannon"])
    assert kept.replacement == ""
    assert "keep the buckets" in str(kept)
