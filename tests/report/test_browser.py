"""The page in a real browser: nothing goes wrong, every chart is drawn, it fits a phone and obeys dark mode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.report.browser import NAMES, Browser, find_chromium

import minleak as ml
from minleak.report._captions import captioned
from minleak.report._facts import gather
from minleak.report._writing import report_page

WORDS = Path(__file__).parents[2] / "examples" / "data" / "words.csv"
PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason=f"no browser: none of {', '.join(NAMES)} is on the path, and $CHROMIUM names none"
)
EVIL = ["<script>throw 1</script>", '"onload="throw 1', "{{7*7}}", "</script><!--"]
LONG = "a label without any blank that is far too long " + "x" * 120


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, list[str]]]:
    plans = {
        "words": ml.design(ml.read_prior(WORDS, secret="secret", weight="count"), k=20),
        "one": ml.design([7], k=1),
        "near": ml.design([9, 8, 7, 6, 5, 4, 3], layout=ml.Near([0, 1, 2, 5, 6, 7, 40]), k=3),
        "gains": ml.design(
            ml.Prior([60, 20, 10, 5, 3, 0, 1], labels=[*EVIL, LONG, "d", "e"]),
            k=5,
            gains=[8, 4, 2, 2, 1, 1, 0],  # those of EVIL are giants, which are named
        ),
    }
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, plan in plans.items():
        facts = gather(plan, trials=100)
        file = folder / f"{name}.html"
        file.write_text(report_page(facts))
        made[name] = (file, [figure.name for figure in captioned(facts)])
    older = ml.update(plans["words"], {"the": 9, **{f"{word}-new": 1 for word in EVIL * 20}}, cohort=1)
    ml.report.write(ml.update(older, {"the": 5, LONG: 2}), folder / "lineage.html", success=0.5)
    made["lineage"] = (folder / "lineage.html", ["parts"])
    return made


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with Browser(str(PROGRAM), tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("name", ["words", "one", "gains", "near", "lineage"])
def test_the_page_works(browser: Any, pages: dict[str, Any], name: str, width: int, dark: bool) -> None:
    file, charts = pages[name]
    browser.open(file, width=width, dark=dark)
    assert browser.errors() == []
    assert browser.requests() == [file.resolve().as_uri()]
    for chart in charts:
        marks = browser.evaluate(
            f"document.querySelectorAll('#{chart} svg .mark-rect path, #{chart} svg .mark-line path, "
            f"#{chart} svg .mark-symbol path').length"
        )
        assert marks > 0, chart
        box = browser.evaluate(
            f"(r => [r.left, r.right, r.height])(document.querySelector('#{chart} svg').getBoundingClientRect())"
        )
        assert box[0] >= 0, chart
        assert box[1] <= width, chart
        assert box[2] > 150, chart
        cut = browser.evaluate(
            f"(b => [...document.querySelectorAll('#{chart} svg .mark-text text')].filter(t => t.textContent && "
            "(r => r.left < b.left - 1 || r.right > b.right + 1)(t.getBoundingClientRect())).map(t => t.textContent))"
            f"(document.querySelector('#{chart} svg').getBoundingClientRect())"
        )
        assert cut == [], chart
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")
    ink = browser.evaluate(f"document.querySelector('#{charts[-1]} svg .role-axis-label text').getAttribute('fill')")
    assert ink == ("#e4e7eb" if dark else "#24292f")


def test_labels_are_shown_as_they_are(browser: Any, pages: dict[str, Any]) -> None:
    browser.open(pages["gains"][0], width=1200, dark=False)
    text = browser.evaluate("document.querySelector('main').innerText")
    chart = browser.evaluate("document.querySelector('#prior_and_target svg').textContent")
    for label in EVIL:
        assert f"{label} (" in text
        assert label[:10] in chart  # which cuts long names
    assert browser.evaluate("document.querySelectorAll('script').length") == 4
    assert browser.evaluate("document.querySelectorAll('[onload]').length") == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_chart_alone_has_the_ground_that_its_ink_is_for(browser: Any, tmp_path: Path, dark: bool) -> None:
    found = ml.lab.tradeoff([5, 3, 2], cost=[[0, 1, 1], [1, 0, 1], [1, 1, 0]], entropy="min-entropy", points=3)
    ml.report.save_chart(found.chart(), tmp_path / "chart.html", title="Least leakage against the budget")
    browser.open(tmp_path / "chart.html", width=390, dark=dark)
    assert browser.errors() == []
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390


def test_charts_follow_when_the_scheme_changes(browser: Any, pages: dict[str, Any]) -> None:
    browser.open(pages["one"][0], width=390, dark=False)
    browser.evaluate("delete document.body.dataset.ready")  # until the charts have been drawn again
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.wait_until_drawn()
    ink = browser.evaluate("document.querySelector('#leakage_by_k svg .role-axis-label text').getAttribute('fill')")
    assert ink == "#e4e7eb"
    assert browser.errors() == []
