"""Buckets for secrets that come one at a time: one open bucket for each class of like weights, never changed later."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._parameters import real, whole
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result

# The step between classes is taken as a fraction of this, so that classes are the same on every machine.
_GRAIN = 1000


@dataclass(frozen=True)
class OnlineBuckets(Result):
    """Buckets that secrets were put into as they came: made by `minleak.lab.online_buckets`."""

    success: float
    """How often one guess is right that sees the bucket."""
    bound: float
    """What it is at most, for any weights of this largest share in any order."""
    step: float
    """By how much weights within a class differ at most, as a part."""
    classes: int
    """How many classes have secrets, and so how many buckets may be open at a time."""
    buckets: Indices = field(repr=False, compare=False)
    """The number of each secret's bucket, in the order in which they came: what `compare` takes."""


def online_buckets(prior: Prior | Iterable[Any], k: int, *, step: float | None = None) -> OnlineBuckets:
    """Return buckets of at most k for secrets that come one at a time, in the prior's order, each with its weight.

    A secret joins the open bucket of its weight class [(1+step)^c, (1+step)^(c+1)), which is closed when it has k.
    Nobody is ever moved, so repeated looks have nothing to intersect. One guess is right with probability at most

        (1+step)/k + p_max (2 + 1/step),

    p_max being the largest probability: in a full bucket the largest is at most (1+step)/k of the whole, and those of
    the open buckets fall geometrically. Without `step` it is sqrt(k p_max), which makes that (1/sqrt(k) +
    sqrt(p_max))^2 + p_max; guess p_max where you do not know it yet. Secrets without weight have a class of their own.

    Who knows no weights either fills buckets in order of arrival: on average over all orders no channel is better that
    does not know them (docs/research/theorems.md). Who has all counts cuts the sorted list: `design(layout="blocks")`.

    >>> found = online_buckets([8, 1, 9, 1, 1, 8, 1, 1], 2, step=0.5)
    >>> found.buckets.tolist(), round(found.success, 6)
    ([0, 1, 0, 1, 2, 3, 2, 4], 0.666667)
    """
    known = as_prior(prior)
    size = whole(k, "the cap k on the size of a bucket")
    largest = float(known.p.max())
    asked = math.sqrt(size * largest) if step is None else real(step, "the step is a number above 0", above=0)
    ratio = 1 + Fraction(max(round(asked * _GRAIN), 1), _GRAIN)
    begins = _begins([w for w in known.weights.tolist() if w], ratio)
    numbers = np.empty(len(known), dtype=np.int64)
    heaviest: list[Any] = []
    open_to: dict[int, tuple[int, int]] = {}  # by class its bucket, and how many that has
    for x, weight in enumerate(known.weights.tolist()):
        of = bisect_right(begins, weight)
        bucket, members = open_to.get(of, (-1, size))
        if members == size:
            bucket, members = len(heaviest), 0
            heaviest.append(weight)
        heaviest[bucket] = max(heaviest[bucket], weight)
        numbers[x] = bucket
        open_to[of] = bucket, members + 1
    used = float(ratio - 1)
    bound = min(1.0, (1 + used) / size + largest * (2 + 1 / used))
    return OnlineBuckets(float(sum(heaviest) / known.total), bound, used, len(open_to), numbers)


def _begins(weights: list[Any], ratio: Fraction) -> list[Any]:
    """The lightest weight of each class that has any, from the lightest up: classes begin at the powers of the ratio,
    whatever the weights, so that nobody has to know those to come.
    """
    begin, found = Fraction(1), []
    ordered = sorted(set(weights))
    while begin > ordered[0]:
        begin /= ratio
    at = 0
    while at < len(ordered):
        found.append(ordered[at])
        while begin * ratio <= ordered[at]:
            begin *= ratio
        begin *= ratio
        while at < len(ordered) and ordered[at] < begin:
            at += 1
    return found
