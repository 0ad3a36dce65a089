"""The theorem for every matroid: pi against linear programmes over all channels, on 500 random matroids."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from minleak import lab

SEEDS = range(500)


def main() -> None:
    """Print, by family, how many matroids were tried, how many were wrong, and the largest difference in floats."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.lab.matroids.families import FAMILIES, least_top, partition_by_subsets, random_matroid, random_weights

    print("pi against all subsets, exactly, and against linear programmes over all channels, by number of guesses")
    wrong = dict.fromkeys(FAMILIES, 0)
    tried, programmes, largest = dict.fromkeys(FAMILIES, 0), 0, 0.0
    for seed in SEEDS:
        family = FAMILIES[seed % len(FAMILIES)]
        rng = random.Random(f"benchmark {seed}")
        n = rng.randint(2, 7)
        matroid, weights = random_matroid(family, n, rng), random_weights(n, rng)
        pi = lab.matroid_optimum(weights, matroid).target
        off = [
            abs(least_top(weights, matroid, guesses) - float(sum(pi[:guesses]))) for guesses in range(1, len(pi) + 1)
        ]
        tried[family] += 1
        programmes += len(off)
        largest = max(largest, *off)
        wrong[family] += list(pi) != partition_by_subsets(weights, matroid) or max(off) > 1e-8
    for family in FAMILIES:
        print(f"  {family:<12} {tried[family]:>4} matroids, {wrong[family]} wrong")
    print(f"  {programmes} linear programmes, largest difference {largest:.1e}")
    rng = random.Random(7)
    for n in (20, 40, 60):
        matroid = lab.Matroid.partition([rng.randrange(n // 5) for _ in range(n)], at_most=2)
        weights = [rng.randint(1, 10**6) for _ in range(n)]
        begin = time.perf_counter()
        found = lab.matroid_optimum(weights, matroid)
        seconds = time.perf_counter() - begin
        print(f"  n = {n}: {seconds:.2f} s, {len(found.bases)} sets, proved in Fractions")
