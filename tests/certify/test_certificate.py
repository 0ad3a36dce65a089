"""certify(plan): every plan passes, whatever the prior, the cap and the layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import HARD, LAYOUTS, large
from tests.certify.tampering import PRIOR

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.testing import priors


@given(priors(max_size=14), st.integers(1, 15), st.sampled_from(LAYOUTS))
def test_plans_are_certified(prior, k, layout):
    """Exactly, without a gap."""
    certificate = ml.certify(ml.design(prior, k, layout=layout), prior, k=k)
    assert certificate
    assert certificate.exact
    assert certificate.gaps == {"prior": 0.0}
    assert all(check.ok for check in certificate.checks)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("weights", "k"), large().values(), ids=large())
def test_large_plans_are_certified(weights, k, layout):
    """Ten thousand secrets: heavy tails, ties, zeros, many giants, homes that give back, floats."""
    plan = ml.design(weights, k, layout=layout)
    certificate = ml.certify(plan, weights)
    assert certificate, str(certificate)


def test_large_cases_are_what_they_are_called():
    """Those that are made to force something do."""
    plans = {name: ml.design(weights, k) for name, (weights, k) in large().items()}
    assert plans["many giants"].n_giants == 30
    assert len(plans["zeros"].zero_weight) > 1000
    assert plans["one just under its share"].n_giants == 0
    for name in ("one just under its share", "homes give back", "all equal"):
        plan = plans[name]
        lightest = np.sort(plan.weights)[::-1][plan.n_giants :][plan.u - 1 :: plan.u]
        assert plan.homes.weights.sum() < lightest.sum()


@pytest.mark.parametrize("k", [3, 5, 10**20])
def test_another_cap_is_refused(k):
    """The question is about another plan."""
    with pytest.raises(InvalidParameter, match="the plan is for k = 4"):
        ml.certify(ml.design(PRIOR, 4), PRIOR, k=k)


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_certificates_in_print(weights):
    """Every check has its line."""
    certificate = ml.certify(ml.design(weights, 2), weights)
    lines = str(certificate).splitlines()
    assert lines[0] == "certified, exactly"
    assert len(lines) == 1 + len(certificate.checks) + len(certificate.gaps)


def test_what_is_said_first():
    """What is certified, how; what is not, how it was checked."""
    plan = ml.design([5, 3, 2, 2], 2)
    for prior, said in (
        ([5, 3, 2, 2], "certified, exactly"),
        ([5, 3, 2, 1], "NOT certified (checked exactly)"),
        ([0.5, 0.3, 0.1, 0.1], "NOT certified (checked in floats)"),
    ):
        assert str(ml.certify(plan, prior)).splitlines()[0] == said
