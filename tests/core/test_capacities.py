"""Capacity: closed forms, bounds that hold and meet, and an honest status where they do not."""

from __future__ import annotations

import itertools
import math
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

import minleak as ml
from minleak.core import _sibson as sibson
from minleak.errors import InvalidParameter
from minleak.lab.paper import Cachin

ORDERS = (0.05, 0.5, 0.74, 0.76, 1 - 1e-9, 1 - 1e-14, 1, 1 + 1e-14, 1 + 1e-9, 1.24, 1.26, 2, 7, 100)
GAP = 1e-9  # what capacity promises by default, in bits
RNG = np.random.default_rng(21)


def renyi(row, a):
    return ml.Arimoto(a)(row)


def bsc(e):
    return [[1 - e, e], [e, 1 - e]]


def typewriter(n):
    """Each letter is printed as itself or as the next one."""
    return (np.eye(n) + np.roll(np.eye(n), 1, axis=1)) / 2


def of_erasures(a, e=0.3):
    return 1 - e if a == 1 else a / (a - 1) * math.log2(2 ** (1 - 1 / a) * (1 - e) + e)


# A channel and its capacity: a number, or a function of the order.
CLOSED = {
    "identity": (np.eye(5), math.log2(5)),
    "constant": ([[0.25, 0.75]] * 4, 0.0),
    "BSC 0.1": (bsc(0.1), lambda a: 1 - renyi([0.1, 0.9], a)),
    "BSC 0.5": (bsc(0.5), 0.0),
    "BSC 1e-12": (bsc(1e-12), lambda a: 1 - renyi([1e-12, 1 - 1e-12], a)),
    "BEC 0.3": ([[0.7, 0.3, 0], [0, 0.3, 0.7]], of_erasures),
    "typewriter": (typewriter(26), math.log2(13)),
    "rotated rows": ([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]], lambda a: math.log2(3) - renyi([5, 3, 2], a)),
    "deterministic": (np.eye(3)[[0, 0, 1, 2, 2, 2]], math.log2(3)),
}


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("a", ORDERS)
def test_closed_forms(name, a):
    channel, closed = CLOSED[name]
    found = ml.capacity(channel, ml.Arimoto(a))
    exact = closed(1 if abs(a - 1) < 1e-8 else a) if callable(closed) else closed
    assert found.status == "certified"
    assert found.lower - 1e-8 <= exact <= found.upper + 1e-8
    assert found.value == found.lower
    assert 0 <= found.gap <= GAP


@pytest.mark.parametrize("e", [0.01, 0.3, 0.5, 0.99])
def test_the_z_channel(e):
    """log2(1 + (1-e) e^(e/(1-e))), attained by a prior that is not uniform."""
    found = ml.capacity([[1, 0], [e, 1 - e]])
    assert found.value == pytest.approx(math.log2(1 + (1 - e) * e ** (e / (1 - e))), abs=GAP)
    assert found.prior.p[1] < 0.5


def test_min_entropy_is_exact():
    C = CHANNELS["more secrets than observables"]
    for H in (ml.MinEntropy(), ml.Arimoto(math.inf), ml.lab.FehrBerens(math.inf)):
        found = ml.capacity(C, H)
        assert found.status == "exact"
        assert found.lower == found.value == found.upper == pytest.approx(math.log2(C.max(axis=0).sum()), rel=1e-14)
        assert ml.leakage(found.prior, C, H) == pytest.approx(found.value, rel=1e-12)
    assert ml.capacity(C, ml.MinEntropy(base=math.e)).value == pytest.approx(math.log(C.max(axis=0).sum()), rel=1e-14)


def _sparse(n, m):
    C = RNG.dirichlet(np.full(m, 0.1), size=n)
    C[C < 1e-2] = 0
    return C / C.sum(axis=1, keepdims=True)


CHANNELS = {
    "2x2": RNG.dirichlet(np.ones(2), size=2),
    "3x7": RNG.dirichlet(np.ones(7), size=3),
    "more secrets than observables": RNG.dirichlet(np.ones(10), size=60),
    "zeros": _sparse(30, 20),
    "very skewed": RNG.dirichlet(np.full(8, 0.05), size=12),
    "rows that hardly differ": RNG.dirichlet(np.full(5, 1e7), size=5),
    "each row twice": np.repeat(RNG.dirichlet(np.ones(6), size=4), 2, axis=0),
}


@pytest.mark.parametrize("a", ORDERS)
@pytest.mark.parametrize("name", CHANNELS)
def test_the_bounds_hold_and_meet(name, a):
    """The prior attains `lower`, and no prior passes `upper`."""
    C, H = CHANNELS[name], ml.Arimoto(a)
    found = ml.capacity(C, H)
    assert found.status == "certified"
    assert 0 <= found.gap <= GAP
    assert ml.leakage(found.prior, C, H) == pytest.approx(found.lower, rel=1e-11, abs=1e-13)
    rng = np.random.default_rng(0)
    for spread in (0.3, 1, 10):
        for prior in rng.dirichlet(np.full(len(C), spread), size=8):
            assert ml.leakage(prior, C, H) <= found.upper + 1e-12


@pytest.mark.parametrize("a", [0.05, 0.5, 1, 2, 7])
def test_two_secrets_by_search(a):
    """The maximum over one number, found without knowing how capacity works."""
    C, H = CHANNELS["2x2"], ml.Arimoto(a)
    best = minimize_scalar(
        lambda t: -ml.leakage([t, 1 - t], C, H), bounds=(0, 1), method="bounded", options={"xatol": 1e-9}
    )
    assert ml.capacity(C, H).value == pytest.approx(-best.fun, abs=1e-8)


def test_the_shannon_capacity_satisfies_its_conditions():
    """D(C[x,.] || q) is the capacity for every secret in use and no larger for the others."""
    C = CHANNELS["more secrets than observables"]
    found = ml.capacity(C, gap=1e-11)
    p = found.prior.p
    divergences = (C * np.log2(C / (p @ C))).sum(axis=1)
    assert divergences.max() <= found.upper + 1e-12
    assert divergences[p > 1e-6] == pytest.approx(found.value, abs=1e-8)
    assert (p < 1e-6).any()


@pytest.mark.parametrize("name", CHANNELS)
def test_capacity_grows_with_the_order(name):
    values = [ml.capacity(CHANNELS[name], ml.Arimoto(a)).value for a in (*sorted(ORDERS), math.inf)]
    assert all(low <= high + 2 * GAP for low, high in pairwise(values))


@pytest.mark.parametrize("a", [0.5, 1, 2])
def test_what_changes_no_capacity(a):
    """Repeated rows, split and empty columns, another order, and a sparse matrix."""
    C = CHANNELS["3x7"]
    same = {
        "repeated rows": np.vstack([C, C[1], C[1]]),
        "split columns": np.column_stack([C[:, 1:], C[:, 0] / 4, 3 * C[:, 0] / 4]),
        "empty columns": np.pad(C, ((0, 0), (2, 3))),
        "a mixture of rows": np.vstack([C, C.mean(axis=0)]),
        "permuted": C[[2, 0, 1]][:, ::-1],
        "sparse": sp.csr_array(C),
    }
    expected = ml.capacity(C, ml.Arimoto(a)).value
    for name, channel in same.items():
        assert ml.capacity(channel, ml.Arimoto(a)).value == pytest.approx(expected, abs=2 * GAP), name


def test_processing_lowers_capacity():
    C = CHANNELS["3x7"]
    further = ml.Channel.random(7, 4, seed=1).toarray()
    for a in (0.5, 1, 2):
        assert ml.capacity(C @ further, ml.Arimoto(a)).value < ml.capacity(C, ml.Arimoto(a)).value


@pytest.mark.parametrize("a", [0.05, 1, 2, math.inf])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1)], ids=str)
def test_one_secret_or_one_observable_leaks_nothing(shape, a):
    found = ml.capacity(np.full(shape, 1 / shape[1]), ml.Arimoto(a))
    assert found.lower == found.upper == pytest.approx(0, abs=1e-15)
    assert len(found.prior) == shape[0]


def test_units():
    """The gap and the values are in the unit of the entropy."""
    C = CHANNELS["zeros"]
    bits, nats = ml.capacity(C, ml.Arimoto(2)), ml.capacity(C, ml.Arimoto(2, base=math.e))
    assert nats.value == pytest.approx(bits.value * math.log(2), abs=GAP)
    assert nats.gap <= GAP
    for H in (
        ml.lab.Tsallis(1),
        ml.lab.SharmaMittal(1, 1),
        ml.Shannon(base=math.e),
        ml.lab.Hayashi(1, base=math.e),
    ):
        assert ml.capacity(C, H).value == pytest.approx(ml.capacity(C).value * math.log(2), abs=2 * GAP)


@pytest.mark.parametrize("a", [0.5, 1, 2])
def test_many_secrets(a, monkeypatch):
    """Above the size where Newton steps are taken."""
    monkeypatch.setattr(sibson, "_NEWTON", 1500)
    n = sibson._NEWTON + 100
    shown = np.arange(n) % 30
    many = sp.csr_array((np.ones(n), (np.arange(n), shown)), shape=(n, 30))
    found = ml.capacity(many, ml.Arimoto(a))
    assert found.status == "certified"
    assert found.value == pytest.approx(math.log2(30), abs=GAP)

    C = np.vstack([CHANNELS["3x7"], np.random.default_rng(1).dirichlet(np.full(7, 20.0), size=n - 3)])
    found = ml.capacity(C, ml.Arimoto(a), gap=1e-5)
    assert found.status == "certified"
    assert ml.leakage(found.prior, C, ml.Arimoto(a)) == pytest.approx(found.lower, rel=1e-11)


@pytest.mark.parametrize("most", [40, 10**6], ids=["of many secrets", "of all in the end"])
@pytest.mark.parametrize("a", [0.5, 1, 2])
def test_few_secrets_attain_the_capacity(a, most, monkeypatch):
    """Newton steps among them certify that of all, also where rows are repeated; as those on all secrets say."""
    C = np.tile(np.random.default_rng(2).dirichlet(np.full(8, 0.5), size=60), (3, 1))
    expected = ml.capacity(C, ml.Arimoto(a))
    monkeypatch.setattr(sibson, "_LARGE", 20)
    monkeypatch.setattr(sibson, "_NEWTON", most)
    monkeypatch.setattr(sibson, "_CHEAP", 20 * np.count_nonzero(C))
    found = ml.capacity(C, ml.Arimoto(a), iterations=400)
    assert found.status == expected.status == "certified"
    assert found.value == pytest.approx(expected.value, abs=2 * GAP)
    assert ml.leakage(found.prior, C, ml.Arimoto(a)) == pytest.approx(found.lower, rel=1e-11)


@pytest.mark.parametrize("a", [0.5, 1, 2])
@pytest.mark.parametrize("name", CHANNELS)
def test_multiplicative_steps_agree_with_newtons(name, a, monkeypatch):
    """Two ways to the same number; the slow one may stop early, with bounds that hold."""
    C, H = CHANNELS[name], ml.Arimoto(a)
    newton = ml.capacity(C, H)
    monkeypatch.setattr(sibson, "_NEWTON", 0)
    slow = ml.capacity(C, H, gap=1e-6, iterations=1500)
    assert slow.lower <= newton.upper
    assert newton.lower <= slow.upper
    assert slow.gap < 1e-2


def test_newton_steps_on_a_sparse_matrix(monkeypatch):
    C = CHANNELS["3x7"]
    expected = [ml.capacity(C, ml.Arimoto(a)).value for a in (0.5, 1, 2)]
    monkeypatch.setattr(sibson, "_DENSE", 3)
    wide = sp.csr_array(np.hstack([C / 10] * 10))
    for a, value in zip((0.5, 1, 2), expected, strict=True):
        assert ml.capacity(wide, ml.Arimoto(a)).value == pytest.approx(value, abs=2 * GAP)


@pytest.mark.parametrize("steps", [1, 3])
def test_the_cap_on_iterations_is_honest(steps):
    C = CHANNELS["zeros"]
    exact = ml.capacity(C)
    stopped = ml.capacity(C, iterations=steps)
    assert stopped.status == "not converged"
    assert stopped.iterations == steps
    assert stopped.gap > GAP
    assert stopped.lower <= exact.upper
    assert exact.lower <= stopped.upper
    assert ml.leakage(stopped.prior, C, "shannon") == pytest.approx(stopped.lower, rel=1e-12)


def test_a_tighter_gap_takes_more_iterations():
    C = CHANNELS["zeros"]
    loose, tight = ml.capacity(C, gap=1e-2), ml.capacity(C, gap=1e-12)
    assert loose.status == tight.status == "certified"
    assert tight.gap <= 1e-12 < loose.gap <= 1e-2
    assert loose.iterations < tight.iterations


UNKNOWN = [
    ml.GuessError(),
    ml.Guesswork(),
    ml.lab.Hayashi(2),
    ml.lab.FehrBerens(0.5),
    ml.lab.Tsallis(2),
    ml.lab.SharmaMittal(2, 1),
    ml.Gain(ml.MinEntropy(), [1, 2, 3]),
    Cachin(2),
]


@pytest.mark.parametrize("H", UNKNOWN, ids=repr)
def test_other_entropies_are_refused(H):
    with pytest.raises(InvalidParameter, match=r"no method is known that bounds the capacity in .* ask for shannon"):
        ml.capacity(CHANNELS["3x7"], H)


def test_order_0_is_between_a_set_and_a_programme():
    """Against all sets of secrets; nearly always exact."""
    rng, exact = np.random.default_rng(0), 0
    for _ in range(40):
        n, m = rng.integers(2, 7, 2)
        shows = rng.random((n, m)) < 0.5
        shows[~shows.any(axis=1), 0] = True
        C = ml.Channel(shows / shows.sum(axis=1, keepdims=True))
        sets = (list(S) for size in range(1, n + 1) for S in itertools.combinations(range(n), size))
        best = math.log2(max(len(S) / shows[S].sum(axis=0).max() for S in sets))
        found = ml.capacity(C, "hartley")
        assert found.lower <= best + 1e-12
        assert best <= found.upper + 1e-12
        assert ml.leakage(found.prior, C, "hartley") == pytest.approx(found.lower)
        exact += found.status == "exact"
    assert exact > 30


@pytest.mark.parametrize("gap", [0, -1, math.nan, "small", None, True], ids=repr)
def test_a_gap_is_a_positive_number(gap):
    with pytest.raises(InvalidParameter, match="gap is a positive number"):
        ml.capacity(np.eye(2), gap=gap)


@pytest.mark.parametrize("iterations", [0, -1, 1.5, True, "10"], ids=repr)
def test_iterations_are_a_whole_number(iterations):
    with pytest.raises(InvalidParameter, match="iterations is a whole number"):
        ml.capacity(np.eye(2), iterations=iterations)


@pytest.mark.parametrize("order", [0.01, 0.5, 1, 2, 100, 1000])
def test_the_bounds_hold_to_the_last_digit(order):
    """Flips close to a half and close to none: what mpmath says is between them, also where it is 1e-31 bits."""
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(80):
        for flip in [1e-9, 0.5 - 1e-9, *(0.5 - 2.0**-k for k in range(2, 54)), *(2.0**-k for k in range(2, 53))]:
            e, a = mpmath.mpf(flip), mpmath.mpf(order)
            if order == 1:
                nats = mpmath.log(2) + e * mpmath.log(e) + (1 - e) * mpmath.log(1 - e)
            else:
                nats = a / (a - 1) * mpmath.log(2 * ((e**a + (1 - e) ** a) / 2) ** (1 / a))
            found = ml.capacity(bsc(flip), ml.Arimoto(order, base=math.e))
            assert found.lower <= nats <= found.upper, flip
            assert found.status == "certified"


@pytest.mark.parametrize("order", [0.5, 1, 3])
@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-4, 1e-8])
def test_the_lower_bound_is_attained(order, apart):
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(5)
    with mpmath.workdps(60):
        for _ in range(5):
            rows = 0.25 + apart * (rng.dirichlet(np.ones(4), 3) - 0.25)
            C = [[c / mpmath.fsum(row) for c in row] for row in rows.tolist()]
            found = ml.capacity(rows, ml.Arimoto(order, base=math.e))
            p = [v / mpmath.fsum(found.prior.p) for v in found.prior.p.tolist()]
            a = mpmath.mpf(order)
            columns = list(zip(*C, strict=True))
            if order == 1:
                q = [mpmath.fsum(v * c for v, c in zip(p, column, strict=True)) for column in columns]
                leaks = mpmath.fsum(
                    v * c * mpmath.log(c / y) for v, row in zip(p, C, strict=True) for c, y in zip(row, q, strict=True)
                )
            else:
                norms = [
                    mpmath.fsum((v * c) ** a for v, c in zip(p, column, strict=True)) ** (1 / a) for column in columns
                ]
                before = mpmath.fsum(v**a for v in p) ** (1 / a)
                leaks = a / (a - 1) * mpmath.log(mpmath.fsum(norms) / before)
            assert found.lower <= leaks * (1 + mpmath.mpf(10) ** -12) <= found.upper * (1 + mpmath.mpf(10) ** -12)
