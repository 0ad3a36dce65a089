"""The rows of k tracks laid in integers: states that a row holds apart from the marginal, and everything elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak._data.arrays import Indices
from minleak._sequences.chain import Chain
from minleak._sequences.line import Line


@dataclass(frozen=True, eq=False)
class Laid:
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


def laid(chain: Chain, tracks: list[int]) -> Laid:
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
    return Laid(chain.unit, matrix, states, tuple(blocks))


def _distinct(parts: list[Indices]) -> Indices:
    """The numbers in increasing order, each once; np.unique, which hashes, takes four times as long."""
    together = np.sort(np.concatenate(parts))
    return together[np.diff(together, prepend=-1) > 0]


def _heavy(line: Line, block: int, states: Indices, k: int) -> Indices:
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
