"""Owners of positions by bins, against a binary search; and how secrets are dealt into partitions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.scale.priors import given

from minleak.scale._counts import WeightClass
from minleak.scale._lookups import find_owners
from minleak.scale._partitions import offsets, spans_of


@pytest.mark.parametrize("heavy", [1, 50, 6_000, 9_000_000])
def test_owners(heavy, duckdb, tmp_path):
    """Segments of one position beside one of millions, which is listed in coarser bins, not a million times."""
    u = 3
    weights = np.ones(4000, dtype=np.int64)
    weights[[17, 2000]] = heavy
    starts = u * (np.cumsum(weights) - weights)
    end = int(u * weights.sum())
    at = np.concatenate([starts, starts + u * weights - 1, np.random.default_rng(0).integers(0, end, 500)])
    segments = given(duckdb, pa.table({"start": starts, "weight": weights, "owner": np.arange(4000)}), tmp_path)
    probes = given(duckdb, pa.table({"probe": np.arange(len(at)), "at": at}), tmp_path)
    longest = int(u * weights.max())
    found = find_owners(probes, segments, u=u, end=end, count=4000, longest=longest).to_pyarrow().sort_by("probe")
    assert found["probe"].to_pylist() == list(range(len(at)))
    assert found["owner"].to_numpy().tolist() == (np.searchsorted(starts, at, side="right") - 1).tolist()


def test_partitions_are_of_about_the_size_asked_for():
    """The heavy head is one partition; larger classes are dealt out into parts of one to two times `rows`."""
    rng = np.random.default_rng(1)
    counts = np.sort((2 ** rng.uniform(0, 20, 40)).astype(int))
    classes = [WeightClass(200 - i, int(count), 1) for i, count in enumerate(counts)] + [WeightClass(10, 9000, 0)]
    rows = 1000
    spans = spans_of(classes, rows, by_weight=True)
    assert [span.lowest for span in spans] == sorted((span.lowest for span in spans), reverse=True)
    above = 10**6
    for span in spans:
        size = sum(c.count for c in classes if span.lowest <= c.number < above)
        above = span.lowest
        assert size / 2**span.bits < 2 * rows
        assert span.bits == 0 or size / 2**span.bits >= rows  # a head before a large class may be smaller
    assert spans[-1].lowest == 0
    assert len(spans_of(classes, rows, by_weight=False)) == 2


def test_offsets_are_sums_of_what_is_before():
    assert offsets({3: 4, 1: 5, 2: 0}.items()) == {1: 0, 2: 5, 3: 5}
