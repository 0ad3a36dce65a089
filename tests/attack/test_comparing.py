"""compare: a scheme of buckets beside blocks and the optimal plan."""

from __future__ import annotations

import hashlib
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
    found = ml.compare(weights, buckets, entropies=["shannon", "guesswork"])
    channel = ml.Channel.deterministic(buckets)
    assert found.success == pytest.approx(ml.theory.posterior_vulnerability(weights, channel))
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
