"""Limits together: the best of all buckets under every combination, which limit is at fault, and what each costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.padding.exhaustive import COMBINATIONS, draw_limits, keeps, least, thresholds

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter

NAMES = ("shannon", "min-entropy", "arimoto:2", "hayashi:3", "tsallis:2", "guess-error:1")


@pytest.mark.parametrize("some", COMBINATIONS, ids="-".join)
def test_the_best_of_all_buckets_under_all_combinations(some):
    """What exhaustive search in whole numbers finds, proven, or as infeasible."""
    rng = np.random.default_rng(COMBINATIONS.index(some))
    for trial in range(4):
        n = int(rng.integers(2, 9))
        sizes = np.round(np.exp(rng.uniform(0, 4, n))).astype(int) * int(rng.integers(1, 3))
        sizes[rng.integers(n)] *= int(rng.integers(0, 2))
        weights = rng.integers(1, 6, n) if trial % 2 else np.ones(n, dtype=int)
        H, limits = ml.entropy(NAMES[int(rng.integers(len(NAMES)))]), draw_limits(rng, some, sizes)
        best = least(thresholds(sizes), sizes, weights, H, **limits)
        if best == math.inf:
            with pytest.raises(Infeasible):
                ml.padding.design(sizes, weights, entropy=H, **limits)
            continue
        padding = ml.padding.design(sizes, weights, entropy=H, **limits)
        assert padding.leakage == pytest.approx(best, abs=1e-9)
        assert padding.gap <= 1e-9
        assert keeps(np.array([padding.pad(size) for size in sizes.tolist()]), sizes, weights, **limits)


def test_a_cap_as_a_function():
    """At most 50% of small sizes and 5% of large ones."""
    sizes = np.array([10, 12, 14, 15, 1000, 1040, 1100, 1150])

    def most(size):
        return 0.5 if size < 100 else 0.05

    padding = ml.padding.design(sizes, most=most)
    assert padding.observables.tolist() == [15, 1040, 1150]
    assert padding.leakage == pytest.approx(least(thresholds(sizes), sizes, np.ones(8), ml.Shannon(), most=most))
    assert padding.limits.to_dict() == {"most": "a function of the size"}
    with pytest.raises(InvalidParameter, match="share from 0 on"):
        ml.padding.design(sizes, most=lambda _: -1)


def test_caps_are_exact():
    """12% of 25 is 3, and 28 is allowed, though 1.12 * 25 is less than 28 in floats of 0.12 + 1."""
    for size in (25, 50, 100, 175, 10**15):
        top = size + 12 * size // 100
        assert ml.padding.design([size, top], most=0.12).observables.tolist() == [top]
        assert len(ml.padding.design([size, top + 1], most=0.12).observables) == 2


@pytest.mark.parametrize("name", ["shannon", "min-entropy"])
def test_under_a_cap_alone_the_best_add_least(name):
    """The number of buckets is that of the greedy rule for equal weights; of such buckets the cheapest are taken."""
    sizes = np.unique(np.random.default_rng(0).integers(100, 2000, 300))
    padding = ml.padding.design(sizes, most=0.12, entropy=name)
    assert padding.status == "optimal"
    if name == "min-entropy":
        stabbed, count = -1, 0
        for size in sizes.tolist():
            if size > stabbed:
                stabbed, count = size * 112 // 100, count + 1
        assert len(padding.observables) == count
        greedy = ml.padding.universal(int(sizes[0]), int(sizes[-1]), most=0.12)
        assert padding.overhead <= float((greedy(sizes) - sizes).mean())


def test_the_price_of_a_limit():
    """Without a limit no more leaks, and the bound is that of the design without it."""
    sizes = np.unique(np.random.default_rng(2).integers(100, 3000, 60))
    limits = {"overhead": 0.03, "most": 0.12, "floor": 2}
    try:
        padding = ml.padding.design(sizes, **limits)
    except Infeasible:
        limits["floor"] = 1
        padding = ml.padding.design(sizes, **limits)
    prices = ml.padding.price_limits(padding)
    for name, without in prices.items():
        free = ml.padding.design(sizes, **{other: value for other, value in limits.items() if other != name})
        assert without <= free.leakage + 1e-9
        assert without >= free.bound - 0.05


def test_overheads_are_stated():
    """With 5% in all most files grow by more than 12%, and it is said; worst and median by hand."""
    padding = ml.padding.design([1, 2, 100, 1000], overhead=0.1)
    shown = np.array([padding.pad(size) for size in (1, 2, 100, 1000)])
    shares = shown / np.array([1, 2, 100, 1000]) - 1
    found = padding.overheads
    assert found.worst == shares.max()
    assert found.median == np.sort(shares)[1]
    assert found.relative == pytest.approx(shares.mean())
    assert found.above_cap == (shares > 0.12).mean() > 0
    assert "worst" in str(padding)


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        ({}, "budget=, overhead=, relative= or most="),
        ({"floor": 2}, "say how much may be added"),
        ({"most": -0.1}, "share of its size from 0 on"),
        ({"most": math.nan}, "from 0 on"),
        ({"most": "12%"}, "share of its size"),
        ({"overhead": -1}, "share of the mean size"),
        ({"relative": True}, "mean share"),
        ({"budget": -1}, "mean overhead"),
    ],
)
def test_refusals(limits, word):
    """In one line, what was expected."""
    with pytest.raises(InvalidParameter, match=word) as refused:
        ml.padding.design([1, 2, 3], **limits)
    assert "\n" not in str(refused.value)


def test_the_limit_at_fault_is_named():
    """A floor against a cap, against a budget, and against a relative one."""
    sizes = [10, 11, 100, 1000]
    with pytest.raises(Infeasible, match="by 900%, more than the cap of 50%: allow 900%, or lower the floor"):
        ml.padding.design(sizes, most=0.5, floor=2)
    with pytest.raises(Infeasible, match="more than the overhead of 1%"):
        ml.padding.design(sizes, overhead=0.01, floor=2)
    with pytest.raises(Infeasible, match="more than the relative of 10%"):
        ml.padding.design(sizes, relative=0.1, floor=2)
    with pytest.raises(Infeasible, match="more than the budget of 1"):
        ml.padding.design(sizes, budget=1, relative=100, floor=2)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["budget", "overhead", "relative"])
def test_the_value_that_is_named_does(name, seed):
    """It is rounded up, and shares are told in percent, as the command line takes them."""
    sizes = np.random.default_rng(seed).integers(20, 4000, 13)
    with pytest.raises(Infeasible, match="allow that much") as refused:
        ml.padding.design(sizes, **{name: 1e-5}, floor=3)
    needed = str(refused.value).partition("at least 3 secrets ")[2].partition("at least ")[2].partition(",")[0]
    assert needed.endswith("%") == (name != "budget")
    value = float(needed.rstrip("%")) / (1 if name == "budget" else 100)
    ml.padding.design(sizes, **{name: value}, floor=3)


def test_a_table_for_unseen_sizes_needs_no_further_values():
    """Where no gap is wider than the cap the buckets alone keep it for all sizes; held-out sizes then leak less."""
    rng = np.random.default_rng(6)
    sizes = rng.integers(1000, 3000, 1600)
    fit, later = sizes[:800], sizes[800:]
    own, general = (ml.padding.design(fit, most=0.12, unseen=unseen) for unseen in (False, True))
    inside = [value for value in general.table().values if value >= fit.min()]
    assert inside == general.observables.tolist()
    assert len(own.table().values) > len(general.table().values)
    assert own.leakage <= general.leakage + 1e-9
    assert all(general.pad(size) <= size + 12 * size // 100 for size in range(int(fit.min()), 4000))
    leaks = [
        ml.leakage(np.ones(800), ml.Channel.deterministic(found.table()(later).tolist()), "shannon")
        for found in (own, general)
    ]
    assert leaks[1] < leaks[0]
    assert ml.padding.price_limits(general).keys() == {"most"}
    with pytest.raises(InvalidParameter, match="most="):
        ml.padding.design(fit, overhead=0.1, unseen=True)


def test_limits_that_do_not_limit():
    """An infinite budget beside another is none, and sizes of 0 stay 0."""
    assert ml.padding.design([1, 2, 9], budget=math.inf, relative=0.4).limits.relative == 0.4
    assert ml.padding.design([1, 2, 9], budget=math.inf, overhead=math.inf).leakage == 0
    assert ml.padding.design([0, 0], overhead=0.5).leakage == 0
