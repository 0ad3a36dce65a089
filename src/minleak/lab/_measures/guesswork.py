"""Moments of the number of guesses, and Arikan's bounds on them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._channel import Channel
from minleak.core._columns import packed
from minleak.core._entropy.families import Arimoto
from minleak.core._joint import Joint, joint_or_prior
from minleak.core._parameters import real
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class GuessworkMoment(Result):
    """The moment of order `rho` of guessing: `value` is E[G^rho], G the number of the guess that is right when guesses
    go by posterior probability.

    Arikan: it is at most exp(rho H), `most`, and at least exp(rho H)/(1 + ln n)^rho, `least`, with H the Arimoto
    entropy of order 1/(1+rho) in nats and n the number of possible secrets.
    """

    rho: float
    value: float
    least: float
    most: float


def guesswork_moment(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any | None = None, *, rho: float
) -> GuessworkMoment:
    """E[G^rho] of an attacker who guesses until right, the likeliest secret first, after the channel's output; without
    a channel, before any. rho is above 0: the mean at 1, and rho = 2 gives the variance.

    Exact but for rounding, O(n m log n); least of all orders of guessing, for every rho at once.

    >>> found = guesswork_moment([3, 2, 1], rho=2)
    >>> round(found.value, 9), found.least <= found.value <= found.most
    (3.333333333, True)
    """
    power = real(rho, "rho is a finite number above 0", above=0, below=math.inf)
    joint = joint_or_prior(prior, channel)
    n = int((joint.prior.p > 0).sum())
    if power * math.log(max(n, 2)) > 700:
        raise InvalidParameter(
            f"{n} guesses to the power of {power:g} are beyond what a float holds: take a smaller rho"
        )
    ranks = np.arange(1.0, len(joint.prior) + 1) ** power
    sorted_sums = (np.sort(v, axis=0)[::-1].sum(axis=1) for block in joint.blocks() for v in packed(block))
    value = math.fsum(float(ranks[: len(sums)] @ sums) for sums in sorted_sums)
    most = math.exp(power * Arimoto(1 / (1 + power), base=math.e).conditional(joint))
    return GuessworkMoment(power, value, max(most / (1 + math.log(n)) ** power, 1.0), most)
