"""A cap k on the number of secrets that may show an observable, together with costs or privacy.

An observable becomes a pair (y, S) with the set S of at most k secrets that may show it; without costs only the set.
One observable for each pair is enough, since two with the same y and sets within S can be merged and then tell less. So
the cap is a matter of allowed pairs, and the problem stays convex. Under privacy a set is a union of classes of secrets
at finite distances, and there are far fewer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._labels import Labels
from minleak.core._parameters import whole
from minleak.errors import Infeasible, InvalidParameter

# The most pairs of a secret and an observable.
_MOST = 60_000


def with_cap(
    k: Any,
    labels: Labels,
    *,
    allowed: npt.NDArray[np.bool_] | None,
    cost: Array | None,
    outputs: Labels | None,
    classes: npt.NDArray[np.intp],
) -> tuple[npt.NDArray[np.bool_], Array | None, list[Any]]:
    """Allowed pairs, costs and labels for the observables (y, S), S a largest set of at most k secrets that holds all
    of a class or none.
    """
    n = len(labels)
    cap = min(whole(k, "k", 1), n)
    groups = [np.flatnonzero(classes == number) for number in range(int(classes.max()) + 1)]
    largest = max(groups, key=len)
    if len(largest) > cap:
        raise Infeasible(
            f"d_privacy ties {len(largest)} secrets together at finite distances, and each observable comes from all "
            f"of them or none: more than k={cap}; raise k, or put infinity between secrets that may be told apart"
        )
    columns = next((matrix.shape[1] for matrix in (cost, allowed) if matrix is not None), 1)
    sets = []
    for members in _unions(groups, cap):
        sets.append(members)
        if len(sets) * columns * cap > _MOST:
            raise InvalidParameter(
                f"sets of up to {cap} of {n} secrets and {columns} observables make more than {_MOST:,} pairs: for a "
                "cap alone use design(prior, k), else fewer secrets or a smaller k"
            )
    within = np.zeros((n, len(sets)), dtype=bool)
    for number, members in enumerate(sets):
        within[members, number] = True
    open_to = np.repeat(within[:, None, :], columns, axis=1).reshape(n, -1)
    if allowed is not None:
        open_to &= np.repeat(allowed, len(sets), axis=1)
    used = np.asarray(open_to.any(axis=0))
    named = [tuple(labels[int(x)] for x in members) for members in sets]
    given = list(range(columns)) if outputs is None else list(outputs)
    both = named if allowed is None and cost is None else [(y, members) for y in given for members in named]
    return (
        open_to[:, used],
        None if cost is None else np.repeat(cost, len(sets), axis=1)[:, used],
        [name for name, kept in zip(both, used.tolist(), strict=True) if kept],
    )


def _unions(groups: list[npt.NDArray[np.intp]], cap: int) -> Iterator[npt.NDArray[np.intp]]:
    """The unions of groups with at most `cap` members to which no other group can be added."""
    sizes = [len(group) for group in groups]

    def grow(first: int, chosen: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
        for number in range(first, len(groups)):
            if size + sizes[number] <= cap:
                yield from grow(number + 1, (*chosen, number), size + sizes[number])
        left_out = (sizes[i] for i in range(len(groups)) if i not in chosen)
        if chosen and size + min(left_out, default=cap + 1) > cap:
            yield chosen

    for chosen in grow(0, (), 0):
        yield np.sort(np.concatenate([groups[number] for number in chosen]))
