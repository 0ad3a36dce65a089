"""Every order of channels or priors reads as it means: `order(A, B)` says "A is <order> B"."""

import numpy as np
import pytest

import minleak as ml
from minleak import lab

CLEAR, NOISY = np.eye(2), np.array([[0.75, 0.25], [0.25, 0.75]])

# The order, what its first line says of the first of the two, and a pair for which it holds one way only.
ORDERS = {
    "refined_by": (ml.lab.refined_by, "the first channel, A, is refined by the second, B", (CLEAR, NOISY)),
    "max_refined_by": (lab.max_refined_by, "the first channel, A, is refined by the second, B", (CLEAR, NOISY)),
    "less_noisy": (lab.less_noisy, "the first channel, A, is less noisy than the second, B", (CLEAR, NOISY)),
    "more_capable": (lab.more_capable, "the first channel, A, is more capable than the second, B", (CLEAR, NOISY)),
    "majorizes": (lab.majorizes, "the first is at least as far from uniform as the second", ([3, 1], [1, 1])),
}


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_holds_in_the_direction_of_its_name(name):
    order, says, (first, second) = ORDERS[name]
    assert says in order.__doc__.splitlines()[0]
    assert order(first, second).ok is True
    assert order(second, first).ok is False


def test_distances_from_an_order_are_zero_in_the_same_direction():
    assert lab.deficiency(CLEAR, NOISY).value == pytest.approx(0, abs=1e-9)
    assert lab.deficiency(NOISY, CLEAR).value == pytest.approx(0.25)
    assert lab.refinement_distance([1, 1], CLEAR, NOISY).value == pytest.approx(0, abs=1e-9)
    assert lab.refinement_distance([1, 1], NOISY, CLEAR).value > 0.5


def test_no_public_name_says_refines():
    """`refines(A, B)` would read as "A refines B", which is the converse."""
    assert [name for space in (ml, lab) for name in dir(space) if name.endswith("refines")] == []
