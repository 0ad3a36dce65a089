"""Padding from samples: the best of all buckets on counts, judged on rows that it was not made on."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.padding import from_samples
from minleak.padding._bucket_value import BucketValue
from minleak.padding._buckets import BucketSearch
from minleak.padding._limits import Limits
from minleak.padding._samples import _count_below
from minleak.padding._size_classes import as_size_classes

NAMES = ("shannon", "min-entropy", "arimoto:2", "hayashi:3", "tsallis:2", "arimoto:0.5")


def leaked(x, shown, name):
    """By the channel of the counts."""
    counts = np.array([[np.sum((x == a) & (shown == y)) for y in np.unique(shown)] for a in np.unique(x)])
    return ml.leakage(counts.sum(axis=1), counts / counts.sum(axis=1, keepdims=True), name)


@pytest.mark.parametrize("name", NAMES)
def test_the_best_of_all_buckets_on_counts(name):
    """Of all ways to cut few sizes within a cap and a budget, what the search finds leaks least about the secret."""
    rng = np.random.default_rng(NAMES.index(name))
    H = ml.entropy(name)
    for _ in range(3):
        x = rng.integers(0, 3, 40)
        sizes = rng.integers(10, 15, 40) + x
        classes = as_size_classes(sizes, None)
        value = BucketValue.of_joint(classes, _count_below(classes, x), H)
        limits = Limits(overhead=float(rng.uniform(0.02, 0.2)), most=float(rng.choice([0.2, 0.5])))
        search = BucketSearch.of(classes, value, limits.on(classes))
        best, most = search.best()
        ends = classes.sizes
        least = np.inf
        for count in range(len(ends)):
            for some in combinations(range(len(ends) - 1), count):
                tops = ends[[*some, len(ends) - 1]]
                shown = tops[np.searchsorted(tops, sizes)]
                added = (shown - sizes).sum() <= limits.overhead * sizes.sum() * (1 + 1e-12)
                if added and (shown - sizes <= limits.most * sizes + 1e-9).all():
                    least = min(least, leaked(x, shown, name))
        tops = ends[best.cuts - 1]
        assert leaked(x, tops[np.searchsorted(tops, sizes)], name) == pytest.approx(least, abs=1e-9)
        assert value.posterior(best.value) == pytest.approx(H(np.bincount(x)) - least, abs=1e-9)
        assert most == pytest.approx(best.value, abs=1e-9)


def made_times(n=3000, seed=0):
    """Four topics, times that are all distinct."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 4, n)
    return topics, 20 + 4 * topics + rng.gamma(2.0, 2.0, n)


def test_distinct_floats_are_not_fitted():
    """What is claimed holds on rows that nobody has seen: the best guess learnt on one sample, tried on a fresh one."""
    topics, times = made_times()
    found = from_samples(topics, times, overhead=0.25)
    fresh, later = made_times(20_000, seed=1)
    within = later <= found.table.values[-1]
    shown = found.table(later[within])
    assert leaked(fresh[within], shown, "shannon") == pytest.approx(found.leakage, abs=0.02)
    best = max((fresh[within][shown == y] == a).mean() for y in np.unique(shown) for a in range(4))
    assert found.success <= best
    assert found.leakage < 0.35 * found.unpadded
    assert found.fitted >= found.bound - 1e-9
    assert found.overheads.share == pytest.approx(0.25, abs=0.02)


def test_nothing_to_tell_is_not_told():
    """Topics of one law: the held-out success is the blind guess, and few buckets are made of noise."""
    rng = np.random.default_rng(2)
    found = from_samples(rng.integers(0, 3, 3000), rng.gamma(3.0, 5.0, 3000), overhead=0.1)
    assert abs(found.success - 1 / 3) < 0.05
    assert found.leakage < 0.05


def test_limits_hold_on_rows():
    """Caps hold for every row, held out or not; one more bucket is there for times above all that were fitted."""
    topics, times = made_times(600)
    found = from_samples(topics, times, most=0.1)
    assert all(time <= found.pad(time) <= 1.1 * time * (1 + 1e-12) for time in times.tolist())
    assert found.overheads.above_cap == 0
    names = np.array(["rain", "sun", "snow", "wind"])[topics]
    assert from_samples(names, np.round(times).astype(int), overhead=0.2, floor=30).secrets == 4
    assert "held out" in str(found)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((["a", "a", "b"], [1, 2, 3], {}), "'b' has one sample"),
        ((["a", "a"], [1, 2, 3], {}), "3 sizes for 2 secrets"),
        ((["a", "a"], [1, -2], {}), "not negative"),
        ((["a", "a", "b", "b"], [1, 2, 3, 4], {"held_out": 1}), "between 0 and 1"),
        ((["a", "a", "b", "b"], [1, 2, 3, 4], {"cells": 1}), "cells"),
        ((["a", "a", "b", "b"], [1, 2, 3, 4], {"entropy": "guesswork"}), "cannot be valued"),
        ((["a", "a", "b", "b"], [1, 2, 3, 4], {"overhead": None}), "say how much"),
    ],
)
def test_refusals(arguments, word):
    """One line each."""
    secrets, sizes, more = arguments
    with pytest.raises(InvalidParameter, match=word) as refused:
        from_samples(secrets, sizes, **{"overhead": 0.1, **more})
    assert "\n" not in str(refused.value)
