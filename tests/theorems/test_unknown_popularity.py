"""What a defender can do who does not know which secret is popular."""

from __future__ import annotations

import itertools
import random
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import minleak as ml
from minleak import lab
from minleak.errors import InvalidParameter


@pytest.mark.parametrize("seed", range(40))
def test_no_channel_has_a_better_worst_case_than_uniform_randomisation(seed):
    """The largest worst case over all permutations of a prior, of any channel of sets of k, by a linear program, in a
    random symmetric concave core that is the least of some linear functions of the sorted entries.
    """
    rng = random.Random(seed)
    n = rng.randint(2, 4)
    k = rng.randint(1, n)
    p = [rng.choice([0, 1, 1, 2, 3, 5, 9]) for _ in range(n - 1)] + [4]
    pieces = [sorted(rng.uniform(0, 1) for _ in range(n)) for _ in range(rng.randint(1, 3))]

    def core(column):
        return min(sum(c * v for c, v in zip(piece, sorted(column, reverse=True), strict=True)) for piece in pieces)

    sets = list(itertools.combinations(range(n), k))
    uniform = sum(core([p[x] * len(sets) ** -1 * n / k * (x in some) for x in range(n)]) for some in sets)
    entries = [(x, some) for some in sets for x in some]
    orders = list(itertools.permutations(range(n)))
    many = len(entries) + len(orders) * len(sets) + 1
    rows, limits = [], []
    for o, order in enumerate(orders):
        total = np.zeros(many)
        total[-1] = 1
        for s, some in enumerate(sets):
            at = len(entries) + o * len(sets) + s
            total[at] = -1
            for piece in pieces:
                for placed in itertools.permutations(some):
                    row = np.zeros(many)
                    row[at] = 1
                    for c, x in zip(piece, placed, strict=False):
                        row[entries.index((x, some))] -= c * p[order[x]]
                    rows.append(row)
                    limits.append(0.0)
        rows.append(total)
        limits.append(0.0)
    whole = np.array([[x == y for y, _ in entries] + [False] * (many - len(entries)) for x in range(n)], dtype=float)
    objective = np.zeros(many)
    objective[-1] = -1
    bounds = [(0, None)] * len(entries) + [(None, None)] * (many - len(entries))
    solved = linprog(objective, A_ub=rows, b_ub=limits, A_eq=whole, b_eq=np.ones(n), bounds=bounds)
    assert solved.status == 0
    assert -solved.fun == pytest.approx(uniform, abs=1e-9)


@pytest.mark.parametrize("name", ["guess-error:1", "guess-error:2", "shannon", "guesswork", "tsallis:3"])
def test_buckets_by_arrival_are_as_good_as_uniform_randomisation_on_average(name):
    weights, k = [13, 7, 3, 3, 1, 0], 3
    H = ml.entropy(name)
    sets = list(itertools.combinations(range(6), k))
    uniform = H.conditional(weights, [[(x in some) / 10 for some in sets] for x in range(6)])
    buckets = np.repeat(np.eye(2), k, axis=0)
    circle = [[(y - x) % 6 < k for y in range(6)] for x in range(6)]
    for channel in (buckets, np.array(circle) / k):
        orders = list(itertools.permutations(weights))
        mean = sum(H.conditional(list(order), channel) for order in orders) / len(orders)
        assert mean == pytest.approx(uniform, abs=1e-9)


def success_of(weights, buckets):
    """By definition, in Fractions."""
    heaviest = {}
    for weight, bucket in zip(weights, buckets, strict=True):
        heaviest[bucket] = max(heaviest.get(bucket, 0), Fraction(weight))
    return sum(heaviest.values()) / sum(map(Fraction, weights))


@pytest.mark.parametrize("seed", range(60))
def test_online_buckets_keep_their_bound(seed):
    """Sizes, classes and the bound; who comes later changes nothing for those who are there."""
    rng = random.Random(seed)
    n, k = rng.randint(1, 60), rng.randint(1, 9)
    weights = [rng.choice([0, rng.randint(1, 9), int(rng.paretovariate(0.6)), rng.random() * 100]) for _ in range(n)]
    weights[0] = 5
    step = rng.choice([None, 0.1, 0.5, 3])
    found = lab.online_buckets(weights, k, step=step)
    assert np.bincount(found.buckets).max() <= k
    assert found.success == pytest.approx(float(success_of(weights, found.buckets.tolist())))
    assert found.success <= found.bound + 1e-12
    for bucket in range(int(found.buckets.max()) + 1):
        members = [w for w, b in zip(weights, found.buckets, strict=True) if b == bucket]
        assert max(members) <= min(members) * (1 + found.step) * (1 + 1e-12)
    half = weights[: n // 2 + 1]
    assert lab.online_buckets(half, k, step=found.step).buckets.tolist() == found.buckets.tolist()[: len(half)]


def test_the_bound_of_the_best_step():
    found = lab.online_buckets([1] * 100, 25)
    assert found.step == 0.5
    assert found.bound == pytest.approx((25**-0.5 + 0.1) ** 2 + 0.01)


def test_the_picture_is_up_to_date():
    """If this fails: python docs/pictures/unknown.py."""
    folder = Path(__file__).parents[2] / "docs" / "pictures"
    assert (folder / "unknown.svg").read_text() == runpy.run_path(str(folder / "unknown.py"))["draw"]()


def test_bad_input_is_refused_in_one_line():
    with pytest.raises(InvalidParameter, match="the step is a number above 0, not 0"):
        lab.online_buckets([1, 2], 2, step=0)
