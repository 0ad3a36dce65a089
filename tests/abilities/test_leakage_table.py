"""A table of leakage, an attacker for each row."""

import pytest
from tests.abilities.names import channel_from_rows, leakage, leakage_table, prior_from_counts


def test_rows():
    prior = prior_from_counts({"flu": 5, "cold": 3, "gout": 2})
    rows = [("flu", "hot", 0.9), ("flu", "mild", 0.1), ("cold", "mild", 1.0), ("gout", "none", 1.0)]
    channel = channel_from_rows(rows, inputs=prior.labels)
    table = leakage_table(prior, channel, ["shannon", "min-entropy", "guesswork"])
    assert [row.entropy for row in table.rows] == ["shannon", "min-entropy", "guesswork"]
    alone = [leakage(prior, channel, row.entropy) for row in table.rows]
    assert [row.leakage for row in table.rows] == pytest.approx(alone, abs=1e-12)
    assert table.rows[2].before == pytest.approx(0.5 + 2 * 0.3 + 3 * 0.2)
    assert table.rows[2].leakage == pytest.approx(0.65)
