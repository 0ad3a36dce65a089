"""The page of a plan that was updated: one look for all versions, each part then and now, what waits, a requirement."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.report.test_charts import points
from tests.report.test_world import text

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.lineage._summary import measure_parts
from minleak.report._lineages import _ROWS, lineage_figures, lineage_page
from minleak.results import Lineage

COUNTS = {f"page-{i}": 400 // (i + 2) for i in range(60)}


@pytest.fixture(scope="module")
def plan() -> Lineage:
    """Two parts, 3 secrets that wait, and counts that moved."""
    rng = np.random.default_rng(5)
    moved = {name: int(count * factor) for (name, count), factor in zip(COUNTS.items(), rng.lognormal(0, 0.5, 60))}  # noqa: B905
    newcomers = {f"new-{i}": 9 - i % 4 for i in range(8)}
    older = ml.update(ml.design(COUNTS, k=5), COUNTS | newcomers, cohort=1)
    made: Lineage = ml.update(older, moved | {"new-2": 30} | {f"secretly-{i}": 2 for i in range(3)})
    return made


def page_of(plan: Lineage, success: float | None = None) -> str:
    return text(lineage_page(plan, success=success, title=None, file=None))


def percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def test_the_first_figure_is_for_one_who_saw_all_versions(plan: Lineage) -> None:
    """What leaks today; and by hand, by the last counts, of every set the largest share that leads to it."""
    joint = plan.channel().toarray() * plan.prior.p[:, None]
    right = float(joint.max(axis=0).sum())
    page, today = page_of(plan), ml.population(plan)
    assert f"saw the sets of all 3 versions of this plan and guesses once is right {percent(today.success)}" in page
    assert f"Seeing all versions {percent(today.success)}" in page
    assert f"Blind guess {percent(today.blind)}" in page
    assert f"A plan made today {percent(today.least)}" in page
    assert f"As counted on the last day, a guess is right {percent(right)} of the time" in page
    waiting = 6 / plan.ledger.counts.sum()
    assert f"Waiting for a part 3 {percent(waiting)} of the last day's events" in page
    assert f"a guess would be right {percent(waiting + (1 - waiting) * right)}" in page
    assert "secretly" not in page
    assert "each part certified for its own counts" in page


def test_parts_are_told_as_made_and_by_the_last_counts(plan: Lineage) -> None:
    worth = measure_parts(plan)
    assert [part.made for part in worth] == [part.success for part in plan.parts]
    assert sum(part.share * (part.success or 0) for part in worth) == pytest.approx(plan.success)
    drawn = points(lineage_figures(plan)[0].chart, 1)
    assert {(point["part"], point["of"]): point["success"] for point in drawn} == {
        (part.number, name): success
        for part in worth
        for name, success in (("as it was made", part.made), ("by the last counts", part.success))
    }
    page = page_of(plan)
    for part in worth:
        assert f"part {part.number} {part.secrets} {percent(part.share)} {percent(part.made or 0)}" in page


def test_parts_of_which_nothing_was_counted_have_one_point(plan: Lineage) -> None:
    later = ml.update(plan, COUNTS)
    assert later.parts == plan.parts
    drawn = points(lineage_figures(later)[0].chart, 1)
    assert [point["part"] for point in drawn] == [0, 0, 1]
    assert "not counted" in page_of(later)


@pytest.mark.parametrize(("most", "verdict"), [(0.9, "met"), (0.01, "not met")])
def test_a_requirement_is_judged_by_the_upper_end_of_today(plan: Lineage, most: float, verdict: str) -> None:
    try:
        worst = ml.population(plan).high
    except InvalidParameter:  # too few events
        worst = plan.success
    said = f"right at most {percent(most)} of the time: {verdict} ({percent(worst)} at the most today)"
    assert said in page_of(plan, most)
    assert ("badge bad" in lineage_page(plan, success=most, title=None, file=None)) == (verdict == "not met")
    assert "Requirement" not in page_of(plan)


def test_gains_have_no_requirement_and_no_success_as_made() -> None:
    plan = ml.update(ml.design([5, 3, 2], 2, gains=[1, 2, 3]), [4, 4, 2])
    with pytest.raises(InvalidParameter, match="a plan with gains"):
        lineage_page(plan, success=0.5, title=None, file=None)
    assert [point["of"] for point in points(lineage_figures(plan)[0].chart, 1)] == ["by the last counts"]
    assert "part 0" in page_of(plan)


def test_of_many_parts_the_first_and_the_newest_have_rows() -> None:
    plan = ml.design(COUNTS, 2)
    for day in range(_ROWS + 10):
        plan = ml.update(plan, COUNTS | {f"{day}-{i}": 1 for i in range(2)}, cohort=1)
    page = page_of(plan)
    assert f"The first part and the newest {_ROWS - 1} of {_ROWS + 11}." in page
    assert len(re.findall(r"part \d+ \d+ \d", page)) == _ROWS


def test_pictures_and_notebooks_have_its_chart(plan: Lineage, tmp_path: Path) -> None:
    assert ml.report.write(plan, tmp_path / "charts", format="png") == [str(tmp_path / "charts" / "parts.png")]
    assert [figure.name for figure in ml.report.figures(plan)] == ["parts"]
    with pytest.raises(InvalidParameter, match="against="):
        ml.report.write(plan, tmp_path / "page.html", against=object())  # type: ignore[arg-type]
