"""The report of a chain: one page with its tables and charts inside."""

from __future__ import annotations

import pytest

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.report._walks import write_walks

CHAIN = ml.lab.sequences.Chain(
    [1, 1, 1, 1], [[2, 1, 0, 1], [1, 2, 1, 0], [0, 1, 2, 1], [1, 0, 1, 2]], labels=list("ab<c>d".replace("<c>", "c"))
)


def test_the_page_says_both_what_is_promised_and_what_happened(tmp_path):
    """With walks that were kept out their table stands beside the claim; without, that it was not measured is said."""
    expected = ml.lab.sequences.baselines(CHAIN, 2, steps=4, trials=20)
    real = ml.lab.sequences.baselines(CHAIN, 2, steps=4, trials=20, truth=CHAIN.simulate(4, walks=20))
    path = tmp_path / "walks.html"
    write_walks(CHAIN, expected, path, real=real)
    text = path.read_text()
    assert text.count('class="chart"') == 2
    assert "walks that were kept out" in text
    assert "independent decoy walks" in text
    write_walks(CHAIN, expected, path)
    text = path.read_text()
    assert text.count('class="chart"') == 1
    assert "was not measured here" in text
    with pytest.raises(InvalidParameter, match="html"):
        write_walks(CHAIN, expected, tmp_path / "walks.png")


def test_charts_are_charts(tmp_path):
    """Of one method with its bands, and of all."""
    table = ml.lab.sequences.baselines(CHAIN, 2, steps=3, trials=20)
    for number, found in enumerate((table, table.rows[0])):
        ml.report.save_chart(found.chart(), tmp_path / f"{number}.svg", title="Success against step")
        assert (tmp_path / f"{number}.svg").stat().st_size > 1000
