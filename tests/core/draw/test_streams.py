"""Streams: floor(r N) for every bound, exactly; and where the bits come from."""

from __future__ import annotations

import hmac
import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plans import KEY, KEY_BYTES

import minleak as ml
from minleak.core._keys import streams
from minleak.core._label_bytes import labels_in_bytes
from minleak.core._plan.streams import Fresh, Keyed, Seeded, Stream, Streams, hmac_sha256, message, prefix_length_4
from minleak.core._simulating import generator
from minleak.errors import InvalidParameter

TOP = 2**64 - 1


class Given(Streams):
    """Given words, two at a time: words[i] are those of draw i, and zeros after them. Remembers what it was asked."""

    def __init__(self, words):
        self.words, self.asked = words, []

    def bits(self, which, counter):
        self.asked.append((counter, which.tolist()))
        rows = [[*self.words[i], *[0] * 8][2 * counter : 2 * counter + 2] for i in which.tolist()]
        return np.array(rows, dtype=np.uint64).reshape(-1, 2)


def places(words, bounds):
    return Given(words).below(np.array(bounds, dtype=np.int64)).tolist()


@given(st.lists(st.tuples(st.integers(0, 2**62), st.lists(st.integers(0, TOP), min_size=2, max_size=4)), max_size=6))
def test_the_place_is_the_whole_part_of_r_n(asked):
    """By fractions, for each draw as if it were alone; as an array and as a list of any integers."""
    expected = []
    for bound, words in asked:
        r = sum((Fraction(word, 2 ** (64 * (i + 1))) for i, word in enumerate(words)), Fraction(0))
        expected.append(int(r * bound))
    words, bounds = [words for _, words in asked], [bound for bound, _ in asked]
    assert places(words, bounds) == expected
    assert Given(words).below([max(bound, 1) for bound in bounds]) == expected


@pytest.mark.parametrize("bound", [3, 3 * 2**33, 3 * 2**60])
def test_bits_are_read_until_they_decide(bound):
    """A number a little below 1/3, whose first bits are those of 1/3: only what follows tells on which side it is."""
    third = [0x5555555555555555] * 4
    source = Given([third])
    assert source.below(np.array([bound])).tolist() == [bound // 3 - 1]
    assert [counter for counter, _ in source.asked] == [0, 1, 2]
    assert Given([third]).below([3 * 10**60]) == [10**60 - 1]


@pytest.mark.parametrize("bound", range(1, 40))
def test_every_place_has_its_share(bound):
    """Of all numbers of ten bits each place gets the ones that it should, 1024/N up to one."""
    words = [[i << 54, 0] for i in range(1024)]
    counted = np.bincount(places(words, [bound] * 1024), minlength=bound)
    assert len(counted) == bound
    assert counted.max() - counted.min() <= 1


def test_bounds_of_nothing():
    """A bound of 0 or 1 leaves no choice and reads no bits."""
    source = Given([[TOP, TOP], [5, 5]])
    assert source.below(np.array([0, 1])).tolist() == [0, 0]
    assert source.below(np.empty(0, dtype=np.int64)).tolist() == []
    assert source.asked == []


# -- where bits come from ---------------------------------------------------------------------------------------------


def by_hand(lineage, scope, label, block):
    """A block as the specification says it, with nothing of ours."""
    text = b"\x01"
    for part in (lineage, scope, label):
        text += len(part).to_bytes(4, "big") + part
    return hmac.digest(KEY_BYTES, text + block.to_bytes(4, "big"), "sha256")


@pytest.mark.parametrize(("label", "written"), [("é", b"s\xc3\xa9"), (5, b"i5"), (-1, b"i-1"), (2**70, b"i%d" % 2**70)])
def test_keyed_bits_are_those_of_the_specification(label, written):
    """HMAC-SHA256 of lineage, scope and label, each after its length, and the number of the block."""
    for scope, named in (("user-17", b"user-17"), ("é", b"\xc3\xa9"), (b"\xff\0", b"\xff\0")):
        found = streams(KEY, b"lineage", [scope], labels_in_bytes([label]))
        for counter in range(4):
            block = by_hand(b"lineage", named, written, counter // 2)[16 * (counter % 2) :]
            expected = [int.from_bytes(block[:8], "big"), int.from_bytes(block[8:16], "big")]
            assert found.bits(np.array([0]), counter).tolist() == [expected]
        whole = int.from_bytes(by_hand(b"lineage", named, written, 0), "big")
        assert found.below(np.array([10**18])).tolist() == [whole * 10**18 >> 256]
        assert found.below([10**40]) == [whole * 10**40 >> 256]


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_hmac_is_hmac(key, text):
    """The standard library's, for keys of 32 bytes."""
    assert hmac_sha256(key)(text) == hmac.digest(key, text, "sha256")


@given(st.lists(st.binary(max_size=3), max_size=4), st.lists(st.binary(max_size=3), max_size=4))
def test_messages_tell_lists_of_parts_apart(first, second):
    """Two lists of parts give the same bytes only if they are the same."""
    assert (message(*first) == message(*second)) == (first == second)
    assert (b"".join(map(prefix_length_4, first)) == b"".join(map(prefix_length_4, second))) == (first == second)


def test_draws_that_differ_in_one_thing_have_other_bits():
    """Lineage, scope, label, key; and where one ends and the next begins."""
    variants = [
        streams(KEY, b"ab", ["c"], [b"d"]),
        streams(KEY, b"a", ["bc"], [b"d"]),
        streams(KEY, b"ab", ["cd"], [b""]),
        streams(KEY, b"ab", ["c"], [b"e"]),
        streams(ml.Key(bytes(32)), b"ab", ["c"], [b"d"]),
    ]
    assert len({tuple(one.bits(np.array([0]), 0)[0].tolist()) for one in variants}) == len(variants)
    text, as_bytes = streams(KEY, b"ab", ["é"], [b"d"]), streams(KEY, b"ab", ["é".encode()], [b"d"])
    assert text.below(np.array([2**60])) == as_bytes.below(np.array([2**60]))  # text stands for its UTF-8


def test_golden_bits():
    """Key bytes(range(32)), lineage b"plan", scope "user-17", label "flu": they never change."""
    found = Keyed(hmac_sha256(KEY_BYTES), [message(b"plan", b"user-17", b"sflu")]).bits(np.array([0]), 0)
    assert found.astype(">u8").tobytes() == by_hand(b"plan", b"user-17", b"sflu", 0)[:16]


def test_fresh_bits_come_from_the_operating_system(monkeypatch):
    """os.urandom, sixteen bytes for each draw and each time anew."""
    asked = []

    def urandom(size):
        asked.append(size)
        return bytes(range(size))

    monkeypatch.setattr(os, "urandom", urandom)
    assert Fresh().bits(np.array([0, 1]), 0).shape == (2, 2)
    Fresh().bits(np.array([1]), 1)
    assert asked == [32, 16]


def test_seeded_bits_repeat_themselves():
    """And differ from seed to seed and from call to call."""
    both = np.array([0, 1])
    first = Seeded(generator(3))
    drawn = first.bits(both, 0)
    assert np.array_equal(drawn, Seeded(generator(3)).bits(both, 0))
    assert not np.array_equal(drawn, first.bits(both, 1))
    assert not np.array_equal(drawn, Seeded(generator(4)).bits(both, 0))


@pytest.mark.parametrize("seed", [-1, True, 1.0, "3", [3], float("nan")], ids=repr)
def test_what_is_no_seed(seed):
    """A seed is a whole number; numpy would take some of these and refuse others in its own words."""
    with pytest.raises(InvalidParameter, match="a seed is a whole number"):
        ml.Cloak(ml.design([3, 2, 1], 2), insecure_seed_for_experiments=seed)


@given(st.integers(1, 2**200), st.binary(min_size=64, max_size=64))
def test_a_stream_draws_below_any_bound(bound, block):
    """One number after the other, each below its bound, from blocks as they come."""
    stream = Stream(lambda i: block if i == 0 else bytes([i % 256]) * 32)
    assert all(0 <= stream.below(bound) < bound for _ in range(3))
