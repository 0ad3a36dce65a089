"""Constrained design: each route of the solver beside the plain way, one guess beside qif's, and other entropies.

A route stays if it is twice as fast as the plain way (cvxpy with Clarabel, or all of the linear programme by
HiGHS), or certifies digits that the plain way does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import minleak as ml
from benchmarks.timing import Timed, interleaved, line
from minleak.errors import SolverFailed
from minleak.lab._optimise.bound import Solved, certify
from minleak.lab._optimise.conic import solve_conic
from minleak.lab._optimise.given import as_problem
from minleak.lab._optimise.interior import solve_interior
from minleak.lab._optimise.linear import LinearModel
from minleak.lab._optimise.one_guess import OneGuessModel
from minleak.lab._optimise.programme import Programme, Solution, convex_form, term_of
from minleak.lab._optimise.rate_distortion import solve_rate_distortion
from minleak.lab._optimise.solve import solve

DEFAULT, TIGHT = 1e-8, 1e-11  # Clarabel's own tolerance, and ours


def main() -> None:
    routes()
    frontiers()
    one_guess()
    shannon()
    others()


def places(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A random prior over n places in the unit square, and the distances between them."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    at = rng.random((n, 2))
    return p / p.sum(), np.linalg.norm(at[:, None] - at[None], axis=2)


def programme_of(entropy: str, p: np.ndarray, cost: np.ndarray, budget: float) -> Programme:
    problem = as_problem(p, cost=cost, budget=budget)
    return Programme(problem, (term_of(problem, convex_form(entropy)),))


def routes() -> None:
    print("\nEach route alone beside the plain way. Values: what is maximised, and how far a better one may be.")
    for n in (30, 60, 200):
        asked = programme_of("shannon", *places(n), 0.1)
        _route("rate_distortion", f"shannon {n} x {n}", asked, solve_rate_distortion, _cones)
    for n, budget in ((30, 0.1), (60, 0.1), (200, 0.02), (200, 0.05), (200, 0.1), (200, 0.2)):
        asked = programme_of("min-entropy", *places(n), budget)
        _route("one_guess", f"min-entropy {n} x {n}, {budget}", asked, _by(OneGuessModel), _by(LinearModel))
    for n, budget in ((200, 0.1), (200, 0.2)):
        asked = programme_of("min-entropy", *places(n), budget)
        _route("interior", f"min-entropy {n} x {n}, {budget}", asked, _inside, _by(OneGuessModel))
    for entropy, n in (("guess-error:3", 30), ("guess-error:3", 60), ("guesswork", 20)):
        _route("linear", f"{entropy} {n} x {n}", programme_of(entropy, *places(n), 0.1), _by(LinearModel), _cones)
    for entropy, n in (("arimoto:2", 60), ("arimoto:0.5", 60), ("hayashi:0.5", 60)):
        asked = programme_of(entropy, *places(n), 0.1)
        _route("tight tolerance", f"{entropy} {n} x {n}", asked, partial(solve_conic, tolerance=TIGHT), _cones)
    for entropy in ("arimoto:0.2", "arimoto:0.3", "hayashi:20", "fehrberens:0.9999", "fehrberens:1.001"):
        p, distance = places(8)
        asked = programme_of(entropy, p, distance, 0.1)
        _route("newton", f"{entropy} 8 x 8", asked, partial(solve, enough=1e-8), _cones)


def _cones(programme: Programme) -> Solution:
    """The plain way: cvxpy and Clarabel, as they come."""
    return solve_conic(programme, tolerance=DEFAULT)


def _inside(programme: Programme) -> Solution:
    return solve_interior(programme)[1]


def _by(model: type[LinearModel] | type[OneGuessModel]) -> Callable[[Programme], Solution]:
    return lambda programme: model(programme).solve(programme.problem.budgets)


Way = Callable[[Programme], Solution | Solved]


def _route(route: str, what: str, programme: Programme, ours: Way, plain: Way) -> None:
    def answer(way: Way) -> str:
        try:
            found = way(programme)
            found = certify(programme, found) if isinstance(found, Solution) else found
        except SolverFailed:
            return "gave up"
        return f"{found.objective:.12g} ({max(found.bound - found.objective, 0.0):.0e})"

    timed = interleaved({"ours": partial(answer, ours), "plain": partial(answer, plain)}, runs=1)
    line(f"{route}: {what}", timed["ours"], "plain", timed["plain"], bar="(bar 2x)")


def frontiers(n: int = 20, points: int = 20) -> None:
    print(f"\nA frontier of {points} budgets, {n} x {n}, each from the last one's basis, beside one by one.")
    p, distance = places(n)
    for entropy in ("min-entropy", "guess-error:3", "guesswork"):
        curve = ml.lab.tradeoff(p, cost=distance, entropy=entropy, points=points)

        def whole(entropy: str = entropy) -> float:
            return sum(x.leakage for x in ml.lab.tradeoff(p, cost=distance, entropy=entropy, points=points).points)

        def single(entropy: str = entropy, budgets: tuple[float, ...] = tuple(x.budget for x in curve.points)) -> float:
            return sum(ml.lab.optimise(p, cost=distance, entropy=entropy, budget=b).leakage for b in budgets)

        timed = interleaved({"ours": whole, "single": single}, runs=1)
        line(f"linear, from the last basis: {entropy}", timed["ours"], "one by one", timed["single"], bar="(bar 2x)")


def one_guess(n: int = 200) -> None:
    import qif

    print(f"\nThe least Bayes vulnerability of {n} places, mean distance capped. Values: ours | peer.")
    for budget in (0.02, 0.05, 0.1, 0.2, 0.4):
        p, distance = places(n)
        timed = interleaved(
            {
                "ours": lambda p=p, d=distance, b=budget: ml.lab.optimise(p, entropy="min-entropy", cost=d, budget=b),
                "qif": lambda p=p, d=distance, b=budget: qif.mechanism.bayes_vuln.min_vuln_given_max_loss(
                    p, n, b, lambda x, y: d[x, y]
                ),
            },
            runs=2,
        )
        best = timed["ours"].value
        ours = Timed(timed["ours"].seconds, float(2**-best.value))
        channel = timed["qif"].value
        theirs = Timed(timed["qif"].seconds, float((p[:, None] * channel).max(axis=0).sum()))
        line(f"{n} x {n}, budget {budget}", ours, "qif", theirs, bar="(bar 1x)")
        print(f"  our certified gap {best.gap:.1e} bits; least entry of the channel: ours 0, qif's {channel.min():.1e}")


def shannon() -> None:
    print("\nThe least Shannon leakage of places, mean distance capped at 0.1, compiling included.")
    for n in (20, 40, 60):
        p, distance = places(n)
        got = interleaved({"ours": lambda p=p, d=distance: ml.lab.optimise(p, cost=d, budget=0.1)}, runs=2)["ours"]
        _shown(f"{n} x {n}, shannon", got)


def others(n: int = 30) -> None:
    print(f"\nOther entropies, {n} x {n}, the same cap.")
    p, distance = places(n)
    for name in ("arimoto:2", "arimoto:0.5", "hayashi:2", "hayashi:3", "fehrberens:2", "guess-error:3", "guesswork"):
        got = interleaved(
            {"ours": lambda name=name: ml.lab.optimise(p, entropy=name, cost=distance, budget=0.1)}, runs=1
        )["ours"]
        _shown(f"{n} x {n}, {name}", got)
    got = interleaved({"ours": lambda: ml.lab.tradeoff(p, cost=distance, entropy="min-entropy", points=20)}, runs=1)[
        "ours"
    ]
    print(f"{'frontier of 20 budgets, min-entropy':<44} {1e3 * got.seconds:>9.1f} ms")
    got = interleaved({"ours": lambda: ml.lab.tradeoff(p, cost=distance, points=20)}, runs=1)["ours"]
    print(f"{'frontier of 20 budgets, shannon':<44} {1e3 * got.seconds:>9.1f} ms")


def _shown(what: str, got: Timed) -> None:
    best = got.value
    print(
        f"{what:<44} {1e3 * got.seconds:>9.1f} ms  leakage {best.leakage:.9f}  certified gap {best.gap:.1e}", flush=True
    )
