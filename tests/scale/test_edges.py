"""What a log or a prior at the edge of the possible gives: one value, too many events, nulls, a heavy head."""

from __future__ import annotations

import pyarrow as pa
import pytest

import minleak as ml
from minleak import scale
from minleak.errors import InvalidCloak, InvalidParameter, InvalidPrior, UnknownSecret
from minleak.scale._counts import WeightClass
from minleak.scale._partitions import Span, spans_of

KEY = ml.Key(bytes(32))


def test_a_log_of_one_value_leaks_nothing():
    """One observable: nothing is rejected, and nothing is read that is not there. One secret is refused."""
    log = pa.table({"secret": ["a", "b", "c"] * 30, "observable": ["x"] * 90})
    found = scale.audit(log, permutations=99, measures=["shannon", "min-entropy", "maximal-leakage"])
    assert not found.rejected
    assert [row.estimate for row in found.rows] == [0.0] * 3
    with pytest.raises(InvalidParameter, match="same secret"):
        scale.audit(pa.table({"secret": ["a"] * 90, "observable": ["x", "y", "z"] * 30}))


@pytest.mark.parametrize("times", [[2**31, 2**31, 2**31, 2**31], [10**12] * 4, [2**62] * 4])
def test_more_events_than_permutations_can_count_are_refused(times):
    log = pa.table({"secret": ["a", "b", "a", "b"], "observable": [1, 2, 2, 1], "n": times})
    with pytest.raises(InvalidParameter, match="take a sample"):
        scale.audit(log, weight="n", permutations=99, alpha=0.02)


def test_a_billion_events():
    """Reduce to their pairs: a leak of one in a thousand is seen, none is not."""
    times = {"n": [500_250_000, 499_750_000, 499_750_000, 500_250_000], "m": [5 * 10**8] * 4}
    log = pa.table({"secret": ["a", "b", "a", "b"], "observable": [1, 1, 2, 2], **times})
    found = [scale.audit(log, weight=name, permutations=199, measures=["shannon"]) for name in ("n", "m")]
    assert [audit.rejected for audit in found] == [True, False]


def test_no_more_than_a_bit_is_learnt_of_a_bit():
    """A bound does not pass what there is to know."""
    log = pa.table({"secret": ["a", "b"] * 400, "observable": ["x", "y"] * 400})
    found = scale.audit(log, measures=["shannon", "min-entropy"])
    assert 0.7 < found["shannon"].low <= found["shannon"].estimate <= 1.0
    assert found.success.high == 1.0


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"seed": "x"}, {"limit": 0}, {"limit": "x"}])
def test_parameters_of_an_audit(wrong):
    with pytest.raises(InvalidParameter):
        scale.audit(pa.table({"secret": ["a", "b"] * 30, "observable": ["x", "y"] * 30}), **wrong)


def digest_of(secrets, weights, **given):
    return scale.design(pa.table({"secret": secrets, "count": weights}), 2, **given).header.digest


def test_plans_that_differ_have_other_digests():
    """Weights changed about, secrets, and how many share a partition."""
    names = ["a", "b", "c"]
    variants = [
        digest_of(names, [10, 11, 12]),
        digest_of(names, [11, 10, 12]),
        digest_of(names, [12, 11, 10]),
        digest_of(["a", "b", "d"], [10, 11, 12]),
        digest_of(names, [10, 11, 12], rows=2),
        digest_of(names, [10, 11, 12], layout="circle"),
    ]
    assert len(set(variants)) == len(variants)
    assert digest_of(["c", "a", "b"], [12, 10, 11]) == variants[0]


def test_a_small_head_is_not_dealt_out_with_the_many():
    """Homes are made of neighbours in weight: the head is a partition of its own."""
    classes = [WeightClass(69, 1000, 10**9), WeightClass(11, 10**6, 10**6)]
    assert spans_of(classes, 1024, by_weight=True)[0] == Span(69, 0)
    head = [10**6 - i for i in range(1000)]
    weights = head + [1] * 50_000
    table = pa.table({"secret": [f"s{i}" for i in range(len(weights))], "count": weights})
    assert scale.design(table, 10, rows=1024).at_home > 0.99


@pytest.mark.parametrize("stand_in", [None, "b"])
@pytest.mark.parametrize(
    "event", [{"secret": [None, "a"], "scope": ["x", "y"]}, {"secret": ["a", "a"], "scope": [None, "y"]}]
)
def test_events_without_a_secret_or_a_scope_are_refused(event, stand_in):
    """Never left out in silence."""
    plan = scale.design(pa.table({"secret": ["a", "b", "c"], "count": [3, 2, 1]}), 2)
    with pytest.raises((InvalidParameter, UnknownSecret)):
        scale.cloak(plan, pa.table(event), key=KEY, stand_in=stand_in).to_pyarrow()


@pytest.mark.parametrize("weights", [[2, None, 1], [2, -4, 1], ["2", "x", "1"]])
def test_a_spectrum_repairs_nothing(weights):
    with pytest.raises(InvalidPrior):
        scale.Spectrum(pa.table({"secret": ["a", "b", "c"], "count": weights}))


def test_the_folder_of_a_plan_is_no_cloak_file(tmp_path):
    """But the message says how it becomes one."""
    table = pa.table({"secret": ["a", "b", "c"], "count": [3, 2, 1]})
    scale.design(table, 2, folder=tmp_path / "plan")
    with pytest.raises(InvalidCloak, match="to_plan"):
        ml.load(tmp_path / "plan")
    scale.to_plan(scale.load(tmp_path / "plan")).save(tmp_path / "plan.cloak")
    loaded = ml.load(tmp_path / "plan.cloak")
    assert ml.certify(loaded, loaded.prior)
