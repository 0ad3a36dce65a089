"""Padding: the best deterministic buckets for 63,440 Debian packages, against plain O(m^2) search and against policies.

The whole package index is read by apt-helper where Debian's lists are at hand; else sizes are drawn around those of the
bundled 3,172, which is said.
"""

from __future__ import annotations

import glob
import subprocess
import time
from pathlib import Path

import numpy as np

import minleak as ml
from benchmarks.timing import Timed, line

EXTRACT = Path(__file__).parents[1] / "examples" / "data" / "package_sizes.csv"
INDEX = "/var/lib/apt/lists/*bookworm_main_binary-amd64_Packages*"


def main() -> None:
    sizes, source = package_sizes()
    print(f"\nBest buckets for {len(sizes):,} packages of {len(np.unique(sizes)):,} sizes ({source}), bar 30 s of CPU.")
    ml.padding.design(sizes[:200], budget=1000.0)  # compiled before the clock starts
    policies = {"Padmé": ml.padding.padme, "powers of two": ml.padding.to_power_of_two}
    for name in ("shannon", "min-entropy", "guesswork", "arimoto:2"):
        for title, policy in policies.items():
            shown = policy(sizes)
            budget = float((shown - sizes).mean())
            _, columns = np.unique(shown, return_inverse=True)
            theirs = ml.leakage(np.ones(len(sizes)), ml.Channel.deterministic(columns.tolist()), name)
            wall, cpu = time.perf_counter(), time.process_time()
            best = ml.padding.design(sizes, budget=budget, entropy=name)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print(
                f"{name:<12} at the overhead of {title:<14} ({budget / sizes.mean():6.2%}): {theirs:>10.4f} -> "
                f"{best.leakage:>10.4f}, at least {best.bound:>10.4f}; {len(best.observables):>6,} sizes seen; "
                f"{cpu:5.1f} s of CPU, {wall:5.1f} s",
                flush=True,
            )
    against_every_start(sizes)


def against_every_start(sizes: np.ndarray, m: int = 2000) -> None:
    """One corner of the hull: blocks of starts ruled out, and every start tried in vectorised numpy."""
    from minleak._padding.bucket_value import BucketValue
    from minleak._padding.buckets import BucketSearch
    from minleak._padding.size_classes import as_size_classes

    print(f"\nOne price, {m:,} sizes, Shannon: blocks of starts against all of them in numpy. Values: the cost.")
    classes = as_size_classes(np.unique(sizes)[:: max(1, len(np.unique(sizes)) // m)][:m], None)
    search = BucketSearch.of(classes, BucketValue.of(classes, ml.Shannon()))
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
