"""Streams on the command line: rows by stream are what lists of sequences are in Python."""

from __future__ import annotations

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter


def recorded(tmp_path, n=240):
    """Topics differ in the sizes of their chunks; the rows of streams are mixed."""
    rng = np.random.default_rng(0)
    rows, topics, sequences = [], [], []
    for stream in range(n):
        topic = "ab"[stream % 2]
        count = int(rng.integers(5, 12))
        sizes = rng.integers(1, 9, count) + (topic == "b") * rng.integers(0, 4, count)
        times = np.cumsum(rng.integers(1, 30, count))
        rows += [(int(t), stream, topic, int(size)) for t, size in zip(times, sizes, strict=True)]
        topics.append(topic)
        sequences.append(np.stack([times, sizes], axis=1).astype(float))
    rows.sort(key=lambda row: row[0])
    first_seen = list(dict.fromkeys(row[1] for row in rows))
    path = tmp_path / "streams.csv"
    path.write_text("id,topic,ms,bytes\n" + "".join(f"s{s},{topic},{t},{size}\n" for t, s, topic, size in rows))
    return path, [topics[s] for s in first_seen], [sequences[s] for s in first_seen]


def test_audit_of_streams_is_that_of_sequences(tmp_path, asked):
    path, topics, sequences = recorded(tmp_path)
    columns = ["--stream", "id", "--secret", "topic", "--observable", "ms", "--observable", "bytes"]
    found = asked("audit", str(path), *columns)
    expected = ml.audit(topics, sequences)
    assert found["events"] == 240
    assert found["success"]["low"] == expected.success.low > 0.5
    assert "sequences of 2 column(s)" in found["said"]
    assert ml.audit(path, stream="id", secret="topic", observable="bytes").events == 240


@pytest.mark.parametrize("given", [{"weight": "bytes"}, {"blocks": 3}, {"numeric": True}, {"of": "topic"}])
def test_streams_take_no_other_columns(tmp_path, given):
    path, *_ = recorded(tmp_path)
    with pytest.raises(InvalidParameter, match="stream= groups the rows of a table"):
        ml.audit(path, stream="id", secret="topic", observable="bytes", **given)


def test_a_stream_of_two_secrets_is_refused(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("id,topic,bytes\n1,a,3\n2,b,4\n1,b,3\n")
    with pytest.raises(ml.errors.MinleakError, match="the stream has another secret in an earlier row"):
        ml.audit(path, stream="id", secret="topic", observable="bytes")
