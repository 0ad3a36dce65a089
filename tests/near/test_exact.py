"""Near plans of few secrets: the cheapest of all by listing, the bound, exact integers, and the same leakage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import HARD
from tests.near.listing import cost_of, euclidean, listed_optimum

import minleak as ml
from minleak.near._pricing import cheapest as layout

LARGE = 10**7  # weights so large that rounding to units is far below the gap


def loose(plan):
    return [x for x in range(len(plan.prior)) if plan.weights[x] and x not in plan.giants]


@pytest.mark.parametrize("seed", range(30))
def test_the_cheapest_of_all_sets(seed):
    """cost = the optimum over all listed sets, for n up to 8, every k, in one to three dimensions, giants or not."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    weights = (LARGE * rng.pareto(1.0, n)).astype(np.int64) + LARGE
    points = rng.integers(0, 30, (n, int(rng.integers(1, 4)))).astype(float)
    for k in range(1, n + 1):
        plan = ml.design(weights, k, layout=ml.Near(points))
        assert ml.certify(plan, weights)
        if not plan.rest:
            assert plan.cost == plan.cost_bound == 0
            continue
        on_rings = loose(plan)
        distances = euclidean(points)[:, on_rings]
        least = listed_optimum(distances, weights[on_rings], plan.u)
        assert plan.cost == pytest.approx(least, rel=2e-6, abs=1e-9)
        assert plan.cost == pytest.approx(cost_of(plan, euclidean(points)), rel=1e-12, abs=1e-12)
        assert plan.cost_bound <= least * (1 + 1e-9) + 1e-12


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=9),
    st.integers(1, 9),
)
@settings(max_examples=150)
def test_every_plan_is_exact(rows, k):
    """Small weights, zeros and ties among them: certified in integers, the bound is below, the leakage is the least."""
    weights, points = [w for w, _, _ in rows], [(x, y) for _, x, y in rows]
    weights[0] += 1
    plan, stable = ml.design(weights, k, layout=ml.Near(points)), ml.design(weights, k)
    assert ml.certify(plan, weights)
    assert plan.cost_bound <= plan.cost
    for H in ("shannon", "min-entropy", "guesswork"):
        assert plan.leakage(H) == stable.leakage(H)
    if plan.rest:
        least = listed_optimum(euclidean(points)[:, loose(plan)], plan.weights[loose(plan)], plan.u)
        assert plan.cost_bound <= least + 1e-9
        assert least <= plan.cost + 1e-9
        assert plan.cost == pytest.approx(cost_of(plan, euclidean(points)), rel=1e-12, abs=1e-12)
        assert plan.cost - plan.costs.rounding == pytest.approx(least, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_hard_priors(weights):
    """One for each reason, at every k, on a line."""
    for k in range(1, len(weights) + 2):
        plan = ml.design(weights, k, layout=ml.Near(np.arange(len(weights))[::-1] ** 2))
        assert ml.certify(plan, weights)
        assert plan.cost_bound <= plan.cost


def test_a_hundred_secrets_to_a_millionth():
    """n = 120, k = 6, heavy tailed: the gap that is promised, far below a ring in random order."""
    rng = np.random.default_rng(0)
    points, weights = rng.random((120, 2)), (LARGE * (rng.pareto(1.3, 120) + 0.1)).astype(np.int64)
    plan = ml.design(weights, 6, layout=ml.Near(points))
    assert 0 <= plan.costs.gap <= 1e-6
    assert plan.cost_bound <= plan.cost == pytest.approx(cost_of(plan, euclidean(points)), rel=1e-12)
    random = cost_of(ml.design(weights, 6, layout="circle"), euclidean(points))
    assert plan.cost < random / 2


def test_the_path_between_two_lines():
    """Two lines of four far apart: near plans never mix them, though the stable layout does."""
    weights, points = [5, 4, 3, 4, 4, 5, 4, 3], [0, 1, 2, 3, 1000, 1001, 1002, 1003]
    plan = ml.design(weights, 2, layout=ml.Near(points))
    assert all((a < 4) == (b < 4) for (a, b), _ in plan.sets())
    assert any((a < 4) != (b < 4) for (a, b), _ in ml.design(weights, 2).sets())


def test_haversine_is_in_kilometres():
    """A quarter of the equator is 10,007.557 km on a sphere of the mean radius; the date line is no border."""
    plan = ml.design([1, 1], 2, layout=ml.Near([(0, 0), (0, 90)], metric="haversine"))
    assert plan.rest == 2
    assert plan.cost == pytest.approx(10_007.557 / 2, abs=1e-3)
    weights, places = [1, 1, 1, 1], [(0, 179.5), (0, 0), (0, -179.5), (1, 0)]
    plan = ml.design(weights, 2, layout=ml.Near(places, metric="haversine"))
    assert {members for members, _ in plan.sets()} == {(0, 2), (1, 3)}


def test_a_cost_matrix_and_a_callable():
    """Centres may be anything: here two depots; the same by a callable for the distance of secrets."""
    depots = [[1, 9, 1, 9, 5, 5], [9, 1, 9, 1, 5, 5]]
    plan = ml.design([LARGE] * 6, 3, layout=ml.Cheapest(depots))
    assert plan.layout == "cheapest"
    assert plan.cost == pytest.approx(listed_optimum(depots, [1] * 6, 3) / 1, rel=1e-6)
    points = np.array([0.0, 3.0, 4.0, 9.0, 11.0])
    weights = [3, 4, 3, 5, 3]
    a = ml.design(weights, 2, layout=ml.Near(points))
    b = ml.design(weights, 2, layout=ml.Cheapest(lambda z, i: np.abs(points[z] - points[i])))
    assert a.cost == pytest.approx(b.cost, rel=1e-9)
    assert ml.certify(b, weights)


def test_gains_are_priced_too():
    """With gains the weights are those of gamma p, and the plan is certified as such."""
    rng = np.random.default_rng(5)
    weights, gains = rng.integers(1, 99, 20), rng.integers(0, 4, 20)
    plan = ml.design(weights, 4, layout=ml.Near(rng.random((20, 2))), gains=gains)
    assert ml.certify(plan, weights, gains=gains)
    assert plan.cost_bound <= plan.cost


def test_floats_and_large_counts():
    """Weights on the grid: the plan is exact for them, the cost that of the probabilities."""
    rng = np.random.default_rng(2)
    p, points = rng.dirichlet(np.ones(30)), rng.random((30, 2))
    plan = ml.design(p, 4, layout=ml.Near(points))
    assert ml.certify(plan, p)
    assert plan.costs.gap <= 1e-6
    scaled = ml.design(np.round(p * 1e9).astype(np.int64), 4, layout=ml.Near(points))
    assert plan.cost == pytest.approx(scaled.cost, rel=1e-5)


def test_progress_ends_at_its_steps():
    """The callback hears of a gap that closes."""
    rng = np.random.default_rng(3)
    heard = []
    ml.design(
        rng.integers(1, 99, 60), 4, layout=ml.Near(rng.random((60, 2))), progress=lambda *told: heard.append(told)
    )
    done = [at for at, _, _ in heard]
    assert done == sorted(done)
    assert heard[-1][:2] == (100, 100)
    assert heard[-1][2].startswith("gap ")


def test_where_it_is_exact_is_stated():
    """The docstring of design tells the limit that the code has."""
    assert f"proven for up to {layout.EXACT} secrets" in ml.Near.__doc__


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12, 1e90])
def test_scale_does_not_matter(scale):
    """Distances of any size, and none at all: everybody in one place costs nothing."""
    rng = np.random.default_rng(4)
    weights, points = rng.integers(1, 10**6, 40), rng.random((40, 2))
    plan, scaled = ml.design(weights, 5, layout=ml.Near(points)), ml.design(weights, 5, layout=ml.Near(scale * points))
    assert scaled.cost == pytest.approx(scale * plan.cost, rel=1e-6)
    assert scaled.costs.gap <= 1e-6
    heap = ml.design(weights, 5, layout=ml.Near(np.full((40, 2), scale)))
    assert heap.cost == heap.cost_bound == 0
    assert ml.certify(heap, weights)


def test_centres_of_idle_secrets_count_while_they_are_few(monkeypatch):
    """A place of weight zero may be the centre; beyond a stated number of places only those on rings are, unproven."""
    weights, points = [3, 3, 3, 0], [(0, 0), (2, 0), (1, 2), (1, 0.6)]
    plan = ml.design(weights, 3, layout=ml.Near(points))
    assert plan.cost == pytest.approx(cost_of(plan, euclidean(points)), rel=1e-12)
    assert "more than 10,000 places" in layout.lay_cheapest.__doc__
    assert layout._CENTRES == 10_000
    monkeypatch.setattr(layout, "_CENTRES", 3)
    members = ml.design(weights, 3, layout=ml.Near(points))
    assert members.cost > plan.cost
    assert members.cost_bound is members.costs.gap is None


# -- small counts ----------------------------------------------------------------------------------------------------

LINE = [3, 0, 0, 1, 0, 3, 2, 1, 1, 0, 2, 2, 3, 0, 3, 0, 3, 0, 2, 2, 3, 1, 3, 2, 2, 1]


def test_counts_of_one_cost_the_bound():
    """26 secrets of weight one on four places: sets within a place need fractions of their units."""
    plan = ml.design([1] * 26, k=4, layout=ml.Near(LINE))
    assert plan.cost == plan.cost_bound == 0
    assert ml.certify(plan, [1] * 26)


@pytest.mark.parametrize("most", [1, 99])
def test_small_counts_to_a_millionth(most):
    """n = 200, k = 5, weights from 1 to 99 and all 1: integers are no excuse."""
    rng = np.random.default_rng(most)
    weights, points = rng.integers(1, most + 1, 200), rng.random((200, 2))
    plan = ml.design(weights, 5, layout=ml.Near(points))
    assert 0 <= plan.costs.gap <= 1e-6
    assert plan.cost == pytest.approx(cost_of(plan, euclidean(points)), rel=1e-12)
    assert ml.certify(plan, weights)
    assert plan.distance == 0
    assert plan.total % weights.sum() == 0


@pytest.mark.parametrize("seed", range(20))
def test_finer_units_change_nothing_else(seed, tmp_path):
    """Small counts, at every k: target, channel, file, draws, repeated draws and other priors are as they must be."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    weights, points = rng.integers(0, 6, n) + (np.arange(n) < 2), rng.integers(0, 9, (n, 2))
    prior = ml.Prior(weights.tolist())
    for k in range(1, n + 1):
        plan, stable = ml.design(prior, k, layout=ml.Near(points)), ml.design(prior, k)
        assert ml.certify(plan, prior)
        assert plan.exact_target == stable.exact_target
        assert ml.certify(plan.channel(exact=True), prior, k=k)
        assert plan.leakage("shannon") == stable.leakage("shannon")
        assert plan.leakage("shannon", prior=prior) == pytest.approx(plan.leakage("shannon"), abs=1e-12)
        assert ml.repeated(plan, [1], exact=True).success[0] == pytest.approx(
            ml.repeated(stable, [1], exact=True).success[0]
        )
        plan.save(tmp_path / "x.cloak")
        back = ml.load(tmp_path / "x.cloak")
        assert ml.certify(back, prior)
        assert np.array_equal(back.weights, plan.weights)
        key, known = ml.Key.new(), {members for members, _ in plan.sets()}
        assert all(ml.Cloak(back, key=key).draw(x, scope="s") in known for x in range(n))


def test_certify_compares_proportions():
    """Units of any size are the same prior; one weight that is off by one is another."""
    plan = ml.design([1] * 26, k=4, layout=ml.Near(LINE))
    for weights in ([17] * 26, [2**50] * 26, plan.weights):
        assert ml.certify(plan, weights)
    for weights in ([1] * 25 + [2], [2**50] * 25 + [2**50 + 1], [0, 2] + [1] * 24, plan.weights + (np.arange(26) == 3)):
        assert not ml.certify(plan, weights)


def test_factors_stay_within_their_room():
    """Never above what the ring's positions and a float can hold, and one where nothing else fits."""
    assert layout._factors(2**60, 100) == [1]
    assert layout._factors(100, 1) == [1]
    for total, room in [(2**20, 10**9), (4, 10**6), (2**51, 8), (999, 2**50)]:
        for factor in layout._factors(total, room)[1:]:
            assert factor <= room
            assert factor * total <= 2**52
