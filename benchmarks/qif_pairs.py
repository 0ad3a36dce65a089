"""Beside libqif: every function that both have, the same numbers, the times side by side; and refinement, verified."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

import minleak as ml
from benchmarks import qif_designing
from benchmarks.timing import interleaved

# Of a prior's measures n are computed in a microsecond each, so that calling is all there is; those of a channel cost
# n^2, and what compares all pairs of rows or columns costs n^3 and more.
PRIORS, SIZES, CUBIC = (10_000, 100_000, 1_000_000), (500, 1000, 2000), (100, 150, 200)
# What is called with so few is all call.
FEW = (10, 30)
# Where both are to agree.
CLOSE = 1e-9


@dataclass(frozen=True)
class Pair:
    """One function of both libraries: how each is called on a system of n secrets, and at which n."""

    what: str
    ours: Callable[[System], Any]
    theirs: Callable[[System], Any]
    sizes: tuple[int, ...] = SIZES


class System:
    """Random numbers of one size: a prior, channels, gains, losses, a metric; and ours of them, validated once."""

    def __init__(self, n: int) -> None:
        rng = np.random.default_rng(n)
        self.n = n
        self.p = (rng.dirichlet(np.ones(n)) + 1 / n) / 2  # libqif takes what is nearly zero as zero
        self.prior = ml.Prior(self.p)
        if n > SIZES[-1]:
            return
        self.C = rng.dirichlet(np.ones(n), n)
        self.R = rng.dirichlet(np.ones(n), n)
        self.B = self.C @ self.R
        self.G = rng.random((n, n))
        self.few = rng.dirichlet(np.ones(5), n)
        self.P = (np.arange(n) % 3 == 0).astype(np.uint32)
        self.channel, self.second = ml.Channel(self.C), ml.Channel(self.B)
        self.distances = np.abs(np.arange(n)[:, None] - np.arange(n)).astype(float)


def measuring() -> list[Pair]:
    """What is measured; what is designed has a list of its own."""
    import qif

    m, T = qif.measure, ml.lab

    def split_columns(C: Any) -> Any:
        return np.concatenate([C / 4, C * 3 / 4], axis=1)

    return [
        Pair("Bayes vulnerability", lambda s: ml.lab.vulnerability(s.prior), lambda s: m.bayes_vuln.prior(s.p), PRIORS),
        Pair(
            "posterior Bayes vulnerability",
            lambda s: ml.lab.posterior_vulnerability(s.prior, s.channel),
            lambda s: m.bayes_vuln.posterior(s.p, s.C),
        ),
        Pair(
            "multiplicative Bayes leakage",
            lambda s: ml.lab.multiplicative_leakage(s.prior, s.channel),
            lambda s: m.bayes_vuln.mult_leakage(s.p, s.C),
        ),
        Pair(
            "additive Bayes leakage",
            lambda s: ml.lab.additive_leakage(s.prior, s.channel),
            lambda s: m.bayes_vuln.add_leakage(s.p, s.C),
        ),
        Pair(
            "min-entropy leakage",
            lambda s: ml.leakage(s.prior, s.channel, "min-entropy"),
            lambda s: m.bayes_vuln.min_entropy_leakage(s.p, s.C),
        ),
        Pair(
            "multiplicative Bayes capacity",
            lambda s: 2 ** ml.lab.maximal_leakage(s.channel),
            lambda s: m.bayes_vuln.mult_capacity(s.C),
        ),
        Pair(
            "best guesses",
            lambda s: T.best_guesses(s.prior, s.channel),
            lambda s: m.bayes_vuln.strategy(s.p, s.C).ravel(),
        ),
        Pair(
            "posterior Bayes risk",
            lambda s: T.posterior_risk(s.prior, s.channel),
            lambda s: m.bayes_risk.posterior(s.p, s.C),
        ),
        Pair(
            "multiplicative risk leakage",
            lambda s: T.risk_leakage(s.prior, s.channel),
            lambda s: m.bayes_risk.mult_leakage(s.p, s.C),
        ),
        Pair(
            "multiplicative risk capacity",
            lambda s: T.bayes_risk_capacity(s.channel).value,
            lambda s: m.bayes_risk.mult_capacity(s.C)[0],
            sizes=CUBIC,
        ),
        Pair("Shannon entropy", lambda s: ml.Shannon()(s.prior), lambda s: m.shannon.prior(s.p), PRIORS),
        Pair(
            "H(X|Y), Shannon",
            lambda s: ml.Shannon().conditional(s.prior, s.channel),
            lambda s: m.shannon.posterior(s.p, s.C),
        ),
        Pair(
            "mutual information",
            lambda s: ml.leakage(s.prior, s.channel, "shannon"),
            lambda s: m.shannon.add_leakage(s.p, s.C),
        ),
        Pair(
            "Shannon capacity to 1e-9",
            lambda s: ml.capacity(s.channel).value,
            lambda s: m.shannon.add_capacity(s.C, md=1e-9)[0],
            sizes=(30, 60, 90),
        ),
        Pair("guesswork", lambda s: ml.Guesswork()(s.prior), lambda s: m.guessing.prior(s.p), PRIORS),
        Pair(
            "posterior guesswork",
            lambda s: ml.Guesswork().conditional(s.prior, s.channel),
            lambda s: m.guessing.posterior(s.p, s.C),
        ),
        Pair(
            "g-vulnerability",
            lambda s: ml.lab.vulnerability(s.prior, gain=s.G),
            lambda s: m.g_vuln.prior(s.G, s.p),
        ),
        Pair(
            "posterior g-vulnerability",
            lambda s: ml.lab.posterior_vulnerability(s.prior, s.channel, gain=s.G),
            lambda s: m.g_vuln.posterior(s.G, s.p, s.C),
        ),
        Pair(
            "multiplicative g-leakage",
            lambda s: ml.lab.multiplicative_leakage(s.prior, s.channel, gain=s.G),
            lambda s: m.g_vuln.mult_leakage(s.G, s.p, s.C),
        ),
        Pair(
            "additive capacity, vulnerabilities",
            lambda s: ml.lab.additive_capacity(s.channel, prior=s.prior, spanning="vulnerabilities").value,
            lambda s: m.g_vuln.add_capacity(s.p, s.C),
        ),
        Pair(
            "additive capacity, gains",
            lambda s: ml.lab.additive_capacity(s.channel, prior=s.prior, spanning="gains").value,
            lambda s: m.g_vuln.add_capacity(s.p, s.C, True),
        ),
        Pair(
            "posterior risk of losses",
            lambda s: T.posterior_risk(s.prior, s.channel, loss=s.G),
            lambda s: m.l_risk.posterior(s.G, s.p, s.C),
        ),
        Pair(
            "posterior vulnerability of a predicate",
            lambda s: ml.lab.posterior_vulnerability(s.prior, s.channel, gain=T.predicate_gain(s.P.tolist())),
            lambda s: m.pred_vuln.posterior(s.P, s.p, s.C),
        ),
        Pair(
            "risk capacity of a predicate",
            lambda s: T.bayes_risk_capacity(s.channel, predicate=s.P.tolist()).value,
            lambda s: m.pred_risk.mult_capacity(s.P, s.C)[0],
            sizes=CUBIC,
        ),
        Pair(
            "d-privacy of a metric",
            lambda s: ml.lab.d_privacy(s.channel, s.distances),
            lambda s: m.d_privacy.smallest_epsilon(s.C, qif.metric.from_distance_matrix(s.distances)),
            sizes=CUBIC,
        ),
        Pair(
            "posteriors",
            lambda s: ml.lab.posteriors(s.prior, s.channel).matrix,
            lambda s: qif.channel.posteriors(s.C, s.p),
        ),
        Pair(
            "hyper-distribution",
            lambda s: np.sort(ml.lab.hyper(s.prior, s.channel).outers),
            lambda s: np.sort(qif.channel.hyper(s.C, s.p)[0]),
        ),
        Pair(
            "reduced channel",
            lambda s: np.sort(ml.lab.reduced(ml.Channel(split_columns(s.C))).toarray().sum(axis=0)),
            lambda s: np.sort(qif.channel.reduced(split_columns(s.C)).sum(axis=0)),
            sizes=(200, 300, 400),
        ),
        Pair(
            "parallel composition",
            lambda s: ml.lab.multiplicative_leakage(s.prior, ml.lab.parallel(ml.Channel(s.few), s.channel)),
            lambda s: m.bayes_vuln.mult_leakage(s.p, qif.channel.compose.parallel(s.few, s.C)),
        ),
        Pair(
            "factor of a refined pair",
            lambda s: ml.lab.refined_by(s.channel, s.second).post_processing.toarray(),
            lambda s: qif.channel.factorize(s.B, s.C),
            sizes=CUBIC,
        ),
        Pair(
            "refined, yes",
            lambda s: bool(ml.lab.refined_by(s.channel, s.second)),
            lambda s: bool(qif.refinement.refined_by(s.C, s.B)),
            sizes=CUBIC,
        ),
        Pair(
            "refined, no",
            lambda s: bool(ml.lab.refined_by(s.second, s.channel)),
            lambda s: bool(qif.refinement.refined_by(s.B, s.C)),
            sizes=CUBIC,
        ),
        Pair(
            "max-case refined",
            lambda s: bool(T.max_refined_by(s.channel, s.second)),
            lambda s: bool(qif.refinement.max_refined_by(s.C, s.B)),
            sizes=CUBIC,
        ),
        Pair(
            "privacy-based refinement",
            lambda s: ml.lab.d_privacy(s.second, T.induced_metric(s.channel)) <= 1,
            lambda s: bool(qif.refinement.priv_refined_by(s.C, s.B)),
            sizes=CUBIC,
        ),
    ]


def main() -> None:
    # Loaded first, so that the limit reaches all of them: numpy, scipy and libqif bring a BLAS of their own each.
    import qif  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):  # of both: threads that wait for each other are no comparison
        faster = compare(measuring())
        calling(measuring())
        faster += designing()
        qif_designing.besides()
    refinement()
    capacity_of_near_rows()
    randomised_response()
    print(f"\nmeasuring and designing: at least as fast in {sum(faster)} of {len(faster)} rows (bar: 9 of 10)")


def compare(pairs: list[Pair]) -> list[bool]:
    """A line for each pair and size: the times, ours and libqif's, and how far the numbers are apart. Returned is for
    each whether ours is at least as fast.
    """
    print("\nBeside libqif 1.6.0, on n x n channels: milliseconds, ours | libqif's, and how far the values are apart.")
    print("Products and systems on one thread of BLAS, both; ours goes through large channels on all cores.")
    systems: dict[int, System] = {}
    faster = []
    for pair in pairs:
        told, worst = [], 0.0
        for n in pair.sizes:
            if n not in systems:
                systems[n] = System(n)
            ways = _ways(pair, systems[n])
            start = time.perf_counter()
            timed = interleaved(ways, runs=1)
            seconds = time.perf_counter() - start
            if seconds < 2:
                timed = interleaved(ways, runs=5 if seconds > 0.5 else 25)
            ours, theirs = timed["ours"], timed["qif"]
            told.append(f"{n:>5}: {1e3 * ours.seconds:>8.3f} | {1e3 * theirs.seconds:>9.3f}")
            worst = max(worst, _apart(ours.value, theirs.value))
            faster.append(ours.seconds <= theirs.seconds)
        print(f"{pair.what:<39}{'  '.join(told)}  {worst:.0e}{'' if worst <= CLOSE else ' (!)'}", flush=True)
    print(f"measuring: at least as fast in {sum(faster)} of {len(faster)} rows")
    return faster


def calling(pairs: list[Pair]) -> None:
    """What a call costs on a few dozen secrets, where there is little else: no rows of the bar, but said."""
    quick = [pair for pair in pairs if pair.sizes in (PRIORS, SIZES)]
    for n in FEW:
        timed = [interleaved(_ways(pair, System(n)), runs=200) for pair in quick]
        ours, theirs = ([1e6 * each[way].seconds for each in timed] for way in ("ours", "qif"))
        print(
            f"a call on {n} secrets, of the {len(quick)} measures above that are quick: ours {median(ours):.1f} us "
            f"({min(ours):.1f} to {max(ours):.1f}), libqif's {median(theirs):.1f} us "
            f"({min(theirs):.1f} to {max(theirs):.1f})"
        )


def _ways(pair: Pair, system: System) -> dict[str, Callable[[], Any]]:
    return {"ours": lambda: pair.ours(system), "qif": lambda: pair.theirs(system)}


def designing() -> list[bool]:
    """The rows of what is designed; the last, an optimal mechanism on a 10 x 10 grid, takes libqif longest."""
    print(f"\n{'designing beside libqif':<38} {'size':>10}  {'ours':>16} {'theirs':>16} {'apart':>8}  times, ratio")
    faster = []
    for row in qif_designing.rows():
        print(row, flush=True)
        faster.append(row.our_time <= row.their_time)
    print(f"designing: at least as fast in {sum(faster)} of {len(faster)} rows")
    return faster


def _apart(ours: Any, theirs: Any) -> float:
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    return math.inf if a.shape != b.shape else float((np.abs(a - b) / np.maximum(1, np.abs(b))).max())


def refinement(n: int = 60, pairs: int = 20) -> None:
    """Random pairs, half of them refined: each answer is checked by multiplication, or by leakage under the witness."""
    rng = np.random.default_rng(0)
    right = guesses = 0
    start = time.perf_counter()
    for case in range(pairs):
        A = rng.dirichlet(np.ones(n), n)
        B = A @ rng.dirichlet(np.ones(n), n) if case % 2 else rng.dirichlet(np.ones(n), n)
        found = ml.lab.refined_by(A, B)
        if found.ok:
            right += case % 2 == 1 and bool(np.abs((ml.Channel(A) @ found.post_processing).matrix - B).max() <= 1e-8)
        else:
            H = ml.Gain(ml.MinEntropy(), found.gain)
            right += case % 2 == 0 and ml.leakage(found.prior, B, H) > ml.leakage(found.prior, A, H)
            guesses = max(guesses, found.gain.shape[0])
    seconds = time.perf_counter() - start
    print(
        f"\n{pairs} random pairs of {n} x {n}, half refined: {right} verified, {1e3 * seconds / pairs:.1f} ms each; "
        f"witnesses of at most {guesses} guesses"
    )


def capacity_of_near_rows(n: int = 2000) -> None:
    """The Shannon capacity of a dense channel whose rows hardly differ (bar: certified within a minute)."""
    C = np.random.default_rng(0).dirichlet(np.full(n, 1e4), n)
    start = time.perf_counter()
    found = ml.capacity(C)
    print(
        f"\nShannon capacity, {n} x {n}, nearly equal rows: {found.value:.6e} bits, {found.status}, "
        f"gap {found.gap:.1e}, {time.perf_counter() - start:.1f} s (bar 60 s)"
    )


# Of the Attribution Reporting API (WICG, flexible-event/privacy.test.ts): states, epsilon, capacity in bits.
WICG = (
    (2, math.log(3), 0.18872187554086717),
    (3, 14.0, 1.584926511508231),
    (2925, 14.0, 11.461727965384876),
)


def randomised_response() -> None:
    """The capacity of k-ary randomised response: the truth with e^eps/(e^eps + q - 1), all others alike."""
    print("\nCapacity of randomised response, beside the Attribution Reporting API's own figures:")
    for q, epsilon, expected in WICG:
        other = 1 / (math.exp(epsilon) + q - 1)
        C = np.full((q, q), other) + np.eye(q) * (1 - q * other)
        found = ml.capacity(C, gap=1e-11)
        same = abs(found.value - expected) <= 0.5e-10 * max(1.0, 10 ** math.floor(math.log10(expected)))
        agree = "agree" if same else "DIFFER"
        print(f"  q = {q:<5} {found.value:.12f}  {expected:.12f}  {found.status}, ten digits {agree}")


if __name__ == "__main__":
    main()
