"""Tables: what they say of a plan, against the plan itself."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.plans import plans, homes_and_ring, zipf

import minleak as ml
from minleak.core._plan.sampler import Finder

ALL = st.one_of(plans(), st.builds(homes_and_ring), st.builds(zipf, st.just(300)))


def line(plan):
    """(start, member) of all segments, rings one after the other."""
    base, segments = 0, []
    for ring in plan.rings:
        pairs = zip(ring.starts.tolist(), ring.members, strict=True)
        segments += [(base + start, int(member)) for start, member in pairs]
        base += ring.u * ring.length
    return segments, base


@given(ALL)
def test_segments_lie_on_one_line(plan):
    """Ring after ring; members are left out if segment i is that of secret i."""
    found = plan.sampler().line
    segments, end = line(plan)
    assert found.end == end
    assert found.starts.tolist() == [start for start, _ in segments]
    members = found.members.tolist() if len(found.members) else list(range(len(segments)))
    assert members == [member for _, member in segments]
    assert found.lengths.tolist() == [ring.length for ring in plan.rings]
    assert found.bases.tolist() == [sum(r.u * r.length for r in plan.rings[:i]) for i in range(len(plan.rings))]


@given(ALL)
def test_the_guide_points_at_the_segment_where_each_stretch_begins(plan):
    """So that it is found from there without a search, stretches being about as long as segments."""
    sampler = plan.sampler()
    tables = sampler.tables
    starts = sampler.line.starts.tolist()
    positions = [stretch << tables.shift for stretch in range(len(tables.guide))]
    assert tables.guide.tolist() == [bisect_right(starts, position) - 1 for position in positions]
    assert not starts or sampler.line.end >> tables.shift == len(tables.guide) - 1
    assert len(tables.guide) <= 2 * len(starts) + 1


@given(ALL)
def test_the_segments_of_a_secret_are_linked(plan):
    """From its first one on, in the order of the line, all of them."""
    sampler = plan.sampler()
    tables = sampler.tables
    segments, _ = line(plan)
    owned = defaultdict(list)
    for i, (_, member) in enumerate(segments):
        owned[member].append(i)
    if not len(sampler.line.members):
        assert all(owned[x] == [x] for x in owned)
        return
    for x in range(len(plan.weights)):
        found, segment = [], int(tables.first[x])
        while segment >= 0:
            found.append(segment)
            segment = int(tables.following[segment])
        assert found == owned[x]


@given(ALL)
def test_homes(plan):
    """Each secret's home."""
    sampler = plan.sampler()
    tables = sampler.tables
    homes = {int(x): home for home, row in enumerate(plan.homes.members) for x in row}
    if homes:
        assert tables.home_of.tolist() == [homes.get(x, -1) for x in range(len(plan.weights))]
    else:
        assert len(tables.home_of) == 0


def test_a_circle_in_input_order_needs_no_tables_of_members():
    """Segment i is secret i, which saves memory where n is large."""
    sampler = ml.design([3, 2, 2, 1], 2, layout="circle").sampler()
    assert (len(sampler.line.members), len(sampler.tables.first), len(sampler.tables.following)) == (0, 0, 0)


@given(st.lists(st.integers(0, 9)), st.integers(0, 9))
def test_a_finder_finds_by_scanning_and_by_its_table(numbers, wanted):
    """All places in order, however often it was asked."""
    finder = Finder(np.array(numbers, dtype=np.int32))
    expected = [at for at, number in enumerate(numbers) if number == wanted]
    assert [finder.find(wanted) for _ in range(40)] == [expected] * 40
