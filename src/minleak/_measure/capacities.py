"""Capacity: the worst leakage of a channel over all priors, between bounds that certify it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.channel import Channel, as_channel
from minleak._data.parameters import real, whole
from minleak._data.prior import Prior
from minleak._data.simulating import generator
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._entropy.random_search import random_search
from minleak._measure import sibson
from minleak._measure.leakages import leakage, maximal_leakage


@dataclass(frozen=True)
class Capacity:
    """The largest leakage over all priors: `lower` is attained by `prior`, `upper` is never exceeded.

    `status` is "exact" (closed form), "certified" (the gap asked for was reached), "not converged" (the bounds hold,
    but are further apart), "bounds" (all that is known) or "lower bound" (found by search; nothing is known above it).
    """

    value: float
    lower: float
    upper: float
    prior: Prior
    status: str
    iterations: int

    @property
    def gap(self) -> float:
        """upper - lower."""
        return self.upper - self.lower


def capacity(
    channel: Channel | Any,
    entropy: ConditionalEntropy | str = "shannon",
    *,
    gap: float = 1e-9,
    iterations: int | None = None,
    seed: int = 0,
) -> Capacity:
    """C = max over priors p of H(X) - H(X|Y), in the unit of H, the entropy.

    Min-entropy: the logarithm of sum over y of max over x of C[x,y], attained by the uniform prior; exact.

    Shannon and Arimoto of order a > 0: with r proportional to p^a the leakage is Sibson's
    I_a(r) = a/(a-1) log sum over y of (sum over x of r_x C[x,y]^a)^(1/a), and
    max over r of I_a(r) = min over q of max over x of D_a(C[x,.] || q), D_a the Renyi divergence. Any r bounds the
    capacity from below and, with the q it induces, from above; interior-point Newton steps close the `gap`, in the
    unit of H, or stop after `iterations` and say so. Of many secrets they are taken among those that attain the
    capacity, no more than there are observables; where these are more than 4000, multiplicative steps have to do.

    Other entropies: a lower bound by `iterations` trials of random search from `seed`, labelled as such.

    >>> bsc = capacity([[0.9, 0.1], [0.1, 0.9]])
    >>> round(bsc.value, 9), bsc.status
    (0.531004406, 'certified')
    """
    channel, H = as_channel(channel), as_entropy(entropy)
    gap = real(gap, "the gap is a positive number", above=0)
    iterations = None if iterations is None else whole(iterations, "iterations", 1)
    order = H.arimoto_order
    if order == math.inf:
        value = maximal_leakage(channel, base=math.e) / H.unit
        return Capacity(value, value, value, Prior.uniform(channel.shape[0]), "exact", 0)
    if order is None or order == 0:
        return _searched(channel, H, iterations or 4000, seed)
    return _sibson(channel, order, H.unit, gap, iterations)


def _searched(channel: Channel, H: ConditionalEntropy, trials: int, seed: int) -> Capacity:
    n = channel.shape[0]
    p, _ = random_search(
        lambda p: leakage(p, channel, H),
        n,
        trials=trials,
        rng=generator(seed),
        starts=[np.full(n, 1 / n)],
    )
    value = leakage(p, channel, H)
    return Capacity(value, value, math.inf, Prior(p), "lower bound", trials)


def _sibson(channel: Channel, order: float, unit: float, gap: float, iterations: int | None) -> Capacity:
    found = sibson.between(channel.matrix, order, gap=gap * unit, iterations=iterations)
    lower = max(0.0, min(found.lower, found.upper))  # rounding may cross them when they meet
    logs = np.log(np.maximum(found.r, 1e-300)) / order
    prior = Prior(np.exp(logs - logs.max()))
    status = "certified" if found.upper - lower <= gap * unit else "not converged"
    return Capacity(lower / unit, lower / unit, max(found.upper, 0.0) / unit, prior, status, found.steps)
