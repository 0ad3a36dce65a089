"""Trials: every attack on every part after training on those before; the best so far leads on the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._progress import Progress
from minleak.samples._attacks import Attack, Beliefs
from minleak.samples._sample import FIRST, LAST, Sample


@dataclass
class Tally:
    """The results of an attack: ranks[g] tests had the secret at place g of its guesses; the sums of its log belief in
    the secret and of the square; for each block the tests, and those right at the first guess.
    """

    ranks: Indices
    logs: float
    squares: float
    blocks: Array | None

    @property
    def tests(self) -> int:
        """The number of tests."""
        return int(self.ranks.sum())

    def add(self, beliefs: Beliefs, blocks: Indices | None) -> None:
        """Count some tests."""
        truth = beliefs.rows[beliefs.r, beliefs.x]
        rank = _rank_tests(beliefs, truth)
        self.ranks += np.bincount(rank, weights=beliefs.times, minlength=len(self.ranks)).astype(np.int64)
        logs = np.log(truth)
        self.logs += float(beliefs.times @ logs)
        self.squares += float(beliefs.times @ logs**2)
        if self.blocks is not None and blocks is not None and beliefs.event is not None:
            np.add.at(self.blocks[0], blocks[beliefs.event], 1.0)
            np.add.at(self.blocks[1], blocks[beliefs.event], rank == 0)


def _rank_tests(beliefs: Beliefs, truth: Array) -> Indices:
    """The rank of the secret among the guesses, the likeliest first; ties by code."""
    if len(beliefs.r) < 4 * len(beliefs.rows):
        chunk = max(1, 4_000_000 // beliefs.rows.shape[1])
        found = np.empty(len(beliefs.r), dtype=np.int64)
        for begin in range(0, len(found), chunk):
            part = slice(begin, begin + chunk)
            rows, p = beliefs.rows[beliefs.r[part]], truth[part, None]
            more = np.count_nonzero(rows > p, axis=1)
            tied = np.flatnonzero(np.count_nonzero(rows >= p, axis=1) > more + 1)
            ahead = np.arange(rows.shape[1]) < beliefs.x[part][tied, None]
            more[tied] += np.count_nonzero((rows[tied] == p[tied]) & ahead, axis=1)
            found[part] = more
        return found
    order = np.argsort(-beliefs.rows, axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(order.shape[1])[None, :], axis=1)
    return np.asarray(place[beliefs.r, beliefs.x])


@dataclass(frozen=True)
class Trials:
    """tallies[a][p]: attack a on part p, from the second on; those before `FIRST` only serve to choose. `last` are the
    beliefs about the last part of the attack that led before it by log belief.
    """

    names: tuple[str, ...]
    tallies: tuple[dict[int, Tally], ...]
    trained: tuple[int, ...]
    last: tuple[Beliefs, ...]

    def of_leaders(self, score: Callable[[Tally], float]) -> list[Tally]:
        """The tally of the leading attack, part by part."""
        return [self.tallies[find_leader(self.tallies, part, score)][part] for part in range(FIRST, LAST + 1)]


def find_leader(tallies: Sequence[dict[int, Tally]], part: int, score: Callable[[Tally], float]) -> int:
    """The attack that did best on the parts before. The choice precedes the test, so it costs nothing."""
    return int(np.argmax([sum(score(one[p]) for p in range(1, part)) for one in tallies]))


def try_attacks(sample: Sample, attacks: Sequence[Attack], progress: Progress) -> Trials:
    """Try all attacks on all parts."""
    names = [name for attack in attacks for name in attack.names]
    first = np.cumsum([0, *(len(attack.names) for attack in attacks)])
    tallies: list[dict[int, Tally]] = [{} for _ in names]
    last: list[Beliefs] = []
    blocks = 0 if sample.blocks is None else int(sample.blocks.max()) + 1
    for part in range(1, LAST + 1):
        leading = find_leader(tallies, part, lambda tally: tally.logs) if part == LAST else -1
        for one in tallies:
            counted = np.zeros((2, blocks)) if blocks else None
            one[part] = Tally(np.zeros(sample.n, dtype=np.int64), 0.0, 0.0, counted)
        for number, attack in enumerate(attacks):
            progress((part - 1) * len(attacks) + number, LAST * len(attacks), attack.names[0])
            for beliefs in attack.run(sample, part):
                which = int(first[number]) + beliefs.of
                tallies[which][part].add(beliefs, sample.blocks)
                if which == leading:
                    last.append(beliefs)
    counts = [int(sample.counts[:part].sum()) for part in range(LAST + 1)]
    return Trials(tuple(names), tuple(tallies), tuple(counts), tuple(last))
