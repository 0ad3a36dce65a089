"""Plans that were changed after they were made are refused where sets are drawn from them."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scale.priors import given, heavy_tail, in_memory, segments
from tests.scale.test_certifying import TAMPERED

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter, UnknownSecret, UnreadableFile

PRIOR = heavy_tail(160)
KEY = ml.Key(bytes(32))
EVENTS = pa.table({"secret": PRIOR["secret"], "scope": ["ann"] * 160})


@pytest.fixture(scope="module")
def plan(duckdb, tmp_path_factory):
    return scale.design(given(duckdb, PRIOR, tmp_path_factory.mktemp("prior")), 5, rows=16)


@pytest.mark.parametrize("what", sorted(TAMPERED))
def test_cloak(what, plan, duckdb, tmp_path):
    """Where everybody is asked for, whatever certify sees is seen by the draws too."""
    rows = TAMPERED[what](segments(plan))
    changed = scale.WarehousePlan(given(duckdb, pa.Table.from_pylist(rows), tmp_path), plan.header)
    events = given(duckdb, EVENTS, tmp_path)
    with pytest.raises((UnreadableFile, UnknownSecret)) as refused:
        scale.cloak(changed, events, key=KEY)
    assert "Zürich" not in str(refused.value)


@pytest.mark.parametrize("what", sorted(TAMPERED))
def test_to_plan(what, plan, duckdb, tmp_path):
    """Refused, or seen by the certificate of the plan in memory, or made good."""
    rows = TAMPERED[what](segments(plan))
    changed = scale.WarehousePlan(given(duckdb, pa.Table.from_pylist(rows), tmp_path), plan.header)
    try:
        whole = scale.to_plan(changed)
    except ml.errors.MinleakError:
        return
    made_good = what in ("idle secrets in one large set", "two homes are one")  # in memory they are dealt out anew
    weights = dict(zip(whole.prior.labels, whole.weights.tolist(), strict=True))
    prior = in_memory(PRIOR)
    same = weights == dict(zip(prior.labels, prior.weights.tolist(), strict=True))
    assert (same and ml.certify(whole, whole.prior).ok) == made_good


def test_a_file_that_was_written_anew(tmp_path):
    """All weights are 9: sets of other sizes, without their secrets, were drawn from it."""
    scale.design(PRIOR, 5, rows=16, folder=tmp_path / "plan")
    for file in (tmp_path / "plan" / "segments").iterdir():
        rows = pq.read_table(file).to_pylist()
        pq.write_table(pa.Table.from_pylist([row | {"weight": 9} for row in rows]), file)
    with pytest.raises(UnreadableFile, match="changed or damaged after it was made"):
        scale.cloak(scale.load(tmp_path / "plan"), EVENTS, key=KEY)


def test_headers_that_do_not_fit(plan, tmp_path):
    """By hand, where load would have refused them."""
    content = {name: getattr(plan.header, name) for name in plan.header.__dataclass_fields__}
    for change in ({"k": 6}, {"length": plan.header.length + 1}):
        wrong = scale.WarehousePlan(plan.table, scale.Header(**(content | change)))
        for action in (lambda p: scale.cloak(p, EVENTS, key=KEY), scale.to_plan, lambda p: p.save(tmp_path)):
            with pytest.raises(InvalidParameter, match="do not fit each other"):
                action(wrong)
    for change in ({"k": 1.5}, {"giants": [("a", 1)]}, {"giants": (("\ud800", 1),)}, {"digest": "x"}, {"total": 2**70}):
        with pytest.raises(InvalidParameter, match="header"):
            scale.Header(**(content | change))


def test_surrogates_in_a_header(tmp_path):
    """JSON can hold what no table can."""
    scale.design(PRIOR, 5, folder=tmp_path / "plan")
    file = tmp_path / "plan" / "header.json"
    header = json.loads(file.read_text())
    header["giants"][0][0] = "\ud800"
    file.write_text(json.dumps(header))
    with pytest.raises(UnreadableFile, match="not the header"):
        scale.load(tmp_path / "plan")
