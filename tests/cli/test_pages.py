"""--report: a page about what a command found."""

from __future__ import annotations

from pathlib import Path

import pytest

COMMANDS = {
    "compare": ["compare", "queries.csv", "--prefix", "1"],
    "blocks": ["design", "queries.csv", "-k", "2", "--layout", "blocks"],
    "plan": ["design", "queries.csv", "-k", "2"],
    "update": ["update", "queries.cloak", "queries.csv", "--dry-run"],
    "measure": ["measure", "diagnoses.csv", "test.csv"],
    "capacity": ["measure", "test.csv", "--capacity"],
    "pad": ["pad", "files.csv", "--budget", "5%"],
    "audit": ["audit", "events.csv", "--secret", "query", "--observable", "size", "--before", "events.csv"],
    "sweep": ["sweep", "queries.csv", "--max-success", "60%"],
    "optimise": ["optimise", "diagnoses.csv", "pairs.csv", "--budget", "0.2"],
    "least": ["optimise", "diagnoses.csv", "pairs.csv", "--max-leakage", "0.7"],
    "tradeoff": ["optimise", "diagnoses.csv", "pairs.csv", "--tradeoff", "5"],
    "refined_by": ["measure", "test.csv", "--against", "test.csv"],
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_page_for_every_result(run, kind):
    code, out, err = run(*COMMANDS[kind], "--report", "page.html")
    assert code == 0, err
    assert "written to page.html" in out
    page = Path("page.html").read_text()
    assert "<h1>" in page
    if kind == "audit":
        assert "Before and after the repair" in page
    else:
        assert 'class="tile ours"' in page


def test_a_page_ends_in_html(run, folder):
    code, _, err = run("compare", "queries.csv", "--prefix", "1", "--report", "page.pdf")
    assert code == 2
    assert "--report: the file name must end in .html" in err
