"""The report's first figure is the one in the world; whether a requirement is met; what it says if nothing can be."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from tests.report.test_writing import own

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.rates._enough_events import enough_events
from minleak.report._facts import Facts, example, gather
from minleak.report._words import demanded
from minleak.report._worldly import judged
from minleak.report._writing import report_page


@pytest.fixture(scope="module")
def plan() -> ml.Plan:
    rng = np.random.default_rng(1)
    counts = rng.poisson(rng.lognormal(1, 1, 2000))
    return ml.design(ml.Prior(rng.permutation(counts[counts > 0])), k=20)


@pytest.fixture(scope="module")
def facts(plan: ml.Plan) -> Facts:
    return gather(plan, trials=50)


def text(page: str) -> str:
    """The words of the page, one blank between them."""
    body = re.sub(r"<script.*?</script>|<style>.*?</style>", "", own(page), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_the_first_figure_is_in_the_world(plan: ml.Plan, facts: Facts) -> None:
    world = ml.population(plan)
    assert facts.world is not None
    assert (facts.world.success, facts.world.low, facts.world.high) == (world.success, world.low, world.high)
    assert facts.enough == enough_events(plan, world)
    page = text(report_page(facts))
    figures = [f"In the true population {100 * world.success:.3g}% {100 * world.low:.3g}% to {100 * world.high:.3g}%"]
    figures += ["As counted 5% certified", "Blind guess", "No cloak 100%"]
    places = [page.index(figure) for figure in figures]
    assert places == sorted(places)
    assert f"is right {100 * world.success:.3g}% of the time, against" in page
    assert "the limit for infinitely many events" in page
    assert re.search(
        r"(Between [\d.]+ million and|Between [\d,]+ and|About) .* would bring the first figure within", page
    )
    assert f"{100 * world.unseen:.3g}% of future events will be of secrets that were not counted" in page
    assert f"in the true population {world.leakage('shannon'):.4g}" in page


def test_counts_that_differ_by_chance_are_told() -> None:
    """Equally frequent secrets: no word that so few events are enough, but how bad it could be."""
    counts = np.random.default_rng(1).multinomial(2000, np.full(5000, 1 / 5000))
    facts = gather(ml.design(ml.Prior(counts[counts > 0]), 20), trials=50)
    assert facts.world is not None
    page = text(report_page(facts))
    assert "are no larger than chance" in page
    assert f"could make it {100 * facts.world.high:.3g}%; more events would tell." in page
    assert "the two figures are the same" not in page
    assert "count one event per user and secret" in page


def test_what_it_is_about_is_on_the_page(plan: ml.Plan, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    ml.report.write(plan, file, title="Look-ups <b>", file="some/where/plan.cloak", trials=50)
    page = text(file.read_text())
    assert "Look-ups <b>" in page
    assert f"{datetime.now(UTC):%B %Y} · minleak {ml.__version__} · plan.cloak · plan {plan.digest.hex()[:16]}" in page
    assert f"digest is {plan.digest.hex()}" in page
    assert not re.search(r"\b(pi|theta)\b", page)
    charts = file.read_text().partition('id="specs"')[2].partition("</script>")[0]
    assert not re.search(r'"(?:title|text|of)": ?"[^"]*\b(?:pi|theta)\b', charts)


def test_the_example_is_a_set_of_the_plan(plan: ml.Plan) -> None:
    for one in (plan, ml.design([64, 16, 4, 1, 1, 1], 4), ml.design([3, 2], 2), ml.design([5, 0, 0], 2)):
        sets = {frozenset(map(str, members)) for members, _ in one.sets()}
        assert any(set(example(one)) <= members for members in sets)


def test_guesswork_says_why_so_little_is_gained(plan: ml.Plan, facts: Facts) -> None:
    blind = ml.Guesswork()(plan.prior)
    said = f"It takes {blind:.4g} guesses on average blind, 10.5 with a set, and one with the secret."
    assert said in text(report_page(facts))


def test_a_requirement_is_judged_in_the_world(facts: Facts) -> None:
    """By the estimate, as `least_k` means it; for sure only where the interval's upper end is not above either."""
    world = facts.world
    assert world is not None
    between = f"(estimate {100 * world.success:.3g}%, interval to {100 * world.high:.3g}%)"
    for most, verdict, badge in (
        (0.05, "not met", "badge bad"),
        (world.low, "not met", "badge bad"),
        (world.success, "met", "badge doubtful"),
        ((world.success + world.high) / 2, "met", "badge doubtful"),
        (world.high, "met", "badge"),
        (1, "met", "badge"),
    ):
        asked = replace(facts, requirement=judged(most, facts.chance.plan, world))
        said = f"Requirement: a guess is right at most {100 * most:.3g}% of the time: {verdict} {between}"
        assert demanded(asked) == said
        assert f'<p class="{badge}">{said}.</p>' in report_page(asked)
    assert demanded(facts) == ""


def test_a_requirement_missed_by_little_shows_by_how_much(facts: Facts) -> None:
    """A verdict that reads "at most 5%: not met (5%)" explains nothing."""
    assert facts.world is not None
    world = replace(facts.world, success=0.0500004, high=0.0500021)
    asked = replace(facts, world=world, requirement=judged(0.05, facts.chance.plan, world))
    assert demanded(asked).endswith("at most 5% of the time: not met (estimate 5.00004%, interval to 5.00021%)")


UNTOLD = {
    "floats": (ml.Prior([0.5, 0.3, 0.2]), "the weights are not counts of events"),
    "few": (ml.Prior([49, 31, 19]), "99 events are too few to say anything about the true population"),
    "ones": (ml.Prior([1] * 200), "every secret was seen once"),
}


@pytest.mark.parametrize("case", UNTOLD)
def test_where_nothing_can_be_said_it_is_said(case: str) -> None:
    prior, why = UNTOLD[case]
    page = text(report_page(gather(ml.design(prior, 2), success=0.6, trials=50)))
    assert re.search(rf"All figures are as counted; nothing can be said about the true population: {why}.*\.", page)
    assert "As counted 50%" in page
    assert "In the true population" not in page
    assert "at most 60% of the time: met, as counted." in page


@pytest.mark.parametrize("success", [5, 0, -0.1, float("nan"), "5%", True])
def test_a_requirement_is_a_probability(plan: ml.Plan, success: object) -> None:
    with pytest.raises(
        InvalidParameter, match=r"success is a probability above 0 and up to 1, such as 0\.05 for 5%, not"
    ):
        gather(plan, success=success, trials=50)  # type: ignore[arg-type]


def test_gains_have_no_requirement() -> None:
    plan = ml.design([5, 3, 2], 2, gains=[1, 2, 3])
    with pytest.raises(InvalidParameter, match="a plan with gains"):
        gather(plan, success=0.5, trials=50)
    assert "With this plan" in report_page(gather(plan, trials=50))


def test_titles_are_text(plan: ml.Plan, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="the title of a report is text, not int"):
        ml.report.write(plan, tmp_path / "report.html", title=3)  # type: ignore[arg-type]


def test_a_plan_says_nothing_of_versions(plan: ml.Plan, facts: Facts) -> None:
    page = text(report_page(replace(facts, requirement=judged(0.5, plan.success, facts.world))))
    assert re.search(r"50% of the time: met \(", page)
    assert "version" not in page
