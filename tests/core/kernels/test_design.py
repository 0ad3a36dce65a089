"""The compiled loops of the design against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minleak.core import _sorting as sorting
from minleak.core._layouts import scheduling
from minleak.core._plan import sweeping

WEIGHTS = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 5000), st.integers(0, 2**62)), min_size=1, max_size=40)


@given(WEIGHTS, st.sampled_from([np.int32, np.int64]))
def test_sorting(weights, kind):
    """From the largest down, ties in order."""
    keys, places = sorting.sort_descending(np.array(weights), kind)
    order = sorted(range(len(weights)), key=lambda i: -weights[i])
    assert places.tolist() == order
    assert keys.tolist() == [weights[i] for i in order]


@st.composite
def schedules(draw):
    """Residues that fit on u tracks: u times the largest is at most their sum."""
    u = draw(st.integers(1, 4))
    residues = draw(st.lists(st.integers(0, 9), min_size=u, max_size=12).filter(any))
    while u * max(residues) > sum(residues):
        residues.append(draw(st.integers(1, max(residues))))
    return u, residues


@given(schedules())
def test_the_lazy_schedule(schedule):
    """Joined, the tracks are full at all times, with u different members, each for u times its residue."""
    u, residues = schedule
    length, order = sum(residues), np.arange(len(residues), dtype=np.int32)[::-1].copy()
    tracks, members, starts = scheduling.lazy_schedule(np.array(residues), order, u, length)
    line, begins = scheduling.join_tracks(tracks, members, starts, u, length)
    owners = np.repeat(line, np.diff(begins, append=u * length))
    assert len(owners) == u * length
    table = owners.reshape(u, length)
    assert all(len(set(column)) == u for column in table.T.tolist())
    assert np.bincount(owners, minlength=len(residues)).tolist() == [u * residues[x] for x in order.argsort()]


def test_many_blocks_of_waiting_members():
    """More members than one block of the order holds, the last of which must enter at once."""
    residues = np.ones(300, dtype=np.int64)
    residues[-1] = 60
    u, length = 4, int(residues.sum())
    tracks, members, starts = scheduling.lazy_schedule(residues.copy(), np.arange(300, dtype=np.int32), u, length)
    line, begins = scheduling.join_tracks(tracks, members, starts, u, length)
    owners = np.repeat(line, np.diff(begins, append=u * length)).reshape(u, length)
    assert np.bincount(owners.ravel()).tolist() == (u * residues).tolist()
    assert all(len(set(column)) == u for column in owners.T.tolist())


@pytest.mark.parametrize("order", [0.0, 0.3, 1.0, 2.0, 7.0, np.inf])
def test_sweeping_keeps_its_digits_when_most_of_a_sum_goes_away(order):
    """A density a hundred times the others comes and goes; what is left is as exact as if it had never been."""
    u, density = 100, np.append(np.linspace(1, 2, 150), 120.0)
    first = np.arange(u)
    tracks, members = np.array([0, 0, 1, 1]), np.array([150, 101, 150, 102])
    giants, last = np.array([1.5]), np.array([101, 102, *range(2, u)])
    sums, entropies = sweeping.sweep_cells(first, tracks, members, density, giants, order)
    alone = sweeping.sweep_cells(last, tracks[:0], members[:0], density, giants, order)
    assert sums[-1] == pytest.approx(alone[0][0], rel=1e-14)
    assert entropies[-1] == pytest.approx(alone[1][0], rel=1e-13)


@pytest.mark.parametrize("top", [2, 70, 2**20, 2**53 + 2, 2**62 + 1])
def test_long_sorts_are_stable_up_to_the_largest_weights(top):
    """Many weights that differ in their lowest and in their highest bits: largest first, ties in input order."""
    weights = np.random.default_rng(top % 97).integers(0, top, 60_000)
    weights[::7] = top - 1
    keys, places = sorting.sort_descending(weights, np.int32)
    expected = np.argsort(-weights, kind="stable")
    assert (places == expected).all()
    assert (keys == weights[expected]).all()
