"""WeightLine: weights end to end, block after block, and tracks evenly spaced on a ring of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._plan.streams import Stream


class WeightLine:
    """States in the order of their blocks, each as long as its weight; block g begins at place starts[g] of that order
    and at position prefix[starts[g]].
    """

    def __init__(self, weights: Indices, block: Indices, blocks: int) -> None:
        self.weights, self.block = weights, block
        self.states = np.argsort(block, kind="stable")
        self.prefix = np.concatenate([[0], np.cumsum(weights[self.states])])
        self.starts = np.searchsorted(block[self.states], np.arange(blocks + 1)).astype(np.int64)
        self.totals = np.diff(self.prefix[self.starts])

    @cached_property
    def places(self) -> Indices:
        """Where each state stands in the order."""
        found = np.empty_like(self.states)
        found[self.states] = np.arange(len(found))
        return found

    def at(self, positions: Indices) -> Indices:
        """The states at some positions."""
        last = len(self.states) - 1
        return np.asarray(self.states[np.minimum(np.searchsorted(self.prefix, positions, side="right") - 1, last)])

    def by_weight(self, block: int) -> Indices:
        """The states of a block, heaviest first."""
        return np.asarray(self._descending[self.starts[block] : self.starts[block + 1]])

    @cached_property
    def _descending(self) -> Indices:
        return np.lexsort((np.arange(len(self.states)), -self.weights, self.block))

    def ring(self, block: int, taken: Indices, count: int, which: int, state: int, stream: Stream) -> list[int]:
        """States for `count` tracks evenly spaced on the block without the states `taken`, the phase uniform: each
        track alone is at each state in proportion to its weight. Track number `which` is at the given state; at -1 it
        is nobody's.

        All in integers: the line is `count` times as long, so that spaces are whole.
        """
        begin = int(self.prefix[self.starts[block]])
        removed = np.sort(self.places[taken])
        positions, lengths = self.prefix[removed] - begin, self.weights[self.states[removed]]
        before = np.concatenate([[0], np.cumsum(lengths)])
        cuts = positions - before[:-1]  # where what was taken out would stand on the line without it
        total = int(self.totals[block]) - int(before[-1])
        if which < 0:
            phase = stream.below(count * total)
        else:
            place = int(self.places[state])
            start = int(self.prefix[place]) - begin - int(before[np.searchsorted(removed, place)])
            own = count * start + stream.below(count * int(self.weights[state]), count * total)
            phase = own - which * total
        wanted = np.array([(phase + i * total) % (count * total) // count for i in range(count)], dtype=np.int64)
        wanted += before[np.searchsorted(cuts, wanted, side="right")] + begin
        return [int(found) for found in self.at(wanted)]
