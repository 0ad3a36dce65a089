"""Recorded streams: read in any order of streams, and refused in one line where they are none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.padding.streams.recorded import columns, recorded

import minleak as ml
from minleak.errors import InvalidParameter, MinleakError

GOOD = {"stream": [0, 0, 1, 1], "secret": ["a", "a", "b", "b"], "time": [0, 5, 0, 9], "size": [3, 4, 1, 2]}


def test_mixed_rows_are_the_same_streams():
    """Only the order within a stream counts."""
    rows = columns(20)
    order = np.argsort(np.array(rows["time"]), kind="stable")  # as a log of all streams has them
    mixed = {name: [values[i] for i in order] for name, values in rows.items()}
    a, b = ml.padding.read_streams(rows), ml.padding.read_streams(mixed)
    assert sorted(a.bytes_on_the_wire().tolist()) == sorted(b.bytes_on_the_wire().tolist())
    assert sorted(np.bincount(a.x).tolist()) == sorted(np.bincount(b.x).tolist())
    assert len(a) == len(b) == 20


def test_the_wire_counts_records_and_events():
    """40 bytes a chunk beside its content."""
    assert ml.padding.read_streams(GOOD).bytes_on_the_wire().tolist() == [3 + 4 + 80, 1 + 2 + 80]


def test_a_file_by_its_columns(tmp_path):
    (tmp_path / "s.csv").write_text("id,topic,ms,bytes\n7,x,0.5,10\n7,x,20,3\n8,y,0,4\n")
    names = {"stream": "id", "secret": "topic", "time": "ms", "size": "bytes"}
    found = ml.padding.read_streams(tmp_path / "s.csv", **names)
    assert (len(found), found.at.tolist(), found.size.tolist()) == (2, [500, 20_000, 0], [10, 3, 4])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": [3, -4, 1, 2]}, "whole number of bytes"),
        ({"size": [3, 4.5, 1, 2]}, "whole number of bytes"),
        ({"time": [5, 0, 0, 9]}, "goes back within a stream"),
        ({"time": [-5, 0, 0, 9]}, "from 0, its request, on"),
        ({"time": [1.7e12, 1.8e12, 0, 9]}, "subtract the request's"),
        ({"secret": ["a", "b", "b", "b"]}, "another secret in an earlier row"),
        ({"secret": ["a"] * 4}, "all streams have one secret"),
        ({"stream": [0, 1, 2, 3], "secret": ["a", "a", "b", "b"]}, "every stream has one chunk"),
        ({"time": [0, float("nan"), 0, 9]}, "time"),
    ],
)
def test_what_is_no_stream_is_refused_in_a_line(change, words):
    with pytest.raises(MinleakError, match=words) as refused:
        ml.padding.read_streams(GOOD | change)
    assert "\n" not in str(refused.value)


def test_a_secret_without_streams_is_refused():
    prior = ml.Prior([1, 1, 1, 1], labels=["topic 0", "topic 1", "topic 2", "topic 3"])
    with pytest.raises(MinleakError):
        recorded().weights(prior)
    part = recorded().part(np.flatnonzero(recorded().x != 1))
    with pytest.raises(InvalidParameter, match="no stream has the secret"):
        part.weights([1, 1, 1])


def test_a_prior_weighs_secrets():
    streams = recorded()
    weights = streams.weights(ml.Prior([1, 2, 5], labels=list(streams.secrets)))
    assert np.bincount(streams.x, weights=weights) == pytest.approx([1 / 8, 2 / 8, 5 / 8])
