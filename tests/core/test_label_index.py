"""Labels that are indexed: every one is found, nothing else is, whatever they are."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from itertools import count

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minleak.core import _label_hashing as hashing
from minleak.core._labels import Labels, _hash, bytes_of_names

WORDS = st.lists(st.text(max_size=4), min_size=1, max_size=60, unique=True)
NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=60, unique=True)


def index_of(names):
    return Labels.of(names, len(names)).indexed()


def assert_finds(index, names, absent):
    assert [index.position(name) for name in names] == list(range(len(names)))
    assert [index.position(name) for name in absent] == [None] * len(absent)


@given(WORDS.filter(lambda names: all(name.isprintable() for name in names)), WORDS)
def test_text(names, others):
    """Each by its position, in either width of Arrow's text, and in part of a longer array."""
    absent = [name for name in others if name not in names]
    for made in (names, pa.array(names), pa.array(names, type=pa.large_string()), pa.array(["", *names, "x"])[1:-1]):
        assert_finds(index_of(made), names, [*absent, 0, None, b"x", 1.5, ()])


@given(NUMBERS, NUMBERS)
def test_integers(names, others):
    """Each by its position; numbers of numpy and floats that equal them are the same numbers."""
    absent = [name for name in others if name not in names]
    for made in (names, pa.array(names), pa.array([7, *names])[1:]):
        index = index_of(made)
        assert_finds(index, names, [*absent, "1", 2**63, -(2**63) - 1, 2**200, None])
        assert index.position(np.int64(names[0])) == 0
        floats = [float(name) for name in names]
        assert [index.position(x) for x in floats] == [names.index(x) if x in names else None for x in floats]


@pytest.mark.parametrize(
    "names", [[1, 0], [1.0, 0.0], [True, False], [1, -0.0], pa.array([1, 0])], ids=lambda names: type(names[0]).__name__
)
def test_what_equals_a_number_is_its_label(names):
    """In Python True is 1 and so is 1.0, and a dict holds them for one key: so do labels, in whatever they are kept."""
    found = Labels.of(names, 2)
    for index in (found, found.indexed()):
        assert [index.position(x) for x in (True, 1.0, np.float64(1), np.True_, 1)] == [0] * 5
        assert [index.position(x) for x in (False, 0.0, -0.0, np.float64(0), 0)] == [1] * 5
        assert [index.position(x) for x in ("1", b"1", 0.5, 2, None)] == [None] * 5


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.uint16(), pa.uint64()])
def test_integers_of_other_widths(kind):
    """Are integers too."""
    assert_finds(index_of(pa.array([5, 3, 100], type=kind)), [5, 3, 100], [4, "5"])


def test_arrow_integers_that_no_file_holds():
    """Are found without a table."""
    assert_finds(index_of(pa.array([2**63, 3], type=pa.uint64())), [2**63, 3], [4, 2**64, "3"])


def test_many_labels_that_collide():
    """A table of thousands, where neighbours are often taken."""
    names = [f"item-{i}" for i in range(5000)]
    index = index_of(names)
    assert_finds(index, names, [f"item-{i}" for i in range(5000, 6000)])
    assert sorted(index.slots[index.slots >= 0].tolist()) == list(range(5000))
    assert len(index.slots) >= 1.5 * 5000


@pytest.mark.parametrize("n", [1, 5, 100])
def test_default_labels(n):
    """The numbers from 0 to n-1, without a table."""
    index = Labels.of(None, n).indexed()
    assert_finds(index, range(n), [-1, n, 2**70, 0.5, "0", None, [0], {}])
    assert len(index.slots) == 0


ODD = {
    "tuples": [("a", 1), ("b", 2)],
    "several types": [1, "b", ("c",), None],
    "half of a surrogate pair": ["\udc80", "b"],
    "text or nothing": ["a", None],
    "numbers or nothing": [1, None],
    "beyond 64 bits": [2**63, 1],
    "far beyond": [2**200, 1],
    "fractions": [Fraction(1, 2), Fraction(1, 3)],
    "bytes": [b"a", b"b"],
    "dates": [date(2020, 1, 1), date(2020, 1, 2)],
    "sets": [frozenset("ab"), frozenset("c")],
    "truth values": [True, False],
    "floats": [0.5, 1.5],
}


@pytest.mark.parametrize("names", ODD.values(), ids=ODD)
def test_other_labels(names):
    """Are found too, but no file holds them."""
    labels = Labels.of(names, len(names))
    assert labels.storable() is None
    assert_finds(labels.indexed(), names, ["other", -1, [], {}, set()])


def test_a_table_from_a_file_is_used_as_it_is():
    """Not made again."""
    names = pa.array(["a", "b"])
    slots = Labels(names).indexed().slots
    index = Labels(names, slots)
    assert index.indexed().slots is slots
    assert index.position("b") == 1


def test_a_table_without_a_free_slot():
    """The search ends."""
    index = Labels(pa.array(["a"]), np.zeros(16, dtype=np.int32))
    assert index.position("a") == 0
    assert index.position("b") is None


def test_labels_that_crowd_at_the_ends_of_both_halves():
    """Two threads fill a half of the table each; what finds no place there goes on into the next half, or wraps."""
    names = (f"n{i}" for i in count())
    crowd = {7: [], 15: []}  # the last slots of the halves of 16
    while any(len(found) < 5 for found in crowd.values()):
        name = next(names)
        found = crowd.get(_hash(name.encode()) & 15, [])
        if len(found) < 5:
            found.append(name)
    together = [*crowd[7], *crowd[15]]
    index = Labels.of(together, 10).indexed()
    assert len(index.slots) == 16
    assert [index.position(name) for name in together] == list(range(10))
    for twice in range(9):
        again = pa.array([*together[:9], together[twice]])
        assert hashing.fill_slots(*bytes_of_names(again))[1]
    assert not hashing.fill_slots(*bytes_of_names(pa.array(together)))[1]
