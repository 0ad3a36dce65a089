"""Near plans of many secrets: peeling, blocks and regions keep every integer, and each makes sets cheaper."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.near.listing import cost_of, euclidean

import minleak as ml
from minleak.core._plan.distances import Euclidean
from minleak.errors import SolverFailed
from minleak.near._pricing import cheapest as layout
from minleak.near._pricing import regions
from minleak.near._pricing.caps import Caps
from minleak.near._pricing.chaining import chain_sets, ring_sets, splice_rings
from minleak.near._pricing.peeling import Sets, peel_sets
from minleak.near._pricing.regions import add_costs, improve
from minleak.near._pricing.rounding import round_down
from minleak.near._pricing.splitting import split_space


def heavy_tailed(n, u, seed):
    """Weights of a heavy tail of which none passes its share."""
    weights = (1000 * (np.random.default_rng(seed).pareto(1.1, n) + 0.1)).astype(np.int64)
    for _ in range(1000):
        weights = np.minimum(weights, weights.sum() // u)
    return weights


@given(st.lists(st.integers(0, 40), min_size=2, max_size=12), st.integers(1, 5), st.integers(1, 3), st.data())
@settings(max_examples=200)
def test_peeling_owns_just_the_units(weights, u, cap, data):
    """Whatever can be peel_sets is, in sets of u members that keep nested caps, each its units; the rest is refused."""
    n = len(weights)
    inner = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    most = np.array([cap, cap, cap, 1, 1, cap + 1, cap + 2])
    caps = Caps(np.stack([inner, 5 + inner % 2]), most)
    units = u * np.array(weights, dtype=np.int64)
    distances = Euclidean(np.arange(n, dtype=float)[:, None] ** 2)
    chains = [inner, 5 + inner % 2]
    shares = [int(units[chain == g].sum()) * u <= int(most[g] * units.sum()) for chain in chains for g in set(chain)]
    if not all(shares) or int(units.max()) * u > int(units.sum()):
        with pytest.raises(SolverFailed, match="share"):
            peel_sets(units, caps, u, distances, np.arange(n))
        return
    sets = peel_sets(units, caps, u, distances, np.arange(n))
    assert sets.units_owned(n).tolist() == units.tolist()
    assert (sets.lengths > 0).all()
    for row in sets.members:
        assert len(set(row.tolist())) == u
        assert all((chain[row] == g).sum() <= most[g] for chain in chains for g in set(chain[row]))


@pytest.mark.parametrize("off", [0.0, 1e-7, -1e-7, 0.4, -0.3])
def test_rounding_repairs_what_a_solver_got_wrong(off):
    """Values off by digits or by much: the sets still own just the units, the heaviest being in every set."""
    rng = np.random.default_rng(1)
    units = 3 * np.array([50, 20, 20, 30, 15, 15])
    distances = Euclidean(rng.random((6, 2)))
    start = peel_sets(units, Caps.none(6), 3, distances, np.arange(6))
    values = start.lengths + off * rng.random(len(start.lengths))
    values[0] *= 1 + off
    sets = round_down(start.members, values, units, caps=Caps.none(6), distances=distances, secrets=np.arange(6))
    assert sets.units_owned(6).tolist() == units.tolist()
    assert all(len(set(row)) == 3 for row in sets.members.tolist())


def test_rounding_gives_back_for_the_heaviest():
    """What is left of the heaviest passes its share of what is left in all: sets without it give back."""
    members, units = np.array([[0, 1], [0, 2], [0, 3], [1, 2]]), np.array([18, 10, 10, 2])
    values = np.array([5.0, 6.0, 2.0, 4.0])  # leaves (5, 1, 0, 0), and 5 is more than (5 + 1) / 2
    distances = Euclidean(np.arange(4.0)[:, None])
    sets = round_down(members, values, units, caps=Caps.none(4), distances=distances, secrets=np.arange(4))
    assert sets.units_owned(4).tolist() == units.tolist()
    assert all(a != b for a, b in sets.members.tolist())


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_blocks_can_each_hold_a_plan(seed):
    """A partition in which no group passes its share, of blocks that are no larger than asked unless one must be."""
    rng = np.random.default_rng(seed)
    n, u = int(rng.integers(5, 200)), int(rng.integers(1, 6))
    weights = heavy_tailed(n, u, seed)
    parts = split_space(rng.random((n, 2)), weights, Caps.none(n), u, size=20)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    for part in parts:
        assert u * int(weights[part].max()) <= int(weights[part].sum())
    even = split_space(rng.random((n, 2)), np.ones(n, dtype=np.int64), Caps.none(n), u, size=20)
    assert max(map(len, even)) <= 20


def cells(ring):
    """The sets of a ring of three lanes, and the length of each."""
    sets, found = ring_sets(*ring, 3), Counter()
    for row, length in zip(sets.members.tolist(), sets.lengths.tolist(), strict=True):
        found[tuple(sorted(row))] += length
    return found


def test_chained_and_spliced_rings_have_the_same_cells():
    """Sets in any order on a ring, and rings one after the other: every set for just its length."""
    sets = Sets(np.array([[0, 1, 2], [1, 2, 3], [0, 3, 4], [4, 1, 0]]), np.array([5, 7, 1, 4]))
    rings = [
        chain_sets(sets, np.array([3, 0, 2, 1])),
        chain_sets(Sets(sets.members[:2], sets.lengths[:2]), np.zeros(2)),
    ]
    circle = (np.array([5, 6, 7, 8]), np.array([0, 9, 18, 27]), 12)
    wanted = sum(map(cells, (*rings, circle)), Counter())
    whole = splice_rings([*rings, circle], 3)
    assert whole[2] == 17 + 12 + 12
    assert cells(whole) == wanted
    assert wanted[0, 1, 2] == 10


def test_an_interrupt_does_not_wait_for_all_regions(monkeypatch):
    """Whoever stops it while it reports waits for the regions that are being solved, and no other is begun."""
    begun = []
    solve = regions._solve_region
    monkeypatch.setattr(regions, "_solve_region", lambda *given: (begun.append(1), time.sleep(0.05), solve(*given))[2])
    monkeypatch.setattr(regions.os, "cpu_count", lambda: 1)
    weights, points = heavy_tailed(400, 6, 6), np.random.default_rng(6).random((400, 2))
    distances = Euclidean(points)
    start = add_costs(peel_sets(6 * weights, Caps.none(400), 6, distances, np.arange(400)), distances)
    improve(start, Caps.none(400), distances, rounds=1)
    assert len(begun) > 2
    begun.clear()

    def stop(share, total, gap):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        improve(start, Caps.none(400), distances, rounds=1, progress=stop)
    assert len(begun) <= 2


def test_regions_only_make_it_cheaper():
    """From peeled sets, on 400 secrets: what is owned stays, cost falls, and comes near the proven least."""
    rng = np.random.default_rng(6)
    weights, points = heavy_tailed(400, 6, 6), rng.random((400, 2))
    distances = Euclidean(points)
    start = add_costs(peel_sets(6 * weights, Caps.none(400), 6, distances, np.arange(400)), distances)
    end = improve(start, Caps.none(400), distances, passes=2)
    assert end.sets.units_owned(400).tolist() == (6 * weights).tolist()
    assert end.total < start.total
    plan = ml.design(weights, 6, layout=ml.Near(points))
    scale = 6 * int(weights.sum())
    assert plan.cost_bound <= end.total / scale
    assert end.total - plan.cost * scale < 0.5 * (start.total - plan.cost * scale)


@pytest.mark.parametrize("metric", ["euclidean", "haversine"])
def test_beyond_the_exact(monkeypatch, metric):
    """The larger layouts on a small case: certified, their cost no less than the least and no more than it says."""
    rng = np.random.default_rng(7)
    weights, places = heavy_tailed(300, 5, 7), rng.uniform(-60, 60, (300, 2))
    exact = ml.design(weights, 5, layout=ml.Near(places, metric=metric))
    for limits in ((100, 1000), (10, 100)):
        monkeypatch.setattr(layout, "EXACT", limits[0])
        monkeypatch.setattr(layout, "REGIONS", limits[1])
        monkeypatch.setattr(layout, "_BLOCK", 64)
        plan = ml.design(weights, 5, layout=ml.Near(places, metric=metric))
        assert ml.certify(plan, weights)
        assert plan.cost_bound is None
        assert exact.cost_bound <= plan.cost <= 4 * exact.cost
        if metric == "euclidean":
            assert plan.cost >= cost_of(plan, euclidean(places)) * (1 - 1e-12)
    again = ml.design(weights, 5, layout=ml.Near(places, metric=metric))
    assert np.array_equal(again.members, plan.members)


def test_a_cost_matrix_beyond_the_exact(monkeypatch):
    """Without places, regions are cut by landmarks; rows need not be the secrets."""
    rng = np.random.default_rng(8)
    weights, depots = heavy_tailed(200, 4, 8), rng.random((30, 200))
    exact = ml.design(weights, 4, layout=ml.Cheapest(depots))
    monkeypatch.setattr(layout, "EXACT", 50)
    plan = ml.design(weights, 4, layout=ml.Cheapest(depots))
    assert ml.certify(plan, weights)
    assert exact.cost_bound <= plan.cost


# -- between near and stable -----------------------------------------------------------------------------------------


def test_stability_moves_from_near_to_stable():
    """At 1 it is the stable layout itself; on the way there cost rises and repeated draws tell less."""
    rng = np.random.default_rng(9)
    weights, points = heavy_tailed(500, 5, 9), rng.random((500, 2))
    plans = [ml.design(weights, 5, layout=ml.Near(points, stability=s)) for s in (0, 0.4, 0.8, 1)]
    for plan in plans:
        assert ml.certify(plan, weights)
        assert plan.costs.stability in (0, 0.4, 0.8, 1)
    costs = [plan.cost for plan in plans]
    seen = [plan.repeated([2], trials=4000).success[0] for plan in plans]
    assert costs == sorted(costs)
    assert seen == sorted(seen, reverse=True)
    stable = ml.design(weights, 5)
    assert np.array_equal(np.sort(plans[-1].home_members, axis=1), np.sort(stable.home_members, axis=1))
    assert plans[-1].length == stable.length
