"""Leakage of channels that hardly tell anything, against differences of entropies at 120 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp

import minleak as ml
from minleak import lab
from minleak.core._small_leakages import small_leakage

# Random channels whose rows differ by this much; what leaks is its square, or about itself for guesses.
APART = (1e-2, 1e-4, 1e-6, 1e-9, 1e-12)
PRIORS = {
    "uniform": [1] * 6,
    "ties": [5, 2, 2, 1, 1, 1],
    "floats": [0.31, 0.27, 0.2, 0.1, 0.07, 0.05],
    "impossible": [4, 0, 3, 3, 0, 1],
}
ORDERS = (0.1, 0.5, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.3, 2, 7.5)
ENTROPIES = [
    "shannon", "min-entropy", "guess-error:1", "guess-error:2", "guess-error:4", "guesswork", "arimoto:inf",
    *(f"arimoto:{a!r}" for a in ORDERS),
    *(f"hayashi:{a!r}" for a in ORDERS),
    *(f"fehrberens:{a!r}" for a in (0.5, 1, 1.3, 2, 7.5)),
    "fehrberens:inf", "tsallis:2", "tsallis:0.5", "tsallis:1", "sharma-mittal:2,0.5", "sharma-mittal:0.5,3",
]  # fmt: skip


def near(apart: float, seed: int = 0, shape: tuple[int, int] = (6, 5)) -> np.ndarray:
    """Rows that sum to one exactly: multiples of 2^-52, moved between neighbours."""
    rng = np.random.default_rng(seed)
    n, m = shape
    row = np.floor(rng.dirichlet(np.full(m, 5.0)) * 2**52).astype(np.int64)
    row[-1] += 2**52 - row.sum()
    moved = (row.min() * apart * rng.uniform(-0.5, 0.5, (n, m))).astype(np.int64)
    return (row + moved - np.roll(moved, 1, axis=1)) / 2**52


def exactly(p: list, C: np.ndarray, name: str) -> mpmath.mpf:
    """The definition at many digits, of the floats given."""
    with mpmath.workdps(120):
        weights = [mpmath.mpf(w) for w in p]
        p = [w / mpmath.fsum(weights) for w in weights]
        columns = [[a * mpmath.mpf(float(c)) for a, c in zip(p, column, strict=True) if a] for column in C.T]
        before, after = (_entropy(name, given) for given in ([[a for a in p if a]], columns))
        return before - after


def _entropy(name: str, columns: list) -> mpmath.mpf:
    kind, _, text = name.partition(":")
    numbers = [mpmath.mpf(float(word)) for word in text.split(",")] if text else []
    sums = [mpmath.fsum(v) for v in columns]
    if kind == "guess-error":
        return mpmath.fsum(s - mpmath.fsum(sorted(v)[-int(text) :]) for v, s in zip(columns, sums, strict=True))
    if kind == "guesswork":
        return mpmath.fsum((i + 1) * a for v in columns for i, a in enumerate(sorted(v, reverse=True)))
    unit = mpmath.log(2) if kind not in ("tsallis", "sharma-mittal") else mpmath.mpf(1)
    if kind == "min-entropy" or numbers == [mpmath.inf]:
        return -mpmath.log(mpmath.fsum(max(v) for v in columns)) / unit
    a = numbers[0] if numbers else mpmath.mpf(1)
    if a == 1:
        h = [mpmath.fsum(-x / s * mpmath.log(x / s) for x in v if x) for v, s in zip(columns, sums, strict=True)]
    else:
        h = [
            mpmath.log(mpmath.fsum((x / s) ** a for x in v if x)) / (1 - a) for v, s in zip(columns, sums, strict=True)
        ]
    c = {"arimoto": (1 - a) / a, "fehrberens": mpmath.mpf(-1)}.get(kind, 1 - a)
    if c == 0:
        mean = mpmath.fsum(s * x for s, x in zip(sums, h, strict=True))
    else:
        mean = mpmath.log(mpmath.fsum(s * mpmath.exp(c * x) for s, x in zip(sums, h, strict=True))) / c
    b = numbers[-1] if kind in ("tsallis", "sharma-mittal") else mpmath.mpf(1)
    return (mean if b == 1 else mpmath.expm1((1 - b) * mean) / (1 - b)) / unit


@pytest.mark.parametrize("name", ENTROPIES)
@pytest.mark.parametrize("prior", PRIORS)
def test_what_hardly_leaks_has_all_its_digits(name, prior):
    close = 1e-11 if name.endswith(":7.5") else 1e-12  # p^7.5 is nearly all on one secret, whose terms cancel
    for seed, apart in enumerate(APART):
        C = near(apart, seed)
        right = float(exactly(PRIORS[prior], C, name))
        assert ml.leakage(PRIORS[prior], C, name) == pytest.approx(right, rel=close, abs=1e-100), apart
        table = ml.leakage_table(PRIORS[prior], sp.csr_array(C), [name])
        assert table[name].leakage == pytest.approx(right, rel=close, abs=1e-100)


@pytest.mark.parametrize("name", ["shannon", "arimoto:2", "hayashi:0.5", "fehrberens:2", "tsallis:2", "min-entropy"])
def test_a_rare_observable_that_tells_all_keeps_its_digits(name):
    """Where d is not small, and some of it is -1."""
    rare = 2.0**-43
    C = np.array([[0.5, 0.5 - rare, rare], *([[0.5, 0.5, 0]] * 3)])
    prior = [4, 3, 2, 1]
    assert ml.leakage(prior, C, name) == pytest.approx(float(exactly(prior, C, name)), rel=1e-12, abs=1e-100)


def test_leakages_of_1e_12_and_1e_14_are_right_to_13_digits():
    """A difference of entropies is wrong in the sixth digit of the first and in the third of the second."""
    for apart, least, most in ((3e-5, 1e-12, 1e-10), (3e-7, 1e-16, 1e-14)):
        C = near(apart, 3, (20, 20))
        right = float(exactly([1] * 20, C, "shannon"))
        assert least < right < most
        assert ml.leakage([1] * 20, C, "shannon") == pytest.approx(right, rel=1e-13)


def test_the_two_forms_meet():
    """On both sides of where one takes over from the other, and with all of d."""
    rng = np.random.default_rng(5)
    for name in ENTROPIES:
        for apart in (0.03, 0.1, 0.5, 1.0):
            C = near(apart, 1)
            H, prior = ml.entropy(name), ml.Prior(rng.random(6) + 0.1)
            small = small_leakage(H, ml.lab.Joint(prior, C))
            difference = H(prior) - H.conditional(prior, C)
            assert small == pytest.approx(difference, rel=1e-9, abs=2e-14), (name, apart)


def test_additive_leakage_of_ties_has_its_digits():
    C = np.array([[0.5, 0.5], [0.5 + 2**-40, 0.5 - 2**-40]])
    assert lab.additive_leakage([1, 1], C) == 2**-41
    assert lab.additive_leakage([1, 1], np.eye(2)) == 0.5
    assert lab.additive_leakage([3, 1], C) == 0


def test_small_figures_are_printed():
    """A leakage of 1e-25 bits and the bracket of a capacity were printed as 0, beside "certified"."""
    table = ml.leakage_table([0.3, 0.7], [[0.9, 0.1], [0.5, 0.5]], ["arimoto:200"])
    assert str(table).endswith("1.04336e-25")
    assert "1.04336e-25" in table._repr_html_()
    C = np.array([[0.5 + 1e-9, 0.5 - 1e-9], [0.5 - 1e-9, 0.5 + 1e-9]])
    found = str(ml.capacity(C)).splitlines()
    assert [line.split()[0] for line in found if "e-18" in line] == ["value", "lower", "upper"]
    same = ml.leakage_table([1, 2, 4], np.full((3, 7), 1 / 7), ["shannon", "arimoto:3", ml.Gain("shannon", [1, 2, 3])])
    assert [row.leakage for row in same.rows] == [0, 0, 0]
