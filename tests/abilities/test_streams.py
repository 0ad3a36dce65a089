"""Streams of chunks in frames of one size at a steady tick, with one of few totals."""

import numpy as np
import pytest
from tests.abilities.names import Frames, frames, load_frames, read_streams, split_streams


def recorded():
    rng = np.random.default_rng(0)
    rows = [
        (i, f"topic-{i % 3}", 300 + 20 * j, int(rng.integers(100, 200)))
        for i in range(240)
        for j in range(40 + 60 * (i % 3) + rng.integers(0, 20))
    ]
    return read_streams(dict(zip(("stream", "secret", "time", "size"), zip(*rows, strict=True), strict=True)))


def test_frames(tmp_path):
    chosen_on, others = split_streams(recorded(), rng=0)
    found = frames(chosen_on, budget=4000, delay=300, totals=2, tick=200)
    cost = found.measure(others)
    assert found.measured.delay_95 <= 300
    assert (len(found.totals), cost.success <= cost.proven, cost.blind) == (2, True, pytest.approx(1 / 3, abs=0.05))
    assert (found.frame, *found.totals) == (1520, 8, 20)
    assert found.measured.leakage == pytest.approx(0.941291028, abs=1e-9)
    found.save(tmp_path / "frames.json")
    assert load_frames(tmp_path / "frames.json").totals == found.totals


def test_by_hand():
    by_hand = Frames(frame=200, tick_ms=20, totals=(8, 24))
    assert [by_hand.total(n) for n in (1, 8, 9, 24)] == [8, 8, 24, 24]
