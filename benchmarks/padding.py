"""Padding: caps and budgets on 63,440 Debian packages, against policies, rivals, brute force and plain O(m^2) search.

The whole package index is read by apt-helper where Debian's lists are at hand; else sizes are drawn around those of the
bundled 3,172, which is said.
"""

from __future__ import annotations

import glob
import math
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import minleak as ml
from benchmarks.timing import Timed, line
from minleak.errors import Infeasible

DATA = Path(__file__).parents[1] / "examples" / "data"
EXTRACT, NPM = DATA / "package_sizes.csv", DATA / "npm_sizes.csv"
INDEX = "/var/lib/apt/lists/*bookworm_main_binary-amd64_Packages*"


def main() -> None:
    sizes, source = package_sizes()
    print(f"\nPadding of {len(sizes):,} packages of {len(np.unique(sizes)):,} sizes ({source}).")
    ml.padding.design(sizes[:200], budget=1000.0)  # compiled before the clock starts
    under_limits(sizes)
    beside_policies(sizes)
    held_out(sizes)
    against_rivals(sizes)
    against_brute_force()
    against_every_start(sizes)


def under_limits(sizes: np.ndarray) -> None:
    """A cap of 12%, 5% in all, and both; bar 30 s of CPU each."""
    print("\nlimits                          entropy      leaks   at least  sizes  in all  mean    worst    CPU")
    for name in ("shannon", "min-entropy"):
        for limits in (
            {"overhead": 0.05},
            {"most": 0.12},
            {"most": 0.12, "overhead": 0.05},
            {"most": 0.12, "relative": 0.05},
        ):
            cpu = time.process_time()
            best = ml.padding.design(sizes, entropy=name, **limits)
            cpu = time.process_time() - cpu
            shares = best.overheads.to_cells()
            print(
                f"{limits!s:<31} {name:<11} {best.leakage:>7.4f} {best.bound:>8.4f} {len(best.observables):>7,} "
                f"{shares[0]:>7} {shares[1]:>7} {shares[3]:>8} {cpu:>5.1f} s",
                flush=True,
            )


def beside_policies(sizes: np.ndarray) -> None:
    """Every policy at its own cost, and Padmé under its own cap too, on every twentieth package."""
    some = np.sort(sizes)[::20]
    print(f"\nPolicies at their own cost, and the best buckets at the same cost ({len(some):,} packages):")
    print(ml.padding.compare(some, entropies=["shannon", "min-entropy"]), flush=True)
    print("\nPadmé on all packages, where the best buckets keep its cost and its cap:")
    print(ml.padding.compare(sizes, entropies=["shannon"], policies={"Padmé": ml.padding.padme}, capped=True))


def held_out(sizes: np.ndarray) -> None:
    """Fitted on one half, judged on the other, beside tables that are made from nothing."""
    order = np.random.default_rng(0).permutation(len(sizes))
    fit, judge = sizes[order[::2]], sizes[order[1::2]]
    tables: dict[str, Any] = {
        "fitted, cap 12%": ml.padding.design(fit, most=0.12).table(),
        "fitted for unseen sizes, cap 12%": ml.padding.design(fit, most=0.12, unseen=True).table(),
        "the same and 5% in all": ml.padding.design(fit, most=0.12, unseen=True, overhead=0.05).table(),
        "universal, cap 12%": ml.padding.universal(1, 2**32, most=0.12),
        "fitted, cap 25%, 5% in all": ml.padding.design(fit, most=0.25, unseen=True, overhead=0.05).table(),
        "universal, cap 25%": ml.padding.universal(1, 2**32, most=0.25),
        "Padmé": ml.padding.padme,
    }
    print("\nFitted on one half, judged on the other: leakage (Shannon), in all, mean, worst, sizes seen.")
    for name, table in tables.items():
        shown = table(judge)
        leaked = ml.leakage(np.ones(len(judge)), ml.Channel.deterministic(shown.tolist()), "shannon")
        grown = shown / judge - 1
        print(
            f"{name:<34} {leaked:>7.4f} {shown.sum() / judge.sum() - 1:>7.2%} {grown.mean():>7.2%} {grown.max():>7.2%} "
            f"{len(np.unique(shown)):>5}",
            flush=True,
        )


def against_rivals(sizes: np.ndarray) -> None:
    """Under their constraint, each object at most a factor c: per object and per request, with weights like 1/rank.

    Reed and Reiter (Optimally Hiding Object Sizes with Constrained Padding) minimise Shannon leakage by object and, by
    the alternating minimisation of Blahut and Arimoto, by request. Simon and others (arXiv 2209.04379) minimise that of
    one guess. Written here from what they minimise: by object as the dynamic programme over intervals, by request as
    200 rounds of alternating minimisation.
    """
    rng = np.random.default_rng(1)
    print(
        "\nUnder a factor c alone, ours | theirs: leakage in seconds. First 600 npm packages by downloads, as they did."
    )
    packages = ml.read_prior(NPM, secret="secret", weight="count")
    npm, first = np.unique(ml.read_prior(NPM, secret="secret", weight="size").weights, return_index=True)
    side_by_side(npm, packages.weights[first], (1.05, 1.1, 1.2), by_request=False)
    for n in (60, 280, 2000):
        some = np.unique(rng.choice(np.unique(sizes), n, replace=False))
        if n <= 280:  # dense enough for the cap to matter
            some = np.unique(np.round(1000 * np.exp(rng.uniform(0, 1, n))).astype(np.int64))
        weights = (1e6 / (rng.permutation(len(some)) + 1)).astype(np.int64) + 1
        side_by_side(some, weights, (1.05, 1.1, 1.2), by_request=n <= 280)


def side_by_side(sizes: np.ndarray, weights: np.ndarray, factors: tuple[float, ...], *, by_request: bool) -> None:
    """Ours and theirs for each factor; never worse."""
    for factor in factors:
        ours = partial(ml.padding.design, sizes, weights, most=round(factor - 1, 2))
        ways: dict[str, tuple[Any, Any]] = {
            f"{name} per object": (partial(ours, entropy=name), partial(per_object, sizes, weights, factor, name))
            for name in ("shannon", "min-entropy")
        }
        if by_request:
            mine = partial(ml.lab.padding_channel, sizes, weights, most=round(factor - 1, 2))
            ways["shannon per request"] = mine, partial(per_request, sizes, weights, factor)
        for what, (way, rival) in ways.items():
            a, b = timed(way), timed(rival)
            assert a.value.leakage <= b.value + 1e-6
            print(
                f"n={len(sizes):<5} c={factor:<5} {what:<24} {a.value.leakage:.5f} in {a.seconds:6.2f} s | "
                f"{b.value:.5f} in {b.seconds:6.2f} s",
                flush=True,
            )


def timed(way: Any) -> Timed:
    start = time.perf_counter()
    value = way()
    return Timed(time.perf_counter() - start, value)


def per_object(sizes: np.ndarray, weights: np.ndarray, factor: float, name: str) -> float:
    """The least leakage of intervals of sizes within a factor, every start tried; in plain Python and numpy."""
    p = weights / weights.sum()
    cap = np.floor(sizes * factor + 1e-9)
    below = np.append(0.0, np.cumsum(p))
    least = np.append(0.0, np.full(len(p), np.inf))  # of -sum P log P, or of -sum of largest, by ends
    for j in range(1, len(p) + 1):
        i = int(np.argmax(cap[:j] >= sizes[j - 1]))
        mass = below[j] - below[i:j]
        cost = -mass * np.log2(mass) if name == "shannon" else np.maximum.accumulate(p[i:j][::-1])[::-1]
        least[j] = (least[i:j] + cost).min()
    return float(least[-1]) if name == "shannon" else float(math.log2(least[-1] / p.max()))


def per_request(sizes: np.ndarray, weights: np.ndarray, factor: float, rounds: int = 200) -> float:
    """Alternating minimisation of I(X;Y) over channels within the band."""
    p = weights / weights.sum()
    band = (sizes[None, :] >= sizes[:, None]) & (sizes[None, :] <= np.floor(sizes * factor + 1e-9)[:, None])
    q = np.full(len(sizes), 1 / len(sizes))
    for _ in range(rounds):
        channel = band * q
        channel /= channel.sum(axis=1, keepdims=True)
        q = p @ channel
    return float(ml.leakage(weights, channel, "shannon"))


def against_brute_force(trials: int = 6) -> None:
    """All contiguous buckets of up to 12 sizes under all combinations of limits, in exact fractions."""
    from tests.padding.exhaustive import COMBINATIONS, draw_limits, least, thresholds

    rng = np.random.default_rng(0)
    checked = infeasible = 0
    start = time.perf_counter()
    for some in COMBINATIONS:
        for _ in range(trials):
            n = int(rng.integers(9, 13))
            sizes = np.round(np.exp(rng.uniform(1, 5, n))).astype(int)
            weights = rng.integers(1, 9, n)
            limits = draw_limits(rng, some, sizes)
            H = ml.entropy(str(rng.choice(["shannon", "min-entropy", "arimoto:2", "hayashi:3"])))
            best = least(thresholds(sizes), sizes, weights, H, **limits)
            try:
                ours = ml.padding.design(sizes, weights, entropy=H, **limits)
                assert abs(ours.leakage - best) <= 1e-9, (limits, ours.leakage, best)
                assert ours.gap <= 1e-9, limits
            except Infeasible:
                assert best == math.inf, limits
                infeasible += 1
            checked += 1
    print(
        f"\nBrute force, 9 to 12 sizes, all {len(COMBINATIONS)} combinations of limits: {checked} equal and proven, "
        f"{infeasible} of them infeasible; {time.perf_counter() - start:.0f} s"
    )


def against_every_start(sizes: np.ndarray, m: int = 2000) -> None:
    """One corner of the hull: blocks of starts ruled out, and every start tried in vectorised numpy."""
    from minleak.padding._bucket_value import BucketValue
    from minleak.padding._buckets import BucketSearch
    from minleak.padding._limits import Limits
    from minleak.padding._size_classes import as_size_classes

    print(f"\nOne price, {m:,} sizes, Shannon: blocks of starts against all of them in numpy. Values: the cost.")
    classes = as_size_classes(np.unique(sizes)[:: max(1, len(np.unique(sizes)) // m)][:m], None)
    search = BucketSearch.of(classes, BucketValue.of(classes, ml.Shannon()), Limits(budget=1).on(classes))
    price = 30 * search.coarsest().value / search.coarsest().overhead

    def ours() -> float:
        corner = search.corner(price)
        return price * corner.overhead - corner.value

    def plain() -> float:
        least = np.zeros(len(classes.sizes) + 1)
        for j in range(1, len(least)):
            p = classes.mass[j] - classes.mass[:j]
            overhead = classes.sizes[j - 1] * p - (classes.load[j] - classes.load[:j])
            count = classes.ends[j] - classes.ends[:j]
            least[j] = (least[:j] + price * overhead - p * np.log(count)).min()
        return float(least[-1])

    timed = {}
    for name, way in {"ours": ours, "plain": plain}.items():
        start = time.process_time()
        value = way()
        timed[name] = Timed(time.process_time() - start, value)
    line("a corner of the hull", timed["ours"], "every start", timed["plain"])


def package_sizes() -> tuple[np.ndarray, str]:
    """The sizes, and where they come from."""
    extract = ml.read_prior(EXTRACT, weight="size").weights
    lists = sorted(glob.glob(INDEX))
    if lists:
        text = subprocess.run(
            ["/usr/lib/apt/apt-helper", "cat-file", lists[0]], capture_output=True, check=False
        ).stdout
        sizes = [int(row[6:]) for row in text.splitlines() if row.startswith(b"Size: ")]
        if len(sizes) > len(extract):
            return np.array(sizes), "the whole index of Debian 12"
    rng = np.random.default_rng(0)
    drawn = rng.choice(extract, 63_440) * rng.lognormal(0, 0.1, 63_440)
    return np.round(drawn).astype(np.int64), "made from the bundled extract: the index is not at hand"


if __name__ == "__main__":
    main()
