"""Selectors: what they hide, what they list, how they grow, and what is refused."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter, InvalidPrior, MinleakError, UnreadableFile

COUNTS = {f"name-{i}": 1 + 100_000 // i for i in range(1, 3001)}


def by_hand(counts, bucket_of):
    """One guess, two guesses, Shannon, mean and worst answer, by the definitions."""
    total, members = sum(counts.values()), defaultdict(list)
    for name, count in counts.items():
        members[bucket_of(name)].append(count / total)
    ranked = [sorted(one, reverse=True) for one in members.values()]
    return (
        sum(one[0] for one in ranked),
        sum(sum(one[:2]) for one in ranked),
        -sum(sum(one) * math.log2(sum(one)) for one in ranked),
        sum(sum(one) * len(one) for one in ranked),
        max(map(len, ranked)),
    )


def figures(one):
    return one.success, one.two_guesses, one.shannon, one.mean_answer, one.worst_answer


@pytest.mark.parametrize("listed", [None, 12, 600, 3000])
def test_figures_by_their_definitions(listed):
    made = ml.selector(COUNTS, 12, prefix="sha256:8", listed=listed)
    report = made.report
    assert figures(report.before) == pytest.approx(by_hand(COUNTS, lambda x: hashlib.sha256(x.encode()).digest()[0]))
    assert figures(report.after) == pytest.approx(by_hand(COUNTS, made.bucket))
    assert report.after.success <= report.bound
    assert made.audit(COUNTS).after == report.after
    total = sum(COUNTS.values())
    unlisted = sum(count for name, count in COUNTS.items() if made.find(name) is None) / total
    assert report.unlisted == pytest.approx(unlisted)


def test_classes_by_their_definition():
    report = ml.selector(COUNTS, 12, prefix="sha256:8", listed=600).report
    assert [one.ranks for one in report.classes] == ["1 to 100", "101 to 1,000", "1,001 to 3,000"]
    assert sum(one.share for one in report.classes) == pytest.approx(1)
    for scheme, told in ((report.before, "before"), (report.after, "after")):
        assert sum(one.share * getattr(one, told) for one in report.classes) == pytest.approx(scheme.success)
    assert report.classes[0].after < report.classes[0].before


def test_a_shorter_prefix_for_those_who_lose():
    report = ml.selector(COUNTS, 12, prefix="sha256:8", listed=120).report
    assert report.classes[1].after > report.classes[1].before + 0.01
    assert report.shorter in {"sha256:7", "sha256:6", "sha256:5", "sha256:4"}
    again = ml.selector(COUNTS, 12, prefix=report.shorter, listed=120).report
    assert again.after.success == pytest.approx(report.shorter_figures.success)
    assert report.shorter in report.advice
    alone = ml.selector(COUNTS, 12, prefix="sha256:8", listed=3000).report
    assert (alone.shorter, alone.shorter_figures) == (None, None)


def test_what_is_listed_by_the_rule():
    p = np.sort(np.array([*COUNTS.values()]) / sum(COUNTS.values()))[::-1]
    for k in (5, 12, 57):
        listed = ml.selector(COUNTS, k, prefix="sha256:8").report.listed
        enough = 0.3 * p[::k].sum()
        assert 1 - p[:listed].sum() <= enough
        assert listed % k == 0 or listed == 3000
        assert listed == 3000 or 1 - p[: listed - k].sum() > enough


def test_blocks_hold_names_of_like_popularity():
    made = ml.selector(COUNTS, 12, prefix="sha256:8", listed=600)
    names = [*COUNTS]  # the most popular first, without ties among the first 300
    for begin in range(0, 300, 12):
        (block,) = {made.find(name) for name in names[begin : begin + 12]}
        assert made.bucket(names[begin]) == f"b{block}"
    assert made.blocks == len({made.find(name) for name in names[:600]}) == 50
    # numbers tell nothing of popularity
    assert [made.find(name) for name in names[:300:12]] != sorted(made.find(name) for name in names[:300:12])


def test_few_strangers_join_blocks():
    made = ml.selector(COUNTS, 12, prefix="sha256:8", listed=600)
    strange = [made.find(f"stranger-{i}") for i in range(100_000)]
    rate = sum(block is not None for block in strange) / 100_000
    assert rate == pytest.approx(made.blocks / 2**13, rel=0.1)  # 2^13 >= 20 * 3000 / 12
    assert rate * 3000 / made.blocks <= 12 / 20 * 1.1


def test_blocks_are_whole():
    made = ml.selector(COUNTS, 12, prefix="sha256:8", listed=610)
    assert (made.listed, made.blocks) == (600, 50)
    everything = ml.selector(COUNTS, 13, prefix="sha256:8", listed=3000)
    assert (everything.listed, everything.blocks) == (3000, 230)  # the last block takes the rest


def test_size():
    for most in (300, 1000, 4000):
        made = ml.selector(COUNTS, 12, prefix="sha256:8", max_size=most)
        assert most * 0.9 < len(made.data) <= most
    assert (
        ml.selector(COUNTS, 12, prefix="sha256:8", max_size=10**6).data
        == ml.selector(COUNTS, 12, prefix="sha256:8").data
    )


def test_equal_input_is_equal_bytes():
    rows = list(COUNTS.items())
    np.random.default_rng(0).shuffle(rows)
    shuffled = {str(name): int(count) for name, count in rows}
    first, second = ml.selector(COUNTS, 12, prefix="sha256:8"), ml.selector(shuffled, 12, prefix="sha256:8")
    assert (first.data, first.sha256) == (second.data, hashlib.sha256(second.data).hexdigest())
    shares = ml.Prior([count / 7 for count in COUNTS.values()], labels=[*COUNTS])
    assert ml.selector(shares, 12, prefix="sha256:8").data == first.data


def test_a_layer_moves_nobody():
    old = ml.selector(COUNTS, 12, prefix="sha256:8", listed=600)
    newer = COUNTS | {f"new-{i}": 5000 for i in range(100)} | {"name-2999": 90_000}
    new = old.add(newer, since=COUNTS)
    assert new.data.startswith(old.data)
    assert (new.layers, new.blocks > old.blocks) == (2, True)
    assert all(new.find(name) == old.find(name) for name in COUNTS if old.find(name) is not None)
    moved = [name for name in COUNTS if new.bucket(name) != old.bucket(name)]
    assert len(moved) <= 20  # strangers of the new layer alone
    assert new.report.after.success < old.audit(newer).after.success
    risen = old.add(newer)
    assert risen.find("name-2999") is not None
    assert sum(name.startswith("new-") for name in newer if risen.find(name) is not None) == 100


def test_a_layer_that_does_not_pay():
    old = ml.selector(COUNTS, 12, prefix="sha256:8")
    assert old.add(COUNTS).data == old.data
    assert old.add(COUNTS | {f"new-{i}": 10**6 for i in range(11)}, since=COUNTS).data == old.data  # fewer than a block
    assert old.add(COUNTS | {f"new-{i}": 10**6 for i in range(12)}, since=COUNTS).layers == 2


def test_files(tmp_path):
    made = ml.selector(COUNTS, 12, prefix="sha256:8")
    made.save(tmp_path / "names.selector")
    loaded = ml.load(tmp_path / "names.selector")
    assert (loaded.data, loaded.k, loaded.prefix.prefix, loaded.listed) == (
        made.data,
        12,
        "sha256:8",
        made.report.listed,
    )
    assert loaded.bucket("name-1") == made.bucket("name-1")
    names = [*COUNTS, "a stranger", "日本"]
    assert loaded.bucket_names(names) == [loaded.bucket(name) for name in names]


def test_compare_audits():
    made = ml.selector(COUNTS, 12, prefix="sha256:8", listed=600)
    found = ml.compare(COUNTS, made, entropies=["shannon"], on_counts=True)
    assert found.success == pytest.approx(made.report.after.success)
    assert found.rows[0].leakage["shannon"] == pytest.approx(made.report.after.shannon)
    assert ml.compare(COUNTS, ml.Buckets("sha256:8"), on_counts=True).success == pytest.approx(
        made.report.before.success
    )


def test_buckets():
    by_hash = ml.Buckets("sha1:20")
    digest = hashlib.sha1(b"react").hexdigest()
    assert by_hash.bucket("react") == f"p{digest[:5]}"
    assert by_hash.buckets(["react"]).tolist() == [int(digest[:5], 16)]
    assert by_hash.say(by_hash.buckets(["react"])[0]) == by_hash.bucket("react")
    assert ml.Buckets("md5:62").buckets(["é"])[0] == int(hashlib.md5("é".encode()).hexdigest()[:16], 16) >> 2
    assert ml.Buckets("2").buckets(["react", "redux", "vue"]).tolist() == [0, 0, 1]


REFUSED = {
    "no k": lambda: ml.selector(COUNTS, 0),
    "a k that is no number": lambda: ml.selector(COUNTS, "57"),
    "too many listed": lambda: ml.selector(COUNTS, 12, listed=3001),
    "less than a block": lambda: ml.selector(COUNTS, 12, listed=11),
    "listed that is no number": lambda: ml.selector(COUNTS, 12, listed=12.5),
    "a size for nothing": lambda: ml.selector(COUNTS, 12, max_size=90),
    "fewer names than counts": lambda: ml.selector(COUNTS, 12, names=2999),
    "too many names": lambda: ml.selector(COUNTS, 12, names=10**12),
    "no hash": lambda: ml.selector(COUNTS, 12, prefix="sha99:8"),
    "no bits": lambda: ml.selector(COUNTS, 12, prefix="sha256:0"),
    "too many bits": lambda: ml.selector(COUNTS, 12, prefix="sha256:63"),
    "characters": lambda: ml.selector(COUNTS, 12, prefix="3"),
    "a prefix that is no text": lambda: ml.Buckets(None),
    "names that are numbers": lambda: ml.selector({1: 5, 2: 4}, 1),
    "no names": lambda: ml.selector([5, 4], 1),
    "half of a surrogate pair": lambda: ml.selector({"a": 5, "\ud800": 4}, 1),
    "counts that are not": lambda: ml.selector({"a": -1, "b": 4}, 1),
    "names that repeat": lambda: ml.selector(ml.Prior([1, 2], labels=["a", "a"]), 1),
    "a bucket of no text": lambda: ml.Buckets("sha256:8").bucket(5),
    "a bucket of half a pair": lambda: ml.selector(COUNTS, 12).bucket("\ud800"),
    "looking up a number": lambda: ml.selector(COUNTS, 12).find(5),
    "buckets of one name": lambda: ml.Buckets("sha256:8").buckets("react"),
    "a layer of too many": lambda: ml.selector(COUNTS, 12, listed=600).add(COUNTS, listed=3001),
    "a foreign file": lambda: ml.results.Selector(b"PK\3\4"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_in_one_line(what):
    with pytest.raises(MinleakError) as caught:
        REFUSED[what]()
    assert isinstance(caught.value, InvalidParameter | InvalidPrior | UnreadableFile)
    assert "\n" not in str(caught.value)
    assert "react" not in str(caught.value)


def test_print():
    text = str(ml.selector(COUNTS, 12, prefix="sha256:8", listed=120))
    assert "who gains, who loses" in text
    assert "%" in text
