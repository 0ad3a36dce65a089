"""certify_step: rows, bins and every move of the rounding of a step of tracks, by code that the makers do not share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._certify.certificate import Certificate, Check
from minleak.lab.sequences._chain import Chain

# What a row of the trace says before its nodes: how many, if they are a cycle, up, down, the true entry, if it rose.
_HEAD = 6


@dataclass(frozen=True, eq=False)
class Step:
    """A step that was drawn, and how: `matrix` (columns x tracks, each track summing to `unit`), whose first columns
    are `states` and the others the rest of `blocks`; where the bins `begin`; the true place and column; the moves of
    the rounding, if they were traced; and the column and the state that each track got.
    """

    tracks: tuple[int, ...]
    unit: int
    matrix: Indices
    states: Indices
    blocks: tuple[int, ...]
    begin: Indices
    place: int
    column: int
    moves: Indices
    columns: tuple[int, ...]
    after: tuple[int, ...]


def certify_step(chain: Chain, draws: list[Step]) -> Certificate:
    """The certificate of a step, of which several draws were traced."""
    one = draws[0]
    entries = [[int(x) for x in column] for column in one.matrix]
    if one.matrix.shape != (len(one.states) + len(one.blocks), len(one.tracks)):
        return Certificate(False, True, (Check("columns are states and the rest of blocks", False),))
    worst, rows_ok = _rows(chain, one, entries)
    same = all(np.array_equal(draw.matrix, one.matrix) for draw in draws)
    checks = [
        Check("the rows of all tracks are the chain's, whichever is true", rows_ok and same, f"unit {one.unit}"),
        Check("no state elsewhere is so heavy that tracks would meet on it", _light(chain, one)),
        Check("columns are put together only where at most one track can come", _bins(one, entries)),
    ]
    replays = [_replay(draw, entries) for draw in draws]
    checks += [
        Check("every move of the rounding keeps all means, given the true entry too", all(ok for ok, _ in replays)),
        Check("each track ends where its row is, the true one where it went", all(ok for _, ok in replays)),
        Check("states are as different as the rows allow", all(_spread_out(draw) for draw in draws)),
    ]
    shared = sum(max(sum(column) - one.unit, 0) for column in entries[: len(one.states)]) / one.unit
    return Certificate(
        all(check.ok for check in checks),
        True,
        tuple(checks),
        {"row on the grid": float(worst), "tracks that must share a state": shared},
    )


def _law(chain: Chain, a: int) -> Iterator[tuple[int, Fraction]]:
    """P(a -> b) by its definition."""
    seen = {
        int(chain.indices[at]): int(chain.counts[at]) for at in range(int(chain.indptr[a]), int(chain.indptr[a + 1]))
    }
    back = int(chain.backoff[a])
    block = np.flatnonzero(chain.line.block == chain.target[a]).tolist() if back else []
    weights = {b: Fraction(w) for b, w in zip(block, chain.marginal.weights[block].tolist(), strict=True)}
    mass, total = sum(weights.values()), sum(seen.values()) + back
    for b in sorted({*seen, *block}):
        by_backoff = Fraction(back, total) * weights[b] / mass if b in weights else 0
        yield b, Fraction(seen.get(b, 0), total) + by_backoff


def _rows(chain: Chain, one: Step, entries: list[list[int]]) -> tuple[Fraction, bool]:
    """The largest total variation of a row to the chain's, and whether all is as it should be."""
    worst, good = Fraction(0), True
    inside = {int(state): at for at, state in enumerate(one.states)}
    for i, a in enumerate(one.tracks):
        good &= sum(column[i] for column in entries) == one.unit and all(column[i] >= 0 for column in entries)
        away, rest = Fraction(0), Fraction(0)
        for b, p in _law(chain, a):
            if b in inside:
                x = Fraction(entries[inside[b]][i], one.unit)
                good &= (x > 0) == (p > 0)
                away += abs(x - p)
            else:
                rest += p
        strange = sum(entries[inside[b]][i] for b in inside if chain.line.block[b] != chain.target[a])
        elsewhere = sum(
            entries[len(one.states) + number][i] for number, block in enumerate(one.blocks) if block == chain.target[a]
        )
        away += abs(Fraction(elsewhere, one.unit) - rest)
        good &= strange == 0
        worst = max(worst, away / 2)
    return worst, good and worst <= Fraction(chain.distance) * 2


def _light(chain: Chain, one: Step) -> bool:
    line = chain.line
    for number, block in enumerate(one.blocks):
        outside = np.setdiff1d(np.flatnonzero(line.block == block), one.states)
        weights = [int(w) for w in line.weights[outside]]
        tracks = int((one.matrix[len(one.states) + number] > 0).sum())
        if not weights or max(weights) * tracks > sum(weights):
            return False
    return True


def _bins(one: Step, entries: list[list[int]]) -> bool:
    ends = [*(int(b) for b in one.begin[1:]), len(entries)]
    together = [(int(a), b, sum(sum(column) for column in entries[a:b])) for a, b in zip(one.begin, ends, strict=True)]
    return int(one.begin[0]) == 0 and all(b == a + 1 or (b > a and total <= one.unit) for a, b, total in together)


def _replay(draw: Step, entries: list[list[int]]) -> tuple[bool, bool]:
    """Whether every move is one along a cycle or path of fractional entries by what it may be, and whether the end is
    what was drawn.
    """
    d, k = draw.unit, len(draw.tracks)
    ends = [*(int(b) for b in draw.begin[1:]), len(entries)]
    x = [[sum(column[i] for column in entries[a:b]) for i in range(k)] for a, b in zip(draw.begin, ends, strict=True)]
    bin_of = {c: number for number, (a, b) in enumerate(zip(draw.begin, ends, strict=True)) for c in range(int(a), b)}
    true = (bin_of[draw.column], draw.place)
    means = True
    for move in draw.moves.tolist():
        count, cycle, up, down, value, rises = move[:_HEAD]
        nodes = move[_HEAD : _HEAD + count]
        steps = list(zip(nodes, [*nodes[1:], nodes[0]], strict=True))[: count if cycle else count - 1]
        if any((a < k) == (b < k) for a, b in steps) or len(set(nodes)) < count or len(steps) % 2:
            return False, False
        edges = [(max(a, b) - k, min(a, b)) for a, b in steps]
        if any(c >= len(x) for c, _ in edges):
            return False, False
        plus, minus = edges[::2], edges[1::2]
        means &= all(0 < x[c][i] < d for c, i in edges)
        means &= up == min([d - x[c][i] for c, i in plus] + [x[c][i] for c, i in minus]) > 0
        means &= down == min([x[c][i] for c, i in plus] + [d - x[c][i] for c, i in minus]) > 0
        means &= value == x[true[0]][true[1]]
        if not cycle:
            for c, i in (edges[0], edges[-1]):
                means &= all(x[c][j] in (0, d) for j in range(k) if j != i) and nodes[0] >= k and nodes[-1] >= k
        by = up if rises else -down
        for c, i in plus:
            x[c][i] += by
        for c, i in minus:
            x[c][i] -= by
    arrived = all(
        [c for c in range(len(x)) if x[c][i]] == [bin_of[draw.columns[i]]] and x[bin_of[draw.columns[i]]][i] == d
        for i in range(k)
    )
    there = all(
        draw.after[i] == draw.states[c] if c < len(draw.states) else draw.after[i] not in set(draw.states.tolist())
        for i, c in enumerate(draw.columns)
    )
    return means, arrived and there and draw.columns[draw.place] == draw.column


def _spread_out(draw: Step) -> bool:
    """Whether each state has as many tracks as its mean rounded down or up; those elsewhere at most one."""
    counts: dict[int, int] = {}
    for state in draw.after:
        counts[state] = counts.get(state, 0) + 1
    for at, state in enumerate(draw.states.tolist()):
        mean = Fraction(sum(int(v) for v in draw.matrix[at]), draw.unit)
        if not math.floor(mean) <= counts.pop(state, 0) <= math.ceil(mean):
            return False
    return all(count == 1 for count in counts.values())
