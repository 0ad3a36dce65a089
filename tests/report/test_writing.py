"""The page is self-contained, escapes what it is given, and is written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import Markup

import minleak as ml
from minleak.errors import InvalidParameter, MissingExtra
from minleak.report import _saving as saving
from minleak.report._captions import captioned
from minleak.report._facts import gather
from minleak.report._writing import write

EVIL = ["<script>throw 1</script>", '"onload="throw 1', "{{7*7}}{% raw %}", "</script><!--<script>", "&lt;b"]


class Texts(HTMLParser):
    """The text of each paragraph, the tags, and the names of attributes, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "p":
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data


def written(plan: ml.Plan, folder: Path) -> str:
    file = folder / "report.html"
    assert write(plan, file, trials=50) == [str(file)]
    return file.read_text()


def own(page: str) -> str:
    """The page without the charts' library."""
    return re.sub(r'<script type="module">.*?</script>', "", page, flags=re.DOTALL)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    prior = ml.Prior([512, 128, 64, 32, 16, 1, 1, 1], labels=[*EVIL, "f", "g", "h"])
    return written(ml.design(prior, k=7), tmp_path_factory.mktemp("page"))  # giants are named


def test_the_page_loads_nothing(page: str) -> None:
    assert "default-src 'none'" in page
    assert not re.findall(r"<(?:script|img|iframe|link|source)[^>]*\b(?:src|href)\s*=", own(page))
    addresses = set(re.findall(r"https?://[^\s\"'\\<)]+", own(page)))
    assert all(address.startswith("https://vega.github.io/schema/") for address in addresses), addresses
    style = page[page.index("<style>") : page.index("</style>")]
    assert not re.findall(r"@import|url\(", style)


def test_labels_are_text(page: str) -> None:
    """In the text of the page, where entities stand for what is special, and in the charts' JSON, where nothing is."""
    parser = Texts()
    parser.feed(own(page))
    (named,) = [text for text in parser.texts if "because they are too popular" in text]
    assert ", ".join(EVIL) in re.sub(r" \([\d.]+%\)", "", named)
    assert parser.tags.count("script") == 2  # the charts' data and looks
    assert "onload" not in parser.attributes
    specs, looks = re.findall(r'<script id="\w+" type="application/json">(.*?)</script>', page, flags=re.DOTALL)
    assert not set("<>&'") & set(specs + looks)
    layers = json.loads(specs)["prior_and_target"]["layer"]
    drawn = [row["label"] for layer in layers if layer["mark"]["type"] == "text" for row in layer["data"]["values"]]
    assert drawn == EVIL


def test_the_page_says_all_it_should_in_order(page: str) -> None:
    titles = [re.sub("<.*?>", "", title) for title in re.findall(r"<h[12]>(.*?)</h[12]>", own(page))]
    assert titles == [
        "What this plan leaks",
        "What leaks to each kind of attacker",
        "What leaks, against other countermeasures",
        "Larger sets leak less",
        "What the attacker believes, before and after",
        "If one secret is drawn again and again",
        "If popularity is not as assumed: min-entropy",
        "Certificate",
        "What the guarantee does not cover",
    ]
    for text in ("67.8%", "100%", "certified optimal", "simulated, ±", "fixed buckets", "no set has a secret twice"):
        assert text in page, text
    for limit in ("Fresh draws", "Correlated secrets", "A leaked key", "Dependent events", "A wrong prior", "Timing"):
        assert f"<b>{limit}" in page, limit


def test_the_page_says_whose_prior_was_certified(page: str) -> None:
    """A plan may be anybody's file: its certificate is for the counts in it, until yours are compared."""
    assert page.index("<h2>Certificate</h2>") < page.index("The prior is the plan's own")


def test_the_page_is_of_moderate_size(tmp_path: Path) -> None:
    written(ml.design(ml.Prior.uniform(100_000), k=7), tmp_path)
    assert (tmp_path / "report.html").stat().st_size < 2_000_000


CASES = {
    "one secret": ([7], 1, None, "100%"),
    "k >= n": ([5, 3, 2], 9, None, "no more often than without seeing anything"),
    "zeros": ([5, 0, 3, 0, 2], 2, None, "2 of them of weight zero"),
    "gains": ([5, 3, 2, 1], 2, [1, 2, 0, 4], "has gains"),
    "floats": ([0.5, 0.3, 0.15, 0.05], 2, None, "total variation"),
    "no giants": ([1, 1, 1, 1], 2, None, "No secret is so popular"),
}


@pytest.mark.parametrize("case", CASES)
def test_small_plans_have_a_page(case: str, tmp_path: Path) -> None:
    weights, k, gains, text = CASES[case]
    page = own(written(ml.design(weights, k, gains=gains), tmp_path))
    assert text in page
    assert not re.search(r"\b(?:nan|inf)\b", re.sub(r"<[^>]*>", " ", page), flags=re.IGNORECASE)


@pytest.mark.parametrize("format", ["png", "svg"])
def test_pictures_go_into_a_folder(format: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "charts"
    files = write(ml.design([5, 3, 2, 1], k=2), folder, format=format, trials=50)
    assert sorted(files) == sorted(str(file) for file in folder.iterdir())
    assert [os.path.basename(file) for file in files] == [
        f"{name}.{format}"
        for name in (
            "comparison",
            "leakage_by_k",
            "prior_and_target",
            "repeated",
            "wrong_prior_min_entropy",
        )
    ]
    if format == "svg":
        assert "Larger sets leak less" in Path(files[1]).read_text()


def test_unknown_formats_are_refused_before_the_work(tmp_path: Path) -> None:
    plan = ml.design([5, 3, 2], k=2)
    with pytest.raises(InvalidParameter, match=r"End it with \.html"):
        write(plan, tmp_path / "charts.png")
    with pytest.raises(InvalidParameter, match="unknown format 'pdf': one of html, png, svg"):
        write(plan, tmp_path / "report.pdf", format="pdf")
    with pytest.raises(InvalidParameter, match="against= is for a plan over strings"):
        write(plan, tmp_path / "report.html", against=plan.prior)
    with pytest.raises(InvalidParameter, match="trials is a whole number from 1 on, not 0"):
        write(plan, tmp_path / "report.html", trials=0)
    assert not list(tmp_path.iterdir())


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "report.html"
    file.write_text("before")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving.os, "replace", refuse)
    with pytest.raises(ml.errors.MinleakError, match=r"cannot write .*report\.html: No space left"):
        write(ml.design([5, 3, 2], k=2), file, trials=50)
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
    assert file.read_text() == "before"


def test_a_folder_that_cannot_be_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    plan = ml.design([5, 3, 2], k=2)
    with pytest.raises(ml.errors.MinleakError, match="cannot make the folder"):
        write(plan, tmp_path / "file" / "charts", format="svg", trials=50)
    with pytest.raises(ml.errors.MinleakError, match="cannot write"):
        write(plan, tmp_path / "nowhere" / "report.html", trials=50)


def test_charts_for_a_notebook_are_those_of_the_page() -> None:
    plan = ml.design([5, 3, 2, 1], k=2)
    shown = ml.report.figures(plan, trials=50)
    assert [figure.name for figure in shown] == [figure.name for figure in captioned(gather(plan, trials=50))]
    assert all(figure.title and figure.note for figure in shown)


@pytest.mark.parametrize(("ending", "begin"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("html", b"<!doctype html>")])
def test_a_chart_is_saved_by_its_ending(tmp_path: Path, ending: str, begin: bytes) -> None:
    sizes = ml.padding.frontier({"a": 10, "b": 17, "c": 25})
    tradeoff = ml.lab.tradeoff([5, 3, 2], cost=[[0, 1, 1], [1, 0, 1], [1, 1, 0]], entropy="min-entropy", points=3)
    for name, chart in (("sizes", sizes.chart()), ("costs", tradeoff.chart())):
        ml.report.save_chart(chart, tmp_path / f"{name}.{ending}", title="A <title>")
        assert (tmp_path / f"{name}.{ending}").read_bytes().startswith(begin)
        if ending == "html":
            assert "<title>A &lt;title&gt;</title>" in (tmp_path / f"{name}.html").read_text()
    with pytest.raises(InvalidParameter, match=r"saved as \.png, \.svg or \.html"):
        ml.report.save_chart(tradeoff.chart(), tmp_path / "chart.gif", title="")


def test_a_body_is_text_unless_it_is_markup() -> None:
    text = "<p>{{7*7}}</p>"
    assert "&lt;p&gt;{{7*7}}&lt;/p&gt;" in own(ml.report.page("a", text, []))
    assert text in own(ml.report.page("a", Markup(text), []))


@pytest.mark.parametrize("missing", ["altair", "jinja2", "vl_convert"])
def test_a_missing_package_is_named_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr("minleak.report._writing.gather", None)
    plan = ml.design([5, 3, 2], k=2)
    message = f"need the package {missing}: run pip install '.\\[report\\]'"
    for path, format in (("report.html", None), ("charts", "png")):
        with pytest.raises(MissingExtra, match=message):
            write(plan, tmp_path / path, format=format)
    with pytest.raises(MissingExtra, match=message):
        ml.report.figures(plan)
    assert not list(tmp_path.iterdir())


def test_importing_loads_no_chart_library() -> None:
    code = "import sys, minleak.report as r; r.write; print({'altair', 'jinja2', 'vl_convert'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "set()\n"


RESULTS = {
    "leakage": lambda: ml.leakage_table(ml.Prior([3, 2, 1], labels=EVIL[:3]), ml.Channel([[1, 0], [0, 1], [0, 1]])),
    "blocks": lambda: ml.design(ml.Prior([3, 2, 1], labels=EVIL[:3]), k=2, layout="blocks"),
    "posteriors": lambda: ml.lab.hyper([1, 1], ml.Channel([[1, 0], [0, 1]], inputs=EVIL[:2])),
    "sweep": lambda: ml.sweep([5, 3, 2], ks=[1, 2]),
    "walks": lambda: ml.lab.sequences.baselines(
        ml.lab.sequences.Chain([1, 1, 1], [[0, 1, 1], [1, 0, 1], [1, 2, 0]]), 2, steps=2, trials=20
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_a_page(name: str, tmp_path: Path) -> None:
    """Its tables, and its chart where it has one; labels are text."""
    found, file = RESULTS[name](), tmp_path / "page.html"
    assert write(found, file, title=EVIL[0]) == [str(file)]
    page = own(file.read_text())
    parser = Texts()
    parser.feed(page)
    assert parser.tags.count("script") == 2  # the charts' data and looks
    assert parser.tags.count("table") >= 1
    specs = json.loads(re.findall(r'<script id="specs"[^>]*>(.*?)</script>', page)[0])
    assert ("chart" in specs) == hasattr(found, "chart")


def test_pictures_are_of_what_has_a_chart(tmp_path: Path) -> None:
    files = write(RESULTS["sweep"](), tmp_path / "pictures", format="svg")
    assert [os.path.basename(file) for file in files] == ["chart.svg"]
    with pytest.raises(InvalidParameter, match="has no chart"):
        write(RESULTS["leakage"](), tmp_path / "none", format="svg")
    for nothing in (3, "plan.cloak", None):
        with pytest.raises(InvalidParameter, match="about a plan or a result"):
            write(nothing, tmp_path / "none.html")
    with pytest.raises(InvalidParameter, match="judges no requirement"):
        write(RESULTS["sweep"](), tmp_path / "none.html", success=0.1)
