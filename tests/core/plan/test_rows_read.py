"""Blocks with a budget in rows: what queries read, and the best cut within it."""

from __future__ import annotations

import csv
import hashlib
import hmac
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.errors import Infeasible, InvalidKey, InvalidParameter

COUNTS = st.lists(st.integers(1, 30), min_size=1, max_size=7)


def plainly(sets, counts, rows):
    """(success, mean, worst), one secret after the other."""
    total = sum(counts)
    read = {x: sum(rows[y] for y in one) for one in sets for x in one}
    success = sum(max(counts[x] for x in one) for one in sets) / total
    return success, sum(counts[x] * read[x] for x in read) / total, max(read.values())


@settings(max_examples=150, deadline=None)
@given(COUNTS, st.integers(1, 120), st.integers(1, 7))
def test_no_cut_of_the_sorted_secrets_within_the_budget_is_better(counts, worst, k):
    """Against all cuts of the sorted secrets into blocks of at most k secrets and so many rows."""
    if max(counts) > worst:
        with pytest.raises(Infeasible, match="allow more"):
            ml.design(counts, k, layout=ml.Blocks(worst_rows=worst))
        return
    plan = ml.design(counts, k, layout=ml.Blocks(worst_rows=worst))
    order = sorted(range(len(counts)), key=lambda x: -counts[x])
    best = 1.0
    for cuts in product([False, True], repeat=len(order) - 1):
        sets = [[order[0]]]
        for x, begins in zip(order[1:], cuts, strict=True):
            if begins:
                sets.append([x])
            else:
                sets[-1].append(x)
        if all(len(one) <= k and sum(counts[x] for x in one) <= worst for one in sets):
            best = min(best, plainly(sets, counts, counts)[0])
    assert plan.success == pytest.approx(best, abs=1e-12)
    assert plan.rows_read().worst <= worst


@settings(max_examples=100, deadline=None)
@given(COUNTS, st.data())
def test_what_is_read_is_counted_one_by_one(counts, data):
    rows = data.draw(st.lists(st.integers(1, 9), min_size=len(counts), max_size=len(counts)))
    mean = data.draw(st.floats(sum(c * r for c, r in zip(counts, rows, strict=True)) / sum(counts), sum(rows)))
    plan = ml.design(counts, len(counts), layout=ml.Blocks(mean_rows=mean, rows=rows))
    sets = [list(one) for one, _ in plan.sets()]
    success, read, worst = plainly(sets, counts, rows)
    assert plan.success == pytest.approx(success)
    assert plan.rows_read(rows=rows).mean == pytest.approx(read)
    assert plan.rows_read(rows=rows).worst == worst
    assert read <= mean * (1 + 1e-9)


def test_a_comparison_counts_the_rows_of_all():
    rng = np.random.default_rng(2)
    counts = (1000 / np.arange(1, 200)).astype(int) + 1
    scheme = rng.integers(0, 16, len(counts))
    found = ml.compare(counts, scheme, rows=counts, entropies=["shannon"], on_counts=True)
    sets = [np.flatnonzero(scheme == b).tolist() for b in np.unique(scheme)]
    success, mean, worst = plainly(sets, counts.tolist(), counts.tolist())
    assert (found.success, found.rows[0].read.mean, found.rows[0].read.worst) == pytest.approx((success, mean, worst))
    last = found.rows[-1]
    assert last.name == "blocks, no more rows"
    assert last.read.mean <= mean * (1 + 1e-9)
    assert last.read.worst <= worst
    assert last.success < success
    assert ml.compare(counts, scheme).rows[0].read is None


def test_the_mean_of_a_plan_is_that_of_its_sets():
    """Of one giant and five others, in sets of three."""
    counts = [40, 9, 8, 5, 3, 2]
    mean = sum(float(p) * sum(counts[x] for x in one) for one, p in ml.design(counts, 3).sets())
    found = ml.compare(counts, [0, 0, 0, 1, 1, 1], rows=counts).rows[2]
    assert (found.name, found.k) == ("optimal plan", 3)
    assert found.read.mean == pytest.approx(mean)


def test_unequal_blocks_are_right_in_the_true_population():
    """With very many events both figures agree, although one block has most of the secrets."""
    counts = (1e9 / np.arange(1, 3000) ** 1.2).astype(np.int64)
    plan = ml.design(counts, len(counts), layout=ml.Blocks(worst_rows=float(counts[0])))
    assert ml.population(plan).success == pytest.approx(plan.success, rel=0.01)
    assert not plan.is_cut
    assert not ml.certify(plan, plan.prior).ok


def test_partitions_of_values_and_of_their_hashes(tmp_path):
    plan = ml.design({"flu": 5, "cold": 4, "gout": 2}, k=2, layout="blocks")
    table = plan.partitions().to_pylist()
    assert table == [
        {"value": "cold", "partition": 0},
        {"value": "flu", "partition": 0},
        {"value": "gout", "partition": 1},
    ]
    key = bytes(range(32))
    hashed = {row["value_hash"]: row["partition"] for row in plan.partitions(hashed=key).to_pylist()}
    for row in table:
        assert hashed[hmac.new(key, row["value"].encode(), hashlib.sha256).hexdigest()] == row["partition"]
    for weak in (b"", key[:31], key + b"x"):
        with pytest.raises(InvalidKey, match="a key of 32 bytes"):
            plan.partitions(hashed=weak)


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    from minleak.cli._app import main

    monkeypatch.chdir(tmp_path)
    Path("names.csv").write_text("secret,count\nsmith,240\njones,140\nlee,60\nruiz,40\nvogt,12\n")
    for words in (
        ["design", "names.csv", "--layout", "blocks", "--worst-rows", "250", "-o", "x.cloak"],
        ["export", "x.cloak", "--partitions", "-o", "partitions.csv"],
        ["compare", "names.csv", "--prefix", "1", "--rows", "count", "--report", "page.html"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0, capsys.readouterr().err
    with open("partitions.csv", newline="") as file:
        assert {row["value"]: row["partition"] for row in csv.DictReader(file)}["smith"] == "0"
    assert "reads no more rows" in Path("page.html").read_text()
    with pytest.raises(SystemExit):
        main(["design", "names.csv", "-k", "2", "--worst-rows", "250"])
    assert "need --layout blocks" in capsys.readouterr().err


def test_budgets_are_checked():
    for wrong in (0, -1, float("nan")):
        with pytest.raises(InvalidParameter, match="above 0"):
            ml.Blocks(mean_rows=wrong)
    with pytest.raises(InvalidParameter, match="two ways to cut"):
        ml.design([3, 2, 1], 2, layout=ml.Blocks(mean_rows=9), groups=ml.Groups(["a", "a", "b"], at_most=1))
