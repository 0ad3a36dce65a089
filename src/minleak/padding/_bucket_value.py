"""The value of a bucket in each entropy, computed from a few numbers, so that millions of buckets can be compared.

With P the probability of a bucket and R the Renyi entropy of its posterior, in nats, every entropy here is

    H(X|Y) = increasing function of  sum over buckets of  P (exp(c R) - 1) / c

(P R at c = 0): the perspective of the core minus a multiple of P, whose sum is fixed. It is concave and homogeneous in
the bucket's probabilities and never negative, so merging buckets never loses value, and larger buckets have more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.forms import (
    AllGuesses,
    BestGuesses,
    Form,
    RenyiMean,
    arimoto_exponent,
    as_mean,
    deform,
    restore,
)
from minleak.errors import InvalidParameter
from minleak.padding._size_classes import SizeClasses

# Orders this close to 1 are computed from sum p (p^(a-1) - 1)/(a-1), which has all its digits there.
_NEAR = 0.25
# Where an entropy grows faster with the value than the first, rounding matters: values are then as uncertain as the
# second.
_STEEP, _UNKNOWN = 1e3, 2e-12
# The largest float below one that stays below it through a division and a multiplication.
_BELOW = 1 - 2.0**-51
# Up to this total weight, its reciprocal can be told from rounding.
_GRAINS, _ROUNDING = 10**9, 1e-4
# Relative difference of steps that are equal up to rounding.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class BucketValue:
    """The value of any bucket in an entropy, as tables for the compiled loops; O(m log m) to make.

    For a uniform prior the number of secrets suffices, also for guesswork and l guesses. Otherwise two tables give any
    bucket's sums at full precision, for every order. With one guess and integer weights values are multiples of
    `grain`, which is 0 otherwise. `each` is what every bucket loses if all lose the same (one guess of equally likely
    secrets), else None.
    """

    entropy: Entropy
    tables: tuple[Any, ...]
    grain: float
    each: float | None = None

    @classmethod
    def of(cls, classes: SizeClasses, entropy: ConditionalEntropy) -> BucketValue:
        """Raises InvalidParameter for entropies whose buckets cannot be valued from a few numbers."""
        from minleak.padding import _bucketing as kernel

        n, m = len(classes.members), len(classes.sizes)
        p = classes.prior.p[classes.members]
        level = np.zeros(2 << m.bit_length(), dtype=np.int8)
        level[1:] = np.frexp(np.arange(1, len(level)))[1] - 1  # the place of the leading bit
        none, nothing = np.zeros((1, 1)), np.zeros(m + 1)
        form, mean, counted = _form_of(entropy, n)
        if p.min() == p.max():
            bound = kernel.CHORD if mean is None or mean.exponent >= -1 else kernel.TANGENT
            tables = (kernel.BY_COUNT, bound, 1.0, -1.0, classes.ends, counted, nothing, none, none, level)
            return cls(form, tables, 1 / n if _of_misses(counted) else 0.0, _lost_by_each(counted))
        if mean is None:
            raise InvalidParameter(
                f"buckets cannot be valued quickly in {entropy.name} unless all secrets are equally likely: use "
                "minleak.lab.padding_channel (small n), or an entropy close to it such as shannon or arimoto:0.5"
            )
        order, exponent = mean.order, mean.exponent
        logs = np.log(p)

        def by_size(values: Array, join: np.ufunc) -> Array:
            return np.asarray(join.reduceat(values, classes.ends[:-1]))

        additive, bound = nothing, kernel.MERGING
        if exponent < 0 and exponent == arimoto_exponent(order):
            bound = kernel.GROWING  # the perspective is a norm
        if order == math.inf:
            kind, others = kernel.BY_LARGEST, kernel.stretches(by_size(p, np.maximum), kernel.LARGEST)
        elif abs(order - 1) <= _NEAR:
            terms = by_size(p * deform(logs, order - 1), np.add)
            kind, others = kernel.NEAR_ONE, kernel.stretches(terms, kernel.ADD)
            if order == 1 and exponent == 0:
                kind, bound, additive = kernel.SHANNON, kernel.CHORD, np.append(0.0, np.cumsum(terms))
        else:
            kind = kernel.BY_POWERS
            others = kernel.stretches(by_size(order * logs, np.logaddexp), kernel.ADD_LOGS)
        masses = kernel.stretches(by_size(p, np.add), kernel.ADD)
        tables = (kind, bound, order, exponent, classes.ends, nothing, additive, masses, others, level)
        total = classes.prior.total
        whole = order == math.inf and classes.prior.exact and total <= _GRAINS
        return cls(form, tables, 1 / total if whole else 0.0)

    @classmethod
    def of_joint(cls, classes: SizeClasses, below: Array, entropy: ConditionalEntropy) -> BucketValue:
        """The value of a bucket of samples, for the leakage about their secret; below[j, x] is the number of samples of
        secret x before class j.
        """
        from minleak.padding import _bucketing as kernel

        form, mean, _ = _form_of(entropy, 1)
        if mean is None:
            raise InvalidParameter(
                f"buckets of samples cannot be valued in {entropy.name}: use shannon, min-entropy, or another entropy "
                "with an order"
            )
        total, nothing = np.array([float(below[-1].sum())]), np.zeros(len(below))
        tables = (kernel.BY_JOINT, kernel.MERGING, mean.order, mean.exponent, classes.ends, total, nothing)
        rows = np.ascontiguousarray(below, dtype=np.float64)
        return cls(form, (*tables, rows, np.zeros((1, 1)), np.zeros(1, dtype=np.int8)), 0.0)

    def attainable(self, most: float) -> float:
        """The largest value that buckets can have, up to this one."""
        return math.floor(most / self.grain + _ROUNDING) * self.grain if self.grain else most

    def total(self, cuts: Indices) -> float:
        """The total value of the buckets that end before the sizes `cuts`, the last of them at the top."""
        from minleak.padding import _bucketing as kernel

        return float(kernel.total_value(cuts, self.tables))

    def posterior(self, value: float) -> float:
        """H(X|Y) of buckets with this total value, in the unit of the entropy."""
        form = self.entropy.form
        found, mean = _outer(form, value), as_mean(form)
        if mean is None or found < math.inf:
            return found
        return _outer(form, -_BELOW / mean.exponent)  # rounding passed the largest possible value

    def posterior_at_most(self, value: float) -> float:
        """An upper bound on H(X|Y) of buckets of at most this value; infinite where rounding hides it.

        Values are known up to rounding, which a logarithm magnifies, unless they are multiples of a grain.
        """
        form = self.entropy.form
        if not self.grain and isinstance(form, RenyiMean) and not _slope(form, value) * form.unit <= _STEEP:
            return _outer(form, value + _UNKNOWN * max(1.0, value))
        return self.posterior(value)


def _outer(form: Form | None, value: float) -> float:
    """H(X|Y) of buckets of this total value, (exp(c R) - 1) / c of a Renyi mean R; infinite beyond the largest."""
    if not isinstance(form, RenyiMean):
        return value
    c = form.exponent
    if c and not 1 + c * value > 0:
        return math.inf
    return form.outer(float(restore(value, c)) if c else value)


def _slope(mean: RenyiMean, value: float) -> float:
    """The derivative of `_outer`; infinite from the largest value on."""
    left = 1 + mean.exponent * value
    if not left > 0:
        return math.inf
    nats = float(restore(value, mean.exponent)) if mean.exponent else value
    return math.exp(mean.degree * nats) / (mean.unit * left)


def _form_of(entropy: ConditionalEntropy, n: int) -> tuple[Entropy, RenyiMean | None, Array]:
    """The entropy, its (a, c) if these value the buckets of any prior, and the value of N = 0, ..., n secrets of
    probability 1/n each, whose Renyi entropy is log N in every order.
    """
    N, mean = np.arange(n + 1, dtype=np.float64), as_mean(entropy.form)
    if isinstance(entropy, Entropy):
        match mean or entropy.form:
            case RenyiMean(exponent=c) if math.isfinite(c):
                return entropy, mean, np.asarray(N / n * deform(np.log(np.maximum(N, 1.0)), c))
            case BestGuesses(l):
                return entropy, None, np.asarray(np.maximum(N - l, 0.0) / n)
            case AllGuesses():
                return entropy, None, np.asarray(N * (N + 1) / (2 * n))
    raise InvalidParameter(
        f"{entropy.name} is not a sum over buckets that can be valued quickly: use shannon, min-entropy, guess-error, "
        "guesswork (equally likely secrets), arimoto, hayashi, fehrberens, tsallis or sharma-mittal of an order for "
        "which it is a sum; or minleak.lab.padding_channel at small n"
    )


def _lost_by_each(counted: Array) -> float | None:
    """b, if the value of N secrets in one bucket is a N - b; else None."""
    steps = np.diff(counted[1:])
    if not len(steps) or np.ptp(steps) > _SAME * steps.max():
        return None
    return float(steps[0] - counted[1])


def _of_misses(counted: Array) -> bool:
    """Whether the values of equally likely secrets are probabilities, each a multiple of 1/n."""
    whole = counted * (len(counted) - 1)
    return bool(counted[-1] <= 1 and np.abs(whole - np.rint(whole)).max() <= _ROUNDING)
