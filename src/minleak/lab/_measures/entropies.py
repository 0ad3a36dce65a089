"""Smooth min-entropy, after an event of small probability is put aside, and moments of the number of guesses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Arimoto, Channel, Prior
from minleak.core._arrays import Array
from minleak.core._columns import packed
from minleak.core._entropy.base import log_base
from minleak.core._joint import Joint, joint_or_prior
from minleak.core._parameters import real
from minleak.core._result import Result
from minleak.errors import InvalidParameter


def smooth_min_entropy(
    prior: Joint | Prior | Iterable[Any],
    channel: Channel | Any | None = None,
    *,
    epsilon: float,
    worst: bool = False,
    base: float = 2,
) -> float:
    """The largest min-entropy of X given Y (of X alone, without a channel) over all events of probability at least
    1 - epsilon, whose complement is left out of the joint:

        -log min over 0 <= J' <= J, |J| - |J'| <= epsilon,  of  sum over y of max over x of J'[x,y],

    and with `worst` that of Renner and Wolf, -log of the largest J'[x,y]/p(y) over all x and y.

    Exact, O(n m log(n m)), by caps. To lower the cap of a column in which c entries reach it costs c times as much
    mass, so the columns where fewest do go first; at worst all columns have one cap on J[x,y]/p(y). epsilon = 0 is
    the min-entropy, and the result is infinite where everything may be left out. In bits unless `base` says otherwise.

    >>> smooth_min_entropy([2, 1, 1], epsilon=0), smooth_min_entropy([2, 1, 1], epsilon=0.25)
    (1.0, 2.0)
    """
    spare = real(epsilon, "epsilon is a probability, from 0 to 1", least=0, most=1)
    joint, unit = joint_or_prior(prior, channel), log_base(base)
    cap = _worst_cap(joint, spare) if worst else _sum_of_caps(joint, spare)
    return -math.log(cap) / unit + 0.0 if cap > 0 else math.inf


def _sum_of_caps(joint: Joint, spare: float) -> float:
    """The least sum of caps lambda_y with sum of (J[x,y] - lambda_y)^+ <= spare."""
    falls = np.zeros(len(joint.p))  # by how far the caps fall, in all columns, while c entries reach them
    for v in (v for block in joint.blocks() for v in packed(block)):
        falls[: len(v)] += _falls(v)
    spent = np.cumsum(falls * np.arange(1, len(falls) + 1))
    whole = spent <= spare
    count = int(whole.sum())
    left = float(falls[count:].sum())
    if count < len(falls):
        left -= (spare - float(spent[count - 1] if count else 0.0)) / (count + 1)
    return max(left, 0.0)


def _falls(v: Array) -> Array:
    """How far each column's sorted entries are apart, from the largest on, summed over the columns."""
    falling = np.sort(v, axis=0)[::-1]
    return np.asarray(-np.diff(falling, axis=0, append=0.0).sum(axis=1))


def _worst_cap(joint: Joint, spare: float) -> float:
    """The least lambda with sum over y of p(y) (J[x,y]/p(y) - lambda)^+ <= spare."""
    blocks = [_posteriors(v) for block in joint.blocks() for v in packed(block)]
    q, weight = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    order = np.argsort(-q, kind="stable")
    q, weight = q[order], weight[order]
    # With the cap at q[i] the first i entries lose sum of w q - q[i] sum of w.
    mass, width = np.cumsum(q * weight), np.cumsum(weight)
    lost = np.append(0.0, mass[:-1]) - q * np.append(0.0, width[:-1])
    count = int(np.searchsorted(lost, spare, side="right"))
    return max((float(mass[count - 1]) - spare) / float(width[count - 1]), 0.0)


def _posteriors(v: Array) -> tuple[Array, Array]:
    """The positive p(x given y), and p(y) beside each."""
    p = v.sum(axis=0)
    seen = v > 0
    return (v / np.where(p > 0, p, 1.0))[seen], np.broadcast_to(p, v.shape)[seen]


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
