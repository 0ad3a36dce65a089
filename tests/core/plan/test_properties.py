"""What a plan tells about a property: by its cells, as the explicit channel says, for every kind, entropy and prior."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plans import homes_and_ring, plans

import minleak as ml
from minleak import lab
from minleak.core._entropy.standard import STANDARD
from minleak.errors import InvalidParameter

close = pytest.approx
WEIGHTS = [30, 17, 9, 9, 8, 5, 4, 4, 3, 2, 1, 0]
VALUES = list("abcabcaabcca")


def updated():
    """A lineage of two parts."""
    labels = [f"s{i}" for i in range(len(WEIGHTS))]
    plan = ml.design(ml.Prior(WEIGHTS, labels=labels), 3)
    return plan.update(dict(zip(labels, WEIGHTS, strict=True)) | {"new": 4, "newer": 3, "newest": 5}, cohort=1)


KINDS = {
    "stable": ml.design(WEIGHTS, 3),
    "circle": ml.design(WEIGHTS, 3, layout="circle"),
    "near": ml.design(WEIGHTS, 3, layout=ml.Near(range(12))),
    "giants": ml.design([100, 60, *WEIGHTS[2:]], 4),
    "all in one": ml.design(WEIGHTS, 12),
    "gains": ml.design(WEIGHTS, 3, gains=[1, 0, 3, 1, 1, 2, 1, 1, 1, 1, 1, 1]),
    "rings": homes_and_ring(),
    "blocks": ml.design(WEIGHTS, 3, layout="blocks"),
    "rows": ml.lab.mechanisms.rounded(ml.lab.mechanisms.randomised_response(12, 1.0), WEIGHTS),
    "lineage": updated(),
}


def property_of(plan):
    n = len(plan.prior)
    return (VALUES * 2)[:n]


def count(plan, values):
    """sum over y of max over v of the sum over x with f(x) = v of p(x) C[x,y], in Fractions, set by set."""
    channel, total = plan.channel(), Fraction(sum(plan.prior.weights.tolist()))
    dense = channel.toarray()
    right = 0.0
    for y in range(dense.shape[1]):
        mass: dict[object, float] = defaultdict(float)
        for x, weight in enumerate(plan.prior.weights.tolist()):
            mass[values[x]] += float(weight / total) * dense[x, y]
        right += max(mass.values())
    return right


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_plan_tells_what_its_channel_tells(name):
    plan = KINDS[name]
    values = property_of(plan)
    joint = lab.Joint(plan.prior, plan.channel())
    told = plan.property_leakage(values)
    assert plan.success_of(values) == told.success == close(count(plan, values))
    assert told.success == close(lab.posterior_vulnerability(joint.of(values)))
    assert told.blind == close(lab.vulnerability(joint.of(values).prior))
    assert told.worst == close(lab.max_case_vulnerability(joint.of(values)))
    assert told.blind <= told.success * (1 + 1e-12)
    for row, H in zip(told.rows, STANDARD, strict=True):
        assert (
            plan.leakage(H, of=values) == close(ml.leakage(joint, None, H, of=values), abs=1e-12) == close(row.leakage)
        )
        assert plan.entropy(H, of=values) == close(row.after)
    assert plan.summary(of=values).property_leakage.success == told.success
    assert str(told.success)[:5] in str(plan.summary(of=values))
    named = dict(zip(plan.prior.labels, values, strict=True))
    assert plan.success_of(named) == told.success


@pytest.mark.parametrize("name", KINDS)
def test_other_priors_are_measured_as_the_channel_says(name):
    plan = KINDS[name]
    values, q = property_of(plan), ml.Prior(np.arange(1, len(plan.prior) + 1), labels=list(plan.prior.labels))
    q = ml.Prior(q.weights) if plan.prior.labels.is_default else q
    joint = lab.Joint(q, plan.channel()).of(values)
    assert plan.leakage("shannon", of=values, prior=q) == close(ml.leakage(joint, None, "shannon"))
    assert plan.success_of(values, prior=q) == close(lab.posterior_vulnerability(joint))


@given(plans(), st.data())
def test_a_constant_tells_nothing_and_the_secret_itself_all(plan, data):
    """f constant: no leakage. f one-to-one: that of the plan, without its gains. Coarser f: never more Shannon bits."""
    n = len(plan.prior)
    values = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    plain = lab.Joint(plan.prior, plan.channel())
    assert plan.success_of([0] * n) == close(1)
    assert plan.leakage("shannon", of=[0] * n) == close(0, abs=1e-12)
    assert plan.success_of(range(n)) == close(lab.posterior_vulnerability(plain))
    whole = ml.leakage(plain, None, "shannon")
    assert plan.leakage("shannon", of=values) <= whole + 1e-9


def test_what_cannot_have_a_property_says_so():
    plan = ml.design(ml.strings.NGram.fit(["abc", "abd", "xyz"] * 9), 3)
    for call in (plan.property_leakage, lambda of: plan.entropy("shannon", of=of), lambda of: plan.summary(of=of)):
        with pytest.raises(InvalidParameter, match="strings that cannot be listed have no property"):
            call(["a"])


def test_a_padding_tells_about_a_topic():
    padding = ml.padding.design([10, 20, 21, 40, 41], [3, 2, 2, 1, 1], budget=6)
    topics = ["a", "b", "a", "b", "b"]
    joint = lab.Joint(padding.prior, padding.channel()).of(topics)
    assert padding.success_of(topics) == close(lab.posterior_vulnerability(joint))
    assert padding.leakage_in("shannon", of=topics) == close(ml.leakage(joint, None, "shannon"))
