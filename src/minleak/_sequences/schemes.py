"""Ways of showing a walk, each with what its attacker believes: a plan or channel at each step, decoys, tracks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from minleak._data.channel import Channel
from minleak._data.prior import Prior
from minleak._design.blocks.partition import cut
from minleak._design.make import design
from minleak._design.plan import Plan
from minleak._design.stored.sampler import Sampler
from minleak._design.stored.saving import tables_of
from minleak._run.randomness import Stream
from minleak._sequences.beliefs import Attacker, followed_through
from minleak._sequences.chain import Chain
from minleak._sequences.coupling import moved, started

Indices = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]
Progress = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Seen:
    """What was shown, of shape (steps, walks, k), -1 for nobody, with the attacker's weights after the steps so far and
    after all of them.
    """

    members: Indices
    filtered: Array
    smoothed: Array


class Scheme(Protocol):
    """A way of showing walks."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def shown(
        self, chain: Chain, walks: Indices, attacker: Attacker, rng: np.random.Generator, progress: Progress
    ) -> Seen:
        """Walks, of shape (walks, steps), as they are shown, and what the attacker makes of that."""


@dataclass(frozen=True)
class PlanEachStep:
    """A set of a plan, drawn anew at each step."""

    plan: Plan
    name: str = "plan at each step"

    def shown(
        self, chain: Chain, walks: Indices, attacker: Attacker, rng: np.random.Generator, progress: Progress
    ) -> Seen:
        del chain
        sampler = Sampler(self.plan, tables_of(self.plan))
        members = np.empty((walks.shape[1], *walks.shape[:1], self.plan.k), dtype=np.int64)
        likelihoods = np.empty(members.shape)
        for t in range(len(members)):
            members[t], likelihoods[t] = _drawn(sampler, walks[:, t], rng)
        progress()
        return Seen(members, *followed_through(attacker, members, likelihoods))


def _drawn(sampler: Sampler, secrets: Indices, rng: np.random.Generator) -> tuple[Indices, Array]:
    """Sets of a plan, and p(set given member) up to a factor: one over the places that a member owns."""
    owned = sampler.owned(secrets)
    sets = sampler.sets(secrets, rng.integers(0, np.maximum(owned, 1)))
    places = sampler.owned(np.maximum(sets, 0).ravel()).reshape(sets.shape)
    return sets, np.where(sets >= 0, 1 / np.maximum(places, 1), 0.0)


class ChannelEachStep:
    """An observable of a channel, drawn anew at each step; the sets are its pre-images."""

    def __init__(self, channel: Channel, name: str = "channel at each step") -> None:
        import scipy.sparse as sp

        self.name, self.channel = name, channel
        self._rows = sp.csr_array(channel.matrix)
        self._columns = sp.csc_array(channel.matrix)

    def shown(
        self, chain: Chain, walks: Indices, attacker: Attacker, rng: np.random.Generator, progress: Progress
    ) -> Seen:
        del chain
        rows, columns = self._rows, self._columns
        running = np.concatenate([[0.0], np.cumsum(rows.data)])
        begin, end = running[rows.indptr[walks]], running[rows.indptr[walks + 1]]
        at = np.searchsorted(running, begin + rng.random(walks.shape) * (end - begin), side="right") - 1
        seen = rows.indices[np.clip(at, rows.indptr[walks], rows.indptr[walks + 1] - 1)].T
        sizes = np.diff(columns.indptr)[seen]
        offsets = np.arange(sizes.max())
        places = np.minimum(columns.indptr[seen][..., None] + offsets, len(columns.data) - 1)
        there = offsets < sizes[..., None]
        members = np.where(there, columns.indices[places], -1).astype(np.int64)
        progress()
        return Seen(members, *followed_through(attacker, members, np.where(there, columns.data[places], 0.0)))


def buckets(prior: Prior, k: int) -> ChannelEachStep:
    """Fixed buckets of k: consecutive states in the order of their weights."""
    return ChannelEachStep(Channel.deterministic(cut(prior, k).block_of().tolist()), "fixed buckets")


@dataclass(frozen=True)
class Predicted:
    """The optimal plan for what everybody expects of the next state, designed at each step."""

    k: int
    name: str = "plan for the prediction"

    def shown(
        self, chain: Chain, walks: Indices, attacker: Attacker, rng: np.random.Generator, progress: Progress
    ) -> Seen:
        members = np.full((walks.shape[1], len(walks), self.k), -1, dtype=np.int64)
        likelihoods = np.zeros(members.shape)
        for r, walk in enumerate(walks):
            expected = chain.initial.p
            for t, state in enumerate(walk):
                plan = design(Prior(expected), self.k, layout="circle")
                sets, chances = _drawn(Sampler(plan, tables_of(plan)), np.array([state]), rng)
                members[t, r, : plan.k], likelihoods[t, r, : plan.k] = sets[0], chances[0]
                belief = np.zeros(len(chain))
                there = sets[0] >= 0
                belief[sets[0][there]] = expected[sets[0][there]] * chances[0][there]
                if not belief.sum() > 0:  # a state that the prediction holds impossible
                    belief[sets[0][there]] = 1.0
                expected = chain.step(belief / belief.sum())
            progress()
        return Seen(members, *followed_through(attacker, members, likelihoods))


@dataclass(frozen=True)
class DecoyWalks:
    """The walk among k - 1 walks of the chain that know nothing of each other."""

    k: int
    name: str = "independent decoy walks"

    def shown(
        self, chain: Chain, walks: Indices, attacker: Attacker, rng: np.random.Generator, progress: Progress
    ) -> Seen:
        many, steps = walks.shape
        members = chain.simulated(steps, many * self.k, rng).reshape(many, self.k, steps)
        members[np.arange(many), rng.integers(0, self.k, many)] = walks
        members = np.ascontiguousarray(members.transpose(2, 0, 1))
        progress()
        return Seen(members, *_followed_along(chain, attacker, members, np.zeros(members.shape[:2], dtype=bool)))


@dataclass(frozen=True)
class Tracked:
    """The walk among k - 1 tracks coupled to it; see `Tracks`."""

    k: int
    name: str = "tracks"

    def shown(
        self, chain: Chain, walks: Indices, attacker: Attacker, rng: np.random.Generator, progress: Progress
    ) -> Seen:
        stream = Stream(lambda _: rng.bytes(64))
        members = np.empty((walks.shape[1], len(walks), self.k), dtype=np.int64)
        cuts = np.zeros(members.shape[:2], dtype=bool)
        for r, walk in enumerate(walks.tolist()):
            tracks: list[int] | None = None
            place = 0
            for t, state in enumerate(walk):
                if tracks is not None:
                    tracks = moved(chain, tracks, place, state, stream)
                if tracks is None:
                    begun = None if t else started(chain, self.k, state, stream)
                    cuts[t, r] = begun is None
                    begun = begun or started(chain, self.k, state, stream, anew=True)
                    tracks, place = begun or ([state] * self.k, 0)  # a state that has no weight cannot be hidden
                members[t, r] = tracks
            progress()
        return Seen(members, *_followed_along(chain, attacker, members, cuts))


def _followed_along(
    chain: Chain, attacker: Attacker, members: Indices, cuts: npt.NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Weights of the tracks: track j is the true one in proportion to the product, over its moves, of the attacker's
    chance over that of the chain that the tracks were made by. At a cut, all begins anew.
    """
    number = np.arange(members.shape[1])[:, None]
    gains = np.zeros(members.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains[0] = np.log(attacker.first(members[0], number)) - np.log(chain.initial.p[members[0]])
        for t in range(1, len(members)):
            a, b = members[t - 1], members[t]
            gains[t] = np.log(attacker.onwards(a, b, number)) - np.log(chain.probabilities(a, b))
    gains[cuts] = 0.0
    gains = np.nan_to_num(gains, nan=0.0, posinf=700.0, neginf=-700.0)
    filtered, smoothed = np.empty(members.shape), np.empty(members.shape)
    so_far = np.zeros(members.shape[1:])
    for t in range(len(members)):
        so_far = np.where(cuts[t][:, None], 0.0, so_far) + gains[t]
        filtered[t] = _softmax(so_far)
    last = np.zeros(members.shape[1:])
    for t in range(len(members) - 1, -1, -1):
        ends = np.ones(members.shape[1], dtype=bool) if t == len(members) - 1 else cuts[t + 1]
        last = np.where(ends[:, None], filtered[t], last)
        smoothed[t] = last
    return filtered, smoothed


def _softmax(logs: Any) -> Array:
    odds = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))
