"""Inheriting homes: today's homes for tomorrow's weights, mended where members are gone, re-made where that pays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak._design.giants import Ground, Laid
from minleak._design.layouts.stable import on_rings
from minleak._design.rings import Arrangement, Homes

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Inherited:
    """Homes and rings for new weights, and how many homes are as they were, mended, or taken apart."""

    laid: Laid
    kept: int
    mended: int
    remade: int


def inherited(old: Arrangement, ground: Ground, moved: Indices, rank: Callable[[Indices], Indices]) -> Inherited:
    """Keep the members of homes together; their weights, and the rings of what is left, follow from the new weights.

    `moved` is where each old secret now is (-1 for those gone), and `rank` gives an order of new secrets that does not
    depend on their rows. Every home loses its members that are gone or giants now, and its lightest where they keep too
    much of the others' weight away from home. Secrets without a home take the free places. What then is not full is
    sorted by its least weight and cut into new homes, so that those who were together mostly stay so. It depends on
    weights alone, which are public, and on nothing that was shown.

    Homes keep their numbers, by which giants find them; new ones take the numbers that become free.
    """
    from minleak._kernels import living

    u, weights = ground.u, ground.weights.copy()
    weights[ground.giants.members] = 0  # the loose are those with a weight
    rows, stay, leave, housed = living.settle(old.homes.members, moved, weights, u)
    kept = int(np.count_nonzero((stay == u) & (leave == 0))) if u == old.u else 0
    whole = stay == u
    alone = np.flatnonzero(leave == 1)
    singles = np.concatenate([np.flatnonzero(~housed & (weights > 0)), rows[alone, stay[alone]]])
    singles = singles[np.lexsort((rank(singles), -weights[singles]))]
    open_homes = np.flatnonzero((stay > 0) & ~whole)
    open_homes = open_homes[np.argsort(-weights[rows[open_homes, stay[open_homes] - 1]], kind="stable")]
    taken = living.take_in(open_homes, rows, stay, singles, weights, u)
    mended = int(np.count_nonzero(stay == u)) - kept
    line = _parts(rows, stay, leave, u, singles[~taken], weights)
    count = len(line) // u
    made, rest = line[: count * u].reshape(count, u), line[count * u :]
    free = np.flatnonzero(stay < u)
    homes, changed = _numbered(rows[:, :u], free, made)
    living.sort_rows(np.concatenate([open_homes[stay[open_homes] == u], changed]), homes, weights)
    return Inherited(_laid(homes, rest, weights, u), kept, mended, len(rows) - kept - mended)


def _parts(rows: Indices, stay: Indices, leave: Indices, u: int, singles: Indices, weights: Indices) -> Indices:
    """The members of all that is no full home, one part after the other by least weight, heaviest first: homes with
    free places, those who left one together, and single secrets.
    """
    width = rows.shape[1]
    open_homes, left = np.flatnonzero((stay > 0) & (stay < u)), np.flatnonzero(leave > 1)
    pool = np.concatenate([rows.ravel(), singles]) if len(open_homes) or len(left) else singles
    alone = np.arange(len(pool) - len(singles), len(pool))
    begins = np.concatenate([open_homes * width, left * width + stay[left], alone])
    counts = np.concatenate([stay[open_homes], leave[left], np.ones(len(singles), dtype=np.int64)])
    order = np.argsort(-weights[pool[begins + counts - 1]], kind="stable")
    begins, counts = begins[order], counts[order]
    before = np.cumsum(counts) - counts
    return np.asarray(pool[np.repeat(begins - before, counts) + np.arange(int(counts.sum()))])


def _numbered(rows: Indices, free: Indices, made: Indices) -> tuple[Indices, Indices]:
    """Homes with the new ones in the places of those that are no more, and which these are. Where more ended than were
    made, the last ones move into the gaps.
    """
    count = len(rows) - len(free) + len(made)
    homes = rows[:count].copy() if count <= len(rows) else np.concatenate([rows, made[len(free) :]])
    within = free[free < count]
    fill = made[: len(within)]
    beyond = np.setdiff1d(np.arange(count, len(rows)), free)
    homes[within[: len(fill)]] = fill
    homes[within[len(fill) :]] = rows[beyond]
    return homes, np.concatenate([within, np.arange(len(rows), count)])


def _laid(homes: Indices, rest: Indices, weights: Indices, u: int) -> Laid:
    """The homes at the weights of their lightest members, and a ring of what is left, heaviest homes first."""
    order = np.argsort(-weights[homes[:, -1]], kind="stable")
    line = np.concatenate([homes[order].ravel(), rest])
    at_home, rings = on_rings(weights[line], line, u)
    numbered = np.empty_like(at_home)
    numbered[order] = at_home
    if not numbered.all():  # some gave all their weight back
        homes, _ = _numbered(homes, np.flatnonzero(numbered == 0), homes[:0])
        numbered = _numbered(numbered[:, None], np.flatnonzero(numbered == 0), numbered[:0, None])[0][:, 0]
    return Laid(Homes(homes, numbered), rings)
