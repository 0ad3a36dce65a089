"""Designing beside libqif: the same numbers, and the times, for every pair of functions that both have.

A row is its name, its size, our value, theirs, our time and theirs; `python -m benchmarks qif_pairs` prints them
after those of measuring. libqif's planar mechanisms have errors of their own: the geometric one of 8e-8, since its
sums reach some fifteen cells, so that for nine digits it is made on a grid of thirty and folded; the Laplace one of
1e-5 (see tests/lab/mechanisms/test_planar.py), which nothing sets. Its optimal mechanism on a 10 x 10 grid takes
so long that it is stopped after ten minutes, or after as many seconds as the variable LIMIT of the environment
says; so our loss is confirmed by another solver, with both bounds in extended precision.

    python -m benchmarks.qif_designing 15     # spanners of several dilations on a grid of 15 x 15
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import minleak as ml
from benchmarks.constraining import places
from benchmarks.timing import interleaved
from minleak.lab import mechanisms
from minleak.lab._optimise.bound import certify
from minleak.lab._optimise.given import as_problem
from minleak.lab._optimise.linear import LinearModel
from minleak.lab._optimise.programme import Programme

EPSILON = 0.5
# Widths of grids, and cells across a grid on which libqif's planar geometric mechanism has nine digits.
WIDTHS, REACHED = (5, 10, 20), 30


@dataclass(frozen=True)
class Row:
    """One pair of functions at one size."""

    name: str
    size: str
    ours: float
    theirs: float
    our_time: float
    their_time: float

    def __str__(self) -> str:
        return (
            f"{self.name:<38} {self.size:>10}  {self.ours:>16.12g} {self.theirs:>16.12g} "
            f"{abs(self.ours - self.theirs):>8.0e}  {1e3 * self.our_time:>10.2f} ms {1e3 * self.their_time:>10.2f} ms  "
            f"{self.their_time / self.our_time:>8.1f}x"
        )


def row(name: str, size: str, ours: Callable[[], float], theirs: Callable[[], float], *, runs: int = 3) -> Row:
    timed = interleaved({"ours": ours, "theirs": theirs}, runs=runs)
    mine, peer = timed["ours"], timed["theirs"]
    return Row(name, size, float(mine.value), float(peer.value), mine.seconds, peer.seconds)


def besides() -> None:
    """What is no row of the count: libqif's planar mechanism as it comes, what calls of ten secrets cost, spanners."""
    print("\nnot counted: libqif's planar geometric mechanism with the digits it has, and mechanisms of ten secrets")
    for width in WIDTHS:
        print(row("planar geometric, theirs as it comes", f"{width} x {width}", *planar_pair(width, 0)))
    for each in named_mechanisms(10):
        print(each)
    spanners(6)


def rows() -> Iterator[Row]:
    """All of them, the mechanisms first."""
    yield from named_mechanisms(100, 400, 1000)
    yield from planar_mechanisms()
    yield from least_vulnerability()
    yield from least_loss_for_vulnerability()
    yield from optimal_geo_indistinguishability()


def _weighed(matrix: Any) -> float:
    """One number for a whole matrix: its entries against weights that differ."""
    array = matrix.matrix if isinstance(matrix, ml.Channel) else np.asarray(matrix)
    n, m = array.shape
    return float(np.cos(np.arange(n)) @ array @ np.sin(np.arange(m)))


def named_mechanisms(*sizes: int) -> Iterator[Row]:
    import qif

    theirs = qif.mechanism.d_privacy
    for n in sizes:
        at = np.arange(n, dtype=float)
        line = np.abs(at[:, None] - at)
        pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "randomised response": (
                lambda n=n: mechanisms.randomised_response(n, 1.0),
                lambda n=n: theirs.randomized_response(n, 1.0),
            ),
            "geometric": (lambda n=n: mechanisms.geometric(n, 1.0), lambda n=n: theirs.geometric(n, 1.0)),
            "exponential": (
                lambda n=n, d=line: mechanisms.exponential(n, 1.0, d),
                lambda n=n: theirs.exponential(n, lambda x, y: abs(x - y)),
            ),
            "tight constraints": (
                lambda n=n, d=line: mechanisms.tight_constraints(n, 1.0, d),
                lambda n=n: theirs.tight_constraints(n, lambda x, y: abs(x - y)),
            ),
        }
        for name, (ours, peer) in pairs.items():
            yield row(name, f"{n} x {n}", lambda f=ours: _weighed(f()), lambda f=peer: _weighed(f()), runs=20)


def planar_pair(width: int, margin: int) -> tuple[Callable[[], float], Callable[[], float]]:
    return (
        lambda: _weighed(mechanisms.planar_geometric(width, width, 0.8)),
        lambda: _weighed(folded(width, margin)),
    )


def folded(width: int, margin: int) -> np.ndarray:
    """libqif's planar geometric mechanism from a grid that is wider on all sides, answers there moved to the edge."""
    import qif

    wide = width + 2 * margin
    made = qif.mechanism.geo_ind.planar_geometric_grid(wide, wide, 1.0, 0.8)
    if not margin:
        return np.asarray(made)
    inner = np.asarray(made).reshape(wide, wide, wide, wide)[margin : margin + width, margin : margin + width]
    to_edge = np.eye(width)[np.clip(np.arange(wide) - margin, 0, width - 1)]
    return np.einsum("abij,ik,jl->abkl", inner, to_edge, to_edge, optimize=True).reshape(width**2, width**2)


def planar_mechanisms() -> Iterator[Row]:
    import qif

    for width in WIDTHS:
        size = f"{width} x {width}"
        margin = max(0, math.ceil((REACHED - width) / 2))
        yield row("planar geometric", size, *planar_pair(width, margin))
        yield row(
            "planar Laplace (theirs to 1e-5)",
            size,
            lambda w=width: _weighed(mechanisms.planar_laplace(w, w, 0.8)),
            lambda w=width: _weighed(qif.mechanism.geo_ind.planar_laplace_grid(w, w, 1.0, 0.8)),
        )


def least_vulnerability(n: int = 200) -> Iterator[Row]:
    import qif

    p, d = places(n)
    peer = qif.mechanism.bayes_vuln.min_vuln_given_max_loss
    for budget in (0.02, 0.05, 0.1, 0.2, 0.4):
        yield row(
            f"least Bayes vulnerability, loss {budget}",
            f"{n} x {n}",
            lambda b=budget: 2 ** -ml.lab.optimise(p, entropy="min-entropy", cost=d, budget=b).value,
            lambda b=budget: (p[:, None] * peer(p, n, b, lambda x, y: d[x, y])).max(axis=0).sum(),
            runs=1,
        )


def least_loss_for_vulnerability() -> Iterator[Row]:
    import qif

    peer = qif.mechanism.bayes_vuln.min_loss_given_max_vuln
    for n in (10, 30, 60):
        p, d = places(n)
        yield row(
            "least loss for one more bit",
            f"{n} x {n}",
            lambda p=p, d=d: ml.lab.least_budget(p, cost=d, entropy="min-entropy", leakage=1.0).budget,
            lambda p=p, d=d, n=n: (p[:, None] * peer(p, n, 2 * p.max(), lambda x, y: d[x, y]) * d).sum(),
        )


def grid(width: int) -> tuple[np.ndarray, np.ndarray]:
    """A random prior on the cells of a grid, and their distances."""
    n = width**2
    at = np.array([(x % width, x // width) for x in range(n)], dtype=float)
    p = np.random.default_rng(0).random(n)
    return p / p.sum(), np.linalg.norm(at[:, None] - at, axis=2)


def their_loss(width: int) -> float:
    import qif

    p, d = grid(width)
    found = qif.mechanism.d_privacy.min_loss_given_d(p, len(p), lambda x, y: EPSILON * d[x, y], lambda x, y: d[x, y])
    return float((p[:, None] * found * d).sum())


def our_loss(width: int) -> float:
    p, d = grid(width)
    return ml.lab.least_budget(p, cost=d, d_privacy=(EPSILON, d)).budget


def optimal_geo_indistinguishability() -> Iterator[Row]:
    name = "optimal geo-indistinguishability"
    for width in (4, 5, 6, 7):
        runs = 3 if width < 6 else 1
        yield row(name, f"{width} x {width}", partial(our_loss, width), partial(their_loss, width), runs=runs)
    yield stopped(name, 10, float(os.environ.get("LIMIT", "600")))


def stopped(name: str, width: int, limit: float) -> Row:
    """Each once; libqif in a process of its own, which is ended at the limit: then its value is NaN."""
    start = time.perf_counter()
    ours = our_loss(width)
    our_time = time.perf_counter() - start
    confirm(width)
    code = f"from benchmarks.qif_designing import their_loss; print(repr(their_loss({width})))"
    start = time.perf_counter()
    try:
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=limit, check=True)
        theirs = float(shown.stdout)
    except subprocess.TimeoutExpired:
        theirs = float("nan")
    return Row(name, f"{width} x {width}", ours, theirs, our_time, time.perf_counter() - start)


def confirm(width: int) -> None:
    """The least loss another way: one that a channel surely has, and one that none is below, are printed.

    The channel and the multipliers q >= 0 of privacy are those of HiGHS; distances, factors and both sums are formed
    anew in extended precision. The channel is mixed with the uniform one by what makes every constraint hold, and for
    any q no loss is below the sum over x of the least over y of p_x d_xy - (what q withholds).
    """
    p, d = grid(width)
    n = len(p)
    problem = as_problem(p, cost=d, d_privacy=(EPSILON, d))
    programme = Programme(problem, (), expense=problem.costs[0])
    model = LinearModel(programme)
    found = certify(programme, model.solve(problem.budgets))
    C = problem.channel(found.z).toarray().astype(np.longdouble)

    across = (np.arange(n) % width).astype(np.longdouble)
    along = (np.arange(n) // width).astype(np.longdouble)
    distances = np.sqrt((across[:, None] - across) ** 2 + (along[:, None] - along) ** 2)
    factors, loss = np.exp(-np.longdouble(EPSILON) * distances), p[:, None] * distances
    C /= C.sum(axis=1, keepdims=True)
    mixed = np.longdouble(0)
    for x in range(n):
        short, room = np.maximum(factors[x][:, None] * C[x] - C, 0), (1 - factors[x])[:, None] / n
        mixed = max(mixed, (short / (short + np.where(room > 0, room, 1))).max())
    upper = (loss * ((1 - 2 * mixed) * C + 2 * mixed / n)).sum()

    first, second, _ = problem.privacy.pairs
    pair, y = np.divmod(model.ratios, n)
    q = np.maximum(-np.array(model.highs.getSolution().row_dual)[-len(pair) :], 0) * np.longdouble(problem.scales[0])
    withheld = np.zeros((n, n), dtype=np.longdouble)
    np.add.at(withheld, (first[pair], y), -factors[first[pair], second[pair]] * q)
    np.add.at(withheld, (second[pair], y), q)
    lower = (loss - withheld).min(axis=1).sum()
    print(
        f"{width} x {width}: a channel loses {upper:.15f}, none loses less than {lower:.15f}, {upper - lower:.0e} apart"
    )


def spanned_loss(width: int, dilation: float) -> str:
    p, d = grid(width)
    start = time.process_time()
    found = ml.lab.least_budget(p, cost=d, d_privacy=(0.5, d, dilation))
    seconds = time.process_time() - start
    return f"{found.budget:.9g} {found.bound:.9g} {seconds:.1f} {ml.lab.d_privacy(found.channel, d):.9g}"


def spanners(width: int) -> None:
    """Loss, the bound that is proven, and the processor's time; each in a process that is ended at the limit."""
    name = "optimal geo-indistinguishability"
    print(f"\n{name:<38} {'dilation':>8}  {'loss':>12} {'no less than':>12}  seconds  epsilon")
    limit = float(os.environ.get("LIMIT", "600"))
    for dilation in (1.2, 1.05, 1.0):
        code = f"from benchmarks.qif_designing import spanned_loss; print(spanned_loss({width}, {dilation}))"
        try:
            run = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, timeout=limit, check=True
            )
            loss, bound, seconds, epsilon = run.stdout.split()
        except subprocess.TimeoutExpired:
            loss, bound, seconds, epsilon = "-", "-", f"> {limit:g}", "-"
        size = f"{width} x {width}"
        print(f"{size:<38} {dilation:>8}  {loss:>12} {bound:>12} {seconds:>8}  {epsilon}", flush=True)


if __name__ == "__main__":
    spanners(int(sys.argv[1]))
