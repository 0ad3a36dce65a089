"""Repeated looks: the success of an attacker who sees a channel show one secret many times, and how many it takes.

Bounds on what any number of them leaks go by the number of observables that can be told apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import log_base
from minleak.core._joint import Joint, as_joint
from minleak.core._leakage import maximal_leakage
from minleak.core._parameters import as_list, real, whole
from minleak.core._result import Result
from minleak.core._simulating import generator, margin
from minleak.core._text_tables import Table
from minleak.errors import Infeasible
from minleak.lab._hyper import reduced

# The most looks to simulate, and the most multisets to enumerate.
_LOOKS, _EXACT = 10**9, 4_000_000
# Entries of a table handled at a time.
_CHUNK = 4_000_000
# A simulated number of looks is found to one part in this many.
_DIGITS = 200
# Golden-section steps for the exponent in [0,1] of the Chernoff information.
_GOLDEN = 40


class _Success(NamedTuple):
    """Success after some looks, with its interval."""

    success: float
    low: float
    high: float
    exact: bool


@dataclass(frozen=True)
class Looks(Result):
    """The best attacker's `success` after each number of `looks` at one secret, with a 99% interval from `low` to
    `high` unless it is `exact`.

    `exponent` is the final rate at which the chance of a mistake falls, exp(-exponent * looks), in nats; `most` is the
    limit of success, below 1 where several secrets have equal rows.
    """

    looks: tuple[int, ...]
    success: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    exact: tuple[bool, ...]
    exponent: float
    most: float

    def to_parts(self) -> list[str | Table]:
        rows = [
            [t, s, "exact" if exact else f"{a:.4f} .. {b:.4f}"]
            for t, s, a, b, exact in zip(self.looks, self.success, self.low, self.high, self.exact, strict=True)
        ]
        return [
            Table("", ["looks", "success", "99% interval"], rows),
            f"mistakes fall as exp(-{self.exponent:.4g} looks), to {1 - self.most:.4g}",
        ]


@dataclass(frozen=True)
class Needed(Result):
    """The number of `looks` needed to reach `success`, between `low` and `high` (99% for each number tried) unless it
    is `exact`; see `Looks` for `exponent` and `most`.
    """

    looks: int
    low: int
    high: int
    success: float
    exact: bool
    exponent: float
    most: float

    def to_parts(self) -> list[str | Table]:
        sure = "exact" if self.exact else f"between {self.low:,} and {self.high:,}"
        return [f"{self.looks:,} looks for a success of {self.success:g} ({sure})"]


def repeated_success(
    prior: Joint | Prior | Iterable[Any],
    channel: Channel | Any = None,
    *,
    looks: Sequence[int] = (1, 2, 5, 10, 20, 50, 100),
    trials: int = 10_000,
    seed: int = 0,
) -> Looks:
    """The chance that the best guess is right after t independent looks at one secret through the channel, for each t.

    V_t = sum over multisets y_1..y_t of max over x of p(x) C[x,y_1] ... C[x,y_t], times how many orders each has:
    exactly where there are few multisets, else the mean of the largest posterior in `trials` simulations, with an
    interval. 1 - V_t falls to 1 - most as exp(-t E), where E is the least Chernoff information of two secrets that show
    something different, min over x, x' of max over s of -ln sum over y of C[x,y]^s C[x',y]^(1-s).

    Cost: trials * (observables + secrets * observables) for each t; n^2 m for the exponent.

    >>> print(repeated_success([1, 1], [[0.6, 0.4], [0.4, 0.6]], looks=[1, 2, 3]))
    looks  success  99% interval
        1      0.6  exact
        2      0.6  exact
        3    0.648  exact
    mistakes fall as exp(-0.02041 looks), to 0
    """
    model = _Observer(prior, channel, trials, seed)
    wanted = as_list(looks, "looks are some whole numbers from 1 on", some=True)
    counts = tuple(whole(t, "the number of looks", most=_LOOKS) for t in wanted)
    success, low, high, exact = zip(*map(model.after, counts), strict=True)
    return Looks(counts, success, low, high, exact, model.exponent, model.most)


def observations_needed(
    prior: Joint | Prior | Iterable[Any],
    channel: Channel | Any = None,
    *,
    success: float = 0.9,
    trials: int = 10_000,
    seed: int = 0,
) -> Needed:
    """The least number of independent looks at one secret after which the best guess is right with chance `success`.

    Use it on countermeasures that slow an attack down, such as random padding and noise. `repeated_success` says how it
    is computed; above two hundred looks the number is found to half a percent.

    Raises
    ------
    Infeasible
        If no number of looks is enough, because several secrets have equal rows.

    >>> observations_needed([1, 1], [[0.6, 0.4], [0.4, 0.6]], success=0.9).looks
    41
    """
    target = real(success, "success is a probability between 0 and 1", above=0, below=1)
    model = _Observer(prior, channel, trials, seed)
    if target > model.most * (1 + 1e-12):
        raise Infeasible(
            f"no number of looks reaches {target:g}: secrets that show the same keep it at {model.most:.6g}"
        )
    least, looks, most = (model.least(target, end) for end in ("high", "success", "low"))
    exact = model.after(looks).exact
    return Needed(looks, min(least, looks), max(most, looks), target, exact, model.exponent, model.most)


class _Observer:
    """The distinct rows of possible secrets, each with the probability of the likeliest secret that has it."""

    def __init__(self, prior: Any, channel: Any, trials: Any, seed: Any) -> None:
        joint = as_joint(prior, channel)
        prior, channel = joint.prior, joint.channel
        self.trials = whole(trials, "trials", 2, 10**7)
        generator(seed)
        self.seed = seed
        self.found: dict[int, _Success] = {}
        possible = np.flatnonzero(prior.p > 0)
        rows, group = np.unique(channel.toarray()[possible], axis=0, return_inverse=True)
        p = np.zeros(len(rows))
        np.maximum.at(p, group.ravel(), prior.p[possible])
        self.rows, self.p, self.most = _merge_columns(rows[:, rows.max(axis=0) > 0]), p, float(p.sum())
        self.mass = np.bincount(group.ravel(), weights=prior.p[possible])
        self.exponent = chernoff(self.rows)
        with np.errstate(divide="ignore"):
            logs = np.log(self.rows)
        self.never = np.isneginf(logs).astype(np.int64)
        self.logs = np.where(self.never, 0.0, logs)

    def least(self, target: float, end: str) -> int:
        """The least number of looks whose success, or an end of its interval, is at least the target."""
        known = {t: getattr(found, end) >= target for t, found in self.found.items()}
        below = max((t for t, reached in known.items() if not reached), default=0)
        above = min((t for t, reached in known.items() if reached and t > below), default=max(1, 2 * below))
        while getattr(self.after(above), end) < target:
            if above >= _LOOKS:
                raise Infeasible(f"more than {_LOOKS:,} looks are needed for a success of {target:g}")
            below, above = above, min(2 * above, _LOOKS)
        while above - below > (1 if self.after(above).exact else max(1, above // _DIGITS)):
            middle = (below + above) // 2
            below, above = (below, middle) if getattr(self.after(middle), end) >= target else (middle, above)
        return above

    def after(self, t: int) -> _Success:
        """Success after t looks."""
        if t not in self.found:
            value = self._compute(t)
            self.found[t] = self._simulate(t) if value is None else _Success(value, value, value, True)
        return self.found[t]

    def _compute(self, t: int) -> float | None:
        n, m = self.rows.shape
        if n == 1:
            return self.most
        size = math.comb(m + t - 1, t) if t < 10**6 else math.inf
        if size * n > _EXACT:
            return None
        from scipy.special import gammaln

        counts = _multisets(m, t)
        ways = gammaln(t + 1) - gammaln(counts + 1).sum(axis=1)
        score = ways[:, None] + self._log_likelihoods(counts)
        # the best guess names the likeliest of the secrets that share a row
        return min(self.most, float((self.p * np.exp(score)).max(axis=1).sum()))

    def _log_likelihoods(self, counts: Indices) -> Array:
        """ln p(what was seen, in one order, given each row), for rows of how often each observable was seen."""
        score = counts @ self.logs.T
        score[(counts @ self.never.T) > 0] = -math.inf
        return np.asarray(score)

    def _simulate(self, t: int) -> _Success:
        """The mean posterior probability of the best guess, over random secrets."""
        rng = np.random.default_rng([self.seed, 17])
        secrets = rng.choice(len(self.p), self.trials, p=self.mass / self.mass.sum())
        n, m = self.rows.shape
        chunk = max(1, _CHUNK // max(n, m))
        worth = []
        for begin in range(0, self.trials, chunk):
            rows = self.rows[secrets[begin : begin + chunk]]
            counts = rng.multinomial(t, rows / rows.sum(axis=1, keepdims=True))
            score = self._log_likelihoods(counts)
            likely = np.exp(score - score.max(axis=1, keepdims=True))
            worth.append((self.p * likely).max(axis=1) / (likely @ self.mass))
        values = np.concatenate(worth)
        mean, half = float(values.mean()), float(margin(values))
        return _Success(mean, max(0.0, mean - half), min(1.0, mean + half), False)


def _multisets(m: int, t: int) -> Indices:
    """All multisets of t out of m observables, as rows of counts."""
    rows, left = np.zeros((1, 0), dtype=np.int64), np.array([t])
    for _ in range(m - 1):
        times = left + 1
        place = np.repeat(np.arange(len(left)), times)
        seen = np.arange(len(place)) - np.repeat(np.cumsum(times) - times, times)
        rows, left = np.column_stack([rows[place], seen]), left[place] - seen
    return np.column_stack([rows, left])


def _merge_columns(rows: Array) -> Array:
    """Merge observables whose columns are multiples of each other, which tell the same."""
    directions = np.round(rows / rows.max(axis=0), 12)
    _, group = np.unique(directions, axis=1, return_inverse=True)
    merged = np.zeros((len(rows), int(group.max()) + 1))
    np.add.at(merged.T, group.ravel(), rows.T)
    return merged


def chernoff(rows: Array) -> float:
    """The least Chernoff information of two rows, in nats: the rate at which mistakes between them die out. Infinite
    with one row, or where all are disjoint.

    At s = 1/2 it is the Bhattacharyya distance B. The function is concave in s, so its maximum is between B and 2 B,
    and only pairs whose B is at most twice the least can have the least.
    """
    n = len(rows)
    if n < 2:
        return math.inf
    roots = np.sqrt(rows)
    with np.errstate(divide="ignore"):
        distance = -np.log(np.minimum(1.0, roots @ roots.T))
    i, j = np.triu_indices(n, 1)
    half = distance[i, j]
    least = float(half.min())
    if math.isinf(least):
        return math.inf
    near = np.flatnonzero(half <= 2 * least)
    order = near[np.argsort(half[near], kind="stable")]
    best = math.inf
    width = max(1, _CHUNK // rows.shape[1])
    for begin in range(0, len(order), width):
        some = order[begin : begin + width]
        if half[some[0]] >= best:
            break
        best = min(best, float(_information(rows[i[some]], rows[j[some]]).min()))
    return best


def _information(a: Array, b: Array) -> Array:
    """max over s in [0,1] of -ln sum a^s b^(1-s), row by row, by golden section: the function is concave."""
    with np.errstate(divide="ignore"):
        log_a, log_b = np.log(a), np.log(b)
    both = (a > 0) & (b > 0)
    log_a, log_b = np.where(both, log_a, 0.0), np.where(both, log_b, 0.0)

    def value(s: Array) -> Array:
        mixed = np.where(both, np.exp(s[:, None] * log_a + (1 - s[:, None]) * log_b), 0.0)
        return np.asarray(-np.log(mixed.sum(axis=1)))

    golden = (math.sqrt(5) - 1) / 2
    low, high = np.zeros(len(a)), np.ones(len(a))
    for _ in range(_GOLDEN):
        left, right = high - golden * (high - low), low + golden * (high - low)
        better = value(left) >= value(right)
        low, high = np.where(better, low, left), np.where(better, right, high)
    return value((low + high) / 2)


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
