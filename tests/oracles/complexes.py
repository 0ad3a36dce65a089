"""Families of sets closed under subsets: all on few secrets, matroids by exchange, and programmes over all channels."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

Some = frozenset[Any]


def close(facets: Iterable[Iterable[Any]]) -> set[Some]:
    """The sets with all their subsets, the empty one among them."""
    return {
        frozenset(some)
        for facet in facets
        for size in range(len(set(facet)) + 1)
        for some in itertools.combinations(sorted(set(facet)), size)
    }


def complexes(n: int) -> Iterator[set[Some]]:
    """Every family on n secrets that is closed under subsets and has all single secrets."""

    def grow(family: set[Some], size: int) -> Iterator[set[Some]]:
        possible = [
            frozenset(some)
            for some in itertools.combinations(range(n), size)
            if all(frozenset(some) - {x} in family for x in some)
        ]
        if not possible:
            yield family
            return
        for many in range(len(possible) + 1):
            for chosen in itertools.combinations(possible, many):
                yield from grow(family | set(chosen), size + 1)

    yield from grow(close([(x,) for x in range(n)]), 2)


def is_matroid(family: set[Some]) -> bool:
    """Whether a smaller set can always be extended from a larger one."""
    return all(
        any(small | {e} in family for e in large - small)
        for small in family
        for large in family
        if len(large) == len(small) + 1
    )


def components(family: set[Some]) -> list[Some]:
    """The secrets that chains of sets connect."""
    parts = [some for some in family if len(some) == 1]
    for pair in family:
        if len(pair) == 2:
            joined = [part for part in parts if part & pair]
            parts = [part for part in parts if not part & pair] + [frozenset().union(*joined)]
    return parts


def has_one_optimum(family: set[Some]) -> bool:
    """Condition (ii): every component is a matroid, or has sets of at most two."""
    for part in components(family):
        inside = {some for some in family if some <= part}
        if max(map(len, inside)) > 2 and not is_matroid(inside):
            return False
    return True


def gap(family: set[Some], always: Iterable[Any], prior: dict[Any, int]) -> float:
    """How much the sum of the two entropies of a witness, at its best, is below the sum of their optima, by convex
    programmes over all channels, for a prior of total weight 10.
    """
    import cvxpy as cp

    giants = list(always)
    total = sum(prior.values())
    p = {x: 10 * w / total for x, w in prior.items()}
    sets = [sorted(some) for some in family if some and some <= set(p)]
    columns = [cp.Variable(len(members), nonneg=True) for members in sets]
    whole = [
        sum(column[members.index(x)] for column, members in zip(columns, sets, strict=True) if x in members) == p[x]
        for x in p
    ]
    errors: Any = 0
    spread: Any = 0
    for column, members in zip(columns, sets, strict=True):
        for guesses in range(1, min(len(giants) + 2, len(members))):
            errors += cp.sum(column) - cp.sum_largest(column, guesses)
        left_out = itertools.combinations(range(len(members)), len(giants)) if len(members) > len(giants) + 1 else ()
        kept = [[i for i in range(len(members)) if i not in out] for out in left_out]
        values = [cp.sum(column[i]) - cp.quad_over_lin(column[i], cp.sum(column[i]) + 1e-11) for i in kept]
        if values:
            spread += cp.minimum(*values) if len(values) > 1 else values[0]

    def largest(objective: Any) -> float:
        programme = cp.Problem(cp.Maximize(objective), whole)
        programme.solve(solver="CLARABEL")
        return float(programme.value)

    return largest(errors) + largest(spread) - largest(errors + spread)
