"""Tables that cannot be worked on are refused, and no message shows a secret."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.scale.priors import given as in_engine

import minleak as ml
from minleak import scale
from minleak.errors import InvalidParameter, InvalidPrior

PRIOR = pa.table({"secret": ["a", "b", "c"], "count": [3, 2, 1]})


@pytest.fixture(scope="module")
def plan():
    return scale.design(PRIOR, 2)


def test_counts_of_nineteen_digits():
    """Up to 2^63 - 1; what is larger is refused for that."""
    large = pa.table({"secret": ["a", "b"], "count": ["1000000000000000001", "2"]})
    assert scale.design(large, 2).header.total == 10**18 + 3
    for count in ("9223372036854775808", "1" * 30, "1\n", "", "+1", " 1", "١"):
        with pytest.raises(InvalidPrior, match=r"digits alone, below 2\^63"):
            scale.design(pa.table({"secret": ["a", "b"], "count": [count, "2"]}), 2)


def test_no_header(duckdb, tmp_path):
    """The first event of a log without a header is not shown."""
    (tmp_path / "log.csv").write_text("hidden-a,hidden-b,7\nhidden-c,hidden-d,8\n")
    log = scale.read(tmp_path / "log.csv", engine=duckdb)
    plan = scale.design(in_engine(duckdb, PRIOR, tmp_path), 2)
    for action in (
        lambda: scale.design(log, 2),
        lambda: scale.audit(log),
        lambda: scale.Spectrum(log),
        lambda: scale.cloak(plan, log, key=ml.Key(bytes(32))),
        lambda: scale.certify(plan, PRIOR, weight="hits"),
    ):
        with pytest.raises(
            ml.errors.MinleakError, match=r"no column 'secret' among the 3: say|no column 'hits'"
        ) as refused:
            action()
        assert "hidden" not in str(refused.value)


def test_a_full_disk(plan, tmp_path, monkeypatch):
    """It is said, rather than that the data cannot be read."""
    import duckdb

    def full(*_):
        raise duckdb.IOException('Could not write file "x": No space left on device')

    monkeypatch.setattr(type(plan.table.get_backend()), "to_pyarrow", full)
    with pytest.raises(InvalidParameter, match="the disk is full"):
        plan.save(tmp_path / "plan")
    assert list(tmp_path.iterdir()) == []
