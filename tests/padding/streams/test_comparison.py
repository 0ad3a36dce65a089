"""Every policy attacked: what an observer sees of each, and that attacks rank them as they must."""

from __future__ import annotations

import numpy as np
import pytest
from tests.padding.streams.recorded import recorded

import minleak as ml
from minleak.padding.streams import add_random_bytes, pad_to_steps, send_batches, send_plainly

RNG = np.random.default_rng(0)
STREAMS = recorded(30)


def test_what_policies_cost():
    """Bytes by hand for each; content is never lost."""
    content, chunks = int(STREAMS.size.sum()), len(STREAMS.size)
    plain = send_plainly()(STREAMS, RNG)
    assert plain.bytes_of_a_stream() * 30 == pytest.approx(content + 40 * chunks)
    assert plain.bytes_of_a_stream() == pytest.approx(STREAMS.bytes_on_the_wire().mean())
    steps = pad_to_steps(step=16)(STREAMS, RNG)
    assert set((steps.sizes - 8) % 16) == {0}
    random = add_random_bytes(most=5)(STREAMS, RNG)
    assert set(random.sizes - plain.sizes) == set(range(6))
    batches = send_batches(chunks=4)(STREAMS, RNG)
    lengths = np.diff(STREAMS.starts)
    assert np.diff(batches.starts).tolist() == (-(-lengths // 4)).tolist()
    assert batches.sizes.sum() == content + 8 * chunks
    assert batches.delay > 0


def test_attacks_find_what_is_there():
    """Plain streams give topics away; frames with one total give nothing; the bounds keep their order."""
    streams = recorded(200, topics=2, seed=1)
    frames = ml.padding.frames(streams, budget=3000, delay=200, totals=1, tick=100)
    found = ml.padding.compare_streams(streams, frames, policies={"none": send_plainly()}, times=False)
    none, framed = found.policies
    assert none.low > found.blind + 0.05
    assert framed.high < none.low
    assert framed.low <= framed.proven
    assert (none.proven, none.ratio, none.delay) == (None, 1.0, 0.0)
    assert "frames of" in str(found)
