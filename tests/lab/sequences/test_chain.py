"""Chain: what it computes against the definition multiplied out, and what it refuses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.errors import InvalidParameter, InvalidPrior, MinleakError, UnreadableFile
from minleak.lab.sequences import Chain
from minleak.lab.sequences._given import proportional


def dense(chain):
    """P by its definition."""
    n = len(chain)
    counts = np.zeros((n, n))
    for a in range(n):
        for at in range(chain.indptr[a], chain.indptr[a + 1]):
            counts[a, chain.indices[at]] += chain.counts[at]
        block = chain.line.block == chain.target[a]
        counts[a] += (
            chain.backoff[a] * np.where(block, chain.marginal.p, 0) / max(chain.marginal.p[block].sum(), 1e-300)
        )
    return counts / counts.sum(axis=1, keepdims=True)


def some_chain(seed, n=7, backoff=3):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, (n, n)) * (rng.random((n, n)) < 0.4)
    return Chain(rng.integers(1, 9, n), counts, backoff=backoff)


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 9))
@settings(max_examples=25)
def test_what_it_computes_is_the_definition(seed, n, backoff):
    """Probabilities, a step, the stationary law, the entropy rate and the rows on the grid."""
    chain = some_chain(seed, n, backoff)
    P = dense(chain)
    every = np.arange(n)
    assert np.allclose(chain.probabilities(every[:, None], every[None, :]), P, atol=1e-14)
    p = chain.initial.p
    assert np.allclose(chain.step(p), p @ P)
    pi = chain.stationary()
    assert np.allclose(pi @ P, pi, atol=1e-10)
    assert chain.entropy_rate() == pytest.approx(-(pi[:, None] * P * np.log2(np.where(P > 0, P, 1))).sum(), abs=1e-9)
    for a in range(n):
        states, weights, level = chain.row(a)
        row = level * chain.line.weights
        row[states] += weights
        assert sum(row.tolist()) == chain.unit
        assert np.abs(row / chain.unit - P[a]).sum() / 2 <= chain.distance + 1e-12
        if not chain.distance:
            seen = dict(zip(chain.indices[chain.indptr[a] : chain.indptr[a + 1]].tolist(), range(n), strict=False))
            for b in range(n):
                count = chain.counts[chain.indptr[a] + seen[b]] if b in seen else 0
                share = Fraction(int(chain.backoff[a]) * int(chain.line.weights[b]), int(chain.line.totals[0]))
                assert Fraction(int(row[b]), chain.unit) == (int(count) + share) / int(chain.sums[a] + chain.backoff[a])


@given(st.lists(st.integers(1, 2**40), min_size=1, max_size=20), st.integers(1, 2**62))
@settings(max_examples=200)
def test_counts_are_scaled_as_python_does_it(counts, total):
    """Products beyond 64 bits, put right: the same as running sums of Python's integers."""
    part, running, before, expected = sum(counts), 0, 0, []
    for count in counts:
        running += count
        expected.append(running * total // part - before)
        before = running * total // part
    assert proportional(np.array(counts), part, total).tolist() == expected


def test_walks_are_counted():
    """First states, transitions and back-off; simulated walks have the chain's frequencies."""
    chain = Chain.from_sequences([["a", "b", "a"], ["a", "c"], ["c"]], smoothing=2)
    assert list(chain.labels) == ["a", "b", "c"]
    assert chain.initial.weights.tolist() == [2, 0, 1]
    assert chain.marginal.weights.tolist() == [3, 1, 2]
    assert chain.probability("a", "b") == pytest.approx((1 + 2 / 6) / 4)
    rng = np.random.default_rng(0)
    walks = chain.simulate_positions(3, 40_000, rng)
    seen = np.bincount(walks[:, 1][walks[:, 0] == 0], minlength=3) / (walks[:, 0] == 0).sum()
    assert np.abs(seen - dense(chain)[0]).max() < 0.02  # seven standard deviations
    assert chain.simulate(4, seed=1) == chain.simulate(4, seed=1)
    assert Chain.from_sequences([["a", "b"]]).backoff.tolist() == [1, 1]
    halves = Chain.from_sequences([["a", "b"]], smoothing=0.5)
    assert halves.probability("a", "b") == pytest.approx((1 + 0.25) / 1.5)


def test_a_higher_order_keeps_all_but_the_last():
    """Back-off from (a, b) goes to (b, .) alone; what never goes on is left out at the ends of walks."""
    chain = Chain.from_sequences([list("abcab"), list("abd"), list("bab")], order=2)
    assert ("b", "d") not in list(chain.labels)
    for a, row in zip(chain.labels, dense(chain), strict=True):
        assert all(p == 0 or a[1:] == b[:-1] for b, p in zip(chain.labels, row, strict=True))
    with pytest.raises(InvalidPrior, match="order"):
        Chain.from_sequences([list("ab")], order=2)


def test_by_the_clock_all_tracks_are_at_one_hour():
    """Every step goes to the next hour, and so does back-off; a walk that jumps is refused."""
    rng = np.random.default_rng(3)
    walks = [[(t % 3, int(place)) for t, place in enumerate(rng.integers(0, 5, 12))] for _ in range(20)]
    chain = Chain.from_sequences(walks, clock=3)
    tracks = ml.lab.sequences.Tracks(chain, 3, key=bytes(32))
    shown = tracks.draw(walks[0], scope="a")
    assert [{hour for hour, _ in step} for step in shown] == [{t % 3} for t in range(12)]
    with pytest.raises(InvalidPrior, match="next hour"):
        Chain.from_sequences([[(0, "a"), (2, "a")]], clock=3)
    with pytest.raises(InvalidPrior, match="pairs"):
        Chain.from_sequences([["a", "b"]], clock=3)


def test_weights_of_all_kinds():
    """Floats within their row, mappings, large counts, and rows of probabilities with back-off."""
    floats = Chain([0.5, 0.5], [[0.25, 0.75], [1.0, 0.0]], backoff=0.25)
    assert floats.probabilities(np.array([0]), np.array([1]))[0] == pytest.approx((0.75 + 0.25 * 1.25 / 3) / 1.25)
    mapped = Chain({"x": 1, "y": 2}, {"x": {"y": 3}, "y": {"x": 1, "y": 1}})
    assert mapped.probability("y", "x") == 0.5
    assert mapped.unit == 6
    large = Chain([10**15, 1], sp.csr_array(np.array([[10**14, 1], [1, 10**14]])), backoff=[10**13, 5])
    assert 0 < large.distance < 1e-4
    assert sum(large.row(0)[1].tolist()) + large.row(0)[2] * int(large.line.totals[0]) == large.unit
    assert Chain([1, 0], [[0, 1], [1, 0]]).stationary().tolist() == pytest.approx([0.5, 0.5])  # of period two
    for stays in (10**6, 2**49):  # once in so many steps it moves
        out, back = 1 / (stays + 1), 3 / (stays + 3)
        found = Chain([1, 0], [[stays, 1], [3, stays]]).stationary()
        assert found.tolist() == pytest.approx([back / (out + back), out / (out + back)], rel=1e-9)
    absorbing = Chain([1, 1, 0, 0], [[1, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    assert absorbing.stationary().tolist() == pytest.approx([0, 0.75, 0.125, 0.125])


@pytest.mark.parametrize(
    ("make", "error", "word"),
    [
        (lambda: Chain([1, 1], [[1, 1]]), InvalidPrior, "shape"),
        (lambda: Chain([1, 1], [[1, -1], [1, 1]]), InvalidPrior, "not negative"),
        (lambda: Chain([1, 1], [[1, float("nan")], [1, 1]]), InvalidPrior, "finite"),
        (lambda: Chain([1, 1], [[0, 1], [0, 0]]), InvalidPrior, "nothing follows"),
        (lambda: Chain([1, 1], [[1, 1], [1, 1]], backoff=-1), InvalidParameter, "backoff"),
        (lambda: Chain([1, 1], [[1, 1], [1, 1]], backoff=float("nan")), InvalidParameter, "backoff"),
        (lambda: Chain([1, 1], [[1, 1], [1, 1]], backoff=0.5), InvalidParameter, "whole"),
        (lambda: Chain([1, 1], [[1, 1], [1, 1]], marginal=[1]), InvalidPrior, "marginal"),
        (lambda: Chain([1, 1], "ab"), InvalidPrior, "matrix"),
        (lambda: Chain([1, 1], np.eye(2) * 1j), InvalidPrior, "numbers, not of complex128"),
        (lambda: Chain([1, 1], sp.eye_array(2, dtype=bool)), InvalidPrior, "numbers, not of bool"),
        (lambda: Chain([1, 1], [[2**61, 2**61], [1, 1]]), InvalidPrior, r"add up to 2\^62"),
        (lambda: Chain([1, 1], [[2**49, 2**48], [1, 1]], backoff=2**48), InvalidParameter, r"pass 2\^50"),
        (lambda: Chain([2**70, 1], np.eye(2)).save("never"), InvalidParameter, r"below 2\^63"),
        (lambda: Chain({b"a": 1}, [[1]]).save("never"), InvalidParameter, "labels that are text"),
        (lambda: Chain([1], [[1]]).save("."), MinleakError, "cannot write .: Is a directory"),
        (lambda: Chain([1], [[1]]).save("a\0b"), MinleakError, "the file system refused"),
        (lambda: Chain([1, 1], {0: {2: 1}}), InvalidPrior, "labels"),
        (lambda: Chain([1, 1], {0: [1]}), InvalidPrior, "mapping"),
        (lambda: Chain([1, 1], {2: {}}), InvalidPrior, "labels"),
        (lambda: Chain([1, 1], {0: {1: 10**400, 0: 0.5}}), InvalidPrior, "below"),
        (lambda: Chain({"a": 1}, [[1]], labels=["b"]), InvalidPrior, "labels"),
        (lambda: Chain.from_sequences("abc"), InvalidParameter, "list of walks"),
        (lambda: Chain.from_sequences(["abc"]), InvalidParameter, "sequence 0"),
        (lambda: Chain.from_sequences([]), InvalidPrior, "no sequences"),
        (lambda: Chain.from_sequences([{"a", "b"}]), InvalidParameter, "in an order"),
        (lambda: Chain.from_sequences([[(0, "a"), (1, "b")]], clock=3), InvalidPrior, "the next one"),
        (lambda: Chain.from_sequences([["a"]], order=0), InvalidParameter, "order"),
        (lambda: Chain.from_sequences([["a"]], smoothing="none"), InvalidParameter, "witten-bell"),
        (lambda: Chain.from_sequences([["a"]], smoothing=float("nan")), InvalidParameter, "witten-bell"),
        (lambda: Chain([1], [[1]], clock=0), InvalidParameter, "clock"),
        (lambda: Chain([1], [[1]]).simulate(0), InvalidParameter, "steps"),
        (lambda: Chain([1], [[1]]).probability("x", 0), InvalidParameter, "no state"),
    ],
)
def test_refusals_say_what_is_wrong(make, error, word, tmp_path, monkeypatch):
    """In one line, with a word on the remedy. A file that is not refused is written to a folder that goes."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=word) as refused:
        make()
    assert "\n" not in str(refused.value)


def test_every_row_is_a_distribution():
    """Also of states that nobody comes to: an entropy rate or a walk from there would be no number."""
    with pytest.raises(InvalidPrior, match="nothing follows state 1: give it transitions, or back-off"):
        Chain([1, 0], [[1, 0], [0, 0]])
    assert Chain([1, 0], [[1, 0], [0, 0]], backoff=1).entropy_rate() == 0
    with pytest.raises(InvalidPrior, match="nothing follows"):
        Chain([1, 0], [[1, 0], [0, 0]], backoff=[1, 0])


@pytest.mark.parametrize(
    "chain",
    [
        some_chain(1),
        Chain.from_sequences([list("abcab"), list("bab")], order=2),
        Chain.from_sequences([[(0, "a"), (1, "b"), (0, "a")]], clock=2),
        Chain.from_sequences([[(0, "a"), (1, "b"), (0, "a"), (1, "b")]], order=2),
        Chain.from_sequences(np.array([[3, 1, 3, 1, 2]]), order=2),
    ],
)
def test_a_file_holds_the_chain(chain, tmp_path):
    """The same digest, so the same tracks; damage is refused."""
    path = tmp_path / "x.chain"
    chain.save(path)
    again = Chain.load(path)
    assert ml.lab.sequences.Tracks(again, 2).digest == ml.lab.sequences.Tracks(chain, 2).digest
    data = path.read_bytes()
    for bad in (data[: len(data) // 2], b"", b"PK\x03\x04", data.replace(b"minleak", b"minleek")):
        path.write_bytes(bad)
        if bad != data:
            with pytest.raises(UnreadableFile, match="chain"):
                Chain.load(path)
    with pytest.raises(UnreadableFile, match="open"):
        Chain.load(tmp_path / "missing.chain")


@pytest.mark.parametrize(
    ("part", "changed", "error"),
    [
        ("head", lambda head: np.frombuffer(head.tobytes().replace(b"chain 1", b"chain 2"), np.uint8), UnreadableFile),
        ("head", lambda head: np.frombuffer(head.tobytes().replace(b'r": 1', b'r": 2'), np.uint8), InvalidPrior),
        ("initial", lambda initial: initial[None], UnreadableFile),
        ("indices", lambda indices: indices + 0.5, UnreadableFile),
        ("indices", lambda indices: indices - 1, UnreadableFile),
        ("counts", lambda counts: -counts, InvalidPrior),
    ],
)
def test_a_file_of_anybody_is_checked(part, changed, error, tmp_path):
    """What a file says is taken as if it were given anew: nothing is rounded or cut to fit."""
    path = tmp_path / "x.chain"
    Chain.from_sequences([list("abcab")]).save(path)
    stored = dict(np.load(path))
    with open(path, "wb") as file:
        np.savez(file, **stored | {part: changed(stored[part])})
    with pytest.raises(error, match=r"chain file|order 2|not negative"):
        Chain.load(path)
