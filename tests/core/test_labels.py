"""Labels: whatever holds the names, they behave as one sequence, and no repeated name goes unseen."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minleak.core import _arrays as arrays
from minleak.core import _label_hashing as hashing
from minleak.core import _labels as labels
from minleak.core._label_bytes import labels_in_bytes, normal
from minleak.core._labels import Labels, agree, bytes_of_names, locator, match
from minleak.errors import InvalidParameter

WORDS = ["flu", "", "Röteln", "NA"]
NUMBERS = [3, -1, 2**62, 0]
MIXED = [None, "a", (1, 2), 2.5]

HELD = {
    "text": (WORDS, WORDS),
    "numpy text": (np.array(WORDS), WORDS),
    "Arrow text": (pa.array(WORDS), WORDS),
    "Arrow long text": (pa.array(WORDS, pa.large_string()), WORDS),
    "Arrow text view": (pa.array(WORDS, pa.string_view()), WORDS),
    "Arrow dictionary": (pa.array(WORDS).dictionary_encode(), WORDS),
    "Arrow slice": (pa.array(["before", *WORDS, "after"])[1:5], WORDS),
    "Arrow chunks": (pa.chunked_array([WORDS[:1], WORDS[1:]]), WORDS),
    "Arrow numbers": (pa.array(NUMBERS), NUMBERS),
    "numbers": (NUMBERS, NUMBERS),
    "numpy numbers": (np.array(NUMBERS), NUMBERS),
    "Arrow floats": (pa.array([0.5, 1.5, 2.5, -1.0]), [0.5, 1.5, 2.5, -1.0]),
    "mixed": (MIXED, MIXED),
    "half of a surrogate pair": (["\ud800", "a", "b", "c"], ["\ud800", "a", "b", "c"]),
    "nobody": (None, [0, 1, 2, 3]),
}


@pytest.fixture(params=HELD.values(), ids=HELD)
def held(request):
    names, expected = request.param
    return Labels.of(names, 4), expected


def test_labels_are_a_sequence(held):
    """Length, items, negative items, slices and iteration are those of the list of names."""
    made, expected = held
    assert len(made) == 4
    assert list(made) == expected
    assert [made[i] for i in range(-4, 4)] == expected + expected
    for part in (slice(None), slice(1, 3), slice(3, 0, -2), slice(9, None)):
        assert made[part] == expected[part]
    for outside in (4, -5):
        with pytest.raises(IndexError):
            made[outside]


def test_labels_are_found_and_strangers_are_not(held):
    """position is the place of a name, or None for a name of any other kind."""
    made, expected = held
    assert [made.position(name) for name in expected] == [0, 1, 2, 3]
    for stranger in ("stranger", "\udfff", b"flu", 77, -77, 2**70, 0.25, 3.5, (), frozenset()):
        assert made.position(stranger) is None


@pytest.mark.parametrize("kind", ["Arrow numbers", "nobody"])
def test_only_whole_numbers_find_whole_numbers(kind):
    """3 is found also as 3.0 and as numpy's integer, which equal it; 3.5 and "3" are other names."""
    names, expected = HELD[kind]
    made = Labels.of(names, 4)
    place = expected.index(3)
    assert made.position(3) == made.position(np.int64(3)) == made.position(3.0) == place
    assert [made.position(other) for other in (3.5, "3", None)] == [None] * 3


def test_labels_equal_what_holds_the_same_names(held):
    """Equality is by content, with any sequence; text of short and of long offsets is the same text."""
    made, expected = held
    assert made == expected
    assert made == Labels.of(expected, 4)
    assert made != expected[:3]
    assert made != [*expected[:3], "other"]
    assert made != "text"
    assert made.is_default == (expected == [0, 1, 2, 3])


def test_text_of_short_and_long_offsets_is_equal():
    """How Arrow addresses the text does not matter."""
    assert Labels.of(pa.array(WORDS), 4) == Labels.of(pa.array(WORDS, pa.large_string()), 4)
    assert Labels.of(pa.array([1, 2], pa.int8()), 2) == Labels.of(pa.array([1, 2]), 2)
    assert Labels.of(pa.array([1]), 1) != Labels.of(pa.array(["1"]), 1)


def test_text_beyond_32_bit_offsets_is_kept_long(monkeypatch):
    """More text than 32 bits can address goes into large_string, from Python and from Arrow."""
    for module in (arrays, labels):
        monkeypatch.setattr(module, "SHORT_TEXT", 10)
    for names in (WORDS, pa.array(WORDS), pa.chunked_array([WORDS])):
        made = Labels.of(names, 4)
        assert made.arrow.type == pa.large_string()
        assert list(made) == WORDS


def test_labels_are_passed_through():
    """Labels of Labels are the same object."""
    made = Labels.of(WORDS, 4)
    assert Labels.of(made, 4) is made


def test_labels_show_their_first_names():
    """The repr is short for any number of names."""
    assert repr(Labels.of(WORDS, 4)) == "Labels('flu', '', 'Röteln', ...; n=4)"
    assert repr(Labels.of(["a"], 1)) == "Labels('a'; n=1)"


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=8), st.booleans())
def test_the_first_repeated_name_is_found(names, as_numbers):
    """first_duplicate gives the first place whose name stood before, and where."""
    names = [ord(name) for name in names] if as_numbers else names
    expected = next(((names.index(name), i) for i, name in enumerate(names) if name in names[:i]), None)
    for held in (names, pa.array(names, pa.int64() if as_numbers else pa.string()), [(name,) for name in names]):
        assert Labels.of(held, len(names)).first_duplicate() == expected


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_a_repeated_name_is_found_among_many(kind):
    """The compiled search for large n sees one repetition anywhere, and none where there is none."""
    n = labels._SMALL + 5
    names = [f"name {i}" for i in range(n)]
    assert Labels.of(pa.array(names, kind), n).first_duplicate() is None
    for first, second in ((0, n - 1), (17, 18), (n // 2, n - 2)):
        twice = list(names)
        twice[second] = twice[first]
        assert Labels.of(pa.array(twice, kind), n).first_duplicate() == (first, second)
    padded = pa.array(["before", *names, "name 1"], kind)
    assert Labels.of(padded[1:-1], n).first_duplicate() is None
    assert Labels.of(padded[2:], n).first_duplicate() == (0, n - 1)


def test_many_empty_names_repeat():
    """Text without any bytes is compared too."""
    n = labels._SMALL + 1
    assert Labels.of(pa.array([""] * n), n).first_duplicate() == (0, 1)


def test_few_names_that_repeat_often_are_found_at_once():
    """As where a column of countries is taken for the secrets: no search that is quadratic in how often they stand."""
    n = 2_000_000
    names = pa.array(["Peru", "Chile", "Ecuador"]).take(pa.array(np.arange(n) % 3))
    assert Labels.of(names, n).first_duplicate() == (0, 3)


def test_a_name_that_stands_at_every_other_place_is_found_at_once():
    """It would pass all those before it in the table: a time quadratic in how often it stands."""
    n = 4 * labels._SMALL
    names = pa.array([f"n{i}" if i % 2 == 0 else "Peru" for i in range(n)])
    assert Labels.of(names, n).first_duplicate() == (1, 3)


def test_different_texts_of_one_hash_all_find_a_slot():
    names = pa.array(["a", "bc", "bd", "b"])
    hashes, places, slots = np.full(4, 7, np.uint64), np.arange(4), np.full(8, -1)
    work = hashes, hashes.copy(), places, np.empty(8, np.uint8), slots
    assert hashing._insert(*bytes_of_names(names), *work, -1) == (0, False)
    assert slots.tolist() == [1, 2, 3, -1, -1, -1, -1, 0]


def test_equal_hashes_are_not_taken_for_equal_names(monkeypatch):
    """A collision of hashes is settled by the names themselves."""
    monkeypatch.setattr(labels, "_SMALL", 1)
    fill = hashing.fill_slots
    monkeypatch.setattr(hashing, "fill_slots", lambda *text: (fill(*text)[0], True))
    assert Labels.of(["a", "b", "c"], 3).first_duplicate() is None


def test_what_cannot_name_is_refused():
    """Names are hashable, and labels are a sequence of them."""
    with pytest.raises(InvalidParameter, match="label 1 is a list"):
        Labels.of(["a", ["b"]], 2)
    with pytest.raises(InvalidParameter, match="label 0 is a dict"):
        Labels.of(pa.array([{"a": 1}]), 1)
    with pytest.raises(InvalidParameter, match="not int"):
        Labels.of(5, 1)


def test_messages_speak_of_numbers_and_names():
    """Unnamed things go by number, named ones by both."""
    assert locator(Labels.of(None, 3))(2) == "row 2"
    assert locator(Labels.of(["a", "b\n"], 2), "column")(1) == "column 1 ('b\\n')"


def test_two_lists_of_labels_are_matched_in_one_way():
    """They agree where names do or one side has none; else the message says where they part."""
    abc, abd = Labels.of([*"abc"], 3), Labels.of([*"abd"], 3)
    who = ("the prior", "secret"), ("the channel", "row")
    for other in (Labels.of(pa.array(list("abc"), pa.large_string()), 3), Labels.of(None, 3)):
        assert agree(abc, other)
        match(abc, other, *who, InvalidParameter)
    assert not agree(abc, abd)
    assert not agree(abc, Labels.of(None, 2))
    with pytest.raises(InvalidParameter, match="the prior's secret 2 is not the channel's row 2: bring"):
        match(abc, abd, *who, InvalidParameter)
    with pytest.raises(InvalidParameter, match="the prior has 3 secrets and the channel 2 rows: they must be the same"):
        match(abc, Labels.of(None, 2), *who, InvalidParameter)


SAME = [
    (1, 1.0, True, np.int8(1), np.float32(1), np.bool_(True), Fraction(1)),
    (0, 0.0, -0.0, False, np.float64(-0.0)),
    (0.5, Fraction(1, 2), np.float32(0.5)),
    ("1", np.str_("1")),
    (b"1", np.bytes_(b"1")),
    ((1, "a"), (1.0, "a"), (True, np.str_("a"))),
    (frozenset([1, 2.5]), frozenset([1.0, 2.5])),
    (Fraction(1, 3), Fraction(2, 6)),
    (2**70, float(2**70), Fraction(2**70)),
    (float("inf"), np.inf),
    (None,),
    ("",),
    ((),),
]


def test_labels_are_found_matched_and_hashed_by_one_rule():
    """Equal labels have one normal form and the same bytes, and are found; others have others."""
    for one in SAME:
        for label in one:
            assert Labels.of([label, "other"], 2).position(one[0]) == 0
            assert Labels.of([one[0], "other"], 2).position(label) == 0
        assert len({labels_in_bytes([label])[0] for label in one}) == 1
        assert len({normal(label) for label in one}) == len({type(normal(label)) for label in one}) == 1
    assert len({labels_in_bytes([one[0]])[0] for one in SAME}) == len(SAME)


@pytest.mark.parametrize(
    "bad", ["abc", b"abc", {"a", "b", "c"}, frozenset("abc"), 5], ids=lambda bad: type(bad).__name__
)
def test_text_and_sets_are_no_labels(bad):
    """Text would be its letters, and a set is in no order."""
    with pytest.raises(InvalidParameter, match="labels are a sequence of distinct names, not"):
        Labels.of(bad, 3)


@pytest.mark.parametrize("n", [1, 3, 1000, 70_000])
def test_equal_texts_meet_in_the_table(n):
    """fill_slots says whether two texts agree, wherever they stand, and holds every position once if none do."""
    names = [f"n{i}" for i in range(n)]
    rng = np.random.default_rng(n)
    for twice in (None, *rng.integers(n, size=20)):
        held = pa.array(names if twice is None else [*names, names[twice]])
        ends = np.frombuffer(held.buffers()[1], dtype=np.int32)[: len(held) + 1]
        slots, met = hashing.fill_slots(ends, np.frombuffer(held.buffers()[2], dtype=np.uint8))
        assert met == (twice is not None)
        assert met or sorted(slots[slots >= 0].tolist()) == list(range(len(held)))


@pytest.mark.parametrize(
    "names",
    [
        pa.array([f"item-{i}-ä" for i in range(3000)])[500:],
        pa.array([f"item-{i}" for i in range(2500)], type=pa.large_string()),
        pa.array(range(2500)),
        [("a", i) for i in range(2500)],
        None,
    ],
    ids=["text from the middle of an array", "long text", "numbers", "tuples", "none"],
)
def test_bytes_of_many_labels_are_those_of_each(names):
    """However many are asked for, in whatever order, some of them twice."""
    found = Labels.of(names, 2500)
    for count in (3, 2000):
        positions = np.random.default_rng(count).integers(0, 2500, count)
        assert found.bytes_at(positions) == labels_in_bytes([found[i] for i in positions.tolist()])
