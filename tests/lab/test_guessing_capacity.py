"""The largest rise of success in l guesses over all priors: exact on small channels, between bounds on others."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import minleak as ml
from minleak import lab
from minleak.lab import _guessing_capacity as made


def raised(p: list[Fraction], C: list[list[Fraction]], l: int) -> Fraction:
    """By how much the chance of l guesses rises, from its definition."""
    columns = [[a * row[y] for a, row in zip(p, C, strict=True)] for y in range(len(C[0]))]
    return sum(sum(sorted(column)[-l:]) for column in columns) - sum(sorted(p)[-l:])


@pytest.mark.parametrize("l", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_no_prior_raises_the_chance_of_guessing_more_than_the_best_uniform_one(l, seed):
    """All priors on a grid of twelfths over four secrets, in Fractions."""
    rng = random.Random(seed)
    C = []
    for _ in range(4):
        row = [rng.choice([0, 0, 1, 1, 2, 5]) for _ in range(4)] + [1]
        C.append([Fraction(entry, sum(row)) for entry in row])
    found = lab.guessing_capacity(np.array(C, dtype=object), l)
    support = [Fraction(int(w), int(found.prior.total)) for w in found.prior.weights]
    assert float(raised(support, C, l)) == pytest.approx(found.value, abs=1e-15)
    grid = (
        (a, b, c, 12 - a - b - c) for a in range(13) for b in range(13 - a) for c in range(13 - a - b)
    )  # its sets of two, three and four are uniform on the grid too
    best = max(raised([Fraction(w, 12) for w in weights], C, l) for weights in grid)
    assert found.status == "exact"
    assert found.value == found.upper == pytest.approx(float(best), abs=1e-15)


@pytest.mark.parametrize(
    ("n", "m", "l", "spread"), [(13, 12, 1, 1), (13, 12, 2, 0.2), (12, 20, 3, 0.5), (14, 5, 1, 0.1)]
)
def test_branching_finds_what_looking_at_all_sets_finds(n, m, l, spread):
    """And every bound on the way holds."""
    C = np.random.default_rng(n * m + l).dirichlet(np.full(m, spread), n)
    exact = made._of_all(C, l)
    assert made._Search(C, l).run(0.0, 10**6).value == pytest.approx(exact.value, abs=1e-14)
    for nodes in (1, 2, 5, 20):
        found = made._Search(C, l).run(0.0, nodes)
        assert found.value <= exact.value + 1e-14
        assert found.upper >= exact.value - 1e-14


def test_guessing_capacity_of_many_secrets_lies_between_bounds():
    C = np.random.default_rng(0).dirichlet(np.ones(40), 40)
    found = lab.guessing_capacity(C)
    assert found.status == "exact"
    short = lab.guessing_capacity(C, iterations=2)
    assert short.status == "not converged"
    assert short.iterations == 2
    assert short.lower <= found.value < short.upper < 1 - 1 / 40
    assert lab.guessing_capacity(np.eye(30)).value == pytest.approx(1 - 1 / 30, abs=1e-15)
    assert lab.guessing_capacity(np.full((30, 2), 0.5), 2).value == 0
    assert lab.guessing_capacity([[1, 0], [0, 1]], 2).value == 0


def test_the_prior_leaks_so_much():
    for n, m, l in [(10, 10, 1), (10, 10, 2), (11, 6, 3), (9, 30, 1)]:
        C = np.random.default_rng(n + m + l).dirichlet(np.full(m, 0.5), n)
        found = lab.guessing_capacity(C, l)
        assert found.upper == found.value == pytest.approx(ml.leakage(found.prior, C, ml.GuessError(l)), abs=1e-14)


@pytest.mark.parametrize("given", [{"guesses": 0}, {"guesses": 1.5}, {"gap": 0}, {"iterations": 0}], ids=repr)
def test_refusals(given):
    with pytest.raises(ml.errors.InvalidParameter):
        lab.guessing_capacity(np.eye(2), **given)
