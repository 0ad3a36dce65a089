"""Sample: events dealt at random into parts, on which attacks are trained and tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array, Indices, find_run
from minleak.errors import InvalidParameter
from minleak.samples._events import Events

# Shares of the parts. The first choice among attacks is made on the second part, after training on the first. Later
# parts are tested, each after training on all before; attacks are fixed for the last half.
SHARES = np.array([0.05, 0.05, 0.07, 0.12, 0.21, 0.50])
FIRST, LAST = 2, len(SHARES) - 1
# The most cells of one number, the fewest events per cell, and the most entries of a table of secrets by cells.
_CELLS, _EACH, _TABLE = 4096, 8, 8_000_000
# The most pairs of a secret and a cell: minutes of work.
_MOST_CELLS = 2_000_000_000
# Weighted rows are expanded to single events up to this number.
MOST_ROWS = 5_000_000


@dataclass(frozen=True)
class SingleEvents:
    """Events one by one: secret, part and cell of each, its numbers and its block, if any."""

    x: Indices
    part: Indices
    cell: Indices
    points: Array | None
    blocks: Indices | None


@dataclass(frozen=True)
class Sample:
    """Events in parts. `pairs_x`, `pairs_y` are the distinct pairs of secret and cell, sorted by cell, and `counts[p]`
    how often each is in part p. Cells are the observables, or for one number (`ordered`) intervals with equally many
    events. `rows` are the events one by one, if they are not too many. The points of `sequences` are features.
    """

    n: int
    cells: int
    ordered: bool
    pairs_x: Indices
    pairs_y: Indices
    counts: Indices
    rows: SingleEvents | None
    sequences: bool = False

    @property
    def blocks(self) -> Indices | None:
        """The block of each event, where there are blocks."""
        return None if self.rows is None else self.rows.blocks

    def before(self, part: int) -> Indices:
        """The counts of pairs in the parts before this one."""
        return np.asarray(self.counts[:part].sum(axis=0))

    def secrets_in(self, counts: Indices) -> Indices:
        """The counts of secrets in counts of pairs."""
        return np.bincount(self.pairs_x, weights=counts, minlength=self.n).astype(np.int64)

    def dense(self, counts: Indices, cells: slice) -> Array:
        """Counts of pairs as a table of some cells by all secrets."""
        begin, end = find_run(self.pairs_y, cells.start, cells.stop)
        table = np.zeros((cells.stop - cells.start, self.n))
        table[self.pairs_y[begin:end] - cells.start, self.pairs_x[begin:end]] = counts[begin:end]
        return table

    def slices(self) -> Iterator[slice]:
        """Ranges of cells with small tables."""
        width = max(1, _TABLE // 4 // self.n)
        for begin in range(0, self.cells, width):
            yield slice(begin, min(begin + width, self.cells))


def deal_events(events: Events, rng: np.random.Generator) -> Sample:
    """Deal the events, or their blocks, into parts."""
    single = int(events.times.max()) == 1 and int(events.times.min()) == 1
    alone = events.total <= MOST_ROWS and (events.points is not None or events.blocks is not None)
    if events.blocks is not None and not (single or alone):
        raise InvalidParameter(f"blocks need events one by one, at most {MOST_ROWS:,} of them: take a sample")
    if single or alone:
        index = np.arange(len(events.x)) if single else np.repeat(np.arange(len(events.x)), events.times)
        blocks = None if events.blocks is None else events.blocks[index]
        part = _deal_parts(len(index), blocks, rng)
        dealt = np.bincount(index * len(SHARES) + part, minlength=len(events.x) * len(SHARES))
        dealt = dealt.reshape(len(events.x), len(SHARES))
    else:  # many events in few rows
        dealt = rng.multinomial(events.times, SHARES)
    cell = _cells(events, dealt[:, :LAST].sum(axis=1))
    rows = None
    if single or alone:
        points = None if events.points is None else events.points[index]
        rows = SingleEvents(events.x[index], part, cell[index], points, blocks)
    n, m = len(events.secrets), int(cell.max()) + 1
    if n * m > _MOST_CELLS:
        raise InvalidParameter(f"{n:,} secrets and {m:,} observables are too many to attack: group them")
    keys, pair = np.unique(cell * n + events.x, return_inverse=True)
    counts = np.stack([np.bincount(pair, weights=column, minlength=len(keys)) for column in dealt.T]).astype(np.int64)
    ordered = events.points is not None and events.points.shape[1] == 1
    pairs = {"pairs_x": keys % n, "pairs_y": keys // n, "counts": counts}
    return Sample(n, m, ordered, rows=rows, sequences=events.sequences, **pairs)


def _deal_parts(rows: int, blocks: Indices | None, rng: np.random.Generator) -> Indices:
    ends = np.cumsum(SHARES)[:-1]
    if blocks is None:
        return np.searchsorted(ends, rng.random(rows), side="right").astype(np.int64)
    # Blocks may be few, so they are dealt in random order, by the position of their events.
    last = int(blocks.max()) + 1
    order = rng.permutation(last)
    sizes = np.bincount(blocks, minlength=last)[order]
    middle = (np.cumsum(sizes) - sizes / 2) / rows
    part = np.empty(last, dtype=np.int64)
    part[order] = np.searchsorted(ends, middle, side="right")
    return part[blocks]


def _cells(events: Events, before: Indices) -> Indices:
    """The cell of each event: its observable, or for one number an interval with about equally many events.

    The ends of the intervals depend only on the events `before` the last part, which is thus tried on fixed cells. (The
    bound on success would allow all observables, as long as secrets are not looked at.)
    """
    if events.points is None or events.points.shape[1] > 1:
        return events.y
    limit = min(_CELLS, max(16, min(events.total // _EACH, _TABLE // len(events.secrets))))
    each = np.bincount(events.y, weights=before, minlength=events.observables)
    if np.count_nonzero(each) <= limit or events.observables <= limit:
        return events.y
    middle = (np.cumsum(each) - each / 2) / each.sum()
    return np.unique((middle * limit).astype(np.int64), return_inverse=True)[1][events.y]
