"""How much can leak through many independent observations, by the number of what can be told apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._channel import Channel
from minleak.core._entropy.base import log_base
from minleak.core._leakage import maximal_leakage
from minleak.core._parameters import whole
from minleak.core._result import Result
from minleak.lab._hyper import reduced


@dataclass(frozen=True)
class RepetitionBounds(Result):
    """No prior and no gains that are not negative leak more, in min-entropy, through `observations` independent outputs
    than any of these, in the unit asked for.

    `by_types` is the logarithm of how many multisets of outputs there are, since their order tells nothing; `by_counts`
    is m log(observations + 1) for m outputs, the bound of Koepf and Smith for blinded cryptography; `by_sum` is the
    maximal leakage of one observation times their number; `by_secrets` is the logarithm of the number of secrets that
    differ in their rows. `bound` is the least: the chance of a right guess grows at most by base^bound.
    """

    observations: int
    by_types: float
    by_counts: float
    by_sum: float
    by_secrets: float

    reported = ("bound",)

    @property
    def bound(self) -> float:
        """The least of the bounds."""
        return min(self.by_types, self.by_counts, self.by_sum, self.by_secrets)


def repetition_bounds(channel: Channel | Any, observations: int, *, base: float = 2) -> RepetitionBounds:
    """Bounds on what n independent observations of one secret leak, for any n, in closed form (Koepf and Smith 2010,
    "Vulnerability Bounds and Leakage Resilience of Blinded Cryptography under Timing Attacks").

    The min-entropy leakage of a channel is at most the logarithm of the number of its outputs. Of n observations only
    how often each output came counts, and there are at most C(n+m-1, n) <= (n+1)^m such types: leakage grows with
    log n, not with n. `lab.repeated(channel, n)` is exact where that is small enough. O(n m) beyond sorting rows.

    >>> found = repetition_bounds([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], 5)
    >>> round(found.by_types, 6), round(found.by_counts, 6), round(found.bound, 6)
    (2.584963, 5.169925, 1.315172)
    """
    given, count = reduced(channel), whole(observations, "the number of observations", 1)
    outputs, unit = given.shape[1], log_base(base)
    some = np.arange(1.0, min(count, outputs - 1) + 1)  # the binomial coefficient has as many factors
    types = float(np.log((max(count, outputs - 1) + some) / some).sum())
    distinct = len(np.unique(given.toarray(), axis=0))
    return RepetitionBounds(
        observations=count,
        by_types=types / unit,
        by_counts=outputs * math.log1p(count) / unit,
        by_sum=count * maximal_leakage(given, base=base),
        by_secrets=math.log(distinct) / unit,
    )
