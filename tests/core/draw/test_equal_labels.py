"""Labels that are equal are one label, of whatever type: to `update`, to `exposure` and to sticky draws alike."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import minleak as ml

OLD, NEW = [40, 30, 20, 15, 10, 5], [38, 31, 20, 15, 9, 6]
NAMES = [0, 1, 2, 3, 4, 5]
KEY = ml.Key(bytes(32))
SCOPES = 400
OTHERS = {
    "floats": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    "minus zero": [-0.0, 1, 2, 3, 4, 5],
    "truth values": [False, True, 2, 3, 4, 5],
    "of numpy": list(np.arange(6)),
    "floats of numpy": np.arange(6, dtype=np.float32),
    "fractions": [Fraction(i) for i in NAMES],
}


def shown(plan):
    """The positions of the set that each scope and secret is shown."""
    cloak = ml.Cloak(plan, key=KEY)
    at = plan.prior.labels.position
    return [[tuple(map(at, cloak.draw(x, scope=f"user-{i}"))) for x in NAMES] for i in range(SCOPES)]


def success_by_draws(first, second, p):
    """What the best guess about the secret gets from both sets, by how often each pair is shown for each secret."""
    often = defaultdict(lambda: np.zeros(len(p)))
    for one, other in zip(first, second, strict=True):
        for x, pair in enumerate(zip(one, other, strict=True)):
            often[pair][x] += 1 / SCOPES
    return sum(float((p * f).max()) for f in often.values())


@pytest.mark.parametrize("others", OTHERS.values(), ids=OTHERS)
def test_equal_labels_are_matched_by_updates_and_exposures_and_draw_the_same_sets(others):
    """They were hashed apart: draws told .70 where `exposure` said .56."""
    names, others = np.roll(NAMES, -1).tolist(), [*others[1:], others[0]]  # named, and not as by default
    plan = ml.design(ml.Prior(OLD, labels=names), k=2)
    same, other = (ml.update(plan, ml.Prior(NEW, labels=labels)) for labels in (names, others))
    expected = ml.exposure([plan, same])
    assert ml.exposure([plan, other]) == expected
    first, second, third = map(shown, (plan, same, other))
    assert second == third
    p = other.prior.p[[other.prior.labels.position(x) for x in NAMES]]
    assert success_by_draws(first, third, p) == pytest.approx(expected.success, abs=0.03)
    assert ml.Cloak(other, key=KEY).draw(1.0, scope="s") == ml.Cloak(other, key=KEY).draw(True, scope="s")
