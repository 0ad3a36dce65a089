"""Orders from 1e-6 to 1e6 against the definitions at 380 digits: random small channels, nearly equal rows, light mass.

What is asserted here is what the docstrings of `leakage`, `sibson` and `renyi_divergence` state.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import minleak as ml
from minleak import lab

ORDERS = (1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.05, 1.3, 2, 7.5, 20, 60, 150, 200, 1000, 1e4, 1e6)
FAMILIES = ("arimoto", "hayashi", "fehrberens", "tsallis", "sharma-mittal")
UNIT = 2**52  # rows are multiples of 1/UNIT, so that they sum to one exactly
BELOW = mpf(10) ** -290  # less than this is next to nothing as a float


def allowed(order: float) -> float:
    """The relative error that is promised."""
    return 1e-11 * max(1.0, order / 1000)


def case(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A prior and a channel of 2 to 4 secrets and observables."""
    n, m = rng.integers(2, 5, 2)
    prior = [10.0 ** rng.uniform(-12, 0, n), np.ones(n), 1 + 1e-9 * rng.uniform(-1, 1, n), rng.dirichlet(np.ones(n))]
    kind = rng.integers(4)
    if kind == 3:  # nearly equal rows
        row = whole(rng.dirichlet(np.full(m, 3.0)))
        moved = (row.min() * 10.0 ** rng.uniform(-12, -1) * rng.uniform(-0.5, 0.5, (n, m))).astype(np.int64)
        return prior[rng.integers(4)], (row + moved - np.roll(moved, 1, axis=1)) / UNIT
    rows = [rng.dirichlet(np.ones(m)) for _ in range(n)]
    if kind == 1:
        rows = [np.where(rng.random(m) < 0.4, 0.0, row) + 1e-300 for row in rows]
    elif kind == 2:
        rows = [10.0 ** rng.uniform(-12, 0, m) for _ in range(n)]
    return prior[rng.integers(4)], np.array([whole(row / row.sum()) for row in rows]) / UNIT


def whole(row: np.ndarray) -> np.ndarray:
    parts = np.floor(row * UNIT).astype(np.int64)
    parts[parts.argmax()] += UNIT - parts.sum()
    return parts


def before_and_after(p: np.ndarray, C: np.ndarray, family: str, order: float, degree: float) -> tuple[mpf, mpf]:
    weights = [mpf(float(w)) for w in p]
    prior = [w / mpmath.fsum(weights) for w in weights]
    columns = [[x * mpf(float(c)) for x, c in zip(prior, column, strict=True)] for column in C.T if column.any()]
    return entropy([prior], family, mpf(order), mpf(degree)), entropy(columns, family, mpf(order), mpf(degree))


def entropy(columns: list[list[mpf]], family: str, a: mpf, b: mpf) -> mpf:
    sums = [mpmath.fsum(v) for v in columns]
    posteriors = [[x / s for x in v if x] for v, s in zip(columns, sums, strict=True)]
    if a == 1:
        h = [-mpmath.fsum(x * mpmath.log(x) for x in v) for v in posteriors]
    else:
        h = [mpmath.log(mpmath.fsum(x**a for x in v)) / (1 - a) for v in posteriors]
    c = {"arimoto": (1 - a) / a, "fehrberens": mpf(-1)}.get(family, 1 - a)
    if c == 0:
        mean = mpmath.fsum(s * x for s, x in zip(sums, h, strict=True))
    else:
        mean = mpmath.log(mpmath.fsum(s * mpmath.exp(c * x) for s, x in zip(sums, h, strict=True))) / c
    if family in ("tsallis", "sharma-mittal"):
        return mean if b == 1 else mpmath.expm1((1 - b) * mean) / (1 - b)
    return mean / mpmath.log(2)


def is_close(found: float, right: mpf, relative: float) -> bool:
    return abs(found - right) <= relative * abs(right) if right > BELOW else 0 <= found < 1e-280


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("family", FAMILIES)
def test_leakage_at_every_order(family):
    rng = np.random.default_rng(FAMILIES.index(family))
    with mpmath.workdps(380):
        for i in range(95):
            p, C = case(rng)
            order = ORDERS[i // 2 % len(ORDERS)] if i % 2 else float(10.0 ** rng.uniform(-6, 6))
            degree = order if family == "tsallis" else float(rng.choice([-1, 0.5, 1, 2, 50]))
            name = f"{family}:{order!r}" + (f",{degree!r}" if family == "sharma-mittal" else "")
            before, after = before_and_after(p, C, family, order, degree)
            found = ml.leakage(p, C, name)
            where = (i, name, found, float(before - after), p.tolist(), C.tolist())
            assert 0 <= found <= ml.entropy(name)(p), where
            assert is_close(found, before - after, allowed(order)), where
            assert ml.leakage_table(p, C, [name])[name].leakage == found


@pytest.mark.filterwarnings("error")
def test_sibson_and_renyi_divergence_at_every_order():
    rng = np.random.default_rng(9)
    with mpmath.workdps(380):
        for i in range(190):
            p, C = case(rng)
            if i % 3 == 0:
                p = 10.0 ** rng.uniform(-160, 0, len(p))
            a = float(ORDERS[i % len(ORDERS)])
            if a == 1:
                continue
            weights = [mpf(float(w)) for w in p]
            rows = [[mpf(float(x)) for x in row] for row in C]
            total, A = mpmath.fsum(weights), mpf(a)
            means = [
                mpmath.fsum(w / total * x**A for w, x in zip(weights, column, strict=True)) ** (1 / A)
                for column in zip(*rows, strict=True)
            ]
            right = A / (A - 1) * mpmath.log(mpmath.fsum(means)) / mpmath.log(2)
            assert is_close(lab.sibson(p, C, a), right, allowed(a)), (i, a, p, C)
            pairs = [(x, y) for x, y in zip(*rows[:2], strict=True) if x > 0]
            found = lab.renyi_divergence(C[0], C[1], a)
            if not any(y > 0 for _, y in pairs) or (a > 1 and any(y == 0 for _, y in pairs)):
                assert found == math.inf
                continue
            powers = mpmath.fsum(x**A * y ** (1 - A) for x, y in pairs if y > 0)
            assert is_close(found, mpmath.log(powers) / (A - 1) / mpmath.log(2), 1e-12), (i, a, C)


def test_the_definition_at_order_200():
    """The secret has one bit; a difference of the divergence's terms once gave 22."""
    p, C = [0.3, 0.7], [[0.9, 0.1], [0.5, 0.5]]
    assert ml.leakage(p, C, "arimoto:80") == pytest.approx(8.793768663e-12, rel=1e-9)
    assert ml.leakage(p, C, "arimoto:150") == pytest.approx(6.016116619e-20, rel=1e-9)
    assert ml.leakage(p, C, "arimoto:200") == pytest.approx(1.043362993e-25, rel=1e-9)
    assert ml.leakage(p, C, "fehrberens:200") == pytest.approx(2.161379855e-4, rel=1e-9)
    assert lab.alpha_leakage(p, C, 200) == ml.leakage(p, C, "arimoto:200")
    assert ml.leakage(p, C, "arimoto:1e6") == 0


def test_a_divergence_of_order_1e12_is_finite():
    p, q = [0.5, 0.5], [0.5 + 1e-9, 0.5 - 1e-9]
    found, most = lab.renyi_divergence(p, q, 1e12), lab.renyi_divergence(p, q, math.inf)
    assert found == pytest.approx(most - 1e-12, rel=1e-9)  # one of two terms is left, of weight 1/2: 1/a bits less


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("order", [2, 300, 1e6])
def test_masses_over_160_powers_of_ten_are_no_nan(order):
    rng = np.random.default_rng(3)
    for _ in range(20):
        p, C = 10.0 ** rng.uniform(-160, 0, 4), rng.dirichlet(np.ones(3), 4)
        assert 0 <= lab.alpha_leakage(p, C, order) <= ml.entropy(f"arimoto:{order!r}")(p)
        assert 0 <= lab.sibson(p, C, order) <= lab.sibson(p, C, math.inf) + 1e-12


def test_rare_secrets_that_are_seen_keep_their_digits():
    """Masses that span 100 powers of ten, and an observable that makes up for it: their logarithms cancel."""
    rng = np.random.default_rng(1)
    with mpmath.workdps(700):
        for i in range(40):
            rare, order = 10.0 ** -rng.uniform(100, 150), (1000.0, 2e4)[i % 2]
            seen = rng.uniform(0.69, 0.7) * rare
            found = ml.leakage([1.0, rare], [[1.0, seen], [0.3, 0.7]], f"arimoto:{order!r}")
            p, c, a = mpf(rare) / (1 + mpf(rare)), mpf(seen) / (1 + mpf(seen)), mpf(order)
            q, d = 1 - p, mpf(0.7) / (mpf(0.3) + mpf(0.7))
            norms = [(x**a + y**a) ** (1 / a) for x, y in ((q, p), (q * c, p * d), (q * (1 - c), p * (1 - d)))]
            right = a / (a - 1) * mpmath.log((norms[1] + norms[2]) / norms[0], 2)
            assert is_close(found, right, allowed(order)), (rare, seen, order)


@pytest.mark.parametrize("name", ["hartley", "hayashi:0", "fehrberens:0", "hayashi:inf", "sharma-mittal:inf,2"])
def test_the_limits_have_their_digits_too(name):
    """Order 0: an observable of chance 2^-40 rules one of 1,000 secrets out. Infinity: one makes a secret surer."""
    n, rare = 1000, 2.0**-40
    C = np.full((n, 2), [1 - rare, rare])
    C[0] = [1, 0]
    q = (n - 1) / n * rare
    posterior = 1 / (n * (1 - q))
    right = {
        "hartley": 0.0,
        "hayashi:0": -math.log1p(-q / n) / math.log(2),
        "fehrberens:0": math.log1p(q / (n - 1)) / math.log(2),
        "hayashi:inf": math.log1p(1 / (n - 1)) / math.log(2),
        "sharma-mittal:inf,2": 1 / (n - 1) - 1 / n,
    }[name]
    assert posterior < 1 / (n - 1)  # the rare observable is the one that tells most
    assert ml.leakage([1] * n, C, name) == pytest.approx(right, rel=1e-11)


@pytest.mark.parametrize("name", ["arimoto:60", "arimoto:1000", "hayashi:1e6", "fehrberens:1e6"])
def test_what_is_certified_is_not_beaten(name):
    """Where rounding of the core decides, the bound says so: it is never above what a channel leaks."""
    rng = np.random.default_rng(4)
    for _ in range(6):
        n, m = 4, 3
        p, pairs = rng.dirichlet(np.ones(n)), rng.random((n, m)) < 0.7
        pairs[np.arange(n), rng.integers(0, m, n)] = True
        try:
            best = ml.lab.optimise(p, entropy=name, allowed=pairs)
        except ml.errors.SolverFailed:
            continue
        H = ml.entropy(name)
        assert best.leakage == pytest.approx(H(p) - H.conditional(p, best.channel), abs=1e-14)
        for _ in range(40):
            C = (rng.dirichlet(np.full(m, 0.3), n) + 1e-9) * pairs
            assert ml.leakage(p, C / C.sum(axis=1, keepdims=True), name) >= best.bound - 1e-12
