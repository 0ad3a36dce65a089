"""Measures of order alpha: divergences, informations at a prior, and leakages at the worst of all priors."""

import math

import mpmath
import numpy as np
import pytest

import minleak as ml
from minleak import lab
from minleak.errors import InvalidParameter

INF = math.inf
BSC = [[0.9, 0.1], [0.1, 0.9]]


def random_channel(rng, n, m, spread=1.0):
    """Rows that differ from each other by about `spread`."""
    rows = rng.random(m) + 0.05
    C = np.abs(rows * (1 + 0.3 * spread * rng.standard_normal((n, m)))) + 1e-3 * spread
    return C / C.sum(axis=1, keepdims=True)


def in_digits(values):
    """The same as numbers of fifty digits that sum to one."""
    numbers = [mpmath.mpf(float(value)) for value in values]
    return [number / sum(numbers) for number in numbers]


@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-8])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 1 - 1e-9, 1, 1 + 1e-9, 2, 7, 40])
def test_divergences_and_sibson_keep_their_digits(alpha, spread):
    rng = np.random.default_rng(3)
    p, C = rng.random(4), random_channel(rng, 4, 5, spread)
    with mpmath.workdps(50):
        a, q = mpmath.mpf(alpha), in_digits(p)
        rows = [in_digits(row) for row in C]
        if alpha == 1:
            divergence = sum(x * mpmath.log(x / y) for x, y in zip(*rows[:2], strict=True))
            marginal = [sum(q[x] * rows[x][y] for x in range(4)) for y in range(5)]
            sibson = sum(q[x] * rows[x][y] * mpmath.log(rows[x][y] / marginal[y]) for x in range(4) for y in range(5))
        else:
            divergence = mpmath.log(sum(x**a * y ** (1 - a) for x, y in zip(*rows[:2], strict=True))) / (a - 1)
            powers = [sum(q[x] * rows[x][y] ** a for x in range(4)) ** (1 / a) for y in range(5)]
            sibson = a / (a - 1) * mpmath.log(sum(powers))
    assert lab.renyi_divergence(C[0], C[1], alpha, base=math.e) == pytest.approx(float(divergence), rel=1e-7)
    assert lab.sibson(p, C, alpha, base=math.e) == pytest.approx(float(sibson), rel=1e-11)


def test_divergences_at_their_limits():
    assert lab.renyi_divergence([1, 1, 0], [1, 0, 1], 0) == 1.0
    assert lab.renyi_divergence([1, 1, 0], [1, 0, 1], 0.5) == 2.0
    assert lab.renyi_divergence([1, 1], [1, 0], 1) == INF
    assert lab.renyi_divergence([1, 0], [0, 1], 0.5) == INF
    assert lab.renyi_divergence([1, 0], [1, 1], INF) == 1.0
    for alpha in (0, 0.5, 1, 2, INF):
        assert lab.renyi_divergence([3, 2, 0], [3, 2, 0], alpha) == 0.0


def test_divergences_agree_with_each_other():
    rng = np.random.default_rng(5)
    for _ in range(20):
        p, q = ml.Prior(rng.random(6)), ml.Prior(rng.random(6))
        assert lab.kl_divergence(p, q) == lab.renyi_divergence(p, q, 1)
        assert math.expm1(lab.renyi_divergence(p, q, 2, base=math.e)) == pytest.approx(((p.p - q.p) ** 2 / q.p).sum())
        assert 2 ** (-lab.renyi_divergence(p, q, 0.5) / 2) == pytest.approx(float(np.sqrt(p.p * q.p).sum()))
        assert lab.hockey_stick(p, q, 1) == pytest.approx(lab.total_variation(p, q))
        gamma = math.exp(lab.renyi_divergence(p, q, INF, base=math.e))
        assert lab.hockey_stick(p, q, gamma) == pytest.approx(0, abs=1e-15)
        events = [p.p @ event - 1.3 * (q.p @ event) for event in np.ndindex(*[2] * 6)]
        assert lab.hockey_stick(p, q, 1.3) == pytest.approx(max(events))


def test_informations_of_order_alpha():
    """Sibson's is Arimoto's at the tilted prior; Csiszar's is below it up to order 1 and above from there on."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        p, C = rng.random(4) + 0.1, random_channel(rng, 4, 3)
        shannon = ml.leakage(p, C, "shannon")
        for alpha in (0.3, 0.8, 1, 1.7, 4):
            tilted = ml.leakage((p / p.sum()) ** (1 / alpha), C, f"arimoto:{alpha}")
            sibson, csiszar = lab.sibson(p, C, alpha), lab.csiszar(p, C, alpha)
            assert sibson == pytest.approx(tilted, rel=1e-9)
            assert (sibson >= csiszar - 1e-9) if alpha >= 1 else (csiszar >= sibson - 1e-9)
            assert lab.alpha_leakage(p, C, max(alpha, 1)) == pytest.approx(ml.leakage(p, C, f"arimoto:{max(alpha, 1)}"))
        assert lab.sibson(p, C, 1) == pytest.approx(shannon)
        assert lab.sibson(p, C, INF) == pytest.approx(lab.maximal_leakage(C))
        assert lab.sibson(p, C, 0) == 0


def test_csiszar_is_the_least_over_output_distributions():
    p, C = np.array([2, 1]) / 3, [[0.9, 0.1], [0.3, 0.7]]
    for alpha in (0.5, 2, 8):
        grid = np.linspace(0.001, 0.999, 2001)
        means = [
            sum(w * lab.renyi_divergence(row, [q, 1 - q], alpha) for w, row in zip(p, C, strict=True)) for q in grid
        ]
        least = lab.csiszar(p, C, alpha)
        assert 0 <= min(means) - least < 1e-6


def test_conditional_sibson_is_a_minimum_over_channels_from_side_information():
    rng = np.random.default_rng(9)
    joints = [lab.Joint(rng.random(3), random_channel(rng, 3, 2)) for _ in range(2)]
    weights = [3, 1]
    values = [lab.conditional_sibson(weights, joints, alpha) for alpha in (0.5, 1 - 1e-9, 1, 1 + 1e-9, 2, 50, INF)]
    assert values == sorted(values)
    assert values[2] == pytest.approx(
        sum(w / 4 * ml.leakage(j, None, "shannon") for w, j in zip(weights, joints, strict=True))
    )
    assert values[-1] == pytest.approx(max(lab.sibson(j, None, INF) for j in joints))
    by_hand = max(math.log2(j.channel.toarray().max(axis=0).sum()) for j in joints)
    assert values[-1] == pytest.approx(by_hand)
    exponentials = sum(w / 4 * 2 ** lab.sibson(j, None, 2) for w, j in zip(weights, joints, strict=True))
    assert values[4] == pytest.approx(math.log2(exponentials))


def test_maximal_alpha_beta_leakage_joins_the_known_ones():
    rng = np.random.default_rng(11)
    for _ in range(4):
        C = random_channel(rng, 3, 4)
        for alpha in (1.5, 3.0, 20.0):
            largest = lab.maximal_alpha_leakage(C, alpha).value
            assert lab.maximal_alpha_beta_leakage(C, alpha, 1) == pytest.approx(largest, abs=1e-8)
            assert lab.maximal_alpha_beta_leakage(C, alpha, 1 + 1e-9) == pytest.approx(largest, abs=1e-6)
            renyi = lab.local_renyi_epsilon(C, alpha)
            assert lab.maximal_alpha_beta_leakage(C, alpha, alpha, base=math.e) == pytest.approx(renyi)
            below = lab.maximal_alpha_beta_leakage(C, alpha, alpha * (1 - 1e-9), base=math.e)
            assert below == pytest.approx(renyi, abs=1e-6)
        assert lab.maximal_alpha_beta_leakage(C, INF, 1) == pytest.approx(lab.maximal_leakage(C))
        private = lab.local_dp_epsilon(C)
        assert lab.maximal_alpha_beta_leakage(C, INF, INF, base=math.e) == pytest.approx(private)
        assert lab.maximal_alpha_beta_leakage(C, INF, 1e5, base=math.e) == pytest.approx(private, abs=1e-3)
        trials = rng.dirichlet(np.ones(3), size=4000)  # no prior does better than the bound says
        inside = np.array([[(C[x] ** (1 - 2.0)) @ (r @ C**5.0) ** (2 / 5) for r in trials] for x in range(3)])
        found = 5 / (4 * 2) * math.log(inside.max())
        assert found - 1e-9 <= lab.maximal_alpha_beta_leakage(C, 5, 2, base=math.e) <= found + 0.02


def test_maximal_correlation():
    assert lab.maximal_correlation([1, 1], BSC) == pytest.approx(0.8)
    assert lab.maximal_correlation([2, 1], [[1, 0], [0, 1]]) == pytest.approx(1)
    assert lab.maximal_correlation([2, 1, 1], [[0.5, 0.5]] * 3) == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(13)
    p, C = rng.dirichlet(np.ones(4)), random_channel(rng, 4, 4)
    J = p[:, None] * C
    best = 0.0
    for f, g in zip(rng.standard_normal((300, 4)), rng.standard_normal((300, 4)), strict=True):
        for _ in range(60):  # alternating conditional expectations climb to the largest correlation
            g = (f @ J) / J.sum(axis=0)
            g = (g - J.sum(axis=0) @ g) / math.sqrt(J.sum(axis=0) @ (g - J.sum(axis=0) @ g) ** 2)
            f = (J @ g) / p
            f = (f - p @ f) / math.sqrt(p @ (f - p @ f) ** 2)
        best = max(best, float(f @ J @ g))
        break
    assert lab.maximal_correlation(p, C) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: lab.renyi_divergence([1, 1], [1, 1, 1], 2), "same outcomes"),
        (lambda: lab.renyi_divergence([1, 1], [1, 1], -1), "from 0 on"),
        (lambda: lab.hockey_stick([1, 1], [1, 1], math.nan), "gamma"),
        (lambda: lab.maximal_alpha_leakage(BSC, 1), "mutual information"),
        (lambda: lab.alpha_leakage([1, 1], BSC, 0.5), "from 1 on"),
        (lambda: lab.maximal_alpha_beta_leakage(BSC, 2, 0.5), "from 1 on"),
        (lambda: lab.csiszar([1, 1], BSC, 0), "above 0"),
        (lambda: lab.conditional_sibson([1, 1], [lab.Joint([1, 1], BSC)], 2), "one for each"),
    ],
)
def test_wrong_orders_are_refused_in_one_line(call, says):
    with pytest.raises(InvalidParameter, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)
