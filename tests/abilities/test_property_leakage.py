"""What is learned of a property of the secret: through a channel, and from the sets of a plan."""

import numpy as np
import pytest
from tests.abilities.names import design, leakage, plan_property_leakage, property_leakage, property_success

AGE = ["old", "young", "old"]


def test_channel():
    joint = np.array([0.5, 0.25, 0.25])[:, None] * np.array([[1, 0], [0, 1], [0.5, 0.5]])
    of_age = np.stack([joint[0] + joint[2], joint[1]])
    known = np.log2(of_age.max(axis=0).sum() / 0.75)
    assert leakage([2, 1, 1], [[1, 0], [0, 1], [0.5, 0.5]], "min-entropy", of=AGE) == pytest.approx(known)
    told = property_leakage([2, 1, 1], [[1, 0], [0, 1], [0.5, 0.5]], AGE)
    assert (told.blind, told.success) == (0.75, pytest.approx(of_age.max(axis=0).sum()))


def test_plan():
    plan, country = design([4, 3, 2, 1], 2), ["fr", "fr", "de", "de"]
    shares = [(members, float(share)) for members, share in plan.sets()]
    success = sum(share for members, share in shares if len({country[x] for x in members}) == 1)
    success += sum(share / 2 for members, share in shares if len({country[x] for x in members}) == 2)
    assert property_success(plan, country) == pytest.approx(max(success, 0.7))
    told = plan_property_leakage(plan, country)
    assert (told.values, told.blind, told.success) == (2, 0.7, pytest.approx(max(success, 0.7)))
    assert plan.leakage("min-entropy", of=country) == pytest.approx(np.log2(told.success / 0.7), abs=1e-12)
