"""The permutation test of zero leakage over all events, which are counted in cells of several sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from minleak.core._arrays import Array, Indices
from minleak.samples._events import Events
from minleak.samples._permuting import MOST_CELLS, MOST_EVENTS, make_shuffler, rank_first

# The fewest events per cell, and the most halvings of all events, for one number, and for each of several and cuts.
_EACH, _LEVELS, _FEWER = 8, 12, 6
# With so many events per entry of a table, tables are drawn in place of orders; with so few, entries are sorted.
_DENSE = 4


class Cells(NamedTuple):
    """A partition of the observables: cell of[y] of `many` is that of observable y. Cells that came of `levels`
    halvings are numbered such that 2i and 2i + 1 are the halves of one. If `ordered`, they are cut in two as well.
    """

    of: Indices
    many: int
    levels: int = 0
    ordered: bool = False


def p_of_independence(
    events: Events, secret_of: Indices | None, *, permutations: int, rng: np.random.Generator
) -> float:
    """The p-value of zero leakage, from all events.

    If nothing leaks, all orders of the secrets are equally likely, given the observables. With B permutations
    p = (1 + the number of orders that score as well) / (1 + B), exactly, and no event is spent on training. The score
    is the largest of the likelihood ratios G = 2 sum O ln(O / E) of the tables of secret by cell, each as its cube root
    (nearly normal: Wilson and Hilferty) in its standard deviations over all B + 1 orders, so that many tables need no
    other correction. Cells depend on ranks alone: neither scale nor tail moves them.

    With blocks, secrets are permuted within their block; if each block has one secret (`secret_of`), whole blocks are.
    """
    n = len(events.secrets)
    each = np.bincount(events.y, weights=events.times, minlength=events.observables).astype(np.float64)
    cells, y, m = find_cells(events, each), events.y, events.observables
    crowded = events.total > MOST_EVENTS and n * m > MOST_CELLS and events.blocks is None
    if cells[-1].levels and (crowded or len(cells) == 1):  # numbers that are too many, or that do not repeat
        finest = cells[-1]
        y, m, cells = finest.of[y], finest.many, [finest._replace(of=np.arange(finest.many))]
    if events.blocks is None and n * m <= MOST_CELLS and events.total > _DENSE * n * m:
        return _by_tables(cells, events.x, y, events.times, (m, n), permutations, rng)
    kept = min(1.0, MOST_EVENTS / events.total)
    times = rng.binomial(events.times, kept) if kept < 1 else events.times
    x, index = np.repeat(events.x, times), np.repeat(np.arange(len(y)), times)
    of_events = [one._replace(of=one.of[y[index]]) for one in cells]
    again = make_shuffler(x, None if events.blocks is None else events.blocks[index], secret_of, rng)
    scored = _scorer(of_events, n, _margins(of_events, None), _tabulate_log(len(x)))
    return rank_first([scored(x, None), *(scored(again(), None) for _ in range(permutations))])


def find_cells(events: Events, each: Array) -> list[Cells]:
    """The partitions to count, of observables that occur `each` so often: by name where they repeat; by quantiles of
    each number; and for several numbers by halving them in turn.
    """
    named = Cells(np.arange(events.observables), events.observables)
    if events.points is None:
        return [named]
    points = np.empty((events.observables, events.points.shape[1]))
    points[events.y] = events.points
    most = min(events.total // _EACH, 2 * events.total // len(events.secrets))
    levels = max(1, min(_LEVELS, most.bit_length() - 1, events.observables.bit_length()))
    repeated = [named] if 2 * events.observables <= events.total else []
    if points.shape[1] == 1:
        return [*repeated, _quantiles(points[:, 0], each, levels)]
    columns = [_quantiles(column, each, min(levels, _FEWER)) for column in points.T]
    return [*repeated, *columns, _halve_in_turn(points, each, levels)]


def _quantiles(values: Array, each: Array, levels: int) -> Cells:
    """2**levels intervals with about equally many events; equal values are not parted."""
    middle = _ranks(np.zeros(len(values), dtype=np.int64), values, each)
    return Cells((middle * 2**levels).astype(np.int64), 2**levels, levels, ordered=True)


def _halve_in_turn(points: Array, each: Array, levels: int) -> Cells:
    """Cells halved at their median, by one column after the other."""
    cell = np.zeros(len(points), dtype=np.int64)
    for level in range(levels):
        cell = 2 * cell + (_ranks(cell, points[:, level % points.shape[1]], each) >= 0.5)
    return Cells(cell, 2**levels, levels)


def _ranks(cell: Indices, values: Array, each: Array) -> Array:
    """The middle rank of each value in its cell, from 0 to below 1."""
    order = np.lexsort((values, cell))
    sums = np.concatenate([[0.0], np.cumsum(each[order])])
    new = np.diff(cell[order], prepend=-1) != 0
    below, above = (sums[ends] for ends in _stretches(new))
    left, right = (sums[ends] for ends in _stretches(new | (np.diff(values[order], prepend=np.nan) != 0)))
    found = np.empty(len(order))
    found[order] = ((left + right) / 2 - below) / np.maximum(above - below, 1.0)  # weights may be zero
    return np.minimum(found, np.nextafter(1.0, 0.0))


def _stretches(new: npt.NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """The begin and the end of the stretch that each place is in, from where new ones begin."""
    begins = np.flatnonzero(new)
    which = np.cumsum(new) - 1
    return begins[which], np.append(begins[1:], len(new))[which]


Score = Callable[[Indices, Array | None], list[float]]


def _scorer(cells: Sequence[Cells], n: int, margins: Array, plogp: Callable[[Any], Array]) -> Score:
    """A function of the secrets, and how often each occurs, that gives the cube root of G for each table."""

    def scored(x: Indices, times: Array | None) -> list[float]:
        rows = np.bincount(x, weights=times, minlength=n)
        inside = np.array([term for one in cells for term in _sums(one, x, times, n, plogp)])
        found = np.maximum(0.0, inside - margins - float(plogp(rows).sum()) + float(xlogy(rows.sum(), rows.sum())))
        return [float(one) for one in np.cbrt(2 * found)]

    return scored


def _sums(cells: Cells, x: Indices, times: Array | None, n: int, plogp: Callable[[Any], Array]) -> Iterator[float]:
    """The sums of O ln O over the table of secret by cell, over those with its cells merged by pairs, and over those of
    the events below and above a cell.
    """
    keys = cells.of * n + x
    if not cells.levels and cells.many * n > _DENSE * len(keys):  # mostly zeros
        keys.sort()
        runs = np.diff(np.flatnonzero(np.diff(keys, prepend=-1, append=-1)))
        yield float(plogp(runs).sum())
        return
    table = np.bincount(keys, weights=times, minlength=cells.many * n).reshape(cells.many, n)
    for level in range(max(1, cells.levels), 0, -1):
        yield float(plogp(table).sum())
        if cells.ordered and level == min(cells.levels, _FEWER):
            below = np.cumsum(table, axis=0)
            yield from (plogp(below[:-1]) + plogp(below[-1] - below[:-1])).sum(axis=1).tolist()
        if level > 1:
            table = table[::2] + table[1::2]


def _margins(cells: Sequence[Cells], times: Array | None) -> Array:
    """The same sums where all secrets are one."""
    none = [np.zeros(len(one.of), dtype=np.int64) for one in cells]
    return np.array([t for one, x in zip(cells, none, strict=True) for t in _sums(one, x, times, 1, _plogp)])


def _plogp(counts: Any) -> Array:
    return np.asarray(xlogy(counts, counts))


def _tabulate_log(most: int) -> Callable[[Any], Array]:
    """O ln O of whole counts, looked up."""
    known = _plogp(np.arange(most + 1, dtype=np.float64))
    return lambda counts: known[counts]


def _by_tables(
    cells: Sequence[Cells],
    x: Indices,
    y: Indices,
    times: Indices,
    shape: tuple[int, int],
    permutations: int,
    rng: np.random.Generator,
) -> float:
    """The same for many events of few kinds: random tables of observable and secret with the same margins."""
    from scipy.stats import random_table

    m, n = shape
    table = np.bincount(y * n + x, weights=times, minlength=m * n).reshape(m, n).astype(np.int64)
    if min(np.count_nonzero(table.any(axis=side)) for side in (0, 1)) == 1:
        return 1.0  # there is one such table
    seen = np.flatnonzero(table.any(axis=1))
    table, secrets = table[seen], np.tile(np.arange(n), len(seen))
    spread = [one._replace(of=np.repeat(one.of[seen], n)) for one in cells]
    scored = _scorer(spread, n, _margins(spread, table.ravel().astype(np.float64)), _plogp)
    draws = random_table(table.sum(axis=1), table.sum(axis=0))
    again = (draws.rvs(method="patefield", random_state=rng) for _ in range(permutations))
    return rank_first([scored(secrets, np.asarray(one, dtype=np.float64).ravel()) for one in (table, *again)])
