"""Inheriting homes: today's homes for tomorrow's weights, mended where members are gone, re-made where that pays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Indices
from minleak._design.giants import Ground, Laid
from minleak._design.layouts.stable import on_rings
from minleak._design.rings import Arrangement, Homes


@dataclass(frozen=True)
class Inherited:
    """Homes and rings for new weights, and how many homes are as they were, mended, or taken apart."""

    laid: Laid
    kept: int
    mended: int
    remade: int


def inherited(old: Arrangement, ground: Ground, moved: Indices | None, rank: Callable[[Indices], Indices]) -> Inherited:
    """Keep the members of homes together; their weights, and the rings of what is left, follow from the new weights.

    `moved` is where each old secret now is (-1 for those gone; None if all are where they were), and `rank` gives an
    order of new secrets that does not depend on their rows. Every home loses its members that are gone or giants now,
    and its lightest where they keep too much of the others' weight away from home. Secrets without a home take the free
    places. What then is not full is sorted by its least weight and cut into new homes, so that those who were together
    mostly stay so. It depends on weights alone, which are public, and on nothing that was shown.

    Homes keep their numbers, by which giants find them; new ones take the numbers that become free.
    """
    from minleak._kernels import living

    u, weights = ground.u, ground.weights
    if len(ground.giants.members):
        weights = weights.copy()
        weights[ground.giants.members] = 0  # the loose are those with a weight
    rows, own, stay, leave, housed = living.settle(old.homes.members, moved, weights, u)
    homeless = _homeless(housed, moved, weights).astype(rows.dtype)
    if len(homeless) > 1:
        homeless = homeless[np.argsort(rank(homeless))]
    touched = np.flatnonzero((stay < u) | (leave > 0))
    broken = _Broken(rows[touched], stay[touched], leave[touched], homeless, weights, u)
    found = broken.mended()
    if (broken.leave > broken.too_many).any():  # who leaves for the others' sake must not do worse elsewhere
        staying = broken.with_all()
        found = min(staying.mended(), found, key=broken.cost)
    whole = len(rows) - len(touched) + int(np.count_nonzero(found.whole)) if u == old.u else 0
    full = int(np.count_nonzero(found.full))
    homes, own = np.ascontiguousarray(rows[:, :u]), np.ascontiguousarray(own[:, :u])
    again = found.homes[found.full]
    homes[touched[found.full]], own[touched[found.full]] = again, weights[again]
    free = touched[~found.full]
    homes, own = numbered(homes, free, found.made), numbered(own, free, weights[found.made])
    mended = len(rows) - len(touched) + full - whole
    return Inherited(_laid(homes, own, found.rest, weights, u), whole, mended, len(touched) - full)


def _homeless(housed: npt.NDArray[np.bool_], moved: Indices | None, weights: Indices) -> Indices:
    """The loose secrets that had no home in the old plan, or were not in it."""
    if moved is None:
        alone = np.flatnonzero(~housed)
        return alone[weights[alone] > 0]
    there = np.zeros(len(weights), dtype=bool)
    there[moved[moved >= 0]] = True
    alone = np.concatenate([np.flatnonzero(~there), moved[np.flatnonzero(~housed & (moved >= 0))]])
    return alone[weights[alone] > 0]


@dataclass(frozen=True)
class _Mended:
    """Broken homes, where they are `full` again (or `whole`, with all that they had), homes that were `made` of what
    was left, and the `rest` of these.
    """

    homes: Indices
    full: npt.NDArray[np.bool_]
    whole: npt.NDArray[np.bool_]
    made: Indices
    rest: Indices


@dataclass(frozen=True)
class _Broken:
    """Homes that are not as they were: in each row those who stay, then those who leave, heaviest first; and secrets
    that have no home.
    """

    rows: Indices
    stay: Indices
    leave: Indices
    homeless: Indices
    weights: Indices
    u: int

    @property
    def too_many(self) -> Indices:
        """How many of each home there is no place for."""
        return np.asarray(np.maximum(self.stay + self.leave - self.u, 0))

    def with_all(self) -> _Broken:
        """The same where nobody leaves who need not."""
        return _Broken(
            self.rows, self.stay + self.leave - self.too_many, self.too_many, self.homeless, self.weights, self.u
        )

    def mended(self) -> _Mended:
        """Homes filled up by single secrets, and new ones cut from what then is not full."""
        from minleak._kernels import living

        rows, stay, leave, weights, u = self.rows.copy(), self.stay.copy(), self.leave, self.weights, self.u
        alone, several = np.flatnonzero(leave == 1), np.flatnonzero(leave > 1)
        singles = np.concatenate([self.rows[alone, stay[alone]], self.homeless])
        singles = singles[np.argsort(-weights[singles], kind="stable")]
        gaps = np.flatnonzero((stay > 0) & (stay < u))
        gaps = gaps[np.argsort(-weights[rows[gaps, stay[gaps] - 1]], kind="stable")]
        taken = living.take_in(gaps, rows, stay, singles, weights, u)
        left = gaps[stay[gaps] < u]
        width = rows.shape[1]
        line = self._by_least(
            np.concatenate([self.rows.ravel(), singles[~taken]]),
            np.concatenate([left * width, several * width + self.stay[several], np.arange((~taken).sum()) + rows.size]),
            np.concatenate([stay[left], leave[several], np.ones((~taken).sum(), dtype=np.int64)]),
        )
        count = len(line) // u
        made, rest = line[: count * u].reshape(count, u).copy(), line[count * u :]
        full = stay == u
        rows = np.ascontiguousarray(rows[:, :u])
        living.sort_rows(np.flatnonzero(full), rows, weights)
        living.sort_rows(np.arange(count), made, weights)
        return _Mended(rows, full, full & (self.stay == u) & (leave == 0), made, rest)

    def _by_least(self, pool: Indices, begins: Indices, counts: Indices) -> Indices:
        """Parts of a pool, heaviest first in each, one after the other by their least weights, the heaviest first."""
        order = np.argsort(-self.weights[pool[begins + counts - 1]], kind="stable")
        begins, counts = begins[order], counts[order]
        before = np.cumsum(counts) - counts
        return np.asarray(pool[np.repeat(begins - before, counts) + np.arange(int(counts.sum()))])

    def cost(self, made: _Mended) -> float:
        """What the attacker gets of these secrets, who intersects old and new sets: the weight of a home once for each
        group in it that shared a home before, and `AWAY` of the weight that is on rings.
        """
        from minleak._kernels import living

        origin = np.full(len(self.weights), -1, dtype=np.int64)
        row, column = np.nonzero(self.rows >= 0)
        origin[self.rows[row, column]] = row
        homes = np.concatenate([made.homes[made.full], made.made])
        came = np.sort(origin[homes], axis=1)
        parts = np.count_nonzero(came[:, 1:] != came[:, :-1], axis=1) + (came[:, 0] >= 0)
        own = self.weights[homes].astype(np.float64)
        least = own[:, -1]
        away = own.sum() - self.u * least.sum() + float(self.weights[made.rest].sum())
        return float(living.AWAY * away + (least * parts).sum())


def numbered(rows: Indices, free: Indices, made: Indices) -> Indices:
    """Rows with new ones in the places of those that are free. Where fewer are made, the last rows move into the gaps,
    so that most keep their numbers.
    """
    if len(made) >= len(free):
        rows[free] = made[: len(free)]
        return np.concatenate([rows, made[len(free) :]]) if len(made) > len(free) else rows
    count = len(rows) - len(free) + len(made)
    gaps = free[free < count]
    beyond = np.setdiff1d(np.arange(count, len(rows)), free)
    rows[gaps] = np.concatenate([made, rows[beyond]])
    return rows[:count]


def _laid(homes: Indices, own: Indices, rest: Indices, weights: Indices, u: int) -> Laid:
    """The homes, whose members have their `own` weights, at those of the lightest, and a ring of what is left.

    They are laid heaviest first, as a design lays them: those that gave their weight back before then do so again, and
    what was left of whom stays about where it was on the ring.
    """
    heaviest = np.argsort(-own[:, -1], kind="stable")
    line = np.concatenate([homes[heaviest].ravel(), rest])
    found, rings = on_rings(np.concatenate([own[heaviest].ravel(), weights[rest]]), line, u)
    level = np.empty_like(found)
    level[heaviest] = found
    gone = np.flatnonzero(level == 0)  # these gave all their weight back
    if len(gone):
        homes, level = numbered(homes, gone, homes[:0]), numbered(level, gone, level[:0])
    return Laid(Homes(homes, level), rings)
