"""Samples: brackets against known truth, false alarms, and time beside a plain scikit-learn script."""

from __future__ import annotations

import math
import time

import numpy as np
from tests.samples.known import Drawn, channels, drawn, gaussian

import minleak as ml
from benchmarks.timing import interleaved, line


def main() -> None:
    geometric()
    gaussians()
    nothing()
    coverage()
    speed()


# -- F-BLEAU's example -------------------------------------------------------------------------------------------------


def planar(
    events: int, *, secrets: int = 191, side: int = 141, noise: float = 0.2216, seed: int = 7
) -> tuple[Drawn, float]:
    """Places on a grid of 20 by 20 cells, seen through planar geometric noise, p(y given x) proportional to exp(-noise
    |y - x|), on a lattice seven times as fine, as in F-BLEAU (Cherubin, Chatzikokolakis, Palamidessi, S&P 2019); and
    the success of the best attack. The noise is such that it is that of their published example.
    """
    rng = np.random.default_rng(seed)
    prior = 1 / (np.arange(secrets) + 3.0)
    prior /= prior.sum()
    cells = rng.permutation(400)[:secrets]
    across, down = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    channel = np.stack([np.exp(-noise * np.hypot(across - 7 * (c // 20) - 4, down - 7 * (c % 20) - 4)) for c in cells])
    channel = channel.reshape(secrets, -1)
    channel /= channel.sum(axis=1, keepdims=True)
    x, y = drawn(prior, channel, events, rng)
    return (x, np.stack([y // side, y % side], axis=1)), float((prior[:, None] * channel).max(axis=0).sum())


def geometric() -> None:
    (x, y), truth = planar(100_000)
    seen = len(np.unique(y, axis=0))
    print(f"\nF-BLEAU's generator: 191 secrets, {seen:,} observables in 80,000 + 20,000 events; truth {truth:.4f}.")
    found = ml.audit(x, y, permutations=99, measures=["min-entropy"])
    peer = nearest(x, y, 80_000)
    inside = found.success.low <= truth <= found.success.high
    print(f"bracket {found.success}; it {'holds' if inside else 'MISSES'} the truth")
    print(f"lower bound {found.success.low:.4f}, k-NN with k = ln n {peer:.4f}: {verdict(found.success.low >= peer)}")


def nearest(x: np.ndarray, y: np.ndarray, train: int) -> float:
    """What a plain script does: k nearest neighbours, k = ln n, of scikit-learn, tried on the rest."""
    from sklearn.neighbors import KNeighborsClassifier

    y = y.reshape(len(x), -1)
    model = KNeighborsClassifier(round(math.log(train))).fit(y[:train], x[:train])
    return float(model.score(y[train:], x[train:]))


def verdict(reached: bool) -> str:
    return "reached" if reached else "NOT REACHED"


# -- timings -----------------------------------------------------------------------------------------------------------


def gaussians() -> None:
    sigma = 1.0208
    truth = (1 + 3 * math.erf(0.5 / sigma / math.sqrt(2))) / 4
    found = ml.audit(*gaussian(20_000, np.random.default_rng(0), sigma=sigma))
    print(f"\nFour Gaussians, 20,000 events as floats; truth {truth:.4f}.")
    print(f"{found.headline}\nShannon {found['shannon']}; p {found.p:.3g}")
    print(f"lower bound {found.success.low:.4f} (bar .515): {verdict(found.success.low >= 0.515)}")


def nothing(runs: int = 300) -> None:
    print(f"\nNothing leaks: {runs} runs of 1,000 events (names, floats, vectors), tested at the 0.01 level.")
    rejected, above = 0, 0
    for run in range(runs):
        rng = np.random.default_rng([run, 1])
        x = rng.choice(5, 1000, p=[0.4, 0.3, 0.1, 0.1, 0.1])
        y = (rng.integers(0, 40, 1000).astype(str), rng.normal(size=1000), rng.normal(size=(1000, 2)))[run % 3]
        found = ml.audit(x, y, measures=["shannon"], seed=run)
        rejected += found.rejected
        above += found.success.low > 0.4
    print(
        f"rejected {rejected} of {runs} (bar 1%): {verdict(rejected <= runs // 100)}; bounds above the truth: {above}"
    )


# -- coverage ----------------------------------------------------------------------------------------------------------


def coverage(each: int = 40) -> None:
    print(f"\nCoverage: {5 * each} channels of five kinds; how many 95% brackets hold the truth (bar 93%).")
    held: dict[str, list[bool]] = {}
    kinds: dict[str, list[bool]] = {}
    loose: dict[str, list[float]] = {}
    for run, (kind, (x, y), truth) in enumerate(channels(each)):
        measures = [name for name in truth if name != "success"]
        found = ml.audit(x, y, measures=measures, permutations=99, seed=run)
        for name, true in truth.items():
            bracket = found.success if name == "success" else found[name]
            inside = bracket.low <= true + 1e-9 and (bracket.high is None or true - 1e-9 <= bracket.high)
            held.setdefault(name, []).append(inside)
            if name == "success":
                kinds.setdefault(kind, []).append(inside)
                loose.setdefault(kind, []).append(true - bracket.low)
    for name, inside in held.items():
        share = sum(inside) / len(inside)
        print(f"{name:<14} {sum(inside):>4} of {len(inside)} ({share:.1%}): {verdict(share >= 0.93)}")
    for kind, inside in kinds.items():
        print(f"  success, {kind:<9} {sum(inside)} of {len(inside)}; truth less lower bound {np.mean(loose[kind]):.3f}")


# -- speed -------------------------------------------------------------------------------------------------------------


def speed() -> None:
    print("\nTime beside a plain scikit-learn k-NN script (5 folds, k = ln n). Values: lower bound | success in folds.")
    for name, (x, y) in {
        "one number, 20,000 events": gaussian(20_000, np.random.default_rng(0)),
        "pairs of numbers, 100,000 events": planar(100_000)[0],
    }.items():
        ways = {
            "ours": lambda x=x, y=y: ml.audit(x, y, measures=["shannon", "min-entropy", "guesswork"]).success.low,
            "plain": lambda x=x, y=y: folded(x, y),
        }
        timed = interleaved(ways, runs=2)
        line(name, timed["ours"], "scikit-learn", timed["plain"], bar="(bar 2x)", slower=True)
    x, y = gaussian(10**6, np.random.default_rng(0))
    start = time.perf_counter()
    found = ml.audit(x, y)
    print(f"a million events of one number: {time.perf_counter() - start:.1f} s (bar 60 s), success {found.success}")


def folded(x: np.ndarray, y: np.ndarray) -> float:
    """Success by cross-validation, so that all events are tried, as ours are."""
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(round(math.log(len(x))))
    return float(cross_val_score(model, y.reshape(len(x), -1), x, cv=5).mean())
