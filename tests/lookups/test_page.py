"""The page docs/try.html in a browser: figures and files are Python's, to the last byte, and nothing is asked for."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.report.browser import NAMES, Browser, find_chromium

import minleak as ml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "try.html"
DATA = {"npm_downloads": (12, 8, 0), "words": (20, 7, 600), "cities": (50, 6, 0)}
TOLD = """(() => {
  const one = ({ success, two, shannon, mean, worst }) => [success, two, shannon, mean, worst];
  return { before: one(made.before), after: one(made.after), listed: made.listed, classes: made.classes,
    file: Array.from(made.file, (byte) => byte.toString(16).padStart(2, "0")).join("") };
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = find_chromium()
    if not program:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the path")
    with Browser(program, tmp_path_factory.mktemp("profile")) as browser:
        browser.call("Page.navigate", url=PAGE.resolve().as_uri())
        while browser.evaluate("document.readyState") != "complete":
            pass
        yield browser


def counts_of(name):
    """At most 5,000 names of an example, each once."""
    prior = ml.read_prior(ROOT / "examples" / "data" / f"{name}.csv")
    labels, weights = prior.labels[:5000], prior.weights[:5000].tolist()
    return dict(zip(labels, weights, strict=True))


def show(browser, counts, k, bits, listed):
    """What the page finds for these counts."""
    text = io.StringIO()
    csv.writer(text).writerows([("secret", "count"), *counts.items()])
    browser.evaluate(f"measure({json.dumps(text.getvalue())})")
    for field, value in {"k": k, "bits": bits, "listed": listed or ""}.items():
        browser.evaluate(f"element('{field}').value = '{value}'")
    browser.evaluate("select()")
    return browser.evaluate(TOLD)


@pytest.mark.parametrize("name", DATA)
def test_figures_and_bytes_are_pythons(browser, name):
    k, bits, listed = DATA[name]
    counts = counts_of(name)
    told = show(browser, counts, k, bits, listed)
    made = ml.selector(counts, k, prefix=f"sha256:{bits}", listed=listed or None)
    for scheme, figures in (("before", made.report.before), ("after", made.report.after)):
        wanted = figures.success, figures.two_guesses, figures.shannon, figures.mean_answer, figures.worst_answer
        assert told[scheme] == pytest.approx(wanted)
    assert told["listed"] == made.listed
    found = [(one["share"], one["before"], one["after"]) for one in told["classes"]]
    assert [value for row in found for value in row] == pytest.approx(
        [value for one in made.report.classes for value in (one.share, one.before, one.after)]
    )
    assert told["file"] == made.data.hex()
    assert made.sha256 in browser.evaluate("element('file-said').textContent")


def test_odd_names(browser):
    counts = {"": 5, 'a "b", c': 4, "日本": 3, "🦉": 2, "<b>x</b>": 1, "e\u0301": 1, "zero": 0}
    told = show(browser, counts, 2, 4, 0)
    assert told["file"] == ml.selector(counts, 2, prefix="sha256:4").data.hex()
    assert not browser.evaluate("document.querySelector('#found b')")


def test_bad_input_is_said(browser):
    browser.evaluate("measure('no counts here\\nnor here')")
    assert "must be lines" in browser.evaluate("element('said').textContent")
    assert browser.evaluate("element('found').hidden")
    browser.evaluate("measure('a,2\\nbroken\\nb,1\\nc,NaN')")
    assert "2 lines are no name" in browser.evaluate("element('blind').textContent")


def test_a_hundred_thousand_rows(browser):
    """The page says how long it took; here only that it ends, since others use this machine."""
    browser.evaluate(
        "measure(Array.from({ length: 1e5 }, (_, i) => `name-${i},${Math.ceil(1e9 / (i + 3))}`).join('\\n'))"
    )
    assert "measured in" in browser.evaluate("element('said').textContent")


def test_it_asks_for_nothing_and_may_not(browser):
    assert not browser.errors()
    assert browser.requests() in ([], [PAGE.resolve().as_uri()])
    browser.evaluate("fetch('https://example.org/').catch(() => { window.refused = true; })")
    while browser.evaluate("window.refused") is None:
        pass
    assert "default-src 'none'" in PAGE.read_text()


@pytest.mark.parametrize("width", [400, 1200])
def test_it_fits(browser, width):
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
