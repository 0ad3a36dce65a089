"""Randomness: integers uniform in [0, N) from words, exactly; and where the words come from."""

from __future__ import annotations

import hashlib
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plans import KEY, KEY_BYTES

import minleak as ml
from minleak._data.labels import labels_in_bytes
from minleak._run.keys import Lineal, Sticky, prefixed
from minleak._run.randomness import Fresh, Seeded, uniform
from minleak.errors import InvalidParameter

TOP = 2**64 - 1


class Given:
    """Given words, so many to a block: words[i] are those of draw i. Remembers what it was asked for."""

    def __init__(self, words, width):
        self.words, self.width, self.asked = words, width, []

    def blocks(self, which, counter):
        self.asked.append((counter, which.tolist()))
        begin = counter * self.width
        rows = [self.words[i][begin : begin + self.width] for i in which.tolist()]
        return np.array(rows, dtype=np.uint64).reshape(len(rows), self.width)


def drawn(words, bounds, width=1):
    return uniform(Given(words, width), np.array(bounds, dtype=np.int64)).tolist()


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 6, 7])
def test_every_value_comes_from_exactly_one_masked_word(bits):
    """For each bound of that many bits, all words cut to them: below the bound they are the value, else the next is.

    The bits above do not matter, so that each value has equally many of the 2^64 words.
    """
    for bound in range(2 ** (bits - 1) + 1, 2**bits + 1):
        for above in (0, TOP << bits & TOP, 0x5A5A5A5A5A5A5A5A << bits & TOP):
            words = [[above | word, TOP << bits & TOP] for word in range(2**bits)]
            values = drawn(words, [bound] * 2**bits)
            assert values[:bound] == list(range(bound))
            assert values[bound:] == [0] * (2**bits - bound)


@pytest.mark.parametrize("bound", [2**62, 2**62 - 1, 2**62 - 2**61 + 1, 2**33 + 5])
def test_large_bounds(bound):
    """The first and last words that are taken, and the first that is not."""
    mask = 2 ** (bound - 1).bit_length() - 1
    assert drawn([[0], [bound - 1], [TOP - mask]], [bound] * 3) == [0, bound - 1, 0]
    if bound <= mask:
        assert drawn([[bound, 7], [TOP, 8]], [bound] * 2) == [7, 8]


@pytest.mark.parametrize("power", [0, 1, 5, 31, 32, 33, 62])
def test_powers_of_two_reject_nothing(power):
    """The word's last bits are the value."""
    words = [[0], [1], [TOP], [0x123456789ABCDEF0]]
    assert drawn(words, [2**power] * 4) == [word[0] % 2**power for word in words]


def test_bounds_of_nothing():
    """A bound of 0 or 1 leaves no choice; no draws need no words."""
    assert drawn([[TOP], [5]], [0, 1]) == [0, 0]
    source = Given([], 1)
    assert uniform(source, np.empty(0, dtype=np.int64)).tolist() == []
    assert source.asked == []


@pytest.mark.parametrize("width", [1, 2, 4])
def test_rejected_words(width):
    """The next word of the block counts, then the next block; only for the draws that wait."""
    words = [[3, 3, 3, 3, 2, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0], [3, 3, 0, 1, 0, 0, 0, 0], [3, 2, 0, 0, 0, 0, 0, 0]]
    source = Given(words, width)
    assert uniform(source, np.array([3, 3, 3, 3])).tolist() == [2, 1, 0, 2]
    expected = {
        1: [(0, [0, 1, 2, 3]), (1, [0, 2, 3]), (2, [0, 2]), (3, [0]), (4, [0])],
        2: [(0, [0, 1, 2, 3]), (1, [0, 2]), (2, [0])],
        4: [(0, [0, 1, 2, 3]), (1, [0])],
    }
    assert source.asked == expected[width]


@given(st.lists(st.tuples(st.integers(0, 2**62), st.lists(st.integers(0, TOP), min_size=4, max_size=4)), max_size=6))
def test_draws_do_not_depend_on_their_company(asked):
    """Each is the first word below its bound after cutting, as if it were alone."""
    ending = [0] * 4
    alone = []
    for bound, words in asked:
        mask = 2 ** max(bound - 1, 0).bit_length() - 1
        alone.append(next(word & mask for word in [*words, 0] if word & mask <= max(bound - 1, 0)))
    assert drawn([words + ending for _, words in asked], [bound for bound, _ in asked], width=4) == alone


# -- where words come from --------------------------------------------------------------------------------------------


def by_hand(scope, secret, counter, digest=b"plan", key=KEY_BYTES):
    """The four words of a block, built with hashlib alone."""
    key_id = hashlib.blake2b(key, digest_size=4, person=b"minleak-key-id").hexdigest().encode()
    named = b"s" + scope.encode() if isinstance(scope, str) else b"b" + scope
    state = hashlib.blake2b(key=key, digest_size=32, person=b"minleak-draw-1")
    for part in (digest, key_id, named, secret.to_bytes(8, "little")):
        state.update(len(part).to_bytes(8, "little") + part)
    state.update(counter.to_bytes(8, "little"))
    block = state.digest()
    return [int.from_bytes(block[i : i + 8], "little") for i in range(0, 32, 8)]


def words(source, which, counter=0):
    return source.blocks(np.array(which, dtype=np.int64), counter).tolist()


def test_sticky_words_are_a_keyed_hash_of_who_asks_for_what():
    """Keyed BLAKE2b of plan, key id, scope, secret and the number of the block, each part after its length."""
    pairs = [("user-17", 5), (b"user-17", 5), ("é", 2**40), (b"\0", 0)]
    asked = Sticky(KEY, b"plan").asked([scope for scope, _ in pairs], np.array([secret for _, secret in pairs]))
    expected = [[by_hand(scope, secret, counter) for scope, secret in pairs] for counter in (0, 1, 300)]
    assert [words(asked, [0, 1, 2, 3], counter) for counter in (0, 1, 300)] == expected
    assert words(asked, [2, 0], 1) == [expected[1][2], expected[1][0]]


def test_golden_words():
    """Key bytes(range(32)), plan digest b"plan", scope "user-17", secret 5, block 0: they never change."""
    asked = Sticky(KEY, b"plan").asked(["user-17"], np.array([5]))
    assert (
        asked.blocks(np.array([0]), 0).tobytes().hex()
        == "41f401254eb2a8f7d5a8a8752f6ee8078eec310999e733602bc47cb0c859b0cd"
    )


def test_parts_do_not_run_into_each_other():
    """Where one part ends and the next begins matters; so does whether a scope is text or bytes."""
    one = np.array([1])
    variants = [
        Sticky(KEY, b"ab").asked(["c"], one),
        Sticky(KEY, b"a").asked(["bc"], one),
        Sticky(KEY, b"").asked(["abc"], one),
        Sticky(KEY, b"ab").asked([b"c"], one),
        Sticky(KEY, b"ab").asked(["bc"], one),
        Sticky(KEY, b"ab").asked([b"c\0"], one),
        Sticky(KEY, b"ab").asked(["c"], np.array([256])),
        Sticky(ml.Key(bytes(32)), b"ab").asked(["c"], one),
    ]
    assert len({tuple(words(asked, [0])[0]) for asked in variants}) == len(variants)


@given(st.lists(st.binary(max_size=3), max_size=4), st.lists(st.binary(max_size=3), max_size=4))
def test_prefixed_parts_tell_lists_apart(first, second):
    """Two lists of parts give the same bytes only if they are the same."""
    joined = [b"".join(map(prefixed, parts)) for parts in (first, second)]
    assert (joined[0] == joined[1]) == (first == second)


def test_scopes_that_no_file_name_could_be():
    """Half of a surrogate pair, a control character, long, a blank as a number: each its own."""
    scopes = ["\udc80", "\udc81", "x\1", "x" * 100_000, b" ", b"\xed\xb2\x80"]
    found = words(Sticky(KEY, b"plan").asked(scopes, np.zeros(6, dtype=np.int64)), range(6))
    assert len(set(map(tuple, found))) == 6


def test_fresh_words_come_from_the_operating_system(monkeypatch):
    """os.urandom, eight bytes for each draw and each time anew, as little-endian words."""
    asked = []

    def urandom(size):
        asked.append(size)
        return bytes(range(size))

    monkeypatch.setattr(os, "urandom", urandom)
    assert words(Fresh(), [0, 1]) == [[0x0706050403020100], [0x0F0E0D0C0B0A0908]]
    words(Fresh(), [1], 1)
    assert asked == [16, 8]


def test_seeded_words_repeat_themselves():
    """And differ from seed to seed and from block to block."""
    assert words(Seeded(3), [0, 1]) == words(Seeded(3), [0, 1])
    source = Seeded(3)
    assert words(source, [0, 1]) != words(source, [0, 1], 1)
    assert words(Seeded(3), [0, 1]) != words(Seeded(4), [0, 1])


@pytest.mark.parametrize("seed", [-1, True, 1.0, None, "3", [3], float("nan")], ids=repr)
def test_what_is_no_seed(seed):
    """A seed is a whole number; numpy would take some of these and refuse others in its own words."""
    with pytest.raises(InvalidParameter, match="a seed is a whole number"):
        Seeded(seed)


@pytest.mark.parametrize(("label", "written"), [("é", b"str\xc3\xa9"), (5, b"int\x05"), (-1, b"int\xff")])
def test_streams_of_a_lineage_by_hand(label, written):
    """BLAKE2b of lineage, key id, scope and label, each after its length, then block and counter: numbers of 128 bits,
    four to a block. The label's type comes first, with its own length.
    """
    kind, value = written[:3], written[3:]
    parts = [b"lineage", KEY.id.encode(), b"suser-17", prefixed(kind) + value]
    message = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    streams = Lineal(KEY, b"lineage").asked(["user-17"], labels_in_bytes([label]))
    for number, counter in ((0, 0), (3, 0), (5, 0), (1, 2)):
        suffix = (number // 4).to_bytes(8, "little") + counter.to_bytes(8, "little")
        hashed = hashlib.blake2b(message + suffix, key=KEY_BYTES, digest_size=64, person=b"minleak-draw-2").digest()
        at = 16 * (number % 4)
        expected = [int.from_bytes(hashed[i : i + 8], "little") for i in (at, at + 8)]
        assert streams.bits(np.array([0]), number, counter).tolist() == [expected]
