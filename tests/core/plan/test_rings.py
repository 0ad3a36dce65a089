"""Rings and their cells against walking along every phase."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minleak.core._plan.rings import Homes, Ring


def owners(ring):
    """Who owns each unit of the line."""
    members, ends = list(ring.members), [*ring.starts.tolist()[1:], ring.u * ring.length]
    return [x for x, start, end in zip(members, ring.starts.tolist(), ends, strict=True) for _ in range(end - start)]


def walked(ring):
    """The tuple of members at each phase, and how many phases show it."""
    line = owners(ring)
    return Counter(tuple(line[t + track * ring.length] for track in range(ring.u)) for t in range(ring.length))


@st.composite
def rings(draw):
    """Lines cut anywhere; for the cells it does not matter who meets whom."""
    u, length = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    cuts = draw(st.sets(st.integers(1, u * length - 1), max_size=u * length - 1)) if u * length > 1 else set()
    starts = np.array([0, *sorted(cuts)], dtype=np.int64)
    members = draw(st.lists(st.integers(0, 9), min_size=len(starts), max_size=len(starts)))
    return Ring(np.array(members), starts, length, u)


@given(rings())
def test_members_at_positions(ring):
    """Every position of the line, and where segments end."""
    line = owners(ring)
    assert ring.member(np.arange(len(line))).tolist() == line
    assert ring.ends().tolist() == [*ring.starts.tolist()[1:], ring.u * ring.length]


@given(rings(), st.sampled_from([1, 2, 3, 4096]))
def test_cells_are_what_a_walk_sees(ring, width):
    """Sets and lengths, however the changes are cut into blocks; no cell is empty."""
    seen: Counter[tuple[int, ...]] = Counter()
    for sets, lengths in ring.cells().blocks(width):
        assert sets.shape == (len(lengths), ring.u)
        assert (lengths > 0).all()
        for row, length in zip(sets.tolist(), lengths.tolist(), strict=True):
            seen[tuple(row)] += length
    assert seen == walked(ring)


def test_a_line_in_input_order():
    """Members may be a range."""
    ring = Ring(range(3), np.array([0, 2, 4]), 3, 2)
    assert ring.member(np.arange(6)).tolist() == [0, 0, 1, 1, 2, 2]
    assert walked(ring) == {(0, 1): 1, (0, 2): 1, (1, 2): 1}
    assert [sets.tolist() for sets, _ in ring.cells().blocks()] == [[[0, 1], [0, 2], [1, 2]]]


@pytest.mark.parametrize("u", [1, 3])
def test_no_homes(u):
    """An empty table of the right width."""
    assert Homes.none(u).members.shape == (0, u)
    assert len(Homes.none(u).weights) == 0
