"""Ways of showing walks: tracks, decoys, or a set at each step, by a plan, a channel or a plan for the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.channel import Channel
from minleak._data.prior import Prior
from minleak._plan.partition import cut
from minleak._plan.sampler import RingSampler
from minleak._plan.streams import Stream
from minleak._plans.make import design
from minleak._plans.rings import Plan
from minleak._sequences.beliefs import Sets, SideBySide
from minleak._sequences.chain import Chain
from minleak._sequences.coupling import moved, started

Random = np.random.Generator
Told = Callable[[int, int], None]

# Plans of more sets than this are not gone through one by one.
_LISTED = 1 << 11
NAMES = ("tracks", "plan", "buckets", "decoys", "predictive")


@dataclass(frozen=True)
class Scheme:
    """A way of showing walks: its name in tables, its k, the most states that a step shows, and what it shows of walks,
    an array of shape (walks, steps). `channel` makes the channel that is drawn from at each step, if there is one of
    few outputs.
    """

    name: str
    k: int | None
    width: int
    shown: Callable[[Chain, Indices, Random, Told], Sets | SideBySide]
    channel: Callable[[], Channel] | None = None


def scheme_of(name: str, k: int, chain: Chain) -> Scheme:
    """The scheme of a name."""
    if name == "plan":
        return plan_scheme(design(chain.marginal, min(k, len(chain))))
    if name == "buckets":
        blocks = cut(chain.marginal, min(k, len(chain))).block_of()
        return channel_scheme(Channel.deterministic(blocks.tolist()), "fixed buckets", min(k, len(chain)))
    if name == "decoys":
        return Scheme("independent decoy walks", k, k, partial(_decoys, k))
    if name == "predictive":
        return Scheme("plan for the prediction", k, k, partial(_predicted, k))
    return tracks_scheme(k)


def tracks_scheme(k: int) -> Scheme:
    """The walk among k - 1 tracks coupled to it; see `Tracks`."""
    return Scheme("tracks", k, k, partial(_tracks, k))


def plan_scheme(plan: Plan) -> Scheme:
    """A set of a plan, drawn anew at each step."""
    channel = plan.channel if plan.n_cells < _LISTED else None
    return Scheme("plan at each step", plan.k, plan.k, partial(_by_plan, plan), channel)


def channel_scheme(channel: Channel, name: str = "channel at each step", k: int | None = None) -> Scheme:
    """An observable of a channel, drawn anew at each step; the sets are its pre-images."""
    import scipy.sparse as sp

    width = int(np.diff(sp.csc_array(channel.matrix).indptr).max())
    return Scheme(name, k, width, partial(_by_channel, channel), lambda: channel)


def _by_plan(plan: Plan, _chain: Chain, walks: Indices, rng: Random, _told: Told) -> Sets:
    sampler = plan.sampler()
    drawn = [_drawn(sampler, states, rng) for states in walks.T]
    return Sets(np.stack([sets for sets, _ in drawn]), np.stack([chances for _, chances in drawn]))


def _drawn(sampler: RingSampler, secrets: Indices, rng: Random) -> tuple[Indices, Array]:
    """Sets of a plan, and p(set given member) up to a factor: one over the places that a member owns."""
    owned = sampler.owned(secrets)
    sets = sampler.locate(secrets, rng.integers(0, np.maximum(owned, 1)))
    places = sampler.owned(np.maximum(sets, 0).ravel()).reshape(sets.shape)
    return sets, np.where(sets >= 0, 1 / np.maximum(places, 1), 0.0)


def _by_channel(channel: Channel, _chain: Chain, walks: Indices, rng: Random, _told: Told) -> Sets:
    import scipy.sparse as sp

    rows, columns = sp.csr_array(channel.matrix), sp.csc_array(channel.matrix)
    running = np.concatenate([[0.0], np.cumsum(rows.data)])
    begin, end = running[rows.indptr[walks]], running[rows.indptr[walks + 1]]
    at = np.searchsorted(running, begin + rng.random(walks.shape) * (end - begin), side="right") - 1
    seen = rows.indices[np.clip(at, rows.indptr[walks], rows.indptr[walks + 1] - 1)].T
    sizes = np.diff(columns.indptr)[seen]
    offsets = np.arange(sizes.max())
    places = np.minimum(columns.indptr[seen][..., None] + offsets, len(columns.data) - 1)
    there = offsets < sizes[..., None]
    members = np.where(there, columns.indices[places], -1).astype(np.int64)
    return Sets(members, np.where(there, columns.data[places], 0.0))


def _predicted(k: int, chain: Chain, walks: Indices, rng: Random, told: Told) -> Sets:
    """The optimal plan for what everybody expects of the next state, designed at each step."""
    members = np.full((walks.shape[1], len(walks), k), -1, dtype=np.int64)
    likelihoods = np.zeros(members.shape)
    for r, walk in enumerate(walks):
        expected = chain.initial.p
        for t, state in enumerate(walk):
            plan = design(Prior(expected), k, layout="circle")
            sets, chances = _drawn(plan.sampler(), np.array([state]), rng)
            members[t, r, : plan.k], likelihoods[t, r, : plan.k] = sets[0], chances[0]
            belief = np.zeros(len(chain))
            there = sets[0] >= 0
            belief[sets[0][there]] = expected[sets[0][there]] * chances[0][there]
            if not belief.sum() > 0:  # a state that the prediction holds impossible
                belief[sets[0][there]] = 1.0
            expected = chain.step(belief / belief.sum())
        told(r + 1, len(walks))
    return Sets(members, likelihoods)


def _decoys(k: int, chain: Chain, walks: Indices, rng: Random, _told: Told) -> SideBySide:
    """The walk among k - 1 walks of the chain that know nothing of each other."""
    many, steps = walks.shape
    members = chain.simulated(steps, many * k, rng).reshape(many, k, steps)
    members[np.arange(many), rng.integers(0, k, many)] = walks
    never = np.zeros((steps, many), dtype=bool)
    return SideBySide(chain, np.ascontiguousarray(members.transpose(2, 0, 1)), never)


def _tracks(k: int, chain: Chain, walks: Indices, rng: Random, told: Told) -> SideBySide:
    stream = Stream(lambda _: rng.bytes(64))
    members = np.empty((walks.shape[1], len(walks), k), dtype=np.int64)
    cuts = np.zeros(members.shape[:2], dtype=bool)
    for r, walk in enumerate(walks.tolist()):
        tracks: list[int] | None = None
        place = 0
        for t, state in enumerate(walk):
            if tracks is not None:
                tracks = moved(chain, tracks, place, state, stream)
            if tracks is None:
                begun = None if t else started(chain, k, state, stream)
                cuts[t, r] = begun is None
                begun = begun or started(chain, k, state, stream, anew=True)
                tracks, place = begun or ([state] * k, 0)  # a state that has no weight cannot be hidden
            members[t, r] = tracks
        told(r + 1, len(walks))
    return SideBySide(chain, members, cuts)
