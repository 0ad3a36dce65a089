"""One step of k tracks: a coupling of their rows under which every track moves by the chain and none is special."""

from __future__ import annotations

import numpy as np

from minleak._data.arrays import Indices
from minleak._plan.streams import Stream
from minleak._sequences.certificate import Step
from minleak._sequences.chain import Chain
from minleak._sequences.laying import Laid, laid


def started(chain: Chain, k: int, state: int, stream: Stream, *, anew: bool = False) -> tuple[list[int], int] | None:
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


def moved(chain: Chain, tracks: list[int], place: int, state: int, stream: Stream) -> list[int] | None:
    """The next states of all tracks when the true one, at `place`, goes to `state`; None if the chain never does."""
    step = stepped(chain, tracks, place, state, stream)
    return None if step is None else list(step.after)


def stepped(
    chain: Chain, tracks: list[int], place: int, state: int, stream: Stream, *, trace: bool = False
) -> Step | None:
    """That step, with all that it went through; the moves of its rounding if it is to be traced.

    Given what is shown, the law does not depend on which track is the true one: K(a -> b) = P(a_j -> b_j) p(b given
    b_j) for every j. States are different wherever the rows' sums allow it.
    """
    lay = laid(chain, tracks)
    column = lay.column(state, int(chain.line.block[state]))
    if column < 0 or not lay.matrix[column, place] or (column >= len(lay.states) and not chain.line.weights[state]):
        return None
    begin, moves, columns = _coupled(lay, place, column, stream, trace)
    after = [int(lay.states[c]) if c < len(lay.states) else -1 for c in columns]
    for number, block in enumerate(lay.blocks):
        away = [i for i, c in enumerate(columns) if c == len(lay.states) + number]
        which = away.index(place) if place in away else -1
        taken = lay.states[chain.line.block[lay.states] == block]
        found = chain.line.ring(block, taken, max(len(away), 1), which, state, stream)
        for i, there in zip(away, found, strict=False):
            after[i] = there
    return Step(
        tracks=tuple(tracks),
        unit=lay.unit,
        matrix=lay.matrix,
        states=lay.states,
        blocks=lay.blocks,
        begin=begin,
        place=place,
        column=column,
        moves=moves,
        columns=tuple(columns),
        after=tuple(after),
    )


def _coupled(lay: Laid, place: int, column: int, stream: Stream, trace: bool) -> tuple[Indices, Indices, list[int]]:
    """Where bins of columns begin, the moves of the rounding, and a column for each track, by dependent rounding given
    that the true track goes to the given column.

    Columns that together are come to by at most one track are rounded as one; which of them it is, is then drawn.
    """
    from minleak._kernels.rounding import TRACED, binned, rounded

    begin = binned(lay.matrix, lay.unit)
    bins = np.add.reduceat(lay.matrix, begin, axis=0)
    true_bin = int(np.searchsorted(begin, column, side="right")) - 1
    chosen = np.empty(lay.matrix.shape[1], dtype=np.int64)
    moves = np.zeros((bins.size if trace else 0, TRACED + 2 * len(chosen) + 2), dtype=np.int64)
    words = stream.words(2 * bins.size + 8)  # two for each move, and each move settles an entry
    while rounded(bins, lay.unit, place, true_bin, words, chosen, moves) < 0:
        words = np.concatenate([words, stream.words(len(words))])
    ends = np.append(begin[1:], len(lay.matrix))
    columns = []
    for i, bin in enumerate(chosen.tolist()):
        # drawn for the true track too, so that all take the same steps
        inside = int(begin[bin]) + stream.among(lay.matrix[begin[bin] : ends[bin], i])
        columns.append(column if i == place else inside)
    return begin, moves[moves[:, 0] > 0], columns
