"""The mixture of bases of a matroid that is as even as possible over some weights: the optimal channel.

Minimise the sum over e of x_e^2 / w_e over the base polytope {x : x(A) <= r(A), x(E) = r(E)}. The minimiser is the
lexicographically optimal base of weights w (Fujishige 1980): w_e / x_e takes the densities of the principal partition,
the largest on the first block. Wolfe's algorithm (1976) finds it as a mixture of at most n bases, by greedy bases
alone. It runs in floats first, and the bases that it suggests are proved in Fractions; where the proof fails, it runs
in Fractions.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np

from minleak.errors import SolverFailed
from minleak.lab import _exact
from minleak.lab._matroids.oracles import Matroid, Some

# What counts as zero in floats, a step between two densities, the most bases that are looked at for each secret, and
# from how many bases floats begin.
_ZERO, _STEP, _ROUNDS, _STARTS = 1e-13, 1e-7, 20, 8

Mixture = list[tuple[Some, Fraction]]


def mix_bases(matroid: Matroid, weights: dict[int, Fraction]) -> tuple[list[Some], Mixture]:
    """The blocks of the principal partition of the secrets that have weights, all positive, and a mixture of bases that
    has x_e = w_e / density of e's block, exactly.
    """
    rng, order = random.Random(0), sorted(weights, key=lambda e: -weights[e])
    for _ in range(_STARTS):  # a mixture may have shares that are too small for floats; another one need not
        points, shares = _nearest(matroid, weights, [matroid.base(order)], [1.0], exact=False)
        found = _prove(matroid, weights, _levels(points, shares, weights, _STEP), points)
        if found is not None:
            return found
        rng.shuffle(order)
    points = _drop_dependent(points, weights)
    points, shares = _nearest(matroid, weights, points, [Fraction(1, len(points))] * len(points), exact=True)
    found = _prove(matroid, weights, _levels(points, shares, weights, 0), points)
    if found is None:
        raise SolverFailed(f"no mixture of bases of {len(weights)} secrets was proved: is the oracle a matroid's?")
    return found


def _drop_dependent(points: list[Some], weights: dict[int, Fraction]) -> list[Some]:
    """The bases that do not depend linearly on the ones before them."""
    kept: list[Some] = []
    for point in points:
        vectors = [[Fraction(e in one) for e in weights] for one in (*kept, point)]
        if _exact.rank(vectors) > len(kept):
            kept.append(point)
    return kept


def _nearest(
    matroid: Matroid, weights: dict[int, Fraction], points: list[Some], shares: list[Any], *, exact: bool
) -> tuple[list[Some], list[Any]]:
    """Wolfe's algorithm, started from a mixture of bases: the bases of the point of least norm, and their shares."""
    zero = 0 if exact else _ZERO
    scale = sum(weights.values()) / len(weights)
    inverse = {e: scale / w if exact else float(scale / w) for e, w in weights.items()}
    for _ in range(_ROUNDS * len(weights)):
        points, shares = _settle(points, shares, inverse, zero)
        slope = {e: inverse[e] * x for e, x in _point(points, shares, weights).items()}
        best = matroid.base(sorted(weights, key=lambda e: slope[e]))
        norm = sum(share * _along(slope, point) for share, point in zip(shares, points, strict=True))
        if best in points or _along(slope, best) >= norm - zero * max(1, norm):
            return points, shares
        points, shares = [*points, best], [*shares, 0 * shares[0]]
    if exact:
        raise SolverFailed("the search for a mixture of bases did not end: is the oracle a matroid's?")
    return points, shares  # floats go round in circles near the end


def _settle(
    points: list[Some], shares: list[Any], inverse: dict[int, Any], zero: float
) -> tuple[list[Some], list[Any]]:
    """The point of least norm in the affine hull of the bases, without those whose share would be negative."""
    while True:
        goal = _affine(points, inverse, exact=zero == 0)
        if all(part > zero for part in goal):
            return points, goal
        pairs = list(zip(shares, goal, strict=True))
        step = min(old / (old - new) for old, new in pairs if new <= zero)
        shares = [old + step * (new - old) for old, new in pairs]
        kept = [j for j, share in enumerate(shares) if share > zero]
        points, shares = [points[j] for j in kept], [shares[j] for j in kept]


def _point(points: list[Some], shares: list[Any], weights: dict[int, Fraction]) -> dict[int, Any]:
    return {e: sum(share for share, point in zip(shares, points, strict=True) if e in point) for e in weights}


def _along(slope: dict[int, Any], point: Some) -> Any:
    return sum(slope[e] for e in point)


def _affine(points: list[Some], inverse: dict[int, Any], exact: bool) -> list[Any]:
    """The shares, of any sign, of the point of least norm among all affine combinations."""
    products = [[sum(inverse[e] for e in one & other) for other in points] for one in points]
    if exact:
        solved = _exact.solve(products, [[Fraction(1)]] * len(points))
        if solved is None:
            raise SolverFailed("bases of a mixture depend on each other: is the oracle a matroid's?")
        return list((solved[:, 0] / solved.sum()).tolist())
    found = np.linalg.lstsq(np.array(products, dtype=float), np.ones(len(points)), rcond=None)[0]
    return list((found / found.sum()).tolist())


def _levels(points: list[Some], shares: list[Any], weights: dict[int, Fraction], step: float) -> list[Some]:
    """The secrets in blocks of equal density w / x, up to a relative step, the densest first."""
    x = _point(points, shares, weights)
    thinness = {e: x[e] / weights[e] if step == 0 else float(x[e]) / float(weights[e]) for e in weights}
    blocks: list[list[int]] = []
    last: Any = None
    for e in sorted(weights, key=lambda e: thinness[e]):
        if last is None or thinness[e] > last * (1 + step):
            blocks.append([])
        blocks[-1].append(e)
        last = thinness[e]
    return [frozenset(block) for block in blocks]


def _prove(
    matroid: Matroid, weights: dict[int, Fraction], blocks: list[Some], points: list[Some]
) -> tuple[list[Some], Mixture] | None:
    """The blocks and the mixture of these bases that is even within each block; None if there is no such mixture or the
    densities do not fall. Every base then meets every block in as many members as the rank grows there.
    """
    even: dict[int, Fraction] = {}
    covered: Some = frozenset()
    before, last = 0, Fraction(0)
    for block in blocks:
        covered |= block
        rank = matroid.rank(sorted(covered))
        if rank == before:
            return None
        density = sum((weights[e] for e in block), Fraction(0)) / (rank - before)
        if before and density >= last:
            return None
        even |= {e: weights[e] / density for e in block}
        before, last = rank, density
    members = [[Fraction(e in point) for point in points] for e in weights]
    shares = _exact.solve_uniquely(members, [even[e] for e in weights])
    if shares is None or min(shares) < 0:
        return None
    return blocks, [(point, share) for point, share in zip(points, shares, strict=True) if share]
