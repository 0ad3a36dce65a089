"""The circle: another layout, the same leakage."""

from tests.abilities.names import Circle, certify, design, exact_target

WEIGHTS = [50, 20, 9, 8, 7, 3, 2, 1]


def test_as_good_as_stable():
    circle, stable = design(WEIGHTS, 3, layout=Circle()), design(WEIGHTS, 3)
    assert exact_target(circle) == exact_target(stable)
    assert certify(circle, WEIGHTS).ok
    assert design(WEIGHTS, 3, layout="circle").leakage("shannon") == circle.leakage("shannon")
    assert sum(share for _, share in circle.sets()) == 1
