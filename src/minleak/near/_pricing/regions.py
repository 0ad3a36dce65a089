"""Regions: a plan of many secrets made cheaper piece by piece, every piece solved by column generation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._plan.distances import Distances
from minleak.core._progress import await_result
from minleak.errors import SolverFailed
from minleak.near._pricing.caps import Caps
from minleak.near._pricing.generation import generate, star_costs
from minleak.near._pricing.peeling import Sets, join_sets
from minleak.near._pricing.rounding import round_down

# Secrets in a region at most, and the relative gap it is solved to, if the rounds suffice.
_SECRETS = 120
_GAP = 1e-2
# Landmarks that stand for places where there are none.
_LANDMARKS = 8
# Sets looked at in one go.
_CHUNK = 4096


@dataclass(frozen=True)
class CostedSets:
    """Sets with their centres and costs c(M)."""

    sets: Sets
    centres: Indices
    costs: Array

    @property
    def total(self) -> float:
        """The sum of length times cost."""
        return float(self.sets.lengths @ self.costs)

    def part(self, some: Indices) -> CostedSets:
        """Some of the sets."""
        return CostedSets(Sets(self.sets.members[some], self.sets.lengths[some]), self.centres[some], self.costs[some])


def add_costs(sets: Sets, distances: Distances) -> CostedSets:
    """Sets with the best centre among their members': never less than c(M), at most twice as much for a metric."""
    count = len(sets.lengths)
    centres, costs = np.empty(count, dtype=np.int64), np.empty(count)
    for begin in range(0, count, _CHUNK):
        members = sets.members[begin : begin + _CHUNK]
        sums = distances.within(members).sum(axis=2)
        best = sums.argmin(axis=1)
        rows = np.arange(len(members))
        centres[begin : begin + _CHUNK] = distances.centres_of(members[rows, best])
        costs[begin : begin + _CHUNK] = sums[rows, best]
    return CostedSets(sets, centres, costs)


def cost_of_cells(cells: Iterable[tuple[Indices, Array]], distances: Distances) -> float:
    """The mean of c(M)/u over sets of which each has a share, with the best centre among their members'."""
    total = 0.0
    for sets, shares in cells:
        costs = add_costs(Sets(sets, np.ones(len(sets), dtype=np.int64)), distances).costs
        total += float(shares.astype(np.float64) @ costs) / sets.shape[1]
    return total


def improve(
    plan: CostedSets,
    caps: Caps,
    distances: Distances,
    *,
    passes: int = 1,
    rounds: int = 30,
    progress: Callable[[float, float, float], None] | None = None,
) -> CostedSets:
    """Take the sets of a region, which always are a valid plan of what they own, and put the cheapest in their place.

    The regions of a pass cut the sets (not the secrets: a heavy one is in many regions) into neighbours; the next
    pass cuts elsewhere. A region is solved by at most so many `rounds` of pricing. Cost never rises. Regions are
    solved in ordinary threads; the result does not depend on how many there are. `progress` gets the share that is
    done, the total cost as it is, and the relative gap of the regions solved in this pass, each to its own cheapest.
    """
    rng = np.random.default_rng(0)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 8)) as pool:
        for turn in range(passes):
            parts = [plan.part(region) for region in _regions(plan.sets.members, _places(plan, distances, rng), rng)]
            futures = [pool.submit(_solve_region, part, caps, distances, rounds) for part in parts]

            def report(share: float, total: float, gap: float, turn: int = turn) -> None:
                if progress is not None:
                    progress((turn + share) / passes, total, gap)

            try:
                plan = _collect_regions(parts, futures, report)
            finally:  # an error or an interrupt does not wait for regions that are not begun
                for future in futures:
                    future.cancel()
    return plan


def _collect_regions(
    parts: list[CostedSets], futures: list[Future[Any]], report: Callable[[float, float, float], None]
) -> CostedSets:
    """The plan of all regions as they are solved, one after the other."""
    solved: list[CostedSets] = []
    total, now, least = sum(part.total for part in parts), 0.0, 0.0

    def report_now() -> None:
        report(len(solved) / len(parts), total, (now - least) / now if now > 0 else 0.0)

    for before, future in zip(parts, futures, strict=True):
        part, bound = await_result(future, report_now)
        solved.append(part)
        total, now, least = total + part.total - before.total, now + part.total, least + bound
        report_now()
    return CostedSets(
        join_sets([part.sets for part in solved], parts[0].sets.members.shape[1]),
        np.concatenate([part.centres for part in solved]),
        np.concatenate([part.costs for part in solved]),
    )


def _places(plan: CostedSets, distances: Distances, rng: np.random.Generator) -> Array:
    """Where each set is: the point of its centre, or its distances to a few landmarks."""
    if distances.points.shape[1]:
        return distances.points[plan.centres]
    landmarks = rng.choice(distances.n_centres, min(_LANDMARKS, distances.n_centres), replace=False)
    return distances.between(landmarks, plan.sets.members[:, 0]).T


def _regions(members: Indices, places: Array, rng: np.random.Generator) -> Iterator[Indices]:
    """Cut along the widest of some random directions, not always in the middle, until regions have few secrets."""
    waiting = [np.arange(len(places))]
    while waiting:
        region = waiting.pop()
        if len(region) == 1 or len(np.unique(members[region])) <= _SECRETS:
            yield region
            continue
        here = places[region]
        directions = rng.standard_normal((places.shape[1], 4))
        directions /= np.linalg.norm(directions, axis=0)
        spread = here @ directions
        along = spread[:, int(spread.std(axis=0).argmax())]
        cut = round(len(region) * rng.uniform(0.4, 0.6))
        order = np.argpartition(along, cut)
        waiting += [region[order[:cut]], region[order[cut:]]]


def _solve_region(part: CostedSets, caps: Caps, distances: Distances, rounds: int) -> tuple[CostedSets, float]:
    """The cheapest sets that own what these own, or these where nothing cheaper comes out, and a bound on both."""
    u = part.sets.members.shape[1]
    secrets, flat = np.unique(part.sets.members, return_inverse=True)
    members = flat.reshape(-1, u)
    units = Sets(members, part.sets.lengths).units_owned(len(secrets))
    centres = np.unique(np.concatenate([distances.centres_of(secrets), part.centres]))
    between = distances.between(centres, secrets)
    own = caps.of(secrets, u)
    try:
        solution = generate(between, units.astype(np.float64), u, members, caps=own, gap=_GAP, rounds=rounds)
    except SolverFailed:
        return part, 0.0
    sets = round_down(solution.members, solution.values, units, caps=own, distances=distances, secrets=secrets)
    costs, at = star_costs(np.ascontiguousarray(between.T), sets.members)
    found = CostedSets(Sets(secrets[sets.members], sets.lengths), centres[at], costs)
    return (found if found.total < part.total else part), max(solution.bound, 0.0)
