"""The posteriors of an attacker who sees sets or tracks step by step, and how often their best guess is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak import Channel
from minleak.core._arrays import Array, Indices
from minleak.lab.sequences._chain import Chain, look_up

# Numbers that one step of the exact recursion may take.
_MOST = 1 << 22


class Attacker:
    """An attacker who knows a chain: the chance of each first state, and of each move of walk number `walk`."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain

    def starts(self, a: Indices) -> Array:
        """The chance of each first state."""
        return np.asarray(self.chain.initial.p[a])

    def moves(self, a: Indices, b: Indices, walk: Indices) -> Array:  # noqa: ARG002 - for those who have seen walks
        """The chance of each move."""
        return self.chain.probabilities(a, b)


class LearningAttacker(Attacker):
    """An attacker who has also seen all walks but the one under attack. Their transitions are added to the chain's,
    which count for so many that the walks, each predicted from the others, are likeliest.
    """

    def __init__(self, chain: Chain, walks: Indices) -> None:
        super().__init__(chain)
        n = self._n = len(chain)
        a, b = walks[:, :-1].ravel(), walks[:, 1:].ravel()
        owner = np.repeat(np.arange(len(walks)), walks.shape[1] - 1)
        self._pairs, self._times = np.unique(a * n + b, return_counts=True)
        self._sums = np.bincount(a, minlength=n)
        # a number for every state, then every pair, that a walk has: what has to be left out for that walk
        self._own, self._own_times = np.unique(owner * (n * n) + a * n + b, return_counts=True)
        self._left, self._left_times = np.unique(owner * n + a, return_counts=True)
        self._strength = 1.0
        if len(a):
            tried = [0.1, 1.0, 10.0, 100.0, 1000.0, 1e5]
            self._strength = max(tried, key=lambda s: self._score(a, b, owner, s))

    def _score(self, a: Indices, b: Indices, walk: Indices, strength: float) -> float:
        self._strength = strength
        return float(np.log(np.maximum(self.moves(a, b, walk), 1e-300)).sum())

    def moves(self, a: Indices, b: Indices, walk: Indices) -> Array:
        a, b, walk = np.broadcast_arrays(a, b, walk)
        n = self._n
        others = look_up(self._pairs, self._times, a * n + b)
        others = others - look_up(self._own, self._own_times, walk * (n * n) + a * n + b)
        sums = self._sums[a] - look_up(self._left, self._left_times, walk * n + a)
        return np.asarray((others + self._strength * self.chain.probabilities(a, b)) / (sums + self._strength))


@dataclass(frozen=True, eq=False)
class ShownSets:
    """Sets drawn at each step: `members` of shape (steps, walks, k), -1 for nobody, and p(set given member) up to a
    factor for each set.
    """

    members: Indices
    likelihoods: Array

    def posteriors(self, attacker: Attacker, walks: slice) -> tuple[Array, Array]:
        """Weights of the members after the sets up to theirs, and after all of them: the forward-backward recursion."""
        states, likelihoods = np.maximum(self.members[:, walks], 0), self.likelihoods[:, walks]
        number = np.arange(walks.start, walks.stop)[:, None, None]
        forward = np.empty(states.shape)
        moves = []
        forward[0] = _normalise(attacker.starts(states[0]) * likelihoods[0])
        for t in range(1, len(states)):
            moves.append(attacker.moves(states[t - 1][:, :, None], states[t][:, None, :], number))
            forward[t] = _normalise(np.einsum("ra,rab->rb", forward[t - 1], moves[-1]) * likelihoods[t])
        smoothed, backward = forward.copy(), np.ones(states.shape[1:])
        for t in range(len(states) - 2, -1, -1):
            backward = _normalise(np.einsum("rab,rb->ra", moves[t], backward * likelihoods[t + 1]))
            smoothed[t] = _normalise(forward[t] * backward)
        return forward, smoothed


@dataclass(frozen=True, eq=False)
class ShownTracks:
    """Walks that were shown side by side, made by a chain; at the steps `cuts` (steps x walks) all began anew."""

    chain: Chain
    members: Indices
    cuts: npt.NDArray[np.bool_]

    def posteriors(self, attacker: Attacker, walks: slice) -> tuple[Array, Array]:
        """The same: walk j is the true one in proportion to the product, over its moves since the last cut, of the
        attacker's chance over the chain's.
        """
        members, cuts = self.members[:, walks], self.cuts[:, walks]
        number = np.arange(walks.start, walks.stop)[:, None]
        gains = np.zeros(members.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            gains[0] = np.log(attacker.starts(members[0])) - np.log(self.chain.initial.p[members[0]])
            for t in range(1, len(members)):
                a, b = members[t - 1], members[t]
                gains[t] = np.log(attacker.moves(a, b, number)) - np.log(self.chain.probabilities(a, b))
        gains[cuts] = 0.0
        gains = np.nan_to_num(gains, nan=0.0, posinf=700.0, neginf=-700.0)
        filtered, so_far = np.empty(members.shape), np.zeros(members.shape[1:])
        for t in range(len(members)):
            so_far = np.where(cuts[t][:, None], 0.0, so_far) + gains[t]
            filtered[t] = _normalise(np.exp(so_far - so_far.max(axis=-1, keepdims=True)))
        smoothed = filtered.copy()
        for t in range(len(members) - 2, -1, -1):  # what is known at the last step before a cut
            smoothed[t] = np.where(cuts[t + 1][:, None], filtered[t], smoothed[t + 1])
        return filtered, smoothed


def _normalise(weights: Array) -> Array:
    """Weights that sum to one in each row; equal ones where nothing seen is possible to the attacker."""
    sums = weights.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), 1 / weights.shape[-1])


def score_guesses(members: Indices, weights: Array, truth: Indices | None) -> tuple[Array, Array]:
    """For each step and walk the chance that the best guess is right, and the entropy left, in bits.

    Members that are the same state count together. With the true states, it is whether the guess is right that counts,
    ties being broken at random, and not what the attacker believes.
    """
    order = np.argsort(members, axis=-1, kind="stable")
    members, weights = np.take_along_axis(members, order, -1), np.take_along_axis(weights, order, -1)
    first = np.diff(members, axis=-1, prepend=-2) > 0  # of those that are the same state
    row, k = np.arange(first[..., 0].size)[:, None], first.shape[-1]
    run = (np.cumsum(first, axis=-1).reshape(-1, k) - 1 + k * row).ravel()
    together = np.bincount(run, weights=weights.ravel(), minlength=first.size)[run].reshape(first.shape)
    together = np.where(first & (members >= 0), together, 0.0)
    best = together.max(axis=-1)
    bits = np.maximum(-(together * np.log2(np.where(together > 0, together, 1))).sum(axis=-1), 0)
    if truth is None:
        return best, bits
    likeliest = first & (members >= 0) & (together >= best[..., None] * (1 - 1e-12))
    return (likeliest & (members == truth[..., None])).any(axis=-1) / np.maximum(likeliest.sum(axis=-1), 1), bits


def solve_exactly(chain: Chain, channel: Channel, steps: int) -> list[tuple[float, ...]] | None:
    """Success of filtering and of smoothing, and the entropies in bits, at each step; None where there are too many
    sequences of observables.

    Forward: alpha(y_0..y_t)(x) = p(y_0..y_t, X_t = x). Backward: beta(y_t+1..y_T)(x) = p(y_t+1..y_T given X_t = x).
    The sum over all sequences of max over x of alpha * beta is the chance of the best guess.
    """
    n, outputs = channel.shape
    if steps * np.log2(max(outputs, 2)) + np.log2(n) > np.log2(_MOST):
        return None
    C = channel.toarray()
    P = chain.probabilities(np.arange(n)[:, None], np.arange(n)[None, :])
    forward = [chain.initial.p[None, :] * C.T]
    backward = [np.ones((1, n))]
    for _ in range(steps - 1):
        forward.append(((forward[-1] @ P)[:, None, :] * C.T).reshape(-1, n))
        backward.append((P @ (C.T[:, None, :] * backward[-1]).reshape(-1, n).T).T)
    filtered = [_score_joint(alpha) for alpha in forward]
    smoothed = [
        _score_joint((alpha[:, None, :] * backward[steps - 1 - t][None]).reshape(-1, n))
        for t, alpha in enumerate(forward)
    ]
    return [tuple(step[which] for step in part) for which in (0, 1) for part in (filtered, smoothed)]


def _score_joint(joint: Array) -> tuple[float, float]:
    """The chance of the best guess and the conditional entropy, of p(what is seen, x)."""
    seen = joint.sum(axis=1, keepdims=True)
    shares = joint / np.where(seen > 0, seen, 1)
    bits = -(joint * np.log2(np.where(shares > 0, shares, 1))).sum()
    return float(joint.max(axis=1).sum()), max(float(bits), 0.0)
