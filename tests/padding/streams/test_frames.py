"""Frames: what is simulated, chosen, proven, saved and refused."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.padding.streams.recorded import recorded

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter, UnreadableFile
from minleak.padding._choosing_frames import best_joint_buckets
from minleak.padding._streams import send_in_frames

EVENT, RECORD = 8, 32


def tick_by_tick(at: list[int], sizes: list[int], frame: int, tick: int) -> tuple[int, list[float]]:
    """The clock as it is said in words: at each tick up to `frame` of the bytes that have come go out."""
    waiting: list[list[float]] = []
    delays = [0.0] * len(sizes)
    k, came, left = 0, 0, len(sizes)
    while left:
        k += 1
        while came < len(sizes) and at[came] <= k * tick * 1000:
            waiting.append([came, sizes[came] + EVENT])
            came += 1
        room = frame
        while waiting and room:
            sent = min(room, waiting[0][1])
            room -= sent
            waiting[0][1] -= sent
            if not waiting[0][1]:
                i = int(waiting.pop(0)[0])
                delays[i] = k * tick - at[i] / 1000
                left -= 1
    return k, delays


@given(
    st.lists(st.tuples(st.integers(0, 90_000), st.integers(0, 120)), min_size=1, max_size=12),
    st.integers(16, 100),
    st.integers(1, 50),
)
def test_the_clock_is_the_one_in_words(chunks, frame, tick):
    """Lindley's recursion, solved, against a queue tick by tick: frames and delays of every chunk are equal."""
    at = np.cumsum([gap for gap, _ in chunks])
    sizes = np.array([size for _, size in chunks])
    late = at + 9_000_000  # comes first, and the running maximum begins anew with the second stream
    starts = np.array([0, len(at), 2 * len(at)])
    streams = ml.padding.Streams(
        np.array([0, 1]), ml.Prior([1, 1]).labels, starts, np.append(late, at), np.append(sizes, sizes)
    )
    sent = send_in_frames(streams, frame, tick)
    for s, times in enumerate((late, at)):
        needs, delays = tick_by_tick(times.tolist(), sizes.tolist(), frame, tick)
        assert sent.needs[s] == needs
        assert sent.delays[starts[s] : starts[s + 1]] == pytest.approx(delays)


@given(st.integers(1, 7), st.integers(2, 3), st.integers(1, 4), st.integers(0, 2**32), st.booleans())
def test_buckets_of_a_joint_against_all_of_them(m, n, most, seed, guess):
    """Never above the bound, which no contiguous buckets within the budget exceed; and equal to the best at corners."""
    rng = np.random.default_rng(seed)
    joint = rng.integers(0, 5, (n, m)) + 1.0
    joint /= joint.sum()
    sizes = np.cumsum(rng.integers(1, 9, m)).astype(float)
    H = ml.MinEntropy() if guess else ml.Shannon()

    def measure(cuts):
        bounds = [0, *cuts]
        merged = np.stack([joint[:, a:b].sum(axis=1) for a, b in itertools.pairwise(bounds)], axis=1)
        padded = np.concatenate([np.full(b - a, sizes[b - 1]) for a, b in itertools.pairwise(bounds)])
        prior = merged.sum(axis=1)
        return float(joint.sum(axis=0) @ (padded - sizes)), H.conditional(prior, merged / prior[:, None])

    every = [(*inner, m) for k in range(min(most, m)) for inner in itertools.combinations(range(1, m), k)]
    measured = {cuts: measure(cuts) for cuts in every}
    overheads = sorted({overhead for overhead, _ in measured.values()})
    for budget in [0.0, *overheads[:: max(1, len(overheads) // 12)], 1e9]:
        within = [value for overhead, value in measured.values() if overhead <= budget + 1e-12]
        found = best_joint_buckets(joint, sizes, H, budget=budget, buckets=most)
        if not within:
            assert found is None
            continue
        overhead, value = measured[tuple(found.cuts.tolist())]
        assert overhead == pytest.approx(found.overhead, abs=1e-9)
        assert overhead <= budget + 1e-9
        assert value == pytest.approx(found.posterior, abs=1e-9)
        assert max(within) <= found.most + 1e-9
        if budget == 1e9:
            assert value == pytest.approx(max(within), abs=1e-9)


def test_an_observer_sees_a_total_and_nothing_else():
    """The theorem: whoever sees the frames knows the total. Every guess is then right at most totals * blind often."""
    streams = recorded(200)
    frames = ml.padding.frames(streams, budget=200, delay=150, totals=3)
    totals = frames.totals_of(send_in_frames(streams, frames.frame, frames.tick_ms).needs)
    joint = {}
    for x, total in zip(streams.x.tolist(), totals.tolist(), strict=True):
        joint.setdefault(total, []).append(x)
    assert len(joint) <= len(frames.totals) <= 3
    best = sum(max(map(xs.count, set(xs))) for xs in joint.values()) / len(streams)
    cost = frames.measured
    assert best == pytest.approx(cost.success)
    assert best <= cost.proven + 1e-12
    assert cost.proven == pytest.approx(min(1, len(frames.totals) * cost.blind))


def test_budget_and_delay_are_kept():
    streams = recorded(200)
    found = ml.padding.frames(streams, budget=100, delay=150)
    sent = send_in_frames(streams, found.frame, found.tick_ms)
    assert np.quantile(sent.delays, 0.95) == pytest.approx(found.measured.delay_95)
    assert found.measured.delay_95 <= 150
    wire = np.mean([found.total(n) for n in sent.needs.tolist()]) * (found.frame + RECORD)
    assert wire == pytest.approx(found.measured.bytes)
    assert wire <= streams.bytes_on_the_wire().mean() + 100 + 1e-6


def test_more_bytes_never_leak_more_and_fewer_totals_prove_more():
    streams = recorded(200)
    leaked = [ml.padding.frames(streams, budget=b, delay=150, tick=80).measured.leakage for b in (0, 400, 2000)]
    assert leaked == sorted(leaked, reverse=True)
    one = ml.padding.frames(streams, budget=5000, delay=150, totals=1, tick=80).measured
    assert (one.leakage, one.proven) == (0.0, pytest.approx(one.blind))


def test_totals_beyond_the_table_double_and_are_counted():
    streams = recorded(50)
    short = ml.padding.Frames(frame=64, tick_ms=20, totals=(2, 3))
    cost = short.measure(streams)
    needs = send_in_frames(streams, 64, 20).needs
    beyond = {short.total(n) for n in needs.tolist() if n > 3}
    assert beyond <= {6, 12, 24, 48, 96}
    assert cost.totals == 2 + len(beyond)
    assert cost.beyond == np.count_nonzero(needs > 3)
    assert cost.proven == min(1.0, cost.totals * cost.blind)


def test_frames_are_saved_and_read(tmp_path):
    found = ml.padding.frames(recorded(), budget=100, delay=150)
    found.save(tmp_path / "frames.json")
    stored = json.loads((tmp_path / "frames.json").read_text())
    assert {"frame", "tick_ms", "totals", "measured"} <= set(stored)
    assert ml.padding.Frames.load(tmp_path / "frames.json") == found


@pytest.mark.parametrize(
    "change",
    [
        {"frame": 0},
        {"frame": True},
        {"tick_ms": 0},
        {"tick_ms": 1.5},
        {"totals": []},
        {"totals": [3, 2]},
        {"totals": [2, 2]},
        {"totals": "12"},
        {"totals": [0]},
        {"beyond": "cut"},
        {"measured": {"streams": 1}},
        {"measured": 3},
    ],
)
def test_a_file_that_opens_holds_frames(tmp_path, change):
    good = {"frame": 64, "tick_ms": 20, "totals": [2, 3], "beyond": "double", "measured": None}
    path = tmp_path / "frames.json"
    path.write_text(json.dumps(good))
    assert ml.padding.Frames.load(path).totals == (2, 3)
    path.write_text(json.dumps(good | change))
    with pytest.raises(UnreadableFile) as refused:
        ml.padding.Frames.load(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"frame": 1}', "[" * 100_000])
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(UnreadableFile):
        ml.padding.Frames.load(tmp_path / "x.json")
    with pytest.raises(UnreadableFile, match="cannot be read"):
        ml.padding.Frames.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"budget": -1, "delay": 100}, InvalidParameter, "budget"),
        ({"budget": 100, "delay": 0}, InvalidParameter, "delay"),
        (
            {"budget": 100, "delay": 100, "tick": 0},
            InvalidParameter,
            "the tick in milliseconds is a whole number from 1",
        ),
        ({"budget": 100, "delay": 100, "frame": 3}, InvalidParameter, "frame"),
        ({"budget": 100, "delay": 100, "totals": 0}, InvalidParameter, "totals"),
        ({"budget": 0, "delay": 1e-3}, Infeasible, "delay 95%"),
        ({"budget": 0, "delay": 100, "totals": 1}, Infeasible, "budget is 0"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(given, error, words):
    with pytest.raises(error, match=words) as refused:
        ml.padding.frames(recorded(), **given)
    assert "\n" not in str(refused.value)
