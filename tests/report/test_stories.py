"""The page of every kind of result: one number first, what it means, whether it is enough, and what to do."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.padding._frames import FrameCost
from minleak.report._charts import chances
from minleak.report._stories import Bar, judge, story

COUNTS = [40, 25, 10, 8, 6, 5, 3, 3]


def audit(spread, n=600):
    rng = np.random.default_rng(4)
    secrets = rng.integers(0, 3, n)
    return ml.audit(secrets, rng.normal(spread * secrets, 1), permutations=99)


def frames():
    cost = FrameCost(9, 3, 0.3, 2, 0.6, 0.5, "shannon", 0.4, 900.0, 600.0, 1.0, 2.0, 3.0, 4.0, 0)
    return ml.padding.Frames(48, 20, (4, 8), cost)


RESULTS = {
    "comparison": lambda: ml.compare(COUNTS, [0, 1, 2, 3, 0, 1, 2, 3]),
    "blocks": lambda: ml.design(COUNTS, 3, layout="blocks"),
    "audit": lambda: audit(1.0),
    "harmless audit": lambda: audit(0.0),
    "padding": lambda: ml.padding.design([10, 20, 30, 40], [4, 3, 2, 1], budget=8),
    "sample padding": lambda: ml.padding.from_samples([0, 1] * 50, list(range(100)), budget=9),
    "frames": frames,
    "channel": lambda: ml.leakage_table([2, 1], [[0.9, 0.1], [0.2, 0.8]]),
    "capacity": lambda: ml.capacity([[0.9, 0.1], [0.2, 0.8]]),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_every_kind_of_result_has_a_story(kind, tmp_path):
    subject = RESULTS[kind]()
    result = ml.summary(subject) if kind == "blocks" else subject
    told = story(result)
    assert told.verdict.endswith(".")
    assert told.todo.endswith(".")
    assert 2 <= len(told.tiles) <= 4
    ml.report.write(subject, tmp_path / "page.html")
    page = html.unescape((tmp_path / "page.html").read_text())
    for text in (told.title, told.verdict, told.todo, *(tile.value for tile in told.tiles)):
        assert text in page
    assert re.search(r'class="tile ours">[^<]*<b>' + re.escape(told.tiles[0].value), page)


def test_a_result_without_a_story_has_its_name_and_its_table(tmp_path):
    result = ml.sweep(COUNTS, ks=[1, 2], entropies=["shannon"])
    ml.report.write(result, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<h1>Sweep</h1>" in page
    assert "What to do" not in page


def test_the_numbers_are_those_of_the_result():
    found = RESULTS["comparison"]()
    told = story(found)
    assert [tile.value for tile in told.tiles] == [f"{100 * x:.3g}%" for x in (found.success, found.blocks, found.plan)]
    assert [bar.value for bar in told.bars] == [row.success for row in found.rows]
    assert f"-k {found.average} --layout blocks" in told.todo


def test_advice_on_a_padding_promises_nothing_of_a_limit_that_may_cost_nothing():
    """Of an overhead and a cap only the cap binds here: a larger overhead alone would leak as much."""
    sizes = [100, 101, 150, 151, 400]
    found = ml.padding.design(sizes, most=0.02, overhead=0.5)
    assert ml.padding.price_limits(found)["overhead"] == found.leakage
    assert "loosen the limit that costs most" in story(found).todo
    assert "A looser limit leaks less" in story(ml.padding.design(sizes, overhead=0.01)).todo


def test_two_audits_are_a_repair(tmp_path):
    before, after = audit(1.5), audit(0.0)
    ml.report.write([before, after], tmp_path / "page.html", success=0.5)
    page = html.unescape((tmp_path / "page.html").read_text())
    assert "Before and after the repair" in page
    assert "<h2>Before</h2>" in page
    assert "<h2>After</h2>" in page
    assert "finds no leak any more" in page
    assert 'id="chart_1"' in page
    assert 'id="chart_2"' in page
    for wrong in ([before], [before, after, after], [before, "after"]):
        with pytest.raises(InvalidParameter, match="two audits, before and after"):
            ml.report.write(wrong, tmp_path / "other.html")
    assert not (tmp_path / "other.html").exists()


def test_requirements_are_judged_where_a_guess_is(tmp_path):
    told = story(RESULTS["comparison"]())
    assert judge(told, None) == ("", "")
    assert judge(told, 1.0)[1] == ""
    assert judge(told, told.success)[0].startswith("✓ met")
    assert judge(told, told.success * 0.99)[1] == "bad"
    narrow = story(audit(1.0))
    assert judge(narrow, narrow.success)[1] == "doubtful"
    with pytest.raises(InvalidParameter, match="judges no requirement"):
        ml.report.write(RESULTS["capacity"](), tmp_path / "page.html", success=0.1)


def test_bars_have_their_values_and_ends():
    spec = chances([Bar("a", 0.2, 0.1, None, ours=True), Bar("b", 0.3)]).to_dict()
    assert len(spec["layer"]) == 3
    assert len(chances([Bar("a", 0.2), Bar("b", 0.3)]).to_dict()["layer"]) == 2


def test_a_page_claims_no_more_than_was_proved():
    """Of an index the cuts of sorted values were tried, of buckets other buckets, of a refinement no danger."""
    index = ml.compare([8, 4, 2, 1], [0, 1, 2, 3], rows=[8, 4, 2, 1])
    assert "cut of the sorted secrets" in story(index).todo
    sizes, counts = [10, 20, 30, 40], [4, 3, 2, 1]
    buckets = ml.padding.design(sizes, counts, budget=8)
    assert ml.lab.padding_channel(sizes, counts, budget=8).leakage < buckets.bound
    assert "no buckets within the limits leak less" in story(buckets).tiles[-1].text
    whole = [[1, 0], [0, 1]]
    assert "safe" not in story(ml.lab.refined_by(whole, whole)).title
    assert "worst observation" not in story(ml.lab.refined_by(whole, whole)).verdict
    assert "worst observation" in story(ml.lab.max_refined_by(whole, whole)).verdict


def test_the_advice_on_lone_sizes_can_be_followed():
    """A floor where the limits leave room for one, else the value that would do."""
    sizes = [20, 21, 30, 33, 100, 130]
    assert "add --floor 2." in story(ml.padding.design(sizes, budget=7)).todo
    ml.padding.design(sizes, budget=7, floor=2)
    told = story(ml.padding.design(sizes, most=0.12)).todo
    assert "add --floor 2" not in told
    allowed = re.search(r"allow ([0-9.]+)%, or lower the floor", told)
    ml.padding.design(sizes, most=float(allowed[1]) / 100, floor=2)
