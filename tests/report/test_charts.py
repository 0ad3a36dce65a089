"""Charts have the points that they should, and pictures of them can be made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minleak as ml
from minleak.report import _charts as charts
from minleak.report._captions import captioned
from minleak.report._facts import DRAWS, ENTROPIES, Facts, gather
from minleak.report._look import DARK_COLOURS, LIGHT_COLOURS
from minleak.report._saving import picture
from minleak.report._words import leak_text

WORDS = Path(__file__).parents[2] / "examples" / "data" / "words.csv"


@pytest.fixture(scope="module")
def facts() -> Facts:
    return gather(ml.design(ml.read_prior(WORDS, secret="secret", weight="count"), k=20), trials=100)


def points(chart: Any, layer: int | None = None) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    data = spec["layer"][layer].get("data", spec.get("data")) if layer is not None else spec["data"]
    return list(data["values"])


def test_comparison_has_a_bar_for_each_attacker_and_countermeasure(facts: Facts) -> None:
    bars = points(charts.comparison(facts.comparisons))
    assert len(bars) == len(ENTROPIES) * 5
    assert all(bar["share"] == pytest.approx(100) for bar in bars if bar["by"] == "no cloak")
    ours = [bar["share"] for bar in bars if bar["by"] == "this plan"]
    expected = [100 * row.worldly["this plan"] / row.worldly["no cloak"] for row in facts.comparisons]
    assert ours == pytest.approx(expected)


def test_charts_are_for_the_population_of_the_cards() -> None:
    """Where the true population differs from the counts: bars and curves in it, and the captions say so."""
    rng = np.random.default_rng(1)
    counts = rng.poisson(rng.lognormal(1, 1, 500))
    plan = ml.design(ml.Prior(counts[counts > 0]), 10)
    told = gather(plan, trials=50)
    world = ml.population(plan)
    bars = points(charts.comparison(told.comparisons))
    ours = {bar["attacker"]: bar["leakage"] for bar in bars if bar["by"] == "this plan"}
    leak = world.leakage("min-entropy")
    assert leak > 1.2 * plan.leakage("min-entropy")
    assert ours["min-entropy"] == leak_text("min-entropy", leak)
    assert told.by_k["min-entropy"][told.by_k.ks.index(10)] == pytest.approx(leak, rel=1e-9)
    notes = {figure.name: figure.note for figure in captioned(told)}
    for name in ("comparison", "leakage_by_k"):
        assert "in the true population" in notes[name]
    few = gather(ml.design([5, 3, 2], 2), trials=50)
    assert "as counted" in next(figure.note for figure in captioned(few) if figure.name == "comparison")
    assert few.by_k.on_counts


def test_leakage_by_k_has_every_k_and_marks_the_chosen(facts: Facts) -> None:
    chart = charts.leakage_by_k(facts.by_k, facts.k)
    assert len(points(chart, 0)) == len(facts.by_k.ks) * len(ENTROPIES)
    assert points(chart, 1)[0]["k"] == points(chart, 2)[0]["k"] == 20
    assert points(chart, 2)[0]["label"] == "k = 20"


def test_prior_and_target_say_that_they_are_binned_and_name_giants(facts: Facts) -> None:
    chart = charts.prior_and_target(facts.prior, facts.target, facts.giants, 0)
    spec = chart.to_dict()
    assert len(points(chart, 0)) == len(facts.prior) + len(facts.target)
    assert spec["layer"][0]["encoding"]["x"]["title"][1] == f"2,000 secrets in {len(facts.prior)} bins"
    assert points(chart, 3) == [{"rank": 1, "mean": pytest.approx(0.056282129), "label": "the"}]


def test_small_priors_are_not_binned_and_zeros_are_told() -> None:
    facts = gather(ml.design([5, 3, 2, 0], 2), trials=50)
    spec = charts.prior_and_target(facts.prior, facts.target, facts.giants, 1).to_dict()
    assert spec["layer"][0]["encoding"]["x"]["title"] == ["rank of the secret (log scale)"]
    assert "1 secrets of weight zero" in spec["title"]["text"][0]


def test_repeated_has_every_draw_with_its_interval(facts: Facts) -> None:
    drawn = points(charts.repeated(facts.repeated), 0)
    assert [point["draws"] for point in drawn] == [*DRAWS, *DRAWS]
    assert all(point["low"] <= point["success"] <= point["high"] for point in drawn)


def test_wrong_prior_has_the_plan_beside_the_least(facts: Facts) -> None:
    for drift in facts.drift:
        drawn = points(charts.wrong_prior(drift), 0)
        assert len(drawn) == 2 * len(drift.thetas)
        assert [point["leakage"] for point in drawn] == pytest.approx([*drift.plan, *drift.least])


@pytest.mark.parametrize("format", ["png", "svg"])
def test_every_chart_makes_a_picture(facts: Facts, format: str) -> None:
    begin = {"png": b"\x89PNG", "svg": b"<svg"}[format]
    for figure in captioned(facts):
        assert picture(figure.chart, format).startswith(begin), figure.name


def test_no_chart_holds_more_than_a_few_hundred_points() -> None:
    facts = gather(ml.design(range(1, 20_001), k=50), trials=50)
    for figure in captioned(facts):
        assert len(figure.chart.to_json()) < 100_000, figure.name


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("colours", "ground"), [(LIGHT_COLOURS, "#ffffff"), (DARK_COLOURS, "#14181c")])
def test_colours_stand_out_from_their_ground(colours: list[str], ground: str) -> None:
    """A contrast of 3, which the web's accessibility guidelines ask of graphics."""
    for colour in colours:
        low, high = sorted((luminance(colour), luminance(ground)))
        assert (high + 0.05) / (low + 0.05) >= 3, colour
