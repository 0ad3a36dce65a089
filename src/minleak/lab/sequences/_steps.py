"""One step of k tracks: a coupling of their rows in which every track moves by the chain and none stands out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._plan.streams import Stream
from minleak.lab.sequences._certificate import Step
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._line import WeightLine


def start_tracks(
    chain: Chain, k: int, state: int, stream: Stream, *, anew: bool = False
) -> tuple[list[int], int] | None:
    """States for k tracks and the place of the true one, which is at the given state; None if that is impossible.

    The tracks are evenly spaced on the line of first states, the phase uniform, and their places are a random
    permutation: the true place is uniform, given all that is shown. Where everybody sees the hour, all are at that of
    the true one. `anew` starts from the marginal instead, as a walk does whose link is cut.
    """
    line = chain.anew if anew else chain.start
    if not line.weights[state]:
        return None
    found = line.ring(int(line.block[state]), np.empty(0, dtype=np.int64), k, 0, state, stream)
    order = list(range(k))
    for i in range(k - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return [found[i] for i in order], order.index(0)


def move_tracks(chain: Chain, tracks: list[int], place: int, state: int, stream: Stream) -> list[int] | None:
    """The next states of all tracks when the true one, at `place`, goes to `state`; None if the chain never does."""
    step = draw_step(chain, tracks, place, state, stream)
    return None if step is None else list(step.after)


def draw_step(
    chain: Chain, tracks: list[int], place: int, state: int, stream: Stream, *, trace: bool = False
) -> Step | None:
    """The same step with all its intermediate values, and the moves of its rounding if it is traced.

    Given what is shown, the law does not depend on which track is the true one: K(a -> b) = P(a_j -> b_j) p(b given
    b_j) for every j. States are different wherever the rows' sums allow it.
    """
    rows = step_rows(chain, tracks)
    column = rows.column(state, int(chain.line.block[state]))
    if column < 0 or not rows.matrix[column, place] or (column >= len(rows.states) and not chain.line.weights[state]):
        return None
    begin, moves, columns = _couple(rows, place, column, stream, trace)
    after = [int(rows.states[c]) if c < len(rows.states) else -1 for c in columns]
    for number, block in enumerate(rows.blocks):
        away = [i for i, c in enumerate(columns) if c == len(rows.states) + number]
        which = away.index(place) if place in away else -1
        taken = rows.states[chain.line.block[rows.states] == block]
        found = chain.line.ring(block, taken, max(len(away), 1), which, state, stream)
        for i, there in zip(away, found, strict=False):
            after[i] = there
    return Step(
        tracks=tuple(tracks),
        unit=rows.unit,
        matrix=rows.matrix,
        states=rows.states,
        blocks=rows.blocks,
        begin=begin,
        place=place,
        column=column,
        moves=moves,
        columns=tuple(columns),
        after=tuple(after),
    )


def _couple(rows: StepRows, place: int, column: int, stream: Stream, trace: bool) -> tuple[Indices, Indices, list[int]]:
    """Where bins of columns begin, the moves of the rounding, and a column for each track, by dependent rounding given
    that the true track goes to the given column.

    Columns that together have at most one track are round_columns as one; which of them it is, is then drawn.
    """
    from minleak.lab.sequences._rounding import TRACED, bin_columns, round_columns

    begin = bin_columns(rows.matrix, rows.unit)
    bins = np.add.reduceat(rows.matrix, begin, axis=0)
    true_bin = int(np.searchsorted(begin, column, side="right")) - 1
    chosen = np.empty(rows.matrix.shape[1], dtype=np.int64)
    moves = np.zeros((bins.size if trace else 0, TRACED + 2 * len(chosen) + 2), dtype=np.int64)
    words = stream.words(2 * bins.size + 8)  # two for each move, and each move settles an entry
    while round_columns(bins, rows.unit, place, true_bin, words, chosen, moves) < 0:
        words = np.concatenate([words, stream.words(len(words))])
    ends = np.append(begin[1:], len(rows.matrix))
    columns = []
    for i, bin in enumerate(chosen.tolist()):
        # drawn for the true track too, so that all take the same steps
        inside = int(begin[bin]) + stream.among(rows.matrix[begin[bin] : ends[bin], i])
        columns.append(column if i == place else inside)
    return begin, moves[moves[:, 0] > 0], columns


# -- the rows of a step, in integers ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StepRows:
    """matrix[c, i] of `unit` is the chance that track i goes to column c: to states[c] or, for the last columns, to
    somewhere in blocks[c - len(states)] outside of these states, in proportion to the marginal.
    """

    unit: int
    matrix: Indices
    states: Indices
    blocks: tuple[int, ...]

    def column(self, state: int, block: int) -> int:
        """The column that a state is in, or -1."""
        at = int(np.searchsorted(self.states, state))
        if at < len(self.states) and self.states[at] == state:
            return at
        return len(self.states) + self.blocks.index(block) if block in self.blocks else -1


def step_rows(chain: Chain, tracks: list[int]) -> StepRows:
    """The columns of the step from these states: all states with weights of their own in some row, the heavy ones of
    the marginal, and one column for the rest of each block, which so many tracks can share and stay apart.
    """
    line, k = chain.line, len(tracks)
    rows = {state: chain.row(state) for state in set(tracks)}
    states = _distinct([rows[state][0] for state in rows])
    targets = [int(chain.target[state]) if rows[state][2] else -1 for state in tracks]
    blocks = sorted(set(targets) - {-1})
    for block in blocks:
        heavy = _heavy(line, block, states, targets.count(block))
        states = _distinct([states, heavy]) if len(heavy) else states
    inside = line.block[states]
    left = {block: int(line.totals[block]) - int(line.weights[states[inside == block]].sum()) for block in blocks}
    blocks = [block for block in blocks if left[block]]
    matrix = np.zeros((len(states) + len(blocks), k), dtype=np.int64)
    for i, (state, block) in enumerate(zip(tracks, targets, strict=True)):
        own, weights, level = rows[state]
        if level:
            matrix[: len(states), i] = np.where(inside == block, line.weights[states] * level, 0)
            if left[block]:
                matrix[len(states) + blocks.index(block), i] = left[block] * level
        matrix[np.searchsorted(states, own), i] += weights
    return StepRows(chain.unit, matrix, states, tuple(blocks))


def _distinct(parts: list[Indices]) -> Indices:
    """The numbers in increasing order, each once; np.unique, which hashes, takes four times as long."""
    together = np.sort(np.concatenate(parts))
    return together[np.diff(together, prepend=-1) > 0]


def _heavy(line: WeightLine, block: int, states: Indices, k: int) -> Indices:
    """The states of a block, not among those given, that are too heavy for k tracks to stay apart on the rest of it."""
    found: list[int] = []
    left = int(line.totals[block]) - int(line.weights[states[line.block[states] == block]].sum())
    for state in line.by_weight(block):
        weight = int(line.weights[state])
        if k * weight <= left:
            break
        at = np.searchsorted(states, state)
        if at == len(states) or states[at] != state:
            found.append(int(state))
            left -= weight
    return np.array(found, dtype=np.int64)
