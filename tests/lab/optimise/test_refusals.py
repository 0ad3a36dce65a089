"""What cannot be solved is refused: bad input by name, infeasible problems with the reason and the remedy."""

from __future__ import annotations

import math
import re
import sys

import numpy as np
import pytest
from tests.lab.optimise.problems import hamming

import minleak as ml
from minleak.errors import Infeasible, InvalidParameter, MissingExtra

PRIOR = ml.Prior([5, 3, 2], labels=["flu", "cold", "gout"])
ONES = np.ones((3, 2))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "nothing is constrained"),
        ({"allowed": np.ones((2, 2))}, "3 rows"),
        ({"allowed": [[1, 2], [1, 1], [1, 1]]}, "row 0, column 1 is 2.0"),
        ({"allowed": [[1, math.nan], [1, 1], [1, 1]]}, "row 0, column 1 is nan"),
        ({"allowed": "yes"}, "matrix of numbers"),
        ({"budget": 1}, "budget needs costs"),
        ({"cost": [[1, math.inf], [1, 1], [1, 1]], "budget": 1}, "row 0, column 1 is inf"),
        ({"cost": ONES, "budget": math.nan}, "finite number"),
        ({"cost": ONES, "budget": "much"}, "finite number"),
        ({"cost": ONES, "budget": True}, "finite number"),
        ({"cost": [ONES, ONES], "budget": [1]}, "one budget for each"),
        ({"cost": ONES, "budget": 1, "allowed": np.ones((3, 3))}, "different numbers of columns"),
        ({"allowed": ONES, "outputs": ["a"]}, "1 outputs for a matrix of 2 columns"),
        ({"allowed": ONES, "outputs": ["a", "a"]}, "both 'a'"),
        ({"fixed": [[2, -1], [math.nan] * 2, [math.nan] * 2]}, "column 1 is -1.0"),
        ({"allowed": ONES, "entropy": []}, "list of entropies is empty"),
        ({"allowed": ONES, "entropy": "nonsense"}, "unknown entropy"),
        ({"allowed": ONES, "gap": 0}, "gap is a positive number"),
        ({"allowed": ONES, "gap": math.nan}, "gap is a positive number"),
        ({"allowed": ONES, "gains": [1, 2]}, "gains are for 2 secrets"),
        ({"allowed": ONES, "gains": [0, 0, 0]}, "all gains are zero"),
    ],
)
def test_bad_input(given, words):
    with pytest.raises(InvalidParameter, match=re.escape(words)):
        ml.lab.optimise(PRIOR, **given)


def test_gains_on_impossible_secrets_alone():
    with pytest.raises(InvalidParameter, match="nothing is worth hiding"):
        ml.lab.optimise([1, 1, 0], allowed=ONES, gains=[0, 0, 1])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"allowed": [[1, 1], [0, 0], [1, 1]]}, "row 1 ('cold') has no allowed observable"),
        ({"cost": hamming(3) + 1, "budget": 0.5}, "the budget is 0.5, below 1, the least expected cost"),
        ({"fixed": [[0.7, 0.7], [math.nan] * 2, [math.nan] * 2]}, "row 0 ('flu') sum to 1.4, more than 1"),
        ({"fixed": [[0.5, 0.2], [math.nan] * 2, [math.nan] * 2]}, "row 0 ('flu') is fixed to only 0.7"),
        (
            {"fixed": [[0.5, math.nan], [math.nan] * 2, [math.nan] * 2], "allowed": [[0, 1], [1, 1], [1, 1]]},
            "row 0 ('flu') is fixed to show observable 0, which is not allowed",
        ),
    ],
)
def test_infeasible_says_why(given, words):
    with pytest.raises(Infeasible, match=re.escape(words)):
        ml.lab.optimise(PRIOR, **given)


def test_the_least_budget_named_is_feasible():
    """And a hair less is not."""
    cost = np.random.default_rng(0).random((3, 4))
    with pytest.raises(Infeasible) as refused:
        ml.lab.optimise(PRIOR, cost=cost, budget=0.0)
    least = float(re.search(r"below ([\d.]+)", str(refused.value)).group(1))
    assert ml.lab.optimise(PRIOR, cost=cost, budget=least + 1e-11).costs[0] <= least + 1e-11 + 1e-12
    with pytest.raises(Infeasible):
        ml.lab.optimise(PRIOR, cost=cost, budget=least - 1e-6)


def test_budgets_that_exclude_each_other():
    """Each alone can be kept, both together cannot: by how much they miss, which is enough to add."""
    first = np.array([[0.0, 1], [0, 1], [0, 1]])
    with pytest.raises(Infeasible, match=r"if each were raised by 0\.3") as refused:
        ml.lab.optimise(PRIOR, cost=[first, 1 - first], budget=[0.2, 0.2])
    assert "each alone can be kept" in str(refused.value)
    assert ml.lab.optimise(PRIOR, cost=[first, 1 - first], budget=[0.5, 0.5]).gap < 1e-6


def test_without_the_extra(monkeypatch):
    """Linear entropies do without cvxpy, and so does Shannon under a budget; what needs a package says so."""
    for package in ("cvxpy", "ot", "flint"):
        monkeypatch.setitem(sys.modules, package, None)
    assert ml.lab.optimise(PRIOR, entropy="min-entropy", cost=hamming(3), budget=0.2).gap < 1e-9
    assert ml.lab.optimise(PRIOR, entropy="shannon", cost=hamming(3), budget=0.2).gap < 1e-9
    needing = {
        "cvxpy": lambda: ml.lab.optimise(PRIOR, entropy="arimoto:2", cost=hamming(3), budget=0.2),
        "ot": lambda: ml.lab.kantorovich(PRIOR, [1, 1, 1], hamming(3)),
        "flint": lambda: ml.lab.Matroid.linear([[1, 0], [1, 1]]).rank([0, 1]),
    }
    for package, call in needing.items():
        said = re.escape(f"needs the package {package}: run pip install 'minleak[lab]'")
        with pytest.raises(MissingExtra, match=said):
            call()
