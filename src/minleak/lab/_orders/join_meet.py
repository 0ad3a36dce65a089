"""Join and meet: two columns of a channel replaced by the larger and the smaller entries leak less."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.names import entropy
from minleak.core._leakage import leakage
from minleak.core._parameters import as_list, whole
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._simulating import generator
from minleak.errors import InvalidParameter, quote
from minleak.lab._algebra import sharing
from minleak.lab._orders.orders import refined_by

# What is leaked of these falls with every join and meet, and with every post-processing.
_KEPT = ("shannon", "min-entropy", "guesswork", "arimoto:2", "arimoto:0.5", "guess-error:2")
# The most priors that are tried.
_TRIALS = 1_000_000
_PAIR = "a join and a meet are of two observables"
# How many channels the search for a way looks at.
_LOOKED_AT = 500


def join_meet(channel: Channel | Any, *, observables: tuple[Any, Any] | None = None) -> Channel:
    """The channel with two `observables` (labels) replaced by their join and their meet: in each row the first gets the
    larger entry and the second the smaller. Without them, with all pairs: every row is sorted.

    No entropy whose Fhat is supermodular leaks more after it, whatever the prior: Shannon, min-entropy, guesswork,
    l guesses and Arimoto's of every order (Americo, Khouzani, Malacaria, Entropy 24:39). Gains that tell secrets apart
    may, since it is no post-processing.

    >>> join_meet([[0.75, 0.25], [0.25, 0.75]]).toarray()
    array([[0.75, 0.25],
           [0.75, 0.25]])
    """
    channel = as_channel(channel)
    matrix = np.array(channel.toarray() if channel.exact is None else channel.exact)
    if observables is None:
        matrix = -np.sort(-matrix, axis=1)
    else:
        places = [_place(channel, label) for label in as_list(observables, _PAIR, ordered=True)]
        if len(places) != 2 or places[0] == places[1]:
            raise InvalidParameter(f"{_PAIR}, not {quote(observables)}")
        y, z = places
        matrix[:, y], matrix[:, z] = np.maximum(matrix[:, y], matrix[:, z]), np.minimum(matrix[:, y], matrix[:, z])
    return Channel(matrix, inputs=channel.inputs, outputs=channel.outputs, tolerance=channel.tolerance)


@dataclass(frozen=True)
class JoinMeetOrder(Result):
    """Whether the second is below the first in the order of joins, meets and post-processings, `ok`; None where neither
    was found.

    Where it is, it is a post-processing (`post_processing`) of the first after the `steps`, pairs of observables of the
    first in turn. Where it is not, it leaks more than the first of `entropy` under `prior`, as nothing below the first
    does.
    """

    ok: bool | None
    steps: tuple[tuple[Any, Any], ...] = ()
    post_processing: Channel | None = None
    entropy: str | None = None
    prior: Prior | None = None

    def __bool__(self) -> bool:
        return bool(self.ok)


def join_meet_refined_by(
    first: Channel | Any, second: Channel | Any, *, trials: int = 50, seed: int = 0
) -> JoinMeetOrder:
    """Return whether the first channel is refined by the second in the order of joins and meets: whether joins, meets
    and then a post-processing make the second of the first.

    The second then leaks no more than the first in every entropy that `join_meet` names, for every prior. It is a wider
    order than `refined_by`, for fewer attackers.

    A way is searched, the fewest steps first, among 500 channels; a prior under which the second leaks more, by
    `trials`.

    >>> noisy, still = [[0.75, 0.25], [0.25, 0.75]], [[0.75, 0.25], [0.75, 0.25]]
    >>> join_meet_refined_by(noisy, still).ok, join_meet_refined_by(still, noisy).entropy
    (True, 'shannon')
    """
    A = as_channel(first)
    B = sharing(A, second, "that are compared")
    trials, rng = whole(trials, "trials", 1, _TRIALS), generator(seed)
    n = A.shape[0]
    for p in [np.full(n, 1 / n), *rng.dirichlet(np.ones(n), trials), *rng.dirichlet(np.full(n, 0.2), trials)]:
        for name in _KEPT if n > 1 else ():
            H = entropy(name)
            if leakage(p, B, H) > leakage(p, A, H) + 1e-9:
                return JoinMeetOrder(False, entropy=name, prior=Prior(p, labels=A.inputs))
    waiting: list[tuple[Channel, tuple[tuple[Any, Any], ...]]] = [(A, ())]
    seen: set[bytes] = set()
    looked_at = 0
    while waiting and looked_at < _LOOKED_AT:
        here, steps = waiting.pop(0)
        looked_at += 1
        found = refined_by(here, B)
        if found.ok:
            return JoinMeetOrder(True, steps, found.post_processing)
        for y, z in combinations(here.outputs, 2):
            after = join_meet(here, observables=(y, z))
            key = after.toarray().round(12).tobytes()
            if key not in seen and not np.array_equal(after.toarray(), here.toarray()):
                seen.add(key)
                waiting.append((after, (*steps, (y, z))))
    return JoinMeetOrder(None)


def _place(channel: Channel, label: Any) -> int:
    places = {name: y for y, name in enumerate(channel.outputs)}
    if label not in places:
        raise InvalidParameter(f"the channel has no observable {quote(label)}")
    return places[label]
