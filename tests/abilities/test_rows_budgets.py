"""Blocks under budgets of rows read: a blind index of a table."""

import pytest
from tests.abilities.names import Blocks, Infeasible, design, partitions, rows_read

NAMES = {"smith": 240, "jones": 140, "lee": 60, "ruiz": 40, "vogt": 12, "zink": 8}


def test_worst_rows():
    plan = design(NAMES, 6, layout=Blocks(worst_rows=250))
    read = rows_read(plan)
    blocks = [members for members, _ in plan.sets()]
    rows = [sum(NAMES[name] for name in members) for members in blocks]
    assert (read.mean, read.worst) == (pytest.approx(sum(n * n for n in rows) / 500), max(rows))
    assert max(rows) <= 250
    assert {row["value"] for row in partitions(plan).to_pylist()} == set(NAMES)


def test_mean_rows():
    assert rows_read(design(NAMES, 6, layout=Blocks(mean_rows=200))).mean <= 200
    with pytest.raises(Infeasible):
        design(NAMES, 6, layout=Blocks(worst_rows=239))
