"""Chain: a Markov chain as sparse counts with back-off to the marginal, exact on a grid of integers."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from minleak import Prior
from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels, locator
from minleak.core._parameters import whole
from minleak.core._plan.fields import LIMIT
from minleak.core._simulating import generator
from minleak.errors import InvalidParameter, InvalidPrior, SolverFailed, quote
from minleak.lab.sequences._fitting import blocks_of, count_sequences
from minleak.lab.sequences._given import as_backoff, as_marginal, as_prior_of, as_rows, proportional, visits
from minleak.lab.sequences._line import WeightLine
from minleak.lab.sequences._storing import load_chain, save_chain

# How much smaller than the unit the marginal's total is, so that back-off has fine steps.
_COARSE = 1 << 18
# States that are simulated at once.
_LONG = 10**8
# Steps of the power method.
_ITERATIONS = 20_000
# Up to so many states the matrix of all moves is squared, so many times at most.
_SQUARED, _DOUBLED = 300, 64


class Chain:
    """A Markov chain on n states: p(X_0 = a) = initial_a, and

        P(a -> b) = (counts[a, b] + backoff_a * marginal_b / marginal's total) / (counts[a, :].sum() + backoff_a).

    Parameters
    ----------
    initial
        Counts or probabilities of the first state: a `Prior`, a sequence or a mapping.
    transitions
        counts[a, b] as a scipy.sparse matrix, as rows, or as a mapping {a: {b: count}}. Integers stay as they are;
        floats are weights within their row, put on a grid of 2^-52. They need not sum to one.
    labels
        Distinct names of the states; those of `initial` if not given.
    backoff
        How many transitions the marginal counts for, in every row (a number) or row by row. With it every move to a
        state of positive marginal is possible. It is never multiplied out: memory is that of the counts.
    marginal
        Weights that back-off goes to; if not given, how often each state is visited: initial plus column sums.
    clock
        A period such as 24: states are then pairs (hour, place), every step goes to the next hour, which everybody
        sees, and back-off stays within that hour.

    The chain is kept as integers of one total for all rows, `unit`: exactly where that fits 64 bits (`distance` is 0),
    else within a total variation of `distance` a row. Tracks are exact for the chain on that grid.

    >>> chain = Chain([1, 1], [[3, 1], [1, 1]], labels=["home", "work"])
    >>> chain.probability("home", "work"), chain.stationary().round(3).tolist(), round(chain.entropy_rate(), 3)
    (0.25, [0.667, 0.333], 0.874)
    """

    def __init__(
        self,
        initial: Prior | Iterable[Any] | Mapping[Hashable, Any],
        transitions: Any,
        *,
        labels: Iterable[Hashable] | None = None,
        backoff: Any = 0,
        marginal: Prior | Iterable[Any] | None = None,
        clock: int | None = None,
        _order: int = 1,
        _where: Callable[[int], str] | None = None,
    ) -> None:
        self.initial = as_prior_of(initial, labels)
        self.labels: Labels = self.initial.labels
        self.order = _order
        self.clock = clock
        where = _where or locator(self.labels, "state")
        given = as_rows(transitions, self.labels)
        self.indptr, self.indices, self.counts = given.indptr, given.indices, given.counts
        #: The running sum of all counts, in which a row is a stretch, for drawing from it.
        self.running = np.concatenate([[0], np.cumsum(self.counts)])
        self.sums = np.diff(self.running[self.indptr])
        self.backoff = as_backoff(backoff, given.scales, self.sums, self.labels)
        self.marginal = visits(given, self.initial) if marginal is None else as_marginal(marginal, self.labels)
        block, self.target = blocks_of(self.labels, clock, _order)
        self._blocks = 1 + int(max(block.max(), self.target.max()))
        grid = self.marginal.on_grid(LIMIT // _COARSE)
        self.line = WeightLine(grid.weights, block, self._blocks)
        self._check_blocks(where)
        self.start = self._in_sight(self.initial.on_grid(LIMIT).weights)
        self.unit, exact = self._unit()
        off = 0.0 if exact and not grid.distance else max(float(self.line.totals.max()) / self.unit, 2.0**-52)
        self.distance = off + grid.distance
        self._check_rows(where)

    @classmethod
    def from_sequences(
        cls,
        sequences: Iterable[Iterable[Hashable]],
        *,
        order: int = 1,
        smoothing: float | str = "witten-bell",
        clock: int | None = None,
    ) -> Chain:
        """The chain of walks as they were seen: each one a sequence of states.

        `smoothing` is the back-off: "witten-bell" counts as many transitions to the marginal as a state has different
        successors, a number that many for each state, 0 none. An `order` above 1 makes states of so many steps, as
        tuples; back-off then keeps all but the last. For `clock` see `Chain`.

        >>> Chain.from_sequences([["home", "work", "home"], ["home", "shop", "home"]])
        Chain(3 states, 4 transitions, back-off)
        """
        return cls(**count_sequences(sequences, order=order, smoothing=smoothing), clock=clock)

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chain to a file, such as words.chain; labels are text, whole numbers or tuples of these."""
        arrays = {name: getattr(self, name) for name in ("indptr", "indices", "counts", "backoff")}
        arrays |= {"initial": self.initial.weights, "marginal": self.marginal.weights}
        save_chain(path, arrays, None if self.labels.is_default else list(self.labels), self.order, self.clock)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Chain:
        """The chain in a file written by `save`, checked as if it were given anew."""
        return cls(**load_chain(path))

    # -- single moves -------------------------------------------------------------------------------------------------

    def position(self, state: Hashable) -> int | None:
        """The number of a state, or None."""
        return self.labels.position(state)

    def probability(self, a: Hashable, b: Hashable) -> float:
        """P(a -> b) for two labels."""
        return float(self.probabilities(np.array([self._find(a)]), np.array([self._find(b)]))[0])

    def probabilities(self, a: Indices, b: Indices) -> Array:
        """P(a -> b) for arrays of positions, which are broadcast; as floats, without the grid."""
        a, b = np.broadcast_arrays(a, b)
        found = look_up(self._keys, self.counts, a.astype(np.int64) * len(self.labels) + b)
        reached = self.line.block[b] == self.target[a]
        share = np.where(reached, self.line.weights[b] / self.line.totals[self.line.block[b]], 0.0)
        return np.asarray((found + self.backoff[a] * share) / (self.sums[a] + self.backoff[a]))

    def row(self, a: int) -> tuple[Indices, Indices, int]:
        """Row a on the grid: states with weights of their own, these weights, and the level l, so that state b has its
        own weight and l times its marginal weight if it is in the block that a goes to; the sum of all is `unit`.
        """
        block = int(self.target[a])
        total, seen, back = int(self.line.totals[block]), int(self.sums[a]), int(self.backoff[a])
        level = max(back * (self.unit // total) // (seen + back), 1) if back and total else 0
        own = self.unit - level * total
        begin, end = self.indptr[a], self.indptr[a + 1]
        if seen:
            return self.indices[begin:end], proportional(self.counts[begin:end], seen, own), level
        heaviest = self.line.by_weight(block)[:1]
        return (heaviest, np.array([own]), level) if own else (heaviest[:0], heaviest[:0], level)

    # -- the whole chain ----------------------------------------------------------------------------------------------

    def step(self, p: Array) -> Array:
        """The distribution one step after p."""
        moved = (self._sparse.T @ p).astype(np.float64)
        into = np.bincount(self.target, weights=p * self.levels, minlength=len(self.line.totals))
        return np.asarray(moved + into[self.line.block] * self._shares)

    def stationary(self) -> Array:
        """The long-run share of each state, from `initial` on; periods are averaged out. A few hundred states may mix
        however slowly, more within some thousand steps.
        """
        n, p = len(self.labels), self.initial.p.copy()
        if n <= _SQUARED:
            after = (np.eye(n) + self.probabilities(*np.divmod(np.arange(n * n), n)).reshape(n, n)) / 2
            for _ in range(_DOUBLED):
                steps, after = after, after @ after
                after /= after.sum(axis=1, keepdims=True)
                if np.allclose(after, steps, rtol=1e-14, atol=1e-300):
                    break
            return np.asarray(p @ after)
        for _ in range(_ITERATIONS):
            after = (p + self.step(p)) / 2
            after /= after.sum()
            if np.abs(after - p).sum() < 1e-13:
                return after
            p = after
        raise SolverFailed(f"no stationary law after {_ITERATIONS:,} steps: the chain mixes too slowly; add back-off")

    def entropy_rate(self) -> float:
        """H(X_1 given X_0) in bits under the stationary law, in O(n + transitions)."""
        shares, levels = self._shares, self.levels
        logs = np.log2(np.where(shares > 0, shares, 1))
        sums = np.bincount(self.line.block, weights=shares * logs, minlength=len(self.line.totals))
        levels_log = np.log2(np.where(levels > 0, levels, 1))
        # as if every move to a state with a count of its own went by back-off, and then these put right
        rows = -levels * (levels_log + sums[self.target])
        owner = self._owner
        reached = self.line.block[self.indices] == self.target[owner]
        by_backoff = np.where(reached, shares[self.indices], 0) * levels[owner]
        p = self._sparse.data + by_backoff
        right = -p * np.log2(p) + by_backoff * np.log2(np.where(by_backoff > 0, by_backoff, 1))
        rows += np.bincount(owner, weights=right, minlength=len(self.labels))
        return float(self.stationary() @ rows)

    def simulate(self, steps: int, *, walks: int = 1, seed: int = 0) -> list[list[Any]]:
        """Walks of so many states each, as labels."""
        whole(steps, "steps", most=_LONG)
        whole(walks, "walks", most=_LONG // int(steps))
        found = self.simulate_positions(steps, walks, generator(seed))
        return [[self.labels[i] for i in walk] for walk in found.tolist()]

    def simulate_positions(self, steps: int, walks: int, rng: np.random.Generator) -> Indices:
        """Walks as positions, of shape (walks, steps)."""
        found = np.empty((walks, steps), dtype=np.int64)
        cumulated = np.cumsum(self.initial.p)
        found[:, 0] = np.searchsorted(cumulated, rng.random(walks) * cumulated[-1], side="right")
        for t in range(1, steps):
            found[:, t] = self.next_states(found[:, t - 1], rng)
        return found

    def next_states(self, states: Indices, rng: np.random.Generator) -> Indices:
        """A next state for each of the states."""
        seen, back = self.sums[states], self.backoff[states]
        from_marginal = rng.integers(0, seen + back) >= seen
        places = self.running[self.indptr[states]] + rng.integers(0, np.maximum(seen, 1))
        at = np.searchsorted(self.running, places, side="right") - 1
        after = self.indices[np.minimum(at, len(self.indices) - 1)] if len(self.indices) else np.zeros_like(states)
        blocks = self.target[states]
        places = self.line.prefix[self.line.starts[blocks]] + rng.integers(0, np.maximum(self.line.totals[blocks], 1))
        return np.where(from_marginal, self.line.at(places), after)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        back = ", back-off" if self.backoff.any() else ""
        return f"Chain({len(self)} states, {len(self.indices)} transitions{back})"

    # -- inside -------------------------------------------------------------------------------------------------------

    @cached_property
    def anew(self) -> WeightLine:
        """The marginal, as a walk begins whose link is cut."""
        return self._in_sight(self.line.weights)

    def _in_sight(self, weights: Indices) -> WeightLine:
        """Weights on a line, in blocks where everybody sees these: by the hour."""
        block = self.line.block
        return WeightLine(weights, block if self.clock is not None else np.zeros_like(block), self._blocks)

    @property
    def _owner(self) -> Indices:
        """The row of each transition."""
        return np.repeat(np.arange(len(self.labels)), np.diff(self.indptr))

    @cached_property
    def _keys(self) -> Indices:
        return self._owner * len(self.labels) + self.indices

    @cached_property
    def levels(self) -> Array:
        """The share of each row that is back-off."""
        return np.asarray(self.backoff / (self.sums + self.backoff))

    @cached_property
    def _shares(self) -> Array:
        """The share of each state in the marginal of its block."""
        return np.asarray(self.line.weights / np.maximum(self.line.totals, 1)[self.line.block])

    @cached_property
    def _sparse(self) -> Any:
        import scipy.sparse as sp

        entries = self.counts / (self.sums + self.backoff)[self._owner]
        return sp.csr_array((entries, self.indices, self.indptr), shape=(len(self), len(self)))

    def _find(self, state: Hashable) -> int:
        found = self.position(state)
        if found is None:
            raise InvalidParameter(f"the chain has no state {quote(state)}")
        return found

    def _unit(self) -> tuple[int, bool]:
        """The common total of all rows, and whether all probabilities are fractions of it."""
        totals = [int(total) for total in np.unique(self.line.totals[self.target]) if total]
        unit = _lcm([1, *totals] if self.backoff.any() else [1])
        unit *= _lcm(np.unique(np.maximum(self.sums + self.backoff, 1)).tolist())
        if unit <= LIMIT:
            return unit, True
        return (totals[0] * (LIMIT // totals[0]) if len(totals) == 1 else LIMIT), False

    def _check_rows(self, where: Callable[[int], str]) -> None:
        dead = (self.sums == 0) & ((self.backoff == 0) | (self.line.totals[self.target] == 0))
        if dead.any():
            remedy = "give it transitions, or back-off to the marginal by smoothing, or leave it out"
            if self.clock is not None:
                remedy = "by the clock every hour that is visited needs states of the next one"
            raise InvalidPrior(f"nothing follows {where(int(np.argmax(dead)))}: {remedy}")

    def _check_blocks(self, where: Callable[[int], str]) -> None:
        owner = self._owner
        wrong = self.line.block[self.indices] != self.target[owner]
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InvalidPrior(
                f"a transition goes from {where(int(owner[at]))} to {where(int(self.indices[at]))}, which is not the "
                "next hour: by a clock every step goes to the next hour (of 24 hours, 23 is followed by 0)"
            )


def look_up(keys: Indices, values: Indices, wanted: Indices) -> Array:
    """The values of the wanted keys, 0 where there is none; keys increase."""
    if not len(keys):
        return np.zeros(wanted.shape)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0.0)


def _lcm(numbers: list[int]) -> int:
    """The least common multiple, or something above the limit if it is."""
    found = 1
    for number in numbers:
        found = math.lcm(found, number)
        if found > LIMIT:
            break
    return found
