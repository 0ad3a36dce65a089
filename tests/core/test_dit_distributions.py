"""Distributions of dit as priors and joints, and back."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import minleak as ml
from minleak import lab

with np.errstate():  # importing dit turns numpy's warnings off for everybody
    import dit


@pytest.fixture
def weather():
    made = dit.Distribution([("a", "x", 0), ("a", "y", 0), ("b", "x", 1), ("b", "y", 0)], [0.5, 0.25, 0.25, 0.0])
    made.set_rv_names("XYZ")
    return made


def test_a_prior_has_the_outcomes_as_labels():
    prior = ml.Prior(dit.Distribution([("hot",), ("cold",)], [0.25, 0.75]))
    assert prior["hot"] == 0.25
    assert ml.Prior(dit.Distribution([0.25, 0.75])).p.tolist() == [0.25, 0.75]  # numbers of outcomes, not weights


def test_several_variables_are_tuples_and_logarithms_are_taken_back(weather):
    prior = ml.Prior(weather)
    assert prior["a", "y", 0] == 0.25
    weather.set_base(2)
    assert ml.Prior(weather).p == pytest.approx(prior.p, rel=1e-14)


@pytest.mark.parametrize(("secret", "observable"), [("X", "Y"), ([0], [1]), ("XZ", "Y"), ("Y", ["X", "Z"])])
def test_a_joint_leaks_what_dit_says(weather, secret, observable):
    joint = lab.Joint.from_dit(weather, secret=secret, observable=observable)
    names = [["XYZ"[v] if isinstance(v, int) else v for v in side] for side in (secret, observable)]
    theirs = dit.shannon.mutual_information(weather, *names)
    assert ml.leakage(joint, None, "shannon") == pytest.approx(theirs, rel=1e-12)


def test_there_and_back(weather):
    joint = lab.Joint.from_dit(weather)
    again = lab.Joint.from_dit(joint.to_dit(), secret="X", observable="Y")
    assert again.prior == joint.prior
    assert again.channel == joint.channel
    assert list(joint.channel.inputs) == ["a", "b"]


def test_the_priors_labels_go_along():
    made = lab.Joint(ml.Prior([1, 3], labels=["flu", "cold"]), [[1, 0], [0.5, 0.5]]).to_dit()
    assert dict(zip(made.outcomes, made.pmf, strict=True)) == pytest.approx(
        {("flu", 0): 0.25, ("cold", 0): 0.375, ("cold", 1): 0.375}
    )


def test_refusals(weather):
    with pytest.raises(ml.errors.InvalidParameter, match="'W' is no variable"):
        lab.Joint.from_dit(weather, secret="W")
    with pytest.raises(ml.errors.InvalidParameter, match="name the variables"):
        lab.Joint.from_dit(weather, observable=())
    with pytest.raises(ml.errors.InvalidChannel, match="from_dit"):
        ml.Channel(weather)
    with pytest.raises(ml.errors.InvalidChannel, match="with outcomes and a pmf"):
        lab.Joint.from_dit([[0.5, 0.5]])


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "dit", None)
    with pytest.raises(ml.errors.MissingExtra, match="pip install dit"):
        lab.Joint([1, 1], np.eye(2)).to_dit()
