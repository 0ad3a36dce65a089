"""What a report shows of near decoys: the library's own numbers, on charts that can be drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minleak as ml
from minleak.report import _maps as maps
from minleak.report._captions import captioned
from minleak.report._facts import Facts, gather
from minleak.report._nearness import BEHIND, SHARES, SHOWN, STABILITIES, Nearness
from minleak.report._saving import picture
from minleak.report._writing import report_page

CITIES = Path(__file__).parents[2] / "examples" / "data" / "cities.csv"


@pytest.fixture(scope="module")
def plan() -> ml.Plan:
    from minleak.io._reading import read_places

    prior = ml.read_prior(CITIES)
    places = read_places(CITIES, columns=["latitude", "longitude"])[:120]
    return ml.design(
        ml.Prior(prior.weights[:120], labels=prior.labels[:120]), 5, layout=ml.Near(places, metric="haversine")
    )


@pytest.fixture(scope="module")
def facts(plan: ml.Plan) -> Facts:
    return gather(plan, trials=300, seed=1)


def near(facts: Facts) -> Nearness:
    assert facts.nearness is not None
    return facts.nearness


def values(chart: Any, layer: int) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    return list(spec["layer"][layer].get("data", spec.get("data"))["values"])


def test_the_numbers_are_the_plans(plan: ml.Plan, facts: Facts) -> None:
    found = near(facts)
    assert (found.cost, found.bound, found.unit) == (plan.cost, plan.cost_bound, " km")
    ours, stable, random = found.spreads
    assert ours.distances == ml.decoy_distances(plan, SHARES)
    assert ours.distances[2] < 0.5 * min(stable.distances[2], random.distances[2])


def test_sets_on_the_map_are_sets_of_the_plan(plan: ml.Plan, facts: Facts) -> None:
    found = near(facts)
    published = {frozenset(members) for members, _ in plan.sets()}
    assert 1 < len(found.sets) <= SHOWN
    assert all(frozenset(place.label for place in members) in published for members in found.sets)
    assert len(found.behind) == min(BEHIND, 120)
    shanghai = next(place for place in found.behind if place.label == "Shanghai CN")
    assert (shanghai.x, shanghai.y) == (121.45806, 31.22222)  # longitude to the right, latitude up


def test_mixtures_go_from_this_plan_to_stable(plan: ml.Plan, facts: Facts) -> None:
    mixtures = near(facts).mixtures
    assert [m.stability for m in mixtures] == [0.0, *STABILITIES]
    assert mixtures[0].distance == ml.decoy_distances(plan, [0.5])[0]
    assert mixtures[0].distance < mixtures[-1].distance
    assert mixtures[0].success > mixtures[-1].success


def test_charts_have_their_points_and_are_drawn(facts: Facts) -> None:
    found = near(facts)
    chart = maps.sets_on_a_map(found)
    assert len(values(chart, 0)) == len(found.behind)
    assert len(values(chart, 2)) == 5 * len(found.sets)
    assert [row["layout"] for row in values(maps.decoy_distances(found.spreads, " km"), 0)] == [
        "this plan",
        "layout stable",
        "random order",
    ]
    assert len(values(maps.price_of_stability(found.mixtures, " km"), 0)) == len(found.mixtures)
    names = [figure.name for figure in captioned(facts)]
    assert names.index("near_sets") < names.index("decoy_distances") < names.index("price_of_stability")
    for figure in captioned(facts):
        if figure.name in ("near_sets", "decoy_distances", "price_of_stability"):
            assert picture(figure.chart.properties(width=400), "png")[:4] == b"\x89PNG"
            assert figure.title in report_page(facts)


def test_plans_without_places_have_no_map() -> None:
    """Nor those where everything is in one set; one dimension is drawn on a line."""
    assert gather(ml.design([3, 2, 2], 2), trials=50).nearness is None
    assert gather(ml.design([3, 2, 2], 2, layout=ml.Cheapest(np.ones((1, 3)))), trials=50).nearness is None
    assert gather(ml.design([3, 2], 2, layout=ml.Near([1, 2])), trials=50).nearness is not None
    assert gather(ml.design([9, 2, 0], 3, layout=ml.Near([1, 2, 3])), trials=50).nearness is None
    line = gather(ml.design([3, 3, 2, 2], 2, layout=ml.Near([1, 2, 5, 6])), trials=50)
    assert {place.y for place in near(line).behind} == {0.0}


def test_the_page_says_that_a_set_tells_the_area(plan: ml.Plan, facts: Facts) -> None:
    """How far off a guess of the place is, by all sets one after the other, and blind, by all places."""
    assert plan.costs is not None
    assert plan.costs.coordinates is not None
    from minleak.core._plan.distances import Haversine

    n, p = len(plan.prior), plan.on_grid.p
    apart = Haversine(plan.costs.coordinates).between(np.arange(n), np.arange(n))
    channel = plan.channel(dense=True)
    joint = p[:, None] * channel.matrix
    names = {label: i for i, label in enumerate(plan.prior.labels)}
    off = 0.0
    for y, members in enumerate(channel.outputs):
        inside = [names[label] for label in members]
        off += min(float(joint[:, y] @ apart[:, x]) for x in inside)
    located, blind = near(facts).located
    assert located == pytest.approx(off)
    assert blind == pytest.approx(min(float(p @ apart[:, x]) for x in range(n)))
    assert located < 0.5 * blind
    page = report_page(facts)
    assert "Near decoys share a region, so a set reveals the area of the secret" in page


def test_the_area_of_many_places_is_estimated() -> None:
    """More secrets than a blind guess is tried on."""
    rng = np.random.default_rng(0)
    plan = ml.design(ml.Prior(rng.integers(1, 50, 5000)), 4, layout=ml.Near(rng.random((5000, 2))))
    from minleak.report._nearness import nearness

    found = nearness(plan, trials=50, seed=0)
    assert found is not None
    assert found.located[0] < 0.1
    assert found.located[1] == pytest.approx(0.3826, abs=0.01)  # the mean distance from the centre of a square
