"""Lookups by hash prefix: selectors as files, what they hide, and names asked for together."""

import hashlib

import pytest
from tests.abilities.names import Buckets, add_layer, bucket_of, command, compare, find_block, load, selector, visits

COUNTS = {f"name-{i}": 100_000 // i for i in range(1, 401)}


def first_bits(name):
    return hashlib.sha256(name.encode()).digest()[0] >> 3


def test_a_selector(tmp_path):
    made = selector(COUNTS, 10, prefix="sha256:5", listed=100)
    blocks = {name: find_block(made, name) for name in COUNTS}
    assert len({blocks[f"name-{i}"] for i in range(11, 21)}) == 1
    assert bucket_of(made, "name-1") == f"b{blocks['name-1']}"
    far = next(name for name in COUNTS if blocks[name] is None)
    assert bucket_of(made, far) == f"p{first_bits(far):02x}"
    made.save(tmp_path / "names.selector")
    assert {name: find_block(load(tmp_path / "names.selector"), name) for name in COUNTS} == blocks
    newer = COUNTS | {f"new-{i}": 900 for i in range(10)}
    assert find_block(add_layer(made, newer, since=COUNTS), "new-3") is not None


def test_what_it_hides():
    made = selector(COUNTS, 10, prefix="sha256:5", listed=100)
    found, before = (compare(COUNTS, one, on_counts=True) for one in (made, Buckets("sha256:5")))
    heaviest = {}
    for name, count in COUNTS.items():
        heaviest.setdefault(first_bits(name), count)
    assert before.success == pytest.approx(sum(heaviest.values()) / sum(COUNTS.values()))
    assert found.success < 0.7 * before.success


def test_the_command(tmp_path):
    (tmp_path / "names.csv").write_text("secret,count\n" + "".join(f"{name},{n}\n" for name, n in COUNTS.items()))
    made = ["selector", "names.csv", "-k", "10", "--prefix", "sha256:5", "-o", "names.selector"]
    assert command(*made, cwd=tmp_path)[0] == 0
    assert find_block(load(tmp_path / "names.selector"), "name-1") is not None


def test_names_asked_for_together():
    needs = {"app": ["json"], "site": ["html", "json"], "game": ["sound"]}
    counts = {"app": 3, "site": 2, "game": 1, "json": 0, "html": 0, "sound": 0}
    found = compare(counts, dict.fromkeys(counts, 0), visits=needs, on_counts=True)
    assert found.visits[0].success == pytest.approx(5 / 6)  # two names or three
    hidden = visits({name: counts[name] for name in needs}, needs, 3)
    assert (hidden.success, hidden.names) == (pytest.approx(1 / 2), pytest.approx(6))
