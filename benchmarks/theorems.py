"""The new theorems against enumeration, linear and convex programs, in Fractions where they are exact."""

from __future__ import annotations

import itertools
import math
import random
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

import minleak as ml
from minleak import lab

DATA = Path(__file__).parents[1] / "examples" / "data"


def main() -> None:
    """Print, theorem by theorem, what was tried, how many were wrong, and the largest difference in floats."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    for part in (pairs, other_channels, many_pairs, scope, programmes, capacities, pointwise, blocks, unknown):
        begin = time.perf_counter()
        part()
        print(f"  {time.perf_counter() - begin:.1f} s\n")


def pairs() -> None:
    """theta against all subsets; the certificate; the value against programmes over all channels."""
    from tests.oracles.pairs import (
        KINDS,
        WEIGHTS,
        largest_core,
        random_core,
        random_graph,
        random_weights,
        theta_by_subsets,
    )

    print("pairs: theta against all subsets in Fractions, the channel, and linear programs with random concave F")
    graphs = wrong = programs = 0
    largest = 0.0
    for seed in range(600):
        rng = random.Random(f"benchmark {seed}")
        of = WEIGHTS[seed % len(WEIGHTS)]
        n, edges = random_graph(rng.choice(KINDS), rng)
        weights = random_weights(of, n, rng)
        found = lab.pairs(weights, edges)
        theta = theta_by_subsets(weights, edges)
        graphs += 1
        certified = of == "large" or lab.certify_pairs(found.plan(), weights, edges).ok
        wrong += not certified or found.theta != theta
        if of != "large":
            for _ in range(2):
                core, pieces = random_core(rng)
                alone = {x for x, t in theta.items() if t == 1}
                value = sum(
                    weights[x] * (core(1.0, 0.0) if x in alone else core(float(t), float(1 - t)))
                    for x, t in theta.items()
                )
                best = largest_core(weights, edges, pieces)
                largest = max(largest, abs(value - best) / max(1, abs(best)))
                programs += 1
    print(f"  {graphs} graphs, {wrong} wrong; {programs} programs, largest relative difference {largest:.1e}")


def other_channels() -> None:
    """Random channels of pairs: accepted if and only if they are optimal in Shannon's entropy."""
    tried = accepted = wrong = 0
    for seed in range(300):
        rng = random.Random(seed)
        n = rng.randint(3, 7)
        edges = [edge for edge in itertools.combinations(range(n), 2) if rng.random() < 0.5]
        weights = [rng.randint(1, 9) for _ in range(n)]
        sets = [(x,) for x in range(n)] + edges
        matrix = np.full((n, len(sets)), Fraction(0), dtype=object)
        for x in range(n):
            shares = [rng.randint(0, 4) * (x in some) for some in sets]
            shares[x] += not any(shares)
            matrix[x] = [Fraction(share, sum(shares)) for share in shares]
        gap = ml.leakage(weights, matrix, "shannon") - lab.pairs(weights, edges).leakage("shannon")
        ok = lab.certify_pairs(matrix, weights, edges).ok
        tried, accepted, wrong = tried + 1, accepted + ok, wrong + (ok != (gap < 1e-9))
    print(f"random other channels: {tried}, {accepted} accepted, {wrong} wrongly")


def many_pairs() -> None:
    """Seconds of the processor for many secrets."""
    lab.pairs([1, 1], [(0, 1)])  # what is loaded once
    print(
        "pairs of many secrets: weights of a power law up to 10^9, random edges; in integers, seconds of the processor"
    )
    rng = np.random.default_rng(0)
    for n, m in ((1_000, 3_000), (1_000, 10_000), (10_000, 30_000), (10_000, 100_000)):
        edges = rng.integers(0, n, (m, 2))
        edges = edges[edges[:, 0] != edges[:, 1]]
        weights = np.minimum(1000 * (rng.pareto(0.7, n) + 1), 1e9).astype(np.int64)
        begin = time.process_time()
        found = lab.pairs(weights, edges)
        made = time.process_time() - begin
        begin = time.process_time()
        ok = lab.certify_pairs(found.plan(), weights, edges).ok
        seconds = time.process_time() - begin
        print(
            f"  n = {n:>6,}, {m:>7,} pairs: {len(found.classes):>5,} classes, {made:.2f} s; certified {ok}, "
            f"{seconds:.2f} s"
        )


def scope() -> None:
    """Every family on three to five secrets, by definition."""
    from tests.oracles.complexes import close, complexes, has_one_optimum

    print("scope: lab.invariance against the definition, on all families with all single secrets")
    for n in (3, 4, 5):
        tried = good = wrong = 0
        for family in complexes(n):
            found = lab.invariance([some for some in family if some])
            tried, good = tried + 1, good + found.ok
            wrong += found.ok != has_one_optimum(family)
            if not found.ok:
                always = frozenset(found.witness.always)
                four = set(found.witness.prior) - always
                inside = {some - always for some in family if always <= some and some - always <= four}
                wrong += inside != close(found.witness.sets)
        print(f"  {n} secrets: {tried:,} families, {good:,} have one optimum for all, {wrong} wrong")


def programmes() -> None:
    """Witnesses of random families, by convex programs over all channels."""
    from tests.oracles.complexes import close, gap

    rng, gaps = random.Random(5), {}
    while sum(map(len, gaps.values())) < 60:
        n = rng.choice([4, 5, 6])
        size = min(rng.choice([3, 4]), n - 1)
        if rng.random() < 0.5:
            facets = [rng.sample(range(n), rng.randint(2, min(4, n))) for _ in range(rng.randint(2, 6))]
        else:
            facets = [some for some in itertools.combinations(range(n), size) if rng.random() < 0.93]
        found = lab.invariance(facets) if facets else None
        if found is not None and not found.ok:
            witness = found.witness
            gaps.setdefault(len(witness.always), []).append(gap(close(facets), witness.always, witness.prior))
    told = "; ".join(
        f"{len(some)} with {giants} giants, least gap {min(some):.3f}" for giants, some in sorted(gaps.items())
    )
    print(f"witnesses of 60 random families, convex programs, of a total weight of 10: {told}")


def capacities() -> None:
    """The least capacity of random families, at eight orders."""
    from tests.oracles.covers import ORDERS, cover_number, random_channel, random_family, sibson

    attained, above, below, exact, off = 0.0, -math.inf, math.inf, 0, 0.0
    for seed in range(120):
        n, sets = random_family(random.Random(f"benchmark {seed}"))
        found, rng = lab.least_capacity(n, allowed=sets), np.random.default_rng(seed)
        exact += found.certificate().ok
        off = max(off, abs(float(found.factor) - cover_number(n, sets)))
        matrix = found.channel().toarray()
        worst = np.array([float(y / found.factor) for y in found.dual.values()])
        for order in ORDERS:
            attained = max(attained, abs(sibson(worst, matrix, order) - found.capacity))
            for _ in range(5):
                above = max(above, sibson(rng.dirichlet(np.full(n, 0.5)), matrix, order) - found.capacity)
                below = min(below, sibson(worst, random_channel(sets, n, rng), order) - found.capacity)
    print(
        f"capacity: 120 random families, {exact} certified in Fractions, chi off a second program by {off:.1e}\n"
        f"  8 orders from {ORDERS[0]} to inf: attained to {attained:.1e}, other priors above by at most "
        f"{max(above, 0):.1e}, 4,800 random channels below by at most {max(-below, 0):.1e}"
    )


def pointwise() -> None:
    """The bound of every observable, in Fractions, and what optimal plans tell about the rarest."""
    wrong, most = 0, 0.0
    for seed in range(300):
        rng = random.Random(seed)
        n = rng.randint(3, 25)
        k = rng.randint(2, n - 1)
        kinds = [
            lambda r=rng: r.randint(1, 5),
            lambda r=rng: r.randint(1, 1000),
            lambda r=rng: int(r.paretovariate(0.5)) + 1,
        ]
        weights = [rng.choice(kinds)() for _ in range(n)]
        channel, total = lab.pml_channel(weights, k), sum(weights)
        ratios = [
            max(column) * total / sum(w * c for w, c in zip(weights, column, strict=True))
            for column in channel.exact.T.tolist()
        ]
        wrong += max(ratios) > Fraction(n, k - 1) or not all(sum(row) == 1 for row in channel.exact.tolist())
        wrong += max(map(len, channel.outputs)) > k or channel.shape[1] > n
        most = max(most, channel.shape[1] / n)
    print(f"pointwise maximal leakage: 300 priors in Fractions, {wrong} wrong; observables at most {most:.2f} n")
    for name in ("npm_downloads", "words", "cities"):
        counts = ml.read_prior(DATA / f"{name}.csv")
        weights, k = sorted(counts.weights.tolist(), reverse=True)[:200], 8
        plan, cube = ml.design(weights, k), lab.pml_channel(weights, k)
        worst = lab.pointwise_maximal_leakage(weights, plan.channel()).largest
        bounded = lab.pointwise_maximal_leakage(weights, cube).largest
        print(
            f"  200 most frequent of {name}, k = 8: optimal plan success {plan.success:.3f}, worst {worst:.2f} bits; "
            f"cube {lab.posterior_vulnerability(weights, cube):.3f}, {bounded:.2f} bits; none below "
            f"{math.log2(200 / 8):.2f}"
        )


def blocks() -> None:
    """Sorted blocks against two blocks of any kind, and against all partitions."""
    rng, worst, tried = np.random.default_rng(0), 0.0, 0
    for _ in range(40_000):
        k = int(rng.integers(1, 30))
        a = float(1 + rng.exponential(2))
        low, high = 1 / a, min(1.0, 1 / (a - 1))
        c = float(rng.choice([low, high, rng.uniform(low, high)]))
        v = np.sort(rng.choice([rng.pareto(1.0, 2 * k), rng.random(2 * k), rng.integers(0, 4, 2 * k)]))[::-1].astype(
            float
        )
        if not v.any():
            continue
        split = rng.permutation(2 * k)
        mixed = value(v[split[:k]], a, c) + value(v[split[k:]], a, c)
        cut = value(v[:k], a, c) + value(v[k:], a, c)
        worst, tried = max(worst, (cut - mixed) / mixed), tried + 1
    print(f"blocks: {tried:,} pairs of blocks, sorting raises the sum by at most {max(worst, 0):.1e}, relatively")
    worst = 0.0
    for seed in range(300):
        draw = random.Random(seed)
        n, k = draw.randint(2, 7), draw.randint(1, 4)
        weights = sorted((draw.choice([draw.randint(1, 5), draw.paretovariate(1)]) for _ in range(n)), reverse=True)
        a = 1 + draw.expovariate(0.5)
        c = draw.choice([1 / a, min(1.0, 1 / (a - 1))])
        best = min(sum(value(np.array(part), a, c) for part in parts) for parts in partitions(weights, k))
        cut = sum(value(np.array(weights[i : i + k]), a, c) for i in range(0, n, k))
        worst = max(worst, (cut - best) / best)
    print(f"  300 priors against all partitions: above the least by at most {max(worst, 0):.1e}, relatively")


def value(v: np.ndarray, a: float, c: float) -> float:
    """(sum of v^a)^c (sum of v)^(1 - a c), 0 for a block of zeros."""
    total = v.sum()
    return float((v**a).sum() ** c * total ** (1 - a * c)) if total else 0.0


def partitions(items: list[float], k: int):
    """All partitions into blocks of at most k."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:], k):
        yield [[items[0]], *rest]
        for i, block in enumerate(rest):
            if len(block) < k:
                yield [*rest[:i], [items[0], *block], *rest[i + 1 :]]


def unknown() -> None:
    """What knowing the prior is worth."""
    print("unknown popularity: one guess is right that sees a set; secrets arrive in a random order")
    for name, k in (("npm_downloads", 12), ("cities", 8), ("words", 8)):
        counts = ml.read_prior(DATA / f"{name}.csv")
        weights = counts.weights.tolist()
        (uniform,) = (one for one in lab.baselines(counts, k) if one.name == "uniform randomisation")
        random.Random(0).shuffle(weights)
        online = lab.online_buckets(weights, k)
        sorted_blocks = ml.design(counts, k, layout="blocks").success
        print(
            f"  {name}, k = {k}: nothing known {1 - uniform.entropy('guess-error:1').value:.3f}, weights on arrival "
            f"{online.success:.3f} (bound {online.bound:.3f}), blocks {sorted_blocks:.3f}, "
            f"plan {ml.design(counts, k).success:.3f}"
        )
