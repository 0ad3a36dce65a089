"""Leakage: how much an observation takes from an attacker's uncertainty, or adds to their chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._columns import Block, packed, tops_of
from minleak.core._entropy.base import ConditionalEntropy, evaluate, log_base
from minleak.core._entropy.gain import gain_matrix, under_gain
from minleak.core._entropy.names import STANDARD, as_entropies, as_entropy, place
from minleak.core._joint import Joint, as_joint, as_source
from minleak.core._prior import Prior, as_prior
from minleak.core._properties import Property
from minleak.core._result import Result, by_first, table_of
from minleak.core._small_leakages import SMALL, rise, small_leakage
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter

_EPSILON = 2.0**-52


def leakage(
    prior: Joint | Prior | Iterable[Any],
    channel: Channel | Any,
    entropy: ConditionalEntropy | str,
    *,
    of: Property | Mapping[Any, Any] | Iterable[Any] | None = None,
) -> float:
    """H(X) - H(X|Y), what the channel's output tells about the secret, in the unit of H, the entropy.

    With `of`, what it tells about a property f(X) of the secret, H(f(X)) - H(f(X)|Y): the values of f in the order of
    the secrets, or by label.

    It is never negative for the entropies of the paper's form (its Proposition 2), so a difference below zero by
    rounding alone is returned as zero. Where little leaks it is computed not as a difference but as a divergence of the
    posteriors from the prior, so 1e-20 bits have their digits too. For guesses, Shannon, min-entropy and the Renyi and
    Tsallis families it is from 0 to H(X), with a relative error of at most 1e-11 at orders up to 1,000 and 1e-14 times
    the order above, up to 1e6 (less than 1e-290 may be 0). Gains and entropies of your own are differences.

    >>> leakage([1, 1], [[1, 0], [0, 1]], "shannon")
    1.0
    >>> leakage([1, 1, 1, 1], [[1, 0], [0, 1], [1, 0], [0, 1]], "shannon", of=["a", "a", "b", "b"])
    0.0
    """
    H, joint = as_entropy(entropy), as_joint(prior, channel, of)
    return precise_leakage(H, joint, H(joint.prior), H.conditional(joint))


@dataclass(frozen=True)
class LeakageRow(Result):
    """One `entropy`: `before` is H(X), `after` is H(X|Y), and `leakage` the difference."""

    entropy: str
    before: float
    after: float
    leakage: float

    @property
    def ratio(self) -> float:
        """before/after, the multiplicative leakage of an entropy without a logarithm; 1 where both are zero."""
        if self.after == 0:
            return 1.0 if self.before == 0 else math.inf
        return self.before / self.after


@dataclass(frozen=True)
class LeakageTable(Result):
    """What a channel leaks under several entropies: `rows` has one for each. As a dictionary it is by entropy."""

    rows: tuple[LeakageRow, ...]

    def __getitem__(self, entropy: ConditionalEntropy | str) -> LeakageRow:
        return self.rows[place([row.entropy for row in self.rows], entropy)]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries, so that `pandas.DataFrame(table)` and `polars.DataFrame(table)` are the table."""
        return (asdict(row) for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """By the entropy's name `before`, `after` and `leakage`."""
        return by_first(self.rows)

    def to_parts(self) -> list[str | Table]:
        return [table_of(LeakageRow, self.rows, zero_below=0)]


def leakage_table(
    prior: Joint | Prior | Iterable[Any],
    channel: Channel | Any,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD,
    *,
    of: Property | Mapping[Any, Any] | Iterable[Any] | None = None,
) -> LeakageTable:
    """The leakage under many entropies, in one pass over the channel (one more for each gain). With `of`, that of a
    property of the secret: see `leakage`.

    >>> print(leakage_table([2, 1, 1], [[1, 0], [0, 1], [0, 1]], ["shannon", "min-entropy"]))
    entropy      before     after   leakage
    shannon         1.5       0.5         1
    min-entropy       1  0.415037  0.584963
    """
    measures = as_entropies(entropies)
    joint = as_joint(prior, channel, of)
    before = [H(joint.prior) for H in measures]
    after = evaluate(measures, joint.blocks())
    return LeakageTable(
        tuple(
            LeakageRow(H.name, float(b), float(a), precise_leakage(H, joint, b, a))
            for H, b, a in zip(measures, before, after, strict=True)
        )
    )


def vulnerability(prior: Prior | Iterable[Any], *, gain: Any = None) -> float:
    """The attacker's expected gain from one best guess, max over w of sum over x of G[w,x] p(x).

    Without `gain` the chance of guessing right (Bayes vulnerability). Gains may be of any sign.

    >>> vulnerability([2, 1, 1])
    0.5
    """
    known = as_prior(prior)
    return _best_gain([known.p[:, None]], None if gain is None else gain_matrix(gain, known.labels))


def posterior_vulnerability(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, gain: Any = None
) -> float:
    """The same after observing the channel's output: sum over y of max over w of sum over x of G[w,x] J[x,y].

    >>> posterior_vulnerability([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.75
    """
    joint = as_joint(prior, channel)
    return _best_gain(joint.blocks(), None if gain is None else gain_matrix(gain, joint.secrets))


def multiplicative_leakage(
    prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, gain: Any = None
) -> float:
    """The factor by which observing raises the (g-)vulnerability; its logarithm is the (g-)leakage of the literature.

    Refused if the vulnerability before is negative, because a factor then makes no sense.

    >>> multiplicative_leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    1.5
    """
    return as_factor(*vulnerabilities(as_joint(prior, channel), gain))


def as_factor(before: float, after: float) -> float:
    """The factor from one vulnerability to another."""
    if before < 0:
        raise InvalidParameter(
            f"the vulnerability before is {before}, and a factor on a loss says nothing: use additive_leakage"
        )
    return after / before if before != 0 else (1.0 if after == 0 else math.inf)


def additive_leakage(prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None, *, gain: Any = None) -> float:
    """By how much observing raises the (g-)vulnerability.

    >>> additive_leakage([2, 1, 1], [[1, 0], [0, 1], [0, 1]])
    0.25
    """
    joint = as_joint(prior, channel)
    before, after = vulnerabilities(joint, gain)
    small = gain is None and isinstance(joint.source, Channel) and after - before < SMALL * before
    return rise(joint, 1) if small else after - before


def maximal_leakage(channel: Channel | Any, *, base: float = 2) -> float:
    """log of the sum over y of max over x of C[x,y]: the min-entropy leakage at its worst over all priors and all
    gains that are not negative (also Sibson's mutual information of order infinity). In bits unless `base` says so.

    >>> maximal_leakage([[1, 0], [0.5, 0.5]]) == math.log2(1.5)
    True
    """
    return math.log(_best_gain(as_source(channel).blocks(), None)) / log_base(base)


def local_dp_epsilon(channel: Channel | Any) -> float:
    """The least epsilon with C[x,y] <= exp(epsilon) C[x',y] for all x, x', y; inf where a zero meets a non-zero.

    In nats, as differential privacy counts.

    >>> round(local_dp_epsilon([[0.75, 0.25], [0.25, 0.75]]), 6)
    1.098612
    """
    source = as_source(channel)
    return max(_log_ratio(v, len(source.inputs)) for block in source.blocks() for v in packed(block))


def _log_ratio(v: Array, n: int) -> float:
    """The largest log of the ratio of two entries of a column of n entries; those that v leaves out are zero."""
    seen = v[:, v.max(axis=0) > 0]
    if not seen.size:
        return 0.0
    least = seen.min(axis=0)
    if len(seen) < n or not least.min() > 0:
        return math.inf
    return float((np.log(seen.max(axis=0)) - np.log(least)).max())


def vulnerabilities(joint: Joint, gain: Any) -> tuple[float, float]:
    """The vulnerability before and after observing."""
    matrix = None if gain is None else gain_matrix(gain, joint.secrets)
    return _best_gain([joint.p[:, None]], matrix), _best_gain(joint.blocks(), matrix)


def _best_gain(blocks: Iterable[Block], gain: Any) -> float:
    """The expected gain of the best guess for each column, added up; without gains the chance of guessing right."""
    gained = blocks if gain is None else under_gain(gain, blocks)
    return math.fsum(float(tops_of(block).sum()) for block in gained)


def precise_leakage(H: ConditionalEntropy, joint: Joint, before: float, after: float) -> float:
    """before - after, from 0 to before; computed as a divergence where the difference would lose digits."""
    if not abs(before - after) >= SMALL * abs(before) and isinstance(joint.source, Channel):
        small = small_leakage(H, joint)
        if small is not None:
            return min(max(small, 0.0), max(before, 0.0))
    found = difference(H, before, after)
    return found if abs(found) > 4 * _EPSILON * abs(before) else 0.0  # less is rounding


def difference(H: ConditionalEntropy, before: float, after: float) -> float:
    """before - after, and zero where it is negative by rounding alone."""
    if before == after:  # equal infinities too
        return 0.0
    difference = before - after
    if H.monotone and -1e-12 * max(1.0, abs(before)) <= difference < 0:
        return 0.0
    return float(difference)
