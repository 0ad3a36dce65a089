"""Constrained design: the linear programme of one guess beside qif's, and the conic one of Shannon's entropy."""

from __future__ import annotations

import numpy as np

import minleak as ml
from benchmarks.timing import Timed, interleaved, line


def main() -> None:
    one_guess()
    shannon()
    others()


def places(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A random prior over n places in the unit square, and the distances between them."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    at = rng.random((n, 2))
    return p / p.sum(), np.linalg.norm(at[:, None] - at[None], axis=2)


def one_guess(n: int = 200) -> None:
    import qif

    print(f"\nThe least Bayes vulnerability of {n} places, mean distance capped. Values: ours | peer.")
    for budget in (0.02, 0.05, 0.1, 0.2):
        p, distance = places(n)
        timed = interleaved(
            {
                "ours": lambda p=p, d=distance, b=budget: ml.optimise(p, entropy="min-entropy", cost=d, budget=b),
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
        line(f"{n} x {n}, budget {budget}", ours, "qif", theirs, bar="(bar 0.5x)")
        print(f"  our certified gap {best.gap:.1e} bits; least entry of the channel: ours 0, qif's {channel.min():.1e}")


def shannon() -> None:
    print("\nThe least Shannon leakage of places, mean distance capped at 0.1, compiling included.")
    for n in (20, 40, 60):
        p, distance = places(n)
        got = interleaved({"ours": lambda p=p, d=distance: ml.optimise(p, cost=d, budget=0.1)}, runs=2)["ours"]
        _shown(f"{n} x {n}, shannon", got)


def others(n: int = 30) -> None:
    print(f"\nOther entropies, {n} x {n}, the same cap.")
    p, distance = places(n)
    for name in ("arimoto:2", "arimoto:0.5", "hayashi:2", "hayashi:3", "fehrberens:2", "guess-error:3", "guesswork"):
        got = interleaved({"ours": lambda name=name: ml.optimise(p, entropy=name, cost=distance, budget=0.1)}, runs=1)[
            "ours"
        ]
        _shown(f"{n} x {n}, {name}", got)
    got = interleaved({"ours": lambda: ml.tradeoff(p, cost=distance, entropy="min-entropy", points=20)}, runs=1)["ours"]
    print(f"{'frontier of 20 budgets, min-entropy':<44} {1e3 * got.seconds:>9.1f} ms")
    got = interleaved({"ours": lambda: ml.tradeoff(p, cost=distance, points=20)}, runs=1)["ours"]
    print(f"{'frontier of 20 budgets, shannon':<44} {1e3 * got.seconds:>9.1f} ms")


def _shown(what: str, got: Timed) -> None:
    best = got.value
    print(
        f"{what:<44} {1e3 * got.seconds:>9.1f} ms  leakage {best.leakage:.9f}  certified gap {best.gap:.1e}", flush=True
    )
