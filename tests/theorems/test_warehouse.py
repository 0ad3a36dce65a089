"""The theorem inside an engine: whatever the prior and however it is dealt out, the plan is optimal."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak import scale


def table_of(weights):
    return pa.table({"secret": [f"s{i}" for i in range(len(weights))], "count": pa.array(weights, type=pa.int64())})


WEIGHTS = st.lists(st.integers(0, 6) | st.integers(0, 10**9), min_size=1, max_size=24).filter(any)


@settings(max_examples=20)
@given(WEIGHTS, st.integers(1, 9), st.sampled_from(["circle", "stable"]), st.integers(1, 12))
def test_plans_are_optimal(weights, k, layout, rows):
    """pi is that of Theorem 1, exactly, and every posterior of the plan's channel is pi, in Fractions."""
    prior = table_of(weights)
    plan = scale.design(prior, k, layout=layout, rows=rows)
    assert plan.exact_target == ml.design(weights, k, layout=layout).exact_target
    whole = scale.to_plan(plan)
    found = scale.certify(plan, prior)
    assert found.ok, str(found)
    assert ml.certify(whole, whole.prior).ok
    exact = whole.channel(exact=True)
    p = [Fraction(int(w), plan.header.total) for w in whole.weights]
    for y in range(exact.shape[1]):
        column = sorted((p[x] * exact.exact[x, y] for x in range(len(p)) if p[x] and exact.exact[x, y]), reverse=True)
        if column:
            assert tuple(value / sum(column) for value in column) == plan.exact_target


@settings(max_examples=8)
@given(WEIGHTS.filter(lambda w: len(w) > 3), st.integers(2, 6))
def test_a_single_partition_keeps_as_much_at_home(weights, k):
    """Secrets that are sorted as a whole have the homes of the plan in memory, and give back as little."""
    inside, outside = scale.design(table_of(weights), k), ml.design(weights, k)
    mass = outside.u * int(outside.home_weights.sum())
    assert inside.header.at_home == mass
