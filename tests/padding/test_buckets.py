"""The compiled search for corners of the hull against trying every start, and the value of buckets two ways."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.padding.exhaustive import plain_corner, plain_value

import minleak as ml
from minleak.padding import _bucketing as bucketing
from minleak.padding._bucket_value import BucketValue
from minleak.padding._buckets import BucketSearch
from minleak.padding._limits import Limits
from minleak.padding._size_classes import as_size_classes

FAMILIES = (
    "shannon",
    "min-entropy",
    "guess-error:1",
    "arimoto:0.5",
    "arimoto:0.9",
    "arimoto:1.1",
    "arimoto:2",
    "arimoto:40",
    "hayashi:0",
    "hayashi:0.5",
    "hayashi:1.5",
    "hayashi:3",
    "fehrberens:0.5",
    "fehrberens:1",
    "fehrberens:2",
    "fehrberens:inf",
    "tsallis:2",
)
# Weighed only where all secrets are equally likely.
BY_RANK = ("guesswork", "guess-error:3")
# One for each way in which blocks of starts are ruled out.
KINDS = ("shannon", "min-entropy", "arimoto:2", "arimoto:0.5", "hayashi:3")
# More than two blocks of starts, so that blocks are ruled out, searched by their hulls and left open.
M = 300


def made_classes(*, uniform, m=M, seed=0):
    rng = np.random.default_rng(seed)
    sizes = np.unique(np.round(rng.lognormal(8, 2, 3 * m)))[:m]
    weights = np.ones(m) if uniform else rng.zipf(1.5, m).clip(1, 10**6).astype(float)
    return as_size_classes(sizes, weights)


@pytest.mark.parametrize(
    ("name", "uniform"), [*((name, False) for name in FAMILIES), *((name, True) for name in FAMILIES + BY_RANK)]
)
def test_value_is_the_perspective(name, uniform):
    """A bucket's value is its perspective, up to a factor and a multiple of its probability, the same for all."""
    H, classes = ml.entropy(name), made_classes(uniform=uniform, m=40)
    p = classes.prior.p[classes.members]
    value = BucketValue.of(classes, H)
    ways = [np.array([40]), np.arange(1, 41), np.array([3, 17, 18, 40]), np.array([39, 40])]
    ours, plain = [], []
    for cuts in ways:
        bucket = np.searchsorted(cuts, np.arange(40), side="right")
        columns = np.where(bucket[:, None] == np.arange(len(cuts))[None, :], p[:, None], 0.0)
        ours.append(value.total(cuts))
        plain.append(plain_value(H, columns).sum())
        channel = ml.Channel((columns > 0).astype(float))
        assert value.posterior(ours[-1]) == pytest.approx(H.conditional(classes.prior, channel), rel=1e-10, abs=1e-10)
    factor = (ours[0] - ours[1]) / (plain[0] - plain[1])
    assert factor > 0
    assert np.array(ours) - ours[1] == pytest.approx(factor * (np.array(plain) - plain[1]), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("name", [*FAMILIES, "hayashi:60", "tsallis:7", "sharma-mittal:5,2", "sharma-mittal:5,0.5"])
def test_a_bound_is_never_below_what_rounding_hides(name):
    """All in one bucket is the most, H(X); no bound from that value, or one beyond it, promises less."""
    H, classes = ml.entropy(name), made_classes(uniform=False)
    value = BucketValue.of(classes, H)
    most = value.total(np.array([M]))
    for beyond in (1.0, 1 + 1e-12, 1.5):
        assert value.posterior_at_most(most * beyond) >= H(classes.prior) * (1 - 1e-9)
    assert np.isfinite(value.posterior(most))


@pytest.mark.parametrize("floor", [1, 4])
@pytest.mark.parametrize(
    ("name", "uniform"), [*((name, False) for name in KINDS), *((name, True) for name in (*KINDS, "guesswork"))]
)
def test_corners_are_those_of_every_start(name, uniform, floor):
    """Blocks that are ruled out hold no better start: the cost is that of the plain search, at prices of every size."""
    H, classes = ml.entropy(name), made_classes(uniform=uniform)
    p = classes.prior.p[classes.members]
    value = BucketValue.of(classes, H)
    search = BucketSearch.of(classes, value, Limits(budget=1, floor=floor).on(classes))
    apart, whole = search.measure(np.arange(1, M + 1)), search.coarsest()
    plain_whole, plain_apart = float(plain_value(H, p[:, None])[0]), float(plain_value(H, np.diag(p)).sum())
    factor = (whole.value - apart.value) / (plain_whole - plain_apart)
    for price in whole.value / whole.overhead * np.array([0.03, 1, 30, 3000]):
        corner = search.corner(float(price))
        ours = price * corner.overhead - corner.value
        plain = plain_corner(classes.sizes, p, H, price / factor, floor=floor)
        assert ours + apart.value == pytest.approx(factor * (plain + plain_apart), rel=1e-9, abs=1e-11)
        assert np.diff(classes.ends[np.append(0, corner.cuts)]).min() >= floor


@pytest.mark.parametrize("most", [math.inf, 1.5, 0.05])
@pytest.mark.parametrize(("name", "uniform"), [*((name, False) for name in KINDS), ("shannon", True)])
def test_corners_of_relative_overheads_and_caps(name, uniform, most):
    """As above where a unit of padding costs more with small sizes, and where objects have caps."""
    H, classes = ml.entropy(name), made_classes(uniform=uniform, seed=1)
    p, sizes = classes.prior.p[classes.members], classes.sizes
    limits = Limits(relative=1, most=None if most == math.inf else most).on(classes)
    value = BucketValue.of(classes, H)
    search = BucketSearch.of(classes, value, limits)
    apart, whole = search.measure(np.arange(1, M + 1)), search.measure(np.array([M]))
    plain_whole, plain_apart = float(plain_value(H, p[:, None])[0]), float(plain_value(H, np.diag(p)).sum())
    factor = (whole.value - apart.value) / (plain_whole - plain_apart)
    for price in whole.value / whole.overhead * np.array([0, 0.03, 1, 300, 3e6]):
        corner = search.corner(float(price))
        ours = price * corner.overhead - corner.value
        plain = plain_corner(sizes, p, H, price / factor, rate=1 / sizes, most=most)
        assert ours + apart.value == pytest.approx(factor * (plain + plain_apart), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("name", ["shannon", "min-entropy", "arimoto:2", "hayashi:3"])
def test_rules_are_kept(name):
    """Forced ends are there, forbidden ones are not, and the corner costs no less than without rules."""
    classes = made_classes(uniform=False, seed=3)
    value = BucketValue.of(classes, ml.entropy(name))
    free = BucketSearch.of(classes, value, Limits(budget=1).on(classes))
    price = 30 * free.coarsest().value / free.coarsest().overhead
    best = free.corner(price)
    rule = np.zeros(M + 1, dtype=np.int8)
    forbidden = int(best.cuts[len(best.cuts) // 2])
    forced = next(j for j in range(1, M) if j not in best.cuts)
    rule[forbidden], rule[forced] = -1, 1
    ruled = replace(free, rule=rule)
    corner = ruled.corner(price)
    assert forced in corner.cuts
    assert forbidden not in corner.cuts
    assert price * corner.overhead - corner.value > price * best.overhead - best.value


@pytest.mark.parametrize("m", [1, 2, 3, 7, 8, 9, 100])
@pytest.mark.parametrize(
    ("join", "plain"),
    [(bucketing.ADD, np.sum), (bucketing.LARGEST, np.max), (bucketing.ADD_LOGS, np.logaddexp.reduce)],
    ids=["add", "largest", "add logs"],
)
def test_stretches(m, join, plain):
    """Every stretch joined of two entries is the plain one."""
    values = np.random.default_rng(m).normal(size=m)
    table = bucketing.stretches(values, join)
    level = np.zeros(256, dtype=np.int8)
    level[1:] = np.frexp(np.arange(1, 256))[1] - 1
    for i in range(m):
        for j in range(i + 1, m + 1):
            assert bucketing.stretch(i, j, table, join, level) == pytest.approx(plain(values[i:j]), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_one_guess_of_equally_likely_secrets_by_lines_or_by_starts(seed):
    """Two programmes for one optimum: the envelope of lines, and the search of all starts; with rules and floors."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        classes = as_size_classes(rng.integers(1, 300, int(rng.integers(3, 120))), None)
        value = BucketValue.of(classes, ml.entropy("min-entropy"))
        assert value.each == pytest.approx(1 / len(classes.members))
        limits = Limits(relative=0.1, floor=int(rng.integers(1, 4))).on(classes)
        search = BucketSearch.of(classes, value, limits)
        rule = search.rule.copy()
        rule[rng.integers(1, max(2, len(rule) - 1), 2)] = rng.choice([-1, 1], 2)
        rule[[0, -1]] = 0
        lines = replace(search, rule=rule)
        starts = replace(lines, value=replace(value, each=None))
        for price in 10.0 ** rng.uniform(-4, 2, 4):
            ours, theirs = lines.corner(price), starts.corner(price)
            assert (ours is None) == (theirs is None)
            if ours is not None and theirs is not None:
                assert price * ours.overhead - ours.value == pytest.approx(price * theirs.overhead - theirs.value)
    assert BucketValue.of(classes, ml.entropy("shannon")).each is None


@pytest.mark.parametrize(
    ("seed", "name", "overhead"),
    [
        (3, "shannon", 0.3),
        (3, "arimoto:2", 0.02),
        (4, "arimoto:2", 0.1),
        (5, "min-entropy", 0.1),
        (7, "arimoto:2", 0.02),
    ],
)
def test_branches_only_tighten_the_bound(seed, name, overhead, monkeypatch):
    """A branch is one of its parent's, and of those before: what bounds them bounds it too."""
    rng = np.random.default_rng(seed)
    sizes = np.unique(np.round(rng.lognormal(8, 2, int(rng.choice([20, 40, 100])))).astype(int))
    weights = rng.zipf(1.5, len(sizes)).clip(1, 1000) if seed % 3 else None
    bounds, leaks = [], []
    for branches in (0, 2, 4, 8, 16, 32, 64):
        monkeypatch.setattr("minleak.padding._buckets._WORK", branches * len(sizes) ** 2)
        found = ml.padding.design(sizes, weights, overhead=overhead, entropy=name)
        bounds.append(found.bound)
        leaks.append(found.leakage)
    assert bounds == sorted(bounds)
    assert leaks == sorted(leaks, reverse=True)
