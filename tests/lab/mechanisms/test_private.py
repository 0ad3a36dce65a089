"""Whether a mechanism is private, as docs/libqif.md says it for those who come from there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import minleak as ml
from minleak.lab import mechanisms

PAGE = Path(__file__).parents[3] / "docs" / "libqif.md"
LINE = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
MADE = {
    "randomised_response": lambda e: mechanisms.randomised_response(6, e),
    "geometric": lambda e: mechanisms.geometric(6, e),
    "truncated_geometric": lambda e: mechanisms.truncated_geometric(6, e, low=-2, high=8),
    "exponential": lambda e: mechanisms.exponential(6, e, LINE),
    "tight_constraints": lambda e: mechanisms.tight_constraints(6, e, LINE),
    "planar_geometric": lambda e: mechanisms.planar_geometric(3, 3, e),
    "planar_laplace": lambda e: mechanisms.planar_laplace(3, 3, e),
}


def says(name: str) -> str:
    """What stands first in the row of the table."""
    found = re.search(rf"^\| `[^`]*{re.escape(name)}[^`]*` \| `([^`]+)`", PAGE.read_text(encoding="utf-8"), re.M)
    assert found
    return found.group(1)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.3, 1, 5, 20])
@pytest.mark.parametrize("name", MADE)
def test_every_mechanism_is_private_as_the_page_says_it(name, epsilon):
    """And no longer so for a smaller epsilon; it refines itself."""
    C = MADE[name](epsilon)
    asked = says("is_private")
    assert eval(asked, {"ml": ml, "C": C, "metric": epsilon * C.distances})
    assert not eval(asked, {"ml": ml, "C": C, "metric": (1 - 1e-6) * C.epsilon * C.distances})
    assert eval(says("priv_refined_by"), {"ml": ml, "A": C, "B": C})


def test_the_page_is_tried_with_every_mechanism():
    others = {"Mechanism", "PrivacyCurve", "privacy_curve", "rounded", "shuffled_epsilon"}
    assert set(MADE) == set(mechanisms.__all__) - others
