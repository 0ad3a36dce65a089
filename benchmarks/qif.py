"""The operations of the field at 3, 100 and 3,000 secrets: ours beside libqif, dit and plain numpy.

Everything runs on one core and one BLAS thread, ours too, and each line has the values beside the times. Ours are
called on a built `Joint`, the peers on arrays or distributions made before as well. A built object is validated, and it
keeps what several measures share once one of them asked for it: a `Prior` its logarithms and its sorted probabilities,
a `Joint` its columns, their sums, and a few columns as Python floats. No result is kept. libqif takes logarithms and
sorts in every call: the rows "first call" do so too, and count beside the others.

Numpy's column is the formula as one would write it, without any check and with the digits that it loses near zero and
one: a floor, not a peer. The bar is counted beside libqif and dit. libqif's largest probability and total variation
take 0.3 us at 100 secrets, less than Python takes to call numpy once or thrice. A dash is a peer that has no such
function, or that takes minutes at this size (dit's distributions list every pair, libqif's capacity and transport grow
steeply).

    python -m benchmarks qif          # this table, about two minutes
    python -m benchmarks qif_pairs    # every function that libqif and we both have, to measure and to design
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import minleak as ml

SIZES = (3, 100, 3000)
# Seconds that one line may take, and how often each way is run at most.
SECONDS, RUNS = 1.0, 2000
# Seconds of a turn, in which a quick way is run up to ten times.
TURN = 1e-3
# Where values are to agree: libqif and dit iterate to a tolerance of their own, and libqif's transport is in integers.
CLOSE, LOOSE = 1e-9, 1e-4
T = ml.lab


class System:
    """Random numbers of one size, ours of them validated once, and dit's distribution where it is not too large."""

    def __init__(self, n: int) -> None:
        import dit

        rng = np.random.default_rng(n)
        self.n = n
        self.p, self.q = ((rng.dirichlet(np.ones(n)) + 1 / n) / 2 for _ in range(2))
        self.C, self.R = rng.dirichlet(np.ones(n), n), rng.dirichlet(np.ones(n), n)
        self.G = rng.random((min(n, 100), n))
        self.prior, self.other, self.channel = ml.Prior(self.p), ml.Prior(self.q), ml.Channel(self.C)
        self.joint = T.Joint(self.prior, self.channel)
        self.dit_p, self.dit_q = (dit.Distribution([(x,) for x in range(n)], v.tolist()) for v in (self.p, self.q))
        self.line = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
        if n <= 100:
            pairs = [(x, y) for x in range(n) for y in range(n)]
            self.pair = dit.Distribution(pairs, (self.p[:, None] * self.C).ravel().tolist())
            self.pair.set_rv_names("XY")
            self.B = self.C @ self.R
            self.second = ml.Channel(self.B)

    def forgetful(self) -> ml.Prior:
        """The prior without the logarithms and the order that an earlier call left."""
        kept = vars(self.prior)
        kept.pop("logs", None)
        kept.pop("descending", None)
        return self.prior


Way = Callable[[System], Any]


@dataclass(frozen=True)
class Operation:
    """One number, or one array, by each library; the largest size at which a peer is run."""

    what: str
    ours: Way
    qif: Way | None = None
    dit: Way | None = None
    numpy: Way | None = None
    most: dict[str, int] = field(default_factory=dict)
    close: float = CLOSE

    def ways(self, system: System) -> dict[str, Callable[[], Any]]:
        given = {"ours": self.ours, "qif": self.qif, "dit": self.dit, "numpy": self.numpy}
        return {
            name: (lambda way=way: way(system))
            for name, way in given.items()
            if way is not None and system.n <= self.most.get(name, SIZES[-1])
        }


def operations() -> list[Operation]:
    return [*of_priors(), *of_guesses(), *of_entropies(), *of_capacities(), *of_channels()]


def of_priors() -> list[Operation]:
    import dit
    import qif
    from dit.divergences import kullback_leibler_divergence, variational_distance

    variation = qif.metric.total_variation()
    shannon, guesswork = ml.Shannon(), ml.Guesswork()
    return [
        Operation(
            "Bayes vulnerability",
            lambda s: T.vulnerability(s.prior),
            lambda s: qif.measure.bayes_vuln.prior(s.p),
            None,
            lambda s: s.p.max(),
        ),
        Operation(
            "Shannon entropy",
            lambda s: shannon(s.prior),
            lambda s: qif.measure.shannon.prior(s.p),
            lambda s: dit.shannon.entropy(s.dit_p),
            lambda s: -(s.p @ np.log2(s.p)),
        ),
        Operation(
            "Shannon entropy, first call",
            lambda s: shannon(s.forgetful()),
            lambda s: qif.measure.shannon.prior(s.p),
            lambda s: dit.shannon.entropy(s.dit_p),
            lambda s: -(s.p @ np.log2(s.p)),
        ),
        Operation(
            "guesswork",
            lambda s: guesswork(s.prior),
            lambda s: qif.measure.guessing.prior(s.p),
            None,
            lambda s: np.sort(s.p)[::-1] @ np.arange(1, s.n + 1),
        ),
        Operation(
            "guesswork, first call",
            lambda s: guesswork(s.forgetful()),
            lambda s: qif.measure.guessing.prior(s.p),
            None,
            lambda s: np.sort(s.p)[::-1] @ np.arange(1, s.n + 1),
        ),
        Operation(
            "total variation",
            lambda s: T.total_variation(s.prior, s.other),
            lambda s: variation(s.p, s.q),
            lambda s: variational_distance(s.dit_p, s.dit_q),
            lambda s: 0.5 * np.abs(s.p - s.q).sum(),
            {"dit": 3},
        ),
        Operation(
            "Kullback-Leibler divergence",
            lambda s: T.kl_divergence(s.prior, s.other),
            None,
            lambda s: kullback_leibler_divergence(s.dit_p, s.dit_q),
            lambda s: s.p @ np.log2(s.p / s.q),
            {"dit": 100},
        ),
    ]


def of_guesses() -> list[Operation]:
    import qif

    m = qif.measure
    return [
        Operation(
            "posterior Bayes vulnerability",
            lambda s: T.posterior_vulnerability(s.joint),
            lambda s: m.bayes_vuln.posterior(s.p, s.C),
            None,
            lambda s: (s.p[:, None] * s.C).max(axis=0).sum(),
        ),
        Operation(
            "min-entropy leakage",
            lambda s: ml.leakage(s.joint, None, "min-entropy"),
            lambda s: m.bayes_vuln.min_entropy_leakage(s.p, s.C),
            None,
            lambda s: np.log2((s.p[:, None] * s.C).max(axis=0).sum() / s.p.max()),
        ),
        Operation(
            "best guesses",
            lambda s: T.best_guesses(s.joint),
            lambda s: m.bayes_vuln.strategy(s.p, s.C).ravel(),
            None,
            lambda s: (s.p[:, None] * s.C).argmax(axis=0),
        ),
        Operation(
            "posterior guesswork",
            lambda s: ml.Guesswork().conditional(s.joint),
            lambda s: m.guessing.posterior(s.p, s.C),
            None,
            lambda s: (np.sort(s.p[:, None] * s.C, axis=0)[::-1].sum(axis=1) * np.arange(1, s.n + 1)).sum(),
        ),
        Operation(
            "posterior g-vulnerability",
            lambda s: T.posterior_vulnerability(s.joint, gain=s.G),
            lambda s: m.g_vuln.posterior(s.G, s.p, s.C),
            None,
            lambda s: ((s.G * s.p) @ s.C).max(axis=0).sum(),
        ),
    ]


def of_entropies() -> list[Operation]:
    import dit
    import qif
    from dit.other import sibson_mutual_information

    m = qif.measure

    def numpy_arimoto(s: System) -> Any:
        J = s.p[:, None] * s.C
        return 2 * np.log2(np.sqrt((J**2).sum(axis=0)).sum() / math.sqrt((s.p**2).sum()))

    def numpy_conditional(s: System) -> Any:
        J = s.p[:, None] * s.C
        return (J * np.log2(J.sum(axis=0) / J)).sum()

    return [
        Operation(
            "H(X|Y), Shannon",
            lambda s: ml.Shannon().conditional(s.joint),
            lambda s: m.shannon.posterior(s.p, s.C),
            lambda s: dit.shannon.conditional_entropy(s.pair, "X", "Y"),
            numpy_conditional,
            {"dit": 100},
        ),
        Operation(
            "mutual information",
            lambda s: ml.leakage(s.joint, None, "shannon"),
            lambda s: m.shannon.add_leakage(s.p, s.C),
            lambda s: dit.shannon.mutual_information(s.pair, "X", "Y"),
            lambda s: -(s.p @ np.log2(s.p)) - numpy_conditional(s),
            {"dit": 100},
        ),
        Operation(
            "Arimoto's leakage of order 2", lambda s: ml.leakage(s.joint, None, "arimoto:2"), numpy=numpy_arimoto
        ),
        Operation(
            "Sibson's information of order 2",
            lambda s: T.sibson(s.prior, s.channel, 2),
            None,
            lambda s: sibson_mutual_information(s.pair, "X", "Y", 2),
            lambda s: 2 * np.log2(np.sqrt(s.p @ s.C**2).sum()),
            {"dit": 100},
        ),
    ]


def of_capacities() -> list[Operation]:
    import qif
    from dit.algorithms import channel_capacity
    from dit.other import maximal_leakage

    m = qif.measure
    return [
        Operation(
            "maximal leakage",
            lambda s: T.maximal_leakage(s.channel),
            lambda s: math.log2(m.bayes_vuln.mult_capacity(s.C)),
            lambda s: maximal_leakage(s.pair, "X", "Y"),
            lambda s: np.log2(s.C.max(axis=0).sum()),
            {"dit": 100},
        ),
        Operation(
            "Shannon capacity",
            lambda s: ml.capacity(s.channel).value,
            lambda s: m.shannon.add_capacity(s.C, md=1e-9)[0],
            lambda s: channel_capacity(s.C)[0],
            None,
            {"qif": 100, "dit": 100, "ours": 100},
            LOOSE,
        ),
        Operation(
            "additive capacity",
            lambda s: T.additive_capacity(s.channel, prior=s.prior, spanning="vulnerabilities").value,
            lambda s: m.g_vuln.add_capacity(s.p, s.C),
            None,
            lambda s: 1 - s.C.min(axis=0).sum(),
        ),
        Operation(
            "Bayes risk capacity",
            lambda s: T.bayes_risk_capacity(s.channel).value,
            lambda s: m.bayes_risk.mult_capacity(s.C)[0],
            None,
            lambda s: 1 / (1 - max(0.5 * np.abs(s.C - row).sum(axis=1).max() for row in s.C)),
            {"qif": 100, "ours": 100, "numpy": 100},
        ),
    ]


def of_channels() -> list[Operation]:
    import qif
    from dit.divergences import earth_movers_distance

    def numpy_posteriors(s: System) -> Any:
        J = s.p[:, None] * s.C
        return J / J.sum(axis=0)

    distance = qif.metric.kantorovich(lambda x, y: abs(x - y))
    return [
        Operation(
            "posteriors",
            lambda s: ml.lab.posteriors(s.joint).matrix,
            lambda s: qif.channel.posteriors(s.C, s.p),
            None,
            numpy_posteriors,
        ),
        Operation(
            "hyper-distribution",
            lambda s: np.sort(ml.lab.hyper(s.joint).outers),
            lambda s: np.sort(qif.channel.hyper(s.C, s.p)[0]),
        ),
        Operation(
            "refinement, yes",
            lambda s: bool(ml.lab.refined_by(s.channel, s.second)),
            lambda s: bool(qif.refinement.refined_by(s.C, s.B)),
            most={"qif": 100, "ours": 100},
        ),
        Operation(
            "refinement, no",
            lambda s: bool(ml.lab.refined_by(s.second, s.channel)),
            lambda s: bool(qif.refinement.refined_by(s.B, s.C)),
            most={"qif": 100, "ours": 100},
        ),
        Operation(
            "d-privacy of a metric",
            lambda s: T.d_privacy(s.channel, s.line),
            lambda s: qif.measure.d_privacy.smallest_epsilon(s.C, qif.metric.from_distance_matrix(s.line)),
            most={"qif": 100, "ours": 100},
        ),
        Operation(
            "Kantorovich distance on a line",
            lambda s: T.kantorovich(s.prior, s.other, s.line).value,
            lambda s: distance(s.p, s.q),
            lambda s: earth_movers_distance(s.dit_p, s.dit_q, distances=s.line),
            None,
            {"qif": 100, "dit": 100},
            LOOSE,
        ),
    ]


def main() -> None:
    # Loaded first, so that the limit reaches all of them: numpy, scipy and libqif bring a BLAS of their own each.
    import qif  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits

    cores = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else set()
    try:
        if cores:
            os.sched_setaffinity(0, {max(cores)})
        with threadpool_limits(1, user_api="blas"):
            _table()
    finally:
        if cores:
            os.sched_setaffinity(0, cores)


def _table() -> None:
    print("Microseconds of the quickest run; ours beside the fastest peer; how far the values are apart; the value.")
    asked = operations()
    for n in SIZES:
        system = System(n)
        print(f"\n{f'{n:,} secrets':<34}{'ours':>12}{'qif':>12}{'dit':>12}{'numpy':>12}  {'to the best':>11}  apart")
        timed = [seconds for seconds in (_line(operation, system) for operation in asked) if seconds]
        for peers in (("qif", "dit"), ("qif", "dit", "numpy")):
            ratios = [_ratio(seconds, peers) for seconds in timed if any(peer in seconds for peer in peers)]
            level, near = (sum(ratio <= most for ratio in ratios) for most in (1, 3))
            print(
                f"beside {', '.join(peers)}: at least as fast as the fastest in {level} of {len(ratios)} rows, "
                f"within three times in {near}, median {float(np.median(ratios)):.2f}"
            )
    print("bar: 9 of 10 rows at 100 and 3,000; within three times libqif's at 3")


def _ratio(seconds: dict[str, float], peers: tuple[str, ...]) -> float:
    return seconds["ours"] / min(seconds[peer] for peer in peers if peer in seconds)


def _line(operation: Operation, system: System) -> dict[str, float] | None:
    """Print one row, and return the times; None where there is no peer."""
    ways = operation.ways(system)
    if "ours" not in ways or len(ways) < 2:
        return None
    seconds, values = _timed(ways)
    peers = {name: spent for name, spent in seconds.items() if name != "ours"}
    ratio = _ratio(seconds, tuple(peers))
    apart = max(_apart(values["ours"], values[name]) for name in peers)
    names = ("ours", "qif", "dit", "numpy")
    cells = "".join(f"{1e6 * seconds[name]:>12,.1f}" if name in seconds else f"{'-':>12}" for name in names)
    shown = values["ours"] if np.ndim(values["ours"]) == 0 else f"{np.size(values['ours']):,} numbers"
    shown = f"{shown:.9g}" if isinstance(shown, float) else shown
    wrong = "" if apart <= operation.close else " (!)"
    print(f"{operation.what:<34}{cells}  {ratio:>10.2f}x  {apart:.0e}{wrong}  {shown}", flush=True)
    return seconds


def _timed(ways: dict[str, Callable[[], Any]]) -> tuple[dict[str, float], dict[str, Any]]:
    """The least time of each way, run in turns until the time is up; a way that takes long is not run again.

    In its turn a quick way is run several times, since after one that took long the caches are its own.
    """
    values, best = {}, {}
    for name, way in ways.items():
        start = time.perf_counter()
        values[name] = way()
        best[name] = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(RUNS):
        for name, way in ways.items():
            for _ in range(max(1, min(10, int(TURN / best[name]))) if best[name] < SECONDS else 0):
                begun = time.perf_counter()
                way()
                best[name] = min(best[name], time.perf_counter() - begun)
        if time.perf_counter() - start > SECONDS:
            break
    return best, values


def _apart(ours: Any, theirs: Any) -> float:
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    return math.inf if a.shape != b.shape else float((np.abs(a - b) / np.maximum(1, np.abs(b))).max())


if __name__ == "__main__":
    main()
