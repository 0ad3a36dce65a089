"""minleak.padding: optimal against all contiguous buckets, run as designed, and refusing what it cannot do."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from tests.padding.exhaustive import least, thresholds

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter

NAMES = (
    "shannon",
    "min-entropy",
    "guess-error:1",
    "arimoto:2",
    "arimoto:0.5",
    "hayashi:3",
    "fehrberens:1",
    "tsallis:2",
)


@pytest.mark.parametrize("trial", range(60))
def test_the_best_of_all_buckets(trial):
    """On small ladders, equal sizes and floors among them: what exhaustive search finds, proven, or as infeasible."""
    rng = np.random.default_rng(trial)
    n = int(rng.integers(1, 10))
    sizes, weights = rng.integers(0, 14, n), rng.integers(0, 6, n) if trial % 2 else np.ones(n, dtype=int)
    weights[rng.integers(n)] += 1
    H, floor, budget = ml.entropy(NAMES[trial % len(NAMES)]), int(rng.integers(1, 3)), float(4 * rng.random())
    sure = weights > 0
    best = least(thresholds(sizes[sure]), sizes[sure], weights[sure], H, budget, floor=floor)
    if best == math.inf:
        with pytest.raises(Infeasible):
            ml.padding.design(sizes, weights, budget=budget, entropy=H, floor=floor)
        return
    padding = ml.padding.design(sizes, weights, budget=budget, entropy=H, floor=floor)
    assert padding.leakage == pytest.approx(best, abs=1e-9)
    assert padding.gap <= 1e-9
    assert padding.status == "optimal"
    assert padding.overhead <= budget * (1 + 1e-9)
    assert padding.smallest_class >= floor


@pytest.mark.parametrize("name", ["shannon", "min-entropy", "arimoto:2"])
def test_many_sizes(name):
    """Three hundred sizes: within the budget, close to the bound, measured a second way by the channel, each bucket as
    `pad` says.
    """
    rng = np.random.default_rng(2)
    sizes = np.round(rng.lognormal(10, 2, 300)).astype(int)
    weights = rng.integers(1, 100, 300)
    budget = 0.1 * float(weights @ sizes / weights.sum())
    padding = ml.padding.design(sizes, weights, budget=budget, entropy=name)
    shown = np.array([padding.pad(size) for size in sizes.tolist()])
    assert (shown >= sizes).all()
    assert padding.overhead == pytest.approx(float(weights @ (shown - sizes) / weights.sum()), rel=1e-12)
    assert padding.overhead <= budget * (1 + 1e-12)
    channel = ml.Channel.deterministic(shown.tolist())
    assert padding.leakage == pytest.approx(ml.leakage(weights, channel, name), rel=1e-12)
    assert padding.leakage_in("shannon") == pytest.approx(ml.leakage(weights, channel, "shannon"), rel=1e-12)
    assert 0 <= padding.gap < 0.02 * padding.leakage  # hardly branched on: of up to 20 sizes it is 0
    assert sum(bucket.secrets for bucket in padding.buckets()) == 300
    assert sum(bucket.probability for bucket in padding.buckets()) == pytest.approx(1, abs=1e-12)
    assert [bucket.padded for bucket in padding.buckets()] == padding.observables.tolist()


def test_more_budget_never_leaks_more():
    """The optimum falls with the budget, from what sizes themselves leak down to nothing."""
    sizes, weights = [3, 5, 8, 9, 14, 20, 21], [5, 1, 2, 9, 3, 3, 1]
    leaks = [ml.padding.design(sizes, weights, budget=budget).leakage for budget in np.linspace(0, 15, 31)]
    assert leaks[0] == pytest.approx(ml.leakage(weights, np.eye(7), "shannon"), rel=1e-12)
    assert leaks[-1] == 0
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(leaks))


def test_the_tax_site_of_the_paper():
    """10 or 20 seconds: always 20 leaks nothing; a budget that cannot pay for that leaves both to be seen."""
    for weights in ([1, 1], [80, 20]):
        mean = 10 * weights[0] / sum(weights)
        assert ml.padding.design([10, 20], weights, budget=mean).leakage == 0
        assert ml.padding.design([10, 20], weights, budget=0.99 * mean).observables.tolist() == [10, 20]


def test_guesswork_of_equally_likely_secrets():
    """Weighed by the number of secrets alone; refused, with a way out, where they are not equally likely."""
    sizes = [2, 3, 5, 6, 10, 11]
    for name in ("guesswork", "guess-error:2"):
        best = least(thresholds(np.array(sizes)), sizes, np.ones(6), ml.entropy(name), 1.0)
        assert ml.padding.design(sizes, budget=1, entropy=name).leakage == pytest.approx(best, abs=1e-12)
        with pytest.raises(InvalidParameter, match="padding_channel"):
            ml.padding.design(sizes, [1, 2, 3, 4, 5, 6], budget=1, entropy=name)


@pytest.mark.parametrize("name", ["min-entropy", "guess-error:1", "tsallis:2", "hayashi:2", "fehrberens:0.5"])
def test_bounds_of_equally_likely_secrets_are_exact(name):
    """Worths are then whole numbers of secrets out of n, so that no bound lies between two of them."""
    sizes = np.random.default_rng(9).integers(100, 2000, 40)
    assert ml.padding.design(sizes, budget=100, entropy=name).gap <= 1e-12


def test_impossible_secrets_count_for_nothing():
    """Of probability zero: not in classes, not in the overhead, but with an observable of their own at the top."""
    padding = ml.padding.design([1, 2, 3, 9], [1, 1, 1, 0], budget=1, floor=3)
    assert padding.observables.tolist() == [3, 9]
    assert (padding.smallest_class, padding.overhead, padding.leakage) == (3, 1.0, 0.0)
    assert [bucket.secrets for bucket in padding.buckets()] == [3, 0]


def test_times_and_names():
    """Floats stay floats; a mapping names the secrets and follows a prior's order."""
    padding = ml.padding.design(
        {"a": 0.5, "b": 1.25, "c": 2.0}, ml.Prior([1, 2, 1], labels=["c", "a", "b"]), budget=0.5
    )
    assert padding.pad(0.7) == 1.25
    assert padding.sizes.tolist() == [2.0, 0.5, 1.25]
    assert list(ml.padding.design({"a": 1, "b": 2}, budget=1).channel().inputs) == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (([1, 2], None, {"budget": -1}), "budget"),
        (([1, 2], None, {"budget": math.nan}), "budget"),
        (([1, 2], None, {"budget": True}), "budget"),
        (([1, 2], None, {"budget": 1, "floor": 0}), "floor"),
        (([1, 2], None, {"budget": 1, "floor": 1.5}), "floor"),
        (([1, -2], None, {"budget": 1}), "row 1"),
        (([1.0, math.nan], None, {"budget": 1}), "row 1"),
        (([1.0, math.inf], None, {"budget": 1}), "row 1"),
        (([1, "2"], None, {"budget": 1}), "number"),
        (([True, False], None, {"budget": 1}), "bool"),
        (("12", None, {"budget": 1}), "str"),
        (([[1, 2]], None, {"budget": 1}), "shape"),
        (([], None, {"budget": 1}), "sizes"),
        (([1, 2], [1, 1, 1], {"budget": 1}), "3 secrets"),
        (([1, 2**60], None, {"budget": 1}), "2\\^53"),
        (({"a": 1}, ml.Prior([1], labels=["b"]), {"budget": 1}), "1 secrets are missing and 1 names are of no secret"),
        (([1, 2], None, {"budget": 1, "entropy": "hayashi:inf"}), "sum over buckets"),
        (([1, 2], None, {"budget": 1, "entropy": "hartley"}), "sum over buckets"),
    ],
)
def test_refusals(arguments, word):
    """What is wrong, where, and what would be right."""
    sizes, prior, keywords = arguments
    with pytest.raises(InvalidParameter, match=word):
        ml.padding.design(sizes, prior, **keywords)


def test_floors_that_cost_more_than_there_is():
    """Infeasible says how much would do, and that much does."""
    with pytest.raises(Infeasible, match="at least 2 secrets"):
        ml.padding.design([1, 2, 10], budget=1, floor=2)
    with pytest.raises(Infeasible, match="only 3"):
        ml.padding.design([1, 2, 10], budget=1, floor=4)
    assert ml.padding.design([1, 2, 10], budget=17 / 3, floor=2).smallest_class == 3


def test_running_it():
    """A size beyond the largest is refused without being named."""
    padding = ml.padding.design([10, 20, 21, 40], budget=6)
    assert [padding.pad(size) for size in (0, 10, 20.5, 21, 22, 40)] == [21, 21, 21, 21, 40, 40]
    with pytest.raises(InvalidParameter, match="largest designed for") as refused:
        padding.pad(123456)
    assert "123456" not in str(refused.value)


@pytest.mark.parametrize("sizes", [[0, 0, 0, 1, 1, 0, 0], [0, 1, 1, 2, 5, 5, 9, 9, 9]])
@pytest.mark.parametrize("budget", [0.0, 0.3, 2.15])
def test_large_orders_have_a_bound_that_holds(sizes, budget):
    """Where 1 + c worth cancels there is nothing to take the logarithm of; the bound is then no better than known."""
    best = ml.padding.design(sizes, budget=budget, entropy="hayashi:20")
    rungs = sorted(set(sizes))
    least = min(
        ml.leakage([1] * len(sizes), ml.Channel(_shown(sizes, ends)), "hayashi:20")
        for ends in _all_ends(rungs)
        if sum(_up(size, ends) - size for size in sizes) / len(sizes) <= budget
    )
    assert 0 <= best.bound <= least + 1e-12
    assert best.leakage >= least - 1e-12


def _all_ends(rungs):
    for k in range(len(rungs)):
        for some in combinations(rungs[:-1], k):
            yield [*some, rungs[-1]]


def _up(size, ends):
    return min(end for end in ends if end >= size)


def _shown(sizes, ends):
    return [[float(_up(size, ends) == end) for end in ends] for size in sizes]


def test_the_deployed_table_covers_size_zero():
    """Sizes above `above` are in a bucket, and 0 is a size."""
    for sizes in ([0, 5], [0.0, 5.5]):
        (only,) = ml.padding.design(sizes, budget=100).buckets()
        assert only.above < 0 < only.padded
    apart = ml.padding.design([0, 5], budget=0).buckets()
    assert [(bucket.above, bucket.padded) for bucket in apart] == [(-1, 0), (0, 5)]


@pytest.mark.parametrize("size", ["a", None, True, [3]])
def test_what_is_no_size_is_refused(size):
    """A clear error, not one of Python's."""
    with pytest.raises(InvalidParameter, match="a size is a number"):
        ml.padding.design([1, 5], budget=1).pad(size)


@pytest.mark.parametrize("floor", ["a", 0, 1.5, True])
def test_a_frontier_refuses_the_floors_that_a_padding_does(floor):
    """A whole number from 1 on."""
    with pytest.raises(InvalidParameter, match="the floor is a whole number"):
        ml.padding.frontier([1, 2, 3], floor=floor)


@pytest.mark.parametrize("seed", range(6))
def test_the_cap_that_a_floor_needs_is_named(seed):
    """The message names a cap that does, and none that is clearly smaller does."""
    rng = np.random.default_rng(seed)
    sizes, floor = rng.integers(20, 4000, 12), int(rng.integers(2, 5))
    with pytest.raises(Infeasible, match=r"more than the cap of 1%: allow [0-9.]+%, or lower the floor") as refused:
        ml.padding.design(sizes, most=0.01, floor=floor)
    needed = float(str(refused.value).rpartition("allow ")[2].partition("%")[0]) / 100
    assert ml.padding.design(sizes, most=needed, floor=floor).overheads.worst <= needed
    with pytest.raises(Infeasible):
        ml.padding.design(sizes, most=needed * 0.998, floor=floor)
    with pytest.raises(Infeasible, match=f"allow {100 * needed:.4g}%"):
        ml.padding.frontier(sizes, most=0.01, floor=floor)


def test_no_cap_is_named_where_none_would_do():
    """A size of 0 may not grow; a function has no least value."""
    for sizes, most in (([0, 5, 6], 0.1), ([1, 5, 60], lambda _: 0.1)):
        with pytest.raises(Infeasible, match="more than the cap for each object allows: allow more, or lower"):
            ml.padding.design(sizes, most=most, floor=2)
