"""certify(plan): every plan passes, whatever the prior, the cap and the layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import HARD, LAYOUTS, large
from tests.core.certify.tampering import PRIOR

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
    assert len(plans["zeros"].fixed) > 1000
    assert plans["one just under its share"].n_giants == 0
    for name in ("one just under its share", "homes give back", "all equal"):
        plan = plans[name]
        lightest = np.sort(plan.weights)[::-1][plan.n_giants :][plan.u - 1 :: plan.u]
        assert plan.home_weights.sum() < lightest.sum()


@pytest.mark.parametrize("k", [3, 5, 10**20])
def test_another_cap_is_refused(k):
    """The question is about another plan."""
    with pytest.raises(InvalidParameter, match="the plan is for k = 4"):
        ml.certify(ml.design(PRIOR, 4), PRIOR, k=k)


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_certificates_in_print(weights):
    """What is proved, a line for every check, and what every gap is."""
    certificate = ml.certify(ml.design(weights, 2), weights)
    lines = str(certificate).splitlines()
    assert lines[:2] == ["certified, exactly", f"proved: {certificate.claim}"]
    assert lines[-1] == "total variation between the prior and the plan's integer weights: 0"
    assert len(lines) == 2 + len(certificate.checks) + len(certificate.gaps)


def test_what_is_said_first():
    """What is certified, how; what is not, how it was checked."""
    plan = ml.design([5, 3, 2, 2], 2)
    for prior, said in (
        ([5, 3, 2, 2], "certified, exactly"),
        ([5, 3, 2, 1], "NOT certified (checked exactly)"),
        ([0.5, 0.3, 0.1, 0.1], "NOT certified (checked in floats)"),
    ):
        assert str(ml.certify(plan, prior)).splitlines()[0] == said


GAINS = [1 + i % 3 for i in range(19)]
OWN = {
    "rings": ml.design(PRIOR, 4),
    "gains": ml.design(PRIOR, 4, gains=GAINS),
    "blocks": ml.design(PRIOR, 4, layout="blocks"),
    "rows": ml.lab.mechanisms.rounded(ml.lab.mechanisms.randomised_response(3, 1.0)),
    "strings": ml.design(ml.strings.NGram.fit(["abab", "ba", "abba", "bb"], order=2, longest=8), k=3),
    "lineage": ml.design(PRIOR, 4).update(PRIOR),
}


@pytest.mark.parametrize("kind", OWN)
def test_without_a_prior_it_is_the_plans_own(kind, tmp_path):
    """A plan, or its file, is certified for the prior and the gains that it holds, and the certificate says so."""
    OWN[kind].save(tmp_path / "p.cloak")
    for subject in (OWN[kind], tmp_path / "p.cloak"):
        certificate = ml.certify(subject)
        assert certificate.ok
        assert certificate.own_prior
        assert certificate.to_dict()["own_prior"] is True
        assert "the prior is the plan's own" in str(certificate)


def test_a_prior_that_is_given_is_not_the_plans_own():
    """Even where it is the same one; gains are then asked for."""
    certificate = ml.certify(OWN["gains"], PRIOR, gains=GAINS)
    assert certificate.ok
    assert not certificate.own_prior
    assert "the plan's own" not in str(certificate)
    assert not ml.certify(OWN["gains"], PRIOR).ok


def test_a_channel_holds_no_prior():
    """It has to be given."""
    with pytest.raises(InvalidParameter, match="give the prior to judge the channel"):
        ml.certify(np.eye(3), k=1)


@pytest.mark.parametrize("kind", ["rings", "groups", "gains", "channel"])
def test_a_claim_names_the_entropies_of_the_theorem_and_one_observation(kind):
    """Entropies that tell secrets apart, and what several draws tell, are not claimed."""
    weights = [5, 3, 2, 2]
    found = {
        "rings": lambda: ml.certify(ml.design(weights, 2), weights),
        "groups": lambda: ml.certify(ml.design(weights, 2, groups=ml.Groups([0, 0, 1, 1], at_most=1)), weights),
        "gains": lambda: ml.certify(ml.design(weights, 2, gains=[1, 2, 1, 1]), weights, gains=[1, 2, 1, 1]),
        "channel": lambda: ml.certify(ml.design(weights, 2).channel(), weights, k=2),
    }[kind]()
    assert found.ok
    assert found.claim.startswith("for one observation, no channel with")
    assert "in any symmetric, expansible, core-concave entropy" in found.claim
