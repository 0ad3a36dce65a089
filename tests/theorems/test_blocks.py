"""What holds of blocks: sorted and cut is the best of all partitions, in some entropies; and not in others."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minleak as ml
from minleak.core._certify.plans import best_sorted
from minleak.core._entropy.base import evaluate

COVERED = [
    *("shannon", "min-entropy", "guess-error:1", "guess-error:2", "guess-error:3", "guesswork", "hartley"),
    *("arimoto:0.05", "arimoto:0.5", "arimoto:0.9", "arimoto:2", "arimoto:7", "arimoto:inf"),
    *("hayashi:1", "hayashi:1.3", "hayashi:2", "tsallis:1", "tsallis:1.5", "tsallis:2", "sharma-mittal:1.5,3"),
    *("sharma-mittal:2,-1", "fehrberens:2", "fehrberens:3", "fehrberens:inf"),
]
OTHERS = [
    *("hayashi:0", "hayashi:0.5", "hayashi:2.1", "hayashi:inf", "tsallis:0.5", "tsallis:3", "sharma-mittal:3,1.5"),
    *("fehrberens:0.5", "fehrberens:1", "fehrberens:1.9"),
]


def partitions(secrets, k):
    """All partitions of a list into blocks of at most k."""
    if not secrets:
        yield []
        return
    first, rest = secrets[0], secrets[1:]
    for others in partitions(rest, k):
        for i, block in enumerate(others):
            if len(block) < k:
                yield [*others[:i], [first, *block], *others[i + 1 :]]
        yield [[first], *others]


def entropies_of(weights, blocks, names):
    """H(X|Y) in each entropy, from the joint written out."""
    joint = np.zeros((len(weights), len(blocks)))
    for y, block in enumerate(blocks):
        joint[block, y] = np.asarray(weights)[block] / np.sum(weights)
    return np.array(evaluate([ml.entropy(name) for name in names], [joint]))


def test_which_entropies_are_covered():
    """Each says it of itself."""
    assert all(best_sorted(ml.entropy(name).form) for name in COVERED)
    assert not any(best_sorted(ml.entropy(name).form) for name in OTHERS)
    assert not best_sorted(ml.Gain(ml.Shannon(), np.eye(2)).form)


def proved(a, c):
    """The theorem of layouts.md on Phi(v) = Q^c S^(1-ac): a > 1 and 1/a <= c <= min(1, 1/(a-1))."""
    return a > 1 and 1 / a <= c <= min(Fraction(1), 1 / (a - 1))


def test_the_families_called_proved_are_those_of_the_proofs():
    """Order by order from 1/20 to 6: c is 1/a in Arimoto's form, 1 in Hayashi's and 1/(a-1) in Fehr and Berens'."""
    for a in (Fraction(i, 20) for i in range(1, 121) if i != 20):
        assert best_sorted(ml.Arimoto(float(a)).form)  # above 1 by the theorem too, below by supermodularity
        assert a < 1 or proved(a, 1 / a)
        assert best_sorted(ml.lab.Hayashi(float(a)).form) == proved(a, Fraction(1))
        assert best_sorted(ml.lab.Tsallis(float(a)).form) == proved(a, Fraction(1))
        assert best_sorted(ml.lab.SharmaMittal(float(a), 0.5).form) == proved(a, Fraction(1))
        assert best_sorted(ml.lab.FehrBerens(float(a)).form) == proved(a, 1 / (a - 1))
    weights = [9, 5, 4, 2, 1]
    named = ml.certify(ml.design(weights, 2, layout="blocks"), weights, entropies=[*COVERED, *OTHERS])
    details = [check.detail for check in named.checks if check.detail.startswith("a theorem in ")]
    assert details == ["a theorem in " + ", ".join(ml.entropy(name).name for name in COVERED)]


# What sorted blocks make largest when summed over blocks: the perspective, up to sign; rational for squares as weights.
EXACT = {
    "min-entropy": lambda v: -max(v),
    "guess-error:2": lambda v: sum(v) - sum(sorted(v)[-2:]),
    "guesswork": lambda v: sum(i * w for i, w in enumerate(sorted(v, reverse=True), start=1)),
    "arimoto:0.5": lambda v: sum(isqrt(w) for w in v) ** 2,
    "tsallis:2": lambda v: -Fraction(sum(w * w for w in v), sum(v)),
    "fehrberens:2": lambda v: -Fraction(sum(w * w for w in v), sum(v)),
}


@settings(max_examples=40)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=7), st.integers(1, 5))
def test_sorted_blocks_are_best_in_fractions(roots, k):
    """All partitions, in integers and Fractions, for forms that are rational."""
    weights = sorted((root * root for root in roots), reverse=True)
    cut = [weights[i : i + k] for i in range(0, len(weights), k)]
    found = list(partitions(weights, k))
    for name, value in EXACT.items():
        assert best_sorted(ml.entropy(name).form)
        assert max(sum(map(value, blocks)) for blocks in found) == sum(map(value, cut)), name


@settings(max_examples=25)
@given(st.lists(st.integers(0, 3) | st.integers(0, 60), min_size=1, max_size=6).filter(any), st.integers(1, 5))
def test_no_partition_leaks_less_than_sorted_blocks(weights, k):
    """Among all partitions into blocks of at most k, for all covered entropies at once; the remainder is lightest."""
    n, sorted_blocks = len(weights), ml.design(weights, k, layout="blocks")
    sets = np.array([[mask >> i & 1 for mask in range(1, 2**n)] for i in range(n)])
    columns = sets * (np.array(weights) / sum(weights))[:, None]
    chosen = [[sum(1 << i for i in block) - 1 for block in blocks] for blocks in partitions(list(range(n)), k)]
    for name in COVERED:
        H, best = ml.entropy(name), sorted_blocks.entropy(name)
        summary = H.summary(columns.copy())
        assert max(H.value(summary[:, blocks]) for blocks in chosen) == pytest.approx(best, rel=1e-9, abs=1e-9)


@settings(max_examples=25)
@given(st.data(), st.integers(2, 40), st.sampled_from([0, 1, 2, 3]))
def test_nor_does_another_pair_of_large_blocks(data, k, tail):
    """Two blocks suffice for the proof; here of many sizes, with heavy secrets in one or in both."""
    n = data.draw(st.integers(k + 1, 2 * k))
    weights = np.array([10**tail] * data.draw(st.integers(1, n)) + [1] * n)[:n]
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    order = rng.permutation(n)
    size = data.draw(st.integers(n - k, k))
    found = entropies_of(weights, [order[:size], order[size:]], COVERED)
    best = np.array([ml.design(weights, k, layout="blocks").entropy(name) for name in COVERED])
    assert (found <= best + 1e-9 * (1 + np.abs(best))).all()


@pytest.mark.parametrize(
    ("name", "weights", "blocks", "k"),
    [
        ("hayashi:3", [1] * 4, [[0, 1], [2, 3]], 3),
        ("tsallis:3", [1] * 6, [[0, 1, 2, 3], [4, 5]], 5),
        ("fehrberens:0.5", [20, 20] + [1] * 26, [[0, *range(2, 15)], [1, *range(15, 28)]], 14),
        ("hayashi:0.2", [31, 31] + [1] * 20, [[0, *range(2, 12)], [1, *range(12, 22)]], 11),
    ],
)
def test_other_partitions_win_in_other_entropies(name, weights, blocks, k):
    """Equal secrets, n = k + 1, cut into k - 1 and 2; or two heavy secrets, one in each block."""
    sorted_blocks = ml.design(weights, k, layout="blocks")
    assert entropies_of(weights, blocks, [name])[0] > sorted_blocks.entropy(name) + 1e-4
    assert not ml.certify(sorted_blocks, weights, entropies=[name])


def test_the_counterexample_in_numbers():
    """Fehr-Berens of order 1/2, k = 14, weights 1, 1 and 26 times .05: H(X|Y) is 3.2036 sorted, 3.2096 with one heavy
    secret in each block.
    """
    weights, H = [20, 20] + [1] * 26, ml.lab.FehrBerens(0.5)
    apart = entropies_of(weights, [[0, *range(2, 15)], [1, *range(15, 28)]], [H.name])[0]
    together = ml.design(weights, 14, layout="blocks").entropy(H)
    assert (round(together, 4), round(apart, 4)) == (3.2036, 3.2096)


@settings(max_examples=25)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=9), st.integers(1, 6))
def test_the_optimal_plan_leaks_no_more(weights, k):
    """H(X|Y) of blocks is at most H(pi): what blocks lose is never negative, and nothing from k = n on."""
    blocks, plan = ml.design(weights, k, layout="blocks"), ml.design(weights, k)
    for name in COVERED:
        assert blocks.loss(name) >= 0
        assert blocks.loss(name) == pytest.approx(plan.entropy(name) - blocks.entropy(name), abs=1e-9)
        if k >= len(weights):
            assert blocks.loss(name) == pytest.approx(0, abs=1e-9)
