"""Light and quick: what users wait for, in seconds of the processor, before (as stated, on the commit and the idle
machine it was measured on) and now, with the value.

python -m benchmarks light
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import minleak as ml

DATA = Path(__file__).parents[1] / "examples" / "data"


def main() -> None:
    print(f"\n{'what':<46} {'before':>8} {'now':>8}  value")
    for what, before, make in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            work = make(Path(folder))
            start = time.process_time()
            value = work()
        print(f"{what:<46} {before:>6.2f} s {time.process_time() - start:>6.2f} s  {value}", flush=True)


def package_sizes(n: int) -> np.ndarray:
    """Sizes around those of the bundled packages."""
    extract = ml.read_prior(DATA / "package_sizes.csv", weight="size").weights
    rng = np.random.default_rng(0)
    return np.round(rng.choice(extract, n) * rng.lognormal(0, 0.1, n)).astype(np.int64)


def compare_paddings(n: int) -> Callable[[], Any]:
    """Every policy beside the best buckets, three entropies: the mean leak of the buckets."""
    sizes = package_sizes(n)
    ml.padding.compare(sizes[:50])  # compiled before the clock starts

    def work() -> str:
        rivals = [rival for rival in ml.padding.compare(sizes).rivals if not rival.policy.name.startswith("random")]
        return f"{np.mean([best.leakage for rival in rivals for best in rival.best]):.6f} bits on average"

    return work


def design_padding(n: int, name: str) -> Callable[[], Any]:
    """10% in all: the leak and its bound."""
    sizes = np.unique(package_sizes(4 * n))
    sizes = np.sort(np.random.default_rng(0).permutation(sizes)[:n])
    ml.padding.design(sizes[:200], overhead=0.1, entropy=name)

    def work() -> str:
        best = ml.padding.design(sizes, overhead=0.1, entropy=name)
        return f"{len(sizes):,} sizes, leak {best.leakage:.12f}, bound {best.bound:.12f}"

    return work


def sweep_population(n: int) -> Callable[[], Any]:
    """Every k up to 100 in the true population."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(20 * n, (p := 1 / np.arange(1, n + 1)) / p.sum())
    prior = ml.Prior(counts[counts > 0])
    ml.sweep(prior, ks=[2])

    def work() -> str:
        table = ml.sweep(prior)
        return f"{len(prior):,} secrets, {float(table.success.sum())!r}"

    return work


def read_access_log(path: Path, lines: int) -> Callable[[], Any]:
    """The paths of an access log; what reads it is loaded before the clock starts."""
    rng = np.random.default_rng(0)
    at = rng.zipf(1.3, lines) % 40_000
    form = '10.0.{}.{} - - [18/Nov/2026:04:{:02}:{:02} +0000] "GET /page/{} HTTP/1.1" 200 {} "-" "curl/8.5.0"\n'
    some = rng.integers(0, 60, (lines, 4)).tolist()
    with open(path, "w") as file:
        file.writelines(form.format(*a, page, 100 + page) for a, page in zip(some, at.tolist(), strict=True))

    ml.read_prior(io.BytesIO(path.read_bytes()[:10_000].rpartition(b"\n")[0]), format="combined", field="path")

    def work() -> str:
        prior = ml.read_prior(path, field="path")
        return f"{len(prior):,} paths, {prior.total:,} lines, {path.stat().st_size / 1e6:.0f} MB"

    return work


#: What is measured, the seconds that it took before, and a function from a folder to the work.
ROWS: list[tuple[str, float, Callable[[Path], Callable[[], Any]]]] = [
    ("padding.compare, 1,000 sizes", 25.0, lambda _: compare_paddings(1000)),
    ("padding.design, 1,000 sizes, Shannon", 0.7, lambda _: design_padding(1000, "shannon")),
    ("padding.design, 89,976 sizes, Shannon", 44.6, lambda _: design_padding(89_976, "shannon")),
    ("sweep in the true population, 10^5 secrets", 4.0, lambda _: sweep_population(100_000)),
    ("read_prior of an access log, 10^6 lines", 1.77, lambda folder: read_access_log(folder / "a.log", 1_000_000)),
]

if __name__ == "__main__":
    main()
