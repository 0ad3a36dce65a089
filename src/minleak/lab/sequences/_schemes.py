"""Schemes to show walks: tracks, decoys, or a set at each step from a plan, a channel or a plan for the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minleak import Channel, Plan, Prior, design
from minleak.core._arrays import Array, Indices
from minleak.core._channel import as_channel
from minleak.core._labels import match
from minleak.core._parameters import whole
from minleak.core._plan.drawable import Listed
from minleak.core._plan.partition import cut
from minleak.core._plan.set_plan import SetPlan
from minleak.core._plan.streams import Stream
from minleak.errors import InvalidParameter, quote
from minleak.lab.sequences._beliefs import ShownSets, ShownTracks
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._steps import move_tracks, start_tracks
from minleak.lab.sequences._tracks import Tracks

Random = np.random.Generator
Report = Callable[[int, int], None]

# Plans of more sets than this are not gone through one by one.
_LISTED = 1 << 11
CHAIN = ("the chain", "state")
# The most states that a step shows.
_SIZE = 1 << 10
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
    show: Callable[[Chain, Indices, Random, Report], ShownSets | ShownTracks]
    channel: Callable[[], Channel] | None = None


def as_scheme(chain: Chain, method: Any, k: int | None) -> Scheme:
    """The scheme of a name, with k, or that of `Tracks`, a plan, blocks or a channel on the states of the chain."""
    if method is None or isinstance(method, str):
        if method not in NAMES:
            raise InvalidParameter(
                f"a method is one of {', '.join(NAMES)}, or Tracks, a Plan, a Channel; not {quote(method)}"
            )
        if k is None:
            raise InvalidParameter(f"say how many states a step shows: k= goes with {method!r}")
        return _named_scheme(method, whole(k, "k", most=_SIZE), chain)
    if k is not None:
        raise InvalidParameter("k= goes with the name of a method: tracks and plans have their own")
    if isinstance(method, Tracks):
        match(method.chain.labels, chain.labels, ("the chain of the tracks", "state"), CHAIN, InvalidParameter)
        return _named_scheme("tracks", method.k, chain)
    if isinstance(method, Plan):
        match(method.prior.labels, chain.labels, ("the plan", "secret"), CHAIN, InvalidParameter)
        return _plan_scheme(method)
    given = as_channel(method.channel() if isinstance(method, Listed) else method)
    match(given.inputs, chain.labels, ("the channel", "row"), CHAIN, InvalidParameter)
    return _channel_scheme(given, "channel at each step", None)


def _named_scheme(name: str, k: int, chain: Chain) -> Scheme:
    if name == "tracks":
        return Scheme("tracks", k, k, partial(_draw_tracks, k))
    if name == "decoys":
        return Scheme("independent decoy walks", k, k, partial(_draw_decoys, k))
    if name == "predictive":
        return Scheme("plan for the prediction", k, k, partial(_draw_predictive, k))
    k = min(k, len(chain))
    if name == "plan":
        return _plan_scheme(design(chain.marginal, k))
    blocks = cut(chain.marginal.weights, k).block_of()
    return _channel_scheme(Channel.deterministic(blocks.tolist()), "fixed buckets", k)


def _plan_scheme(plan: Plan) -> Scheme:
    """A set of a plan, drawn anew at each step."""
    channel = plan.channel if plan.n_cells < _LISTED else None
    return Scheme("plan at each step", plan.k, plan.k, partial(_draw_plan, plan), channel)


def _channel_scheme(channel: Channel, name: str, k: int | None) -> Scheme:
    """An observable of a channel, drawn anew at each step; the sets are its pre-images."""
    import scipy.sparse as sp

    width = int(np.diff(sp.csc_array(channel.matrix).indptr).max())
    return Scheme(name, k, width, partial(_draw_channel, channel), lambda: channel)


def _draw_plan(plan: Plan, _chain: Chain, walks: Indices, rng: Random, _report: Report) -> ShownSets:
    drawn = [_draw_sets(plan, states, rng) for states in walks.T]
    return ShownSets(np.stack([sets for sets, _ in drawn]), np.stack([chances for _, chances in drawn]))


def _draw_sets(plan: SetPlan, secrets: Indices, rng: Random) -> tuple[Indices, Array]:
    """Sets of a plan, and p(set given member) up to a factor: one over the places that a member owns."""
    owned = plan.places(secrets)
    sets = plan.locate(secrets, rng.integers(0, np.maximum(owned, 1)))
    places = plan.places(np.maximum(sets, 0).ravel()).reshape(sets.shape)
    return sets, np.where(sets >= 0, 1 / np.maximum(places, 1), 0.0)


def _draw_channel(channel: Channel, _chain: Chain, walks: Indices, rng: Random, _report: Report) -> ShownSets:
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
    return ShownSets(members, np.where(there, columns.data[places], 0.0))


def _draw_predictive(k: int, chain: Chain, walks: Indices, rng: Random, report: Report) -> ShownSets:
    """The optimal plan for what everybody expects of the next state, designed at each step."""
    members = np.full((walks.shape[1], len(walks), k), -1, dtype=np.int64)
    likelihoods = np.zeros(members.shape)
    for r, walk in enumerate(walks):
        expected = chain.initial.p
        for t, state in enumerate(walk):
            plan = design(Prior(expected), k, layout="circle")
            sets, chances = _draw_sets(plan, np.array([state]), rng)
            members[t, r, : plan.k], likelihoods[t, r, : plan.k] = sets[0], chances[0]
            belief = np.zeros(len(chain))
            there = sets[0] >= 0
            belief[sets[0][there]] = expected[sets[0][there]] * chances[0][there]
            if not belief.sum() > 0:  # a state that the prediction holds impossible
                belief[sets[0][there]] = 1.0
            expected = chain.step(belief / belief.sum())
        report(r + 1, len(walks))
    return ShownSets(members, likelihoods)


def _draw_decoys(k: int, chain: Chain, walks: Indices, rng: Random, _report: Report) -> ShownTracks:
    """The walk among k - 1 walks of the chain that know nothing of each other."""
    many, steps = walks.shape
    members = chain.simulate_positions(steps, many * k, rng).reshape(many, k, steps)
    members[np.arange(many), rng.integers(0, k, many)] = walks
    never = np.zeros((steps, many), dtype=bool)
    return ShownTracks(chain, np.ascontiguousarray(members.transpose(2, 0, 1)), never)


def _draw_tracks(k: int, chain: Chain, walks: Indices, rng: Random, report: Report) -> ShownTracks:
    stream = Stream(lambda _: rng.bytes(64))
    members = np.empty((walks.shape[1], len(walks), k), dtype=np.int64)
    cuts = np.zeros(members.shape[:2], dtype=bool)
    for r, walk in enumerate(walks.tolist()):
        tracks: list[int] | None = None
        place = 0
        for t, state in enumerate(walk):
            if tracks is not None:
                tracks = move_tracks(chain, tracks, place, state, stream)
            if tracks is None:
                begun = None if t else start_tracks(chain, k, state, stream)
                cuts[t, r] = begun is None
                begun = begun or start_tracks(chain, k, state, stream, anew=True)
                tracks, place = begun or ([state] * k, 0)  # a state that has no weight cannot be hidden
            members[t, r] = tracks
        report(r + 1, len(walks))
    return ShownTracks(chain, members, cuts)
