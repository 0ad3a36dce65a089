"""The compiled rounding: exact chances from bits, integral ends, bins, and tracks on a ring."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from minleak.core._plan.streams import Stream
from minleak.lab.sequences._given import proportional
from minleak.lab.sequences._line import WeightLine
from minleak.lab.sequences._rounding import bin_columns, chance, round_columns

NONE = np.empty((0, 0), dtype=np.int64)


def seeded(seed):
    rng = np.random.default_rng(seed)
    return Stream(lambda _: rng.bytes(64))


def test_a_chance_is_decided_by_its_bits():
    """Over all first eight bits p/q is right to what they leave undecided, and each takes one word."""
    for p, q in ((1, 3), (0, 5), (5, 5), (7, 8), (2**61, 2**62 + 1)):
        yes = 0
        for bits in range(256):
            words = np.array([bits | (0xDEADBEEF << 8), 0], dtype=np.uint64)
            found, at = chance(np.uint64(p), np.uint64(q), words, 0)
            assert at == 1
            yes += found
        assert abs(Fraction(int(yes), 256) - Fraction(p, q)) <= Fraction(1, 256)


def test_a_chance_that_a_word_does_not_decide_takes_another():
    """The bits of 1/3 are 0101...: a word of just these says nothing, and the next one decides."""
    same = sum(1 << place for place in range(1, 64, 2))
    for then, wanted in ((0, True), (1, False)):
        found, at = chance(np.uint64(1), np.uint64(3), np.array([same, then], dtype=np.uint64), 0)
        assert (bool(found), at) == (wanted, 2)
    assert chance(np.uint64(1), np.uint64(3), np.array([same], dtype=np.uint64), 0)[1] == -1


def test_the_words_that_a_step_takes_do_not_tell_the_true_track():
    """Given the columns that all tracks get, as many words are taken whichever of them is the true one: two for each
    move, and the law of the moves is the same.
    """
    matrix, d = np.array([[90, 1], [1, 9], [9, 90]], dtype=np.int64), 100
    rng, used = np.random.default_rng(0), {}
    for place in (0, 1):
        for _ in range(3000):
            column = int(rng.choice(3, p=matrix[:, place] / d))
            chosen, trace = np.empty(2, dtype=np.int64), np.zeros((6, 20), dtype=np.int64)
            words = rng.integers(0, 2**64, 20, dtype=np.uint64)
            taken = round_columns(matrix, d, place, column, words, chosen, trace)
            assert taken == 2 * np.count_nonzero(trace[:, 0])
            used.setdefault(tuple(chosen.tolist()), [set(), set()])[place].add(taken)
    assert all(first == second for first, second in used.values())


def test_a_ring_reads_as_many_bytes_for_every_state():
    """A light state and a heavy one, beyond 64 bits in all."""
    line = WeightLine(np.array([1, 2**61, 3]), np.zeros(3, dtype=np.int64), 1)
    taken = []
    for state, which in ((0, 0), (1, 0), (2, 5), (0, -1)):
        rng = np.random.default_rng(1)
        stream = Stream(lambda _, rng=rng: rng.bytes(64))
        line.ring(0, np.empty(0, dtype=np.int64), 40, which, state, stream)
        taken.append(len(stream._rest))
    assert len(set(taken)) == 1


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 9))
@settings(max_examples=60)
def test_each_row_gets_one_column_and_columns_floor_or_ceiling(seed, k, m):
    """Whatever the matrix; the true row gets the true column; too few bits are told."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 2**62))
    matrix = np.zeros((m, k), dtype=np.int64)
    for i in range(k):
        counts = rng.integers(0, 9, m) * (rng.random(m) < 0.7)
        counts[rng.integers(m)] += 1
        matrix[:, i] = proportional(counts, int(counts.sum()), d)
    place = int(rng.integers(k))
    column = int(rng.choice(np.flatnonzero(matrix[:, place])))
    chosen = np.empty(k, dtype=np.int64)
    words = seeded(seed).words(128)
    assert round_columns(matrix, d, place, column, words, chosen, NONE) >= 0
    assert chosen[place] == column
    for c in range(m):
        mean = Fraction(sum(matrix[c].tolist()), d)
        assert mean - 1 < int((chosen == c).sum()) < mean + 1
    if ((matrix > 0) & (matrix < d)).any():
        assert round_columns(matrix, d, place, column, words[:0], chosen, NONE) == -1


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 20))
@settings(max_examples=60)
def test_bins_hold_at_most_one_track(seed, k, m):
    """Consecutive columns whose entries add up to at most d, each column in one bin, none that would fit left out."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 50))
    matrix = rng.integers(0, d + 1, (m, k)) * (rng.random((m, k)) < 0.3)
    starts = bin_columns(matrix.astype(np.int64), d).tolist()
    assert starts[0] == 0
    for a, b in zip(starts, [*starts[1:], m], strict=True):
        assert b - a == 1 or matrix[a:b].sum() <= d
        assert b == m or matrix[a : b + 1].sum() > d


@given(st.integers(0, 10**6), st.integers(1, 5))
@settings(max_examples=60)
def test_a_ring_without_what_was_taken(seed, count):
    """The asked track is at its state, nobody is at what was taken, and light states are never shared."""
    rng = np.random.default_rng(seed)
    n = 12
    line = WeightLine(rng.integers(1, 20, n), rng.integers(0, 2, n), 2)
    state = int(rng.integers(n))
    block = int(line.block[state])
    others = np.setdiff1d(np.flatnonzero(line.block == block), [state])
    taken = np.sort(rng.choice(others, len(others) // 2, replace=False))
    which = int(rng.integers(count))
    found = line.ring(block, taken, count, which, state, seeded(seed))
    assert found[which] == state
    assert not set(found) & set(taken.tolist())
    assert all(line.block[x] == block for x in found)
    left = int(line.totals[block] - line.weights[taken].sum())
    for x in set(found):
        assert found.count(x) <= -(-count * int(line.weights[x]) // left) + (count * int(line.weights[x]) > left)
    assert len(line.ring(block, taken, count, -1, state, seeded(seed))) == count


def test_integers_below_a_bound_are_uniform():
    """By all fractions of few bits, and beyond 64 bits."""
    stream = seeded(1)
    drawn = np.bincount([stream.below(6) for _ in range(6000)], minlength=6)
    assert np.abs(drawn - 1000).max() < 150  # five standard deviations
    big = 10**40
    assert all(0 <= stream.below(big) < big for _ in range(50))
    assert max(stream.below(big) for _ in range(50)) > big // 2
    assert stream.below(1) == 0
    weights = np.bincount([stream.among(np.array([0, 3, 0, 1])) for _ in range(4000)], minlength=4)
    assert weights[[0, 2]].tolist() == [0, 0]
    assert abs(weights[1] - 3000) < 150


def test_a_fraction_that_does_not_decide_is_read_on():
    """If the first bits leave two integers possible, more are read: 2^128 - 1 of 2^128 times 3 may be 2 or 3 less."""
    blocks = [b"\xff" * 64, b"\x00" * 64]
    assert Stream(lambda i: blocks[min(i, 1)]).below(3) == 2
