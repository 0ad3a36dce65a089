"""The compiled loops of the design against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minleak.core import _sorting as sorting
from minleak.core._layouts import scheduling

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


@pytest.mark.parametrize("top", [2, 70, 2**20, 2**53 + 2, 2**62 + 1])
def test_long_sorts_are_stable_up_to_the_largest_weights(top):
    """Many weights that differ in their lowest and in their highest bits: largest first, ties in input order."""
    weights = np.random.default_rng(top % 97).integers(0, top, 60_000)
    weights[::7] = top - 1
    keys, places = sorting.sort_descending(weights, np.int32)
    expected = np.argsort(-weights, kind="stable")
    assert (places == expected).all()
    assert (keys == weights[expected]).all()
