"""What an attacker believes who has seen sets or tracks, step by step, and how often his best guess is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from minleak._sequences.chain import Chain

Indices = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]


class Attacker(Protocol):
    """Who knows how walks go: chances of a first state and of a move, for walk number `walk`."""

    def first(self, a: Indices, walk: Indices) -> Array:
        """The chance of each first state."""

    def onwards(self, a: Indices, b: Indices, walk: Indices) -> Array:
        """The chance of each move."""


@dataclass(frozen=True)
class Knowing:
    """He knows a chain."""

    chain: Chain

    def first(self, a: Indices, walk: Indices) -> Array:
        return np.asarray(self.chain.initial.p[a] + 0.0 * walk)

    def onwards(self, a: Indices, b: Indices, walk: Indices) -> Array:
        del walk
        return self.chain.probabilities(a, b)


class Learning:
    """He knows a chain and has seen all the walks but the one he attacks: their transitions count beside so many of
    the chain's that the walks, each judged by the others, are likeliest.
    """

    def __init__(self, chain: Chain, walks: list[Indices]) -> None:
        self._chain, self._n = chain, len(chain)
        a = np.concatenate([walk[:-1] for walk in walks])
        b = np.concatenate([walk[1:] for walk in walks])
        owner = np.repeat(np.arange(len(walks)), [len(walk) - 1 for walk in walks])
        n = self._n
        self._pairs, self._times = np.unique(a * n + b, return_counts=True)
        self._sums = np.bincount(a, minlength=n)
        # a number for every state, then every pair, that a walk has: what has to be left out for that walk
        self._own, self._own_times = np.unique(owner * (n * n) + a * n + b, return_counts=True)
        self._left, self._left_times = np.unique(owner * n + a, return_counts=True)
        self.strength = 1.0
        if len(a):
            tried = [0.1, 1.0, 10.0, 100.0, 1000.0, 1e5]
            self.strength = max(tried, key=lambda s: self._score(a, b, owner, s))

    def _score(self, a: Indices, b: Indices, walk: Indices, strength: float) -> float:
        self.strength = strength
        return float(np.log(np.maximum(self.onwards(a, b, walk), 1e-300)).sum())

    def first(self, a: Indices, walk: Indices) -> Array:
        return np.asarray(self._chain.initial.p[a] + 0.0 * walk)

    def onwards(self, a: Indices, b: Indices, walk: Indices) -> Array:
        a, b, walk = np.broadcast_arrays(a, b, walk)
        n = self._n
        others = _looked_up(self._pairs, self._times, a * n + b)
        others = others - _looked_up(self._own, self._own_times, walk * (n * n) + a * n + b)
        sums = self._sums[a] - _looked_up(self._left, self._left_times, walk * n + a)
        return np.asarray((others + self.strength * self._chain.probabilities(a, b)) / (sums + self.strength))


def _looked_up(keys: Indices, values: Indices, wanted: Indices) -> Array:
    if not len(keys):
        return np.zeros(wanted.shape)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0.0)


def followed_through(attacker: Attacker, members: Indices, likelihoods: Array) -> tuple[Array, Array]:
    """Weights of the members of each set, of shape (steps, walks, k), after the sets up to it and after all of them:
    the forward-backward recursion on the members. `likelihoods` are p(set given member), up to a factor for each set.
    """
    steps, walks, _ = members.shape
    states, number = np.maximum(members, 0), np.arange(walks)[:, None]
    forward = np.empty(members.shape)
    moves = []
    forward[0] = _normal(attacker.first(states[0], number) * likelihoods[0])
    for t in range(1, steps):
        moves.append(attacker.onwards(states[t - 1][:, :, None], states[t][:, None, :], number[:, :, None]))
        forward[t] = _normal(np.einsum("ra,rab->rb", forward[t - 1], moves[-1]) * likelihoods[t])
    smoothed, backward = forward.copy(), np.ones(members.shape[1:])
    for t in range(steps - 2, -1, -1):
        backward = _normal(np.einsum("rab,rb->ra", moves[t], backward * likelihoods[t + 1]))
        smoothed[t] = _normal(forward[t] * backward)
    return forward, smoothed


def _normal(weights: Array) -> Array:
    """Weights that sum to one in each row; equal ones where nothing seen is possible to the attacker."""
    sums = weights.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), 1 / weights.shape[-1])


def judged(members: Indices, weights: Array, truth: Indices | None) -> tuple[Array, Array]:
    """For each step and walk the chance that the best guess is right, and the entropy left, in bits.

    Members that are the same state count together. With the true states, it is whether the guess is right that counts,
    ties being broken at random, and not what the attacker believes.
    """
    same = members[..., :, None] == members[..., None, :]
    together = np.einsum("...ij,...j->...i", same, weights) * (members >= 0)
    best = together.max(axis=-1)
    bits = -(weights * np.log2(np.where(together > 0, together, 1))).sum(axis=-1)
    if truth is None:
        return best, np.maximum(bits, 0)
    likeliest = (together >= best[..., None] * (1 - 1e-12)) & (members >= 0)
    first = ~(np.tril(same, -1) & likeliest[..., None, :]).any(axis=-1) & likeliest
    hit = (likeliest & (members == truth[..., None])).any(axis=-1)
    return hit / np.maximum(first.sum(axis=-1), 1), np.maximum(bits, 0)
