"""Plug-in estimates: every measure of leakage on counts of pairs, corrected for bias."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._capacity import capacity
from minleak.core._channel import Channel
from minleak.core._columns import blocks_of
from minleak.core._entropy.base import ConditionalEntropy, evaluate
from minleak.core._entropy.forms import Form, RenyiMean
from minleak.core._entropy.names import STANDARD, as_entropy
from minleak.core._parameters import as_list
from minleak.errors import InvalidParameter

MEASURES = (*STANDARD, "multiplicative-leakage", "additive-leakage", "maximal-leakage")

# Tables up to this many cells are dense.
_CELLS = 4_000_000
# Bootstrap samples for a bias.
_RESAMPLES = 40

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class JointCounts:
    """N(x,y) as parallel arrays over the pairs that occur, in order."""

    x: Counts
    y: Counts
    counts: Counts
    shape: tuple[int, int]

    @classmethod
    def of(cls, x: Counts, y: Counts, times: Counts, shape: tuple[int, int]) -> JointCounts:
        """Count pairs over rows that stand for several events each."""
        keys, place = np.unique(x * shape[1] + y, return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, place, times)
        return cls(keys // shape[1], keys % shape[1], counts, shape)

    @property
    def events(self) -> int:
        """The number of events."""
        return int(self.counts.sum())

    def with_counts(self, counts: Any) -> Any:
        """The joint distribution for other counts of the same pairs: dense if small, else sparse."""
        share = counts / counts.sum()
        if self.shape[0] * self.shape[1] <= _CELLS:
            dense = np.zeros(self.shape)
            dense[self.x, self.y] = share
            return dense
        from scipy.sparse import coo_array

        return _sparse(coo_array((share, (self.x, self.y)), shape=self.shape))

    @cached_property
    def _rank(self) -> Counts:
        """The rank of each pair's secret among those of its observable, the most frequent first."""
        order = np.lexsort((-self.counts, self.y))
        y = self.y[order]
        rank = np.empty_like(order)
        rank[order] = np.arange(len(y)) - np.searchsorted(y, y)
        return rank

    def largest(self, l: int) -> float:
        """The share of events whose secret is among the l most frequent of their observable."""
        return float(self.counts[self._rank < l].sum() / self.events)

    def resample(self, rng: np.random.Generator) -> Any:
        """The joint distribution of a bootstrap sample."""
        return self.with_counts(rng.multinomial(self.events, self.counts / self.counts.sum()))


def _sparse(matrix: Any) -> Any:
    made = matrix.tocsc()
    made.sum_duplicates()
    made.eliminate_zeros()
    made.sort_indices()
    return made


def estimate_all(joint: JointCounts, measures: MeasureSet, rng: np.random.Generator) -> list[float]:
    """Each measure on the counts minus its bias: by a formula if the entropy has one, else by the bootstrap."""
    found = measures(joint.with_counts(joint.counts))
    pairs, (n, m) = len(joint.counts), joint.shape
    formulas = [_bias(H.form, pairs - n - m + 1, joint.events) if H else None for H in measures.entropies]
    bias = np.zeros(len(found))
    if None in formulas:
        with np.errstate(invalid="ignore"):
            bias = np.mean([measures(joint.resample(rng)) for _ in range(_RESAMPLES)], axis=0) - found
    values = []
    for i, (name, entropy, value) in enumerate(zip(measures.names, measures.entropies, found.tolist(), strict=True)):
        known = formulas[i]
        taken = (float(bias[i]) if math.isfinite(bias[i]) else 0.0) if known is None else known  # infinite values stay
        floor, ceiling = (0.0, _most_leaked(entropy.form, min(n, m))) if entropy else (OTHERS[name].floor, math.inf)
        values.append(min(max(ceiling, value), max(floor, value - taken)))
    return values


def _bias(form: Form | None, freedom: int, events: int) -> float | None:
    """The bias of the leakage by a formula: Miller and Madow's for Shannon, where `freedom` is the number of pairs
    minus those of secrets and observables, plus 1; else None.
    """
    match form:
        case RenyiMean(1.0, 0.0, 0.0, unit):
            return freedom / (2 * events) / unit
    return None


def _most_leaked(form: Form | None, n: int) -> float:
    """The most that a channel with n secrets or observables leaks; infinite if unknown."""
    match form:
        case RenyiMean(1.0, 0.0, 0.0, unit):
            return math.log(n) / unit
    return math.inf


class MeasureSet:
    """Several measures of a joint distribution at once: entropies in one pass, then the others."""

    def __init__(self, measures: Sequence[ConditionalEntropy | str]) -> None:
        self.names: list[str] = []
        self.entropies: list[ConditionalEntropy | None] = []
        for given in as_list(measures, "measures are a list of entropies and names of measures", some=True):
            entropy = None if isinstance(given, str) and given in OTHERS else as_entropy(given)
            if entropy and not entropy.symmetric:
                raise InvalidParameter(
                    "gains belong to secrets in an order, which events have not: measure their channel"
                )
            self.names.append(entropy.name if entropy else given)
            self.entropies.append(entropy)

    def __call__(self, joint: Any) -> Array:
        """The values on J."""
        p = np.asarray(joint.sum(axis=1)).ravel()
        entropies = [entropy for entropy in self.entropies if entropy is not None]
        before, after = evaluate(entropies, [p[:, None]]), evaluate(entropies, blocks_of(joint))
        values = iter([0.0 if b == a else b - a for b, a in zip(before, after, strict=True)])
        return np.array([OTHERS[name].of(joint, p) if name in OTHERS else next(values) for name in self.names])


def _largest(joint: Any) -> float:
    return float(np.asarray(joint.max(axis=0).todense() if hasattr(joint, "todense") else joint.max(axis=0)).sum())


def _rows(joint: Any, p: Any) -> Any:
    """The channel of J, without impossible secrets."""
    seen = p > 0
    if isinstance(joint, np.ndarray):
        return joint[seen] / p[seen, None]
    return joint.tocsr()[seen].multiply(1 / p[seen, None]).tocsc()


def _maximal(joint: Any, p: Any) -> float:
    return math.log2(_largest(_rows(joint, p)))


def _capacity(joint: Any, p: Any) -> float:
    return capacity(Channel(_rows(joint, p), tolerance=1e-6)).value


def ratio(after: float, before: float) -> float:
    """after / before, infinite if before is zero."""
    return after / before if before > 0 else math.inf


class Other(NamedTuple):
    """A measure that is not an entropy's leakage: a function of J and its row sums, its value without leakage, and the
    function of success after and before one guess, if it is one.
    """

    of: Callable[[Any, Any], float]
    floor: float
    compare: Callable[[float, float], float] | None = None


OTHERS = {
    "multiplicative-leakage": Other(lambda joint, p: _largest(joint) / float(p.max()), 1.0, ratio),
    "additive-leakage": Other(lambda joint, p: _largest(joint) - float(p.max()), 0.0, operator.sub),
    "maximal-leakage": Other(_maximal, 0.0),
    "capacity": Other(_capacity, 0.0),
}
