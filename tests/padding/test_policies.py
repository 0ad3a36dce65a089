"""Policies by their definitions, comparisons at equal overhead, and the frontier."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter
from minleak.padding._policies import (
    POLICIES,
    nip44,
    padme,
    policies_of_axis,
    signal,
    to_multiple,
    to_power_of_two,
)


def padme_of(length):
    """Algorithm 1 of the paper, in Python's own integers."""
    if length < 2:
        return length
    e = length.bit_length() - 1
    s = e.bit_length()
    low = e - s
    mask = (1 << low) - 1 if low > 0 else 0
    return (length + mask) & ~mask


def test_padme():
    """As the paper defines it, at every small size, around powers of two, and at random; at most 12% in the large."""
    rng = np.random.default_rng(0)
    sizes = [
        *range(3000),
        *(2**e + d for e in range(4, 50) for d in (-1, 0, 1)),
        *rng.integers(1, 2**50, 1000).tolist(),
    ]
    shown = padme(sizes)
    assert shown.tolist() == [padme_of(size) for size in sizes]
    assert (shown >= sizes).all()
    assert max(y / x - 1 for x, y in zip(sizes, shown.tolist(), strict=True) if x > 0) < 0.12
    assert (np.diff(padme(np.arange(5000))) >= 0).all()


def test_powers_and_multiples():
    """The least power or multiple that is not smaller."""
    sizes = np.arange(1, 3000)
    assert to_power_of_two(sizes).tolist() == [2 ** math.ceil(math.log2(size)) for size in sizes.tolist()]
    assert to_multiple(sizes, 7).tolist() == [7 * math.ceil(size / 7) for size in sizes.tolist()]
    for name, policy in POLICIES.items():
        assert (policy(sizes) >= sizes).all(), name
        assert (np.diff(policy(sizes)) >= 0).all(), name


def test_signal_and_nip44():
    """The least power of 1.05, rounded down, from 541 on; and the published values of NIP-44."""
    sizes = np.arange(1, 30_000)
    powers = np.array([math.floor(1.05**k) for k in range(129, 260)])
    assert signal(sizes).tolist() == [int(powers[powers >= size].min()) for size in sizes.tolist()]
    known = {16: 32, 32: 32, 33: 64, 64: 64, 65: 96, 100: 128, 200: 224, 250: 256, 320: 320, 383: 384, 400: 448}
    known |= {500: 512, 515: 640, 700: 768, 800: 896, 900: 1024, 1020: 1024, 65536: 65536}
    assert nip44(list(known)).tolist() == list(known.values())


def test_the_best_under_the_policy_s_own_cap():
    """Nothing grows by more than the policy's worst, and still no more leaks than the policy does."""
    sizes = package_sizes(40)
    compared = ml.padding.compare(sizes, entropies=["shannon"], policies={"Padmé": padme}, capped=True)
    (rival,) = compared.rivals
    assert rival.cost == "relative"
    assert rival.best[0].overheads.worst <= rival.policy.overheads.worst <= 0.12
    assert rival.best[0].leakage < rival.policy.leakage[0]


@pytest.mark.parametrize("bad", [[1.5], [-1], [], [[1]]])
def test_policies_take_whole_sizes(bad):
    """Times are scaled to whole units first."""
    with pytest.raises(InvalidParameter, match="whole"):
        padme(bad)
    with pytest.raises(InvalidParameter, match="multiples"):
        to_multiple([1], 0)


def package_sizes(step):
    sizes = ml.read_prior("examples/data/package_sizes.csv", secret="secret", weight="size").weights
    return sizes[::step]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_leak_less_at_equal_overhead(weighted):
    """On real package sizes: no more than any policy in every entropy, strictly less wherever a policy pads in between,
    within its overhead and above the bound.
    """
    sizes = package_sizes(40)
    weights = np.random.default_rng(1).zipf(1.7, len(sizes)).clip(1, 10**5) if weighted else None
    entropies = ["shannon", "min-entropy", "arimoto:2"]
    compared = ml.padding.compare(sizes, weights, entropies=entropies, policies=POLICIES)
    assert [rival.policy.name for rival in compared.rivals] == list(POLICIES)
    for rival in compared.rivals:
        for theirs, ours in zip(rival.policy.leakage, rival.best, strict=True):
            spent, allowed = ours.overheads, rival.policy.overheads
            cost = "relative" if rival.cost == "relative" else "mean"
            assert getattr(spent, cost) <= getattr(allowed, cost) * (1 + 1e-9)
            assert ours.bound <= ours.leakage <= theirs + 1e-9
            if rival.policy.name not in ("no padding", "all to the largest"):
                assert ours.leakage < theirs - 1e-6
    assert "Padmé" in str(compared)


def test_policies_of_ones_own():
    """A policy may be any function that makes no size smaller."""
    compared = ml.padding.compare([1, 2, 3, 4], policies={"up": lambda sizes: sizes + sizes % 2}, entropies=["shannon"])
    assert compared.rivals[0].policy.leakage == (1.0,)
    with pytest.raises(InvalidParameter, match="down"):
        ml.padding.compare([1, 2, 3, 4], policies={"down": lambda sizes: sizes - 1})


def test_the_frontier_is_a_convex_staircase_of_optima():
    """From every size to one bucket; each corner is what `padding` finds at its overhead; chance lies below."""
    sizes = package_sizes(100)
    curve = ml.padding.frontier(sizes, entropy="min-entropy", policies=POLICIES)
    overheads = [point.overhead for point in curve.buckets]
    leaks = [point.leakage for point in curve.buckets]
    assert overheads == sorted(overheads)
    assert leaks == sorted(leaks, reverse=True)
    assert (overheads[0], leaks[-1]) == (0, 0)
    for point in curve.buckets:
        best = ml.padding.design(sizes, budget=point.overhead, entropy="min-entropy")
        assert best.leakage == pytest.approx(point.leakage, abs=1e-9)
    worths = [2.0**leak for leak in leaks]  # the sum over buckets, in which the hull is convex
    slopes = np.diff(worths) / np.diff(overheads)
    assert (np.diff(slopes) >= -1e-12).all()
    for i in (1, 3):
        drawn = ml.lab.padding_channel(sizes, budget=overheads[i], entropy="min-entropy")
        assert drawn.leakage <= leaks[i] + 1e-6
    assert len(curve.policies) == len(POLICIES)


def test_frontier_refusals():
    """Too few points, and floors that no bucket can have."""
    with pytest.raises(InvalidParameter, match="points"):
        ml.padding.frontier([1, 2], points=1)
    with pytest.raises(Infeasible, match="only 2"):
        ml.padding.frontier([1, 2], floor=3)


def test_sizes_beyond_the_largest_power_of_two_are_refused():
    """Nothing wraps around."""
    assert ml.padding.to_power_of_two([2**61 + 2**30, 2**62]).tolist() == [2**62, 2**62]
    for sizes in ([2**62 + 1], np.array([2**63], dtype=np.uint64)):
        with pytest.raises(InvalidParameter, match="above 2\\^62"):
            ml.padding.to_power_of_two(sizes)


def test_sizes_of_nothing_are_compared():
    """The mean that overheads are shares of is zero."""
    assert "0.00%" in str(ml.padding.compare([0, 0, 0]))


def test_the_axis_of_growth():
    """Buckets are the best for the mean growth of an object, and each policy stands at its own growth."""
    sizes = [100 * i + i % 7 for i in range(1, 41)]
    curve = ml.padding.frontier(sizes, relative=True, policies=policies_of_axis(relative=True))
    assert curve.axes.title == "mean growth of an object, %"
    for point in curve.buckets:
        best = ml.padding.design(sizes, relative=point.overhead * (1 + 1e-9))
        assert point.leakage == pytest.approx(best.leakage, abs=1e-9)
        assert best.overheads.relative <= point.overhead * (1 + 1e-9)
    rows = {row["series"]: row for row in curve.rows()}
    found = ml.padding.compare(sizes, policies={"Padmé": padme}).rivals[0].policy
    assert rows["Padmé"]["percent"] == pytest.approx(100 * found.overheads.relative)


def test_policies_stand_on_their_own_axis():
    """Those that limit growth are not judged by bytes, nor the others by growth."""
    growth, whole = policies_of_axis(relative=True), policies_of_axis(relative=False)
    assert set(growth) == {"no padding", "Padmé", "powers of two", "Signal, 1.05^k", "NIP-44"}
    assert set(whole) == {"no padding", "multiples of 4096", "multiples of 65536", "all to the largest"}
