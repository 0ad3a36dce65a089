"""The stable layout: a plan that leaks the least to every attacker at once, and is certified."""

from fractions import Fraction

import numpy as np
import pytest
from tests.abilities.names import Stable, certify, design, exact_target

WEIGHTS = [50, 20, 9, 8, 7, 3, 2, 1]


def test_least_leakage():
    plan = design(WEIGHTS, 3, layout=Stable())
    # 50 is more than a third of 100: a giant, shown always; 20 is less than half of the rest
    assert exact_target(plan) == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    assert plan.success == 0.5
    bits = -sum(w / 100 * np.log2(w / 100) for w in WEIGHTS)
    assert plan.leakage("shannon") == pytest.approx(bits - 1.5, abs=1e-12)
    assert certify(plan, WEIGHTS).ok


def test_sets_and_channel_agree():
    plan = design(WEIGHTS, 3)
    assert sum(share for _, share in plan.sets()) == 1
    assert {len(members) for members, _ in plan.sets()} == {3}
    shown = {tuple(sorted(members)) for members in plan.channel().outputs}
    assert shown == {tuple(sorted(members)) for members, _ in plan.sets()}
