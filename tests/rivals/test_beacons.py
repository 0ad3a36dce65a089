"""Beacons of encrypted databases, as docs/howto/blind_indexes.md tells them: partitions split values, blocks merge."""

from __future__ import annotations

import re
from dataclasses import astuple
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from benchmarks import beacons

import minleak as ml

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "blind_indexes.md"


def test_what_is_seen_is_what_listing_says():
    """Three values in two partitions: beacons 0 and 1 for the first, 1 and 1 for the second, 2 and 0 for the third."""
    found = beacons.seen(np.array([0.5, 0.3, 0.2]), [[0, 1], [1, 1], [2, 0]])
    p, shown = [Fraction(5, 10), Fraction(3, 10), Fraction(2, 10)], [[0, 1], [1, 1], [2, 0]]
    joint = [[p[x] * Fraction(shown[x].count(b), 2) for b in range(3)] for x in range(3)]
    row = sum(max(joint[x][b] for x in range(3)) for b in range(3))
    read = [sum(sum(joint[x][b] for x in range(3)) for b in set(some)) for some in shown]
    queries = sum(w * len(set(some)) for w, some in zip(p, shown, strict=True))
    expected = (row, 1, sum(w * r for w, r in zip(p, read, strict=True)), max(read), queries)
    assert astuple(found) == pytest.approx([float(value) for value in expected])


def test_a_beacon_in_partitions_of_blocks_tells_as_much_as_one_without():
    """Values of a block still have beacons of their own; a beacon on the number of the block has its success."""
    prior = ml.Prior([40, 30, 20, 10, 6, 5], labels=list("abcdef"))
    blocks = ml.design(prior, 3, layout="blocks")
    numbers = {row["value"]: row["partition"] for row in blocks.partitions().to_pylist()}
    places = [numbers[name] for name in prior.labels]
    split = beacons.alone(prior.p, beacons.beacons(list(prior.labels), 24, 0, places))
    merged = beacons.alone(prior.p, beacons.beacons([str(place) for place in places], 32, 0))
    assert split.row == pytest.approx(1)
    assert (merged.row, merged.look_up) == pytest.approx((blocks.success, blocks.success))
    assert (merged.mean, merged.worst) == pytest.approx([share / 111 for share in astuple(blocks.rows_read())])


def test_the_page_has_what_is_computed():
    """Those rows that hang on no key exactly, the others within what a few keys spread."""
    prior = ml.read_prior(Path(__file__).parents[2] / beacons.NPM)
    names, table = list(prior.labels), PAGE.read_text().partition("## Why partitions")[2]

    def page(name):
        line = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", table, flags=re.MULTILINE).group(1)
        return [float(cell.strip(" %*")) for cell in line.split("|")]

    five = beacons.mean([beacons.spread(names, prior.p, 8, 5, key) for key in range(3)])
    plain = beacons.mean([beacons.alone(prior.p, beacons.beacons(names, 8, key)) for key in range(3)])
    merged = beacons.within(prior, five)
    blocks = ml.design(prior, beacons.K, layout="blocks")
    read = [100 * share / prior.total for share in astuple(blocks.rows_read())]
    for name, found, spread in (("8 bits, 5 random partitions", five, 1), ("beacon of 8 bits", plain, 3)):
        assert page(name)[:4] == pytest.approx([100 * share for share in astuple(found)[:4]], abs=spread)
    assert page("blocks that read no more than those")[0] == pytest.approx(100 * merged.row, abs=0.3)
    assert page("beacon on the number of a block of 12")[0] == pytest.approx(100 * blocks.success, abs=0.05)
    assert page("beacon on the number of a block of 12")[2:4] == pytest.approx(read, abs=0.005)
