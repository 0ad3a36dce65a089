"""Prefixes: what services that publish hash prefixes leak, beside blocks and the optimal plan of the same size; and how
long blocks take beside a design."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

import minleak as ml
from benchmarks.timing import interleaved, line
from benchmarks.world import packed

NPM = Path("examples/data/npm_downloads.csv")


def main() -> None:
    services()
    speed()


def services() -> None:
    """npm names by the first bits of SHA-256: the 3,000 most downloaded, and all of them."""
    counts = packed("download-counts@2.20260301.0", "package/counts.json")
    everyone = ml.Prior.from_counts({name: count for name, count in counts.items() if count})
    for what, prior, bits in (("3,000 npm names", ml.read_prior(NPM), 8), ("all npm names", everyone, 16)):
        digests = (hashlib.sha256(name.encode()).digest() for name in prior.labels)
        found = ml.compare(prior, [int.from_bytes(digest[:2], "big") >> (16 - bits) for digest in digests])
        print(f"\n{what}, the first {bits} bits of SHA-256. (Bars for 3,000: .296, .086, .083)\n{found}", flush=True)


def speed(n: int = 10_000_000, k: int = 10) -> None:
    print(f"\nBlocks at n = {n:,}, k = {k}, beside a stable design. Values: one guess, or whether it is certified.")
    weights = np.random.default_rng(0).zipf(1.4, n) % 10**6 + 1
    prior, new = ml.Prior(weights), n // 200
    blocks = ml.design(ml.Prior(weights, labels=pa.array(np.arange(n))), k, layout="blocks")
    later = np.roll(weights, -new)[::-1].copy()  # in another order, the first ones gone and as many new
    newer = ml.Prior(later, labels=pa.array(np.arange(n + new - 1, new - 1, -1)))
    buckets = np.arange(n) % (n // k)
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/blocks.cloak"
        blocks.save(file)
        timed = interleaved(
            {
                "design": lambda: ml.design(prior, k).success,
                "blocks": lambda: ml.design(prior, k, layout="blocks").success,
                "their leakage, shannon": lambda: blocks.leakage("shannon"),
                "their certificate": lambda: ml.certify(blocks, blocks.prior).ok,
                "their update, 0.5% new and gone": lambda: ml.update(blocks, newer).success,
                "compare": lambda: ml.compare(prior, buckets, entropies=["shannon"]).success,
                "open the file and draw": lambda: len(ml.Cloak(file).draw(n // 2)),
            },
            runs=2,
        )
    for name in list(timed)[1:]:
        line(name, timed[name], "design", timed["design"], slower=True)
