"""What cloak draws from is what certify accepts, however a stored plan was changed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.scale.mutants import mutate
from tests.scale.priors import given, heavy_tail, table_of

import minleak as ml
from minleak import scale
from minleak.errors import MinleakError, UnknownSecret, UnreadableFile

KEY = ml.Key(bytes(32))
PRIORS = {
    "heavy tail": heavy_tail(60),
    "spread": table_of(np.random.default_rng(1).integers(1, 100, 40)),
    "integers": table_of(np.random.default_rng(2).integers(0, 9, 50), list(range(-25, 25))),
}


@pytest.mark.parametrize("name", PRIORS)
def test_what_cloak_draws_from_certify_accepts(name, duckdb, tmp_path):
    """Also where only a few secrets are asked for, in whose sets nothing is wrong."""
    prior, rng = PRIORS[name], np.random.default_rng(0)
    scale.design(prior, 5, rows=16, folder=tmp_path / "plan")
    secrets = prior["secret"].to_pylist()
    seen = {"drawn": 0, "refused": 0}
    for _ in range(25):
        what = mutate(tmp_path / "plan", tmp_path / "mutant", rng)
        asked = [secrets[i] for i in rng.integers(len(secrets), size=2)]
        try:
            plan = scale.load(tmp_path / "mutant", engine=duckdb)
        except MinleakError:
            continue
        accepted = scale.certify(plan).ok
        events = pa.table({"secret": asked, "scope": ["ann", "bob"]})
        if accepted:
            try:
                assert len(scale.cloak(plan, events, key=KEY).to_pyarrow()) == 2
            except UnknownSecret:
                assert what in ("rename_a_secret", "change_giants")
        else:
            with pytest.raises(UnreadableFile, match="changed or damaged"):
                scale.cloak(plan, events, key=KEY)
        seen["drawn" if accepted else "refused"] += 1
    assert min(seen.values()) > 0


@pytest.mark.parametrize("column", ["secret", "position", "ring", "start", "weight"])
def test_a_plan_with_an_empty_value_is_not_certified(column, duckdb, tmp_path):
    """It failed with a bare TypeError for starts, and took a secret without a name for one."""
    plan = scale.design(PRIORS["heavy tail"], 5, rows=16)
    rows = plan.table.to_pyarrow().to_pylist()
    name = next(row["secret"] for row in rows if row["ring"] == 0)
    rows = [row | {column: None} if row["secret"] == name else row for row in rows]
    table = given(duckdb, pa.Table.from_pylist(rows), tmp_path)
    found = scale.certify(scale.WarehousePlan(table, plan.header))
    assert [check.what for check in found.checks if not check.ok] == ["every row is whole and in range"]
