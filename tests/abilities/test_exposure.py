"""Somebody who saw the sets of two plans intersects them."""

import numpy as np
import pytest
from tests.abilities.names import design, exposure, update

MARCH, JUNE = {"a": 40, "b": 30, "c": 20, "d": 15}, {"a": 38, "b": 31, "c": 20, "d": 16}


def test_two_plans():
    plan, anew = design(MARCH, 2), design(JUNE, 2)
    both = exposure([plan, anew])
    one, two = (np.asarray(each.channel().toarray()) for each in (plan, anew))
    p = np.array([*JUNE.values()]) / 105
    success = (p[:, None, None] * one[:, :, None] * two[:, None, :]).max(axis=0).sum()
    assert both.success == pytest.approx(success)
    assert both.lineages == 2
    assert exposure([plan, update(plan, JUNE)]).success == pytest.approx((p[:, None] * one).max(axis=0).sum())
