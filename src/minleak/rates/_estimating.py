"""estimate_prior: how likely secrets are, from the observables alone, by the iterative Bayesian update.

Seen through a channel C, the counts N_y of the observables have the log-likelihood sum of N_y log (C^T p)_y. It is
concave in p, and p_x <- p_x g_x with g_x = sum over y of (N_y / N) C[x,y] / (C^T p)_y raises it (EM). The maximum is at
most N log max g above the present value: that bound says when to stop. Only columns that were observed are needed, and
of each only its non-zero entries, up to a factor, which cancels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._matrices import too_large
from minleak.core._parameters import as_list, is_number, real, whole
from minleak.core._plan.drawable import Drawable, Listed
from minleak.core._plan.set_plan import SetPlan
from minleak.core._prior import Prior, match_prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter, UnknownSecret, quote
from minleak.rates._likely_range import affordable, likely_range

# Steps at most, each of which does three EM steps' work.
_STEPS = 3_000
# The missing log-likelihood that is let go: of the estimate, for each observation; of each bootstrap sample, in all, so
# that it is small beside the two or so by which the ends of an interval are less likely.
_CLOSE, _ROUGH = 1e-8, 1e-2


@dataclass(frozen=True, repr=False)
class EstimatedPrior(Result):
    """The most likely `prior` for so many `observations`.

    `low` and `high` are the ends of an interval for each secret's probability, at a confidence `level`. `interval` says
    how they were found: "likelihood", the range over all priors that explain what was observed nearly as well;
    "bootstrap", observations drawn anew from those made and estimated again; or "none". `log_likelihood` is in nats
    (for plans up to a constant that is the same for all priors), at most `missing` below the largest possible.
    `against` is what the prior was thought to be, if that was said; `surprise` is twice the log-likelihood gained over
    it, which is about as large as the number of secrets if nothing has changed, and `moved` are the secrets whose
    probability then lies outside the interval.
    """

    prior: Prior
    low: Array
    high: Array
    log_likelihood: float
    missing: float
    observations: int
    level: float
    against: Prior | None
    surprise: float | None
    interval: str = "none"

    reported = ("moved",)

    @property
    def moved(self) -> tuple[Any, ...]:
        """The labels of the secrets that were thought to be more or less likely than the interval says."""
        if self.against is None:
            return ()
        p = self.against.p
        return tuple(self.prior.labels[int(x)] for x in np.flatnonzero((p < self.low) | (p > self.high)))

    def __repr__(self) -> str:
        return (
            f"EstimatedPrior({len(self.prior)} secrets from {self.observations} observations, log-likelihood "
            f"{self.log_likelihood:.6g})"
        )


def estimate_prior(
    channel: Channel | Listed | Any,
    observed: Iterable[Any] | Mapping[Any, Any],
    *,
    against: Prior | Iterable[Any] | None = None,
    interval: str | None = None,
    bootstrap: int = 100,
    level: float = 0.95,
    seed: int = 0,
) -> EstimatedPrior:
    """The prior under which what was observed is most likely; no secret need ever be recorded.

    Parameters
    ----------
    channel
        A channel, and `observed` are its outputs' labels; or a plan or blocks, and they are the sets that were
        published, as tuples of labels, `cloak.draw` by `cloak.draw`. Of a plan no matrix is built.
    observed
        One after the other, or a mapping from what was observed to how often.
    against
        What the prior is thought to be; a plan's own if not given.
    interval
        "likelihood", "bootstrap" or "none"; if not given the first, up to some fifty secrets, and else the second.
    bootstrap, level, seed
        How many samples a bootstrap has (0 for no interval at all), how much an interval is to cover, and what the
        samples are drawn with.

    Of 200 random channels and priors (2 to 8 secrets, at least as many observables, 200 to 5000 observations) intervals
    of 95% by likelihood cover 97% of the probabilities, and 98% of those below 0.02; by bootstrap 93%, and 89% of those
    below 0.02, since at a zero of the estimate what is drawn anew is mostly zero too. With fewer observables than
    secrets many priors are equally likely: the likelihood sees all of them (all of 259 probabilities were covered), a
    bootstrap takes the same one each time, and covered 65%.

    Observations of one secret by draws that are sticky are one observation: count each subject once.

    >>> C = [[0.9, 0.1], [0.2, 0.8]]
    >>> estimate = estimate_prior(C, {0: 550, 1: 450})
    >>> estimate.prior.p.round(6)
    array([0.5, 0.5])
    """
    confidence = real(level, "the level of an interval is a number between 0 and 1", above=0, below=1)
    samples, seed = whole(bootstrap, "bootstrap", 0), whole(seed, "the seed", 0)
    if isinstance(channel, Drawable) and not channel.listed:
        raise InvalidParameter("the frequencies of secrets are estimated where these are listed, not of any string")
    known: Prior | None = channel.prior if isinstance(channel, Listed) else None
    if isinstance(channel, SetPlan):
        labels, columns = channel.prior.labels, _set_columns(channel, _count_observations(observed))
    else:
        channel = as_channel(channel.channel() if isinstance(channel, Listed) else channel)
        labels, columns = channel.inputs, _output_columns(channel, _count_observations(observed))
    thought = known if against is None else match_prior(against, labels)
    size = too_large(samples * len(labels), each=8)
    if size is not None:
        raise InvalidParameter(f"{samples} samples of {len(labels):,} secrets have {size}: ask for a smaller bootstrap")
    p, missing = columns.most_likely(np.full(len(labels), 1 / len(labels)), _CLOSE)
    likelihood = columns.log_likelihood(p)
    way = _choose_interval(interval, columns, samples)
    low, high = np.zeros(len(p)), np.ones(len(p))
    if way == "likelihood":
        low, high = likely_range(columns.toarray(), columns.counts, p, confidence)
    elif way == "bootstrap":
        low, high = _bootstrap(columns, p, samples, confidence, seed)
    surprise = None
    if thought is not None:
        surprise = max(2 * (likelihood - columns.log_likelihood(thought.p)), 0.0)
    return EstimatedPrior(
        prior=Prior(p, labels=None if labels.is_default else labels),
        low=low,
        high=high,
        log_likelihood=likelihood,
        missing=missing,
        observations=int(columns.counts.sum()),
        level=confidence,
        against=thought,
        surprise=surprise,
        interval=way,
    )


def _choose_interval(interval: str | None, columns: _Observations, samples: int) -> str:
    """How the interval is found, if one is asked for."""
    if interval is None:
        interval = "likelihood" if affordable(*columns.matrix.shape) else "bootstrap"
    elif interval not in ("likelihood", "bootstrap", "none"):
        raise InvalidParameter(f"the interval is by 'likelihood', 'bootstrap' or 'none', not {quote(interval)}")
    return interval if samples else "none"


@dataclass(frozen=True, eq=False)
class _Observations:
    """The columns that were observed, of shape (secrets, observed), and how often each was."""

    matrix: Any
    counts: Array

    def toarray(self) -> Array:
        return np.asarray(self.matrix if isinstance(self.matrix, np.ndarray) else self.matrix.toarray())

    def log_likelihood(self, p: Array) -> float:
        with np.errstate(divide="ignore"):
            return float(self.counts @ np.log(self.matrix.T @ p))

    def most_likely(self, p: Array, close: float) -> tuple[Array, float]:
        """p, and a bound on how far its log-likelihood is below the maximum: EM, two steps and a jump at a time."""
        total = float(self.counts.sum())
        shares = self.counts / total
        gain = np.ones_like(p)
        for _ in range(_STEPS):
            gain = self._gain(p, shares)
            if math.log(max(float(gain.max()), 1.0)) <= close:
                break
            first = p * gain
            second = first * self._gain(first, shares)
            step, bend = first - p, second - 2 * first + p
            length = -float(np.linalg.norm(step) / max(float(np.linalg.norm(bend)), 1e-300))
            jumped = p - 2 * length * step + length**2 * bend
            p = self._better(jumped, second, shares)
        return p, total * math.log(max(float(gain.max()), 1.0))

    def _gain(self, p: Array, shares: Array) -> Array:
        return np.asarray(self.matrix @ (shares / (self.matrix.T @ p)))

    def _better(self, jumped: Array, second: Array, shares: Array) -> Array:
        """The point after the jump if it is inside and no worse than the two steps, else the one after the steps."""
        if jumped.min() < 0 or not (self.matrix.T @ jumped).min() > 0:
            return second
        jumped = jumped / jumped.sum()
        gained = shares @ np.log(self.matrix.T @ jumped) - shares @ np.log(self.matrix.T @ second)
        return jumped if gained >= 0 else second


def _bootstrap(columns: _Observations, p: Array, samples: int, level: float, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    total = int(columns.counts.sum())
    found = np.empty((samples, len(p)))
    for i in range(samples):
        drawn = rng.multinomial(total, columns.counts / total).astype(np.float64)
        seen = drawn > 0
        start = 0.5 * p + 0.5 / len(p)  # EM never leaves a zero
        found[i] = _Observations(columns.matrix[:, seen], drawn[seen]).most_likely(start, _ROUGH / total)[0]
    tail = (1 - level) / 2
    return np.quantile(found, tail, axis=0), np.quantile(found, 1 - tail, axis=0)


# -- what was observed -----------------------------------------------------------------------------------------------


def _count_observations(observed: Any) -> dict[Any, int]:
    """Distinct observations and how often each was made."""
    counts: dict[Any, int] = {}
    if isinstance(observed, Mapping):
        for seen, times in observed.items():
            if not is_number(times) or times != times or times < 0 or times != int(times) or times > 2**53:
                raise InvalidParameter(f"counts of observations are whole numbers from 0 on, not {quote(times)}")
            if times:
                counts[seen] = int(times)
    else:
        for seen in as_list(observed, "observations are a list, or a mapping to how often each was made"):
            try:
                counts[seen] = counts.get(seen, 0) + 1
            except (TypeError, ValueError):
                said = "observations are labels of outputs, or sets as tuples of labels"
                raise InvalidParameter(f"{said}, not {type(seen).__name__}") from None
    if not counts:
        raise InvalidParameter("nothing was observed: give at least one observation")
    return counts


def _output_columns(channel: Channel, counts: dict[Any, int]) -> _Observations:
    import scipy.sparse as sp

    places = []
    for seen in counts:
        y = channel.outputs.position(seen)
        if y is None:
            raise InvalidParameter(f"{quote(seen)} was observed, and is no output of the channel")
        places.append(y)
    matrix = channel.matrix[:, places]
    if not (matrix.max(axis=0) > 0).all() if channel.is_dense else (np.diff(matrix.indptr) == 0).any():
        raise InvalidParameter("something was observed that no secret causes: the channel is not the one that ran")
    return _Observations(
        matrix if channel.is_dense else sp.csc_array(matrix), np.array([*counts.values()], dtype=float)
    )


def _set_columns(plan: SetPlan, counts: dict[Any, int]) -> _Observations:
    """C[x,S] is the set's length over what x owns, so up to a factor one over what x owns; alike for idle secrets."""
    import scipy.sparse as sp

    owned = np.maximum(plan.all_places, 1).astype(np.float64)
    entry = 1 / owned
    rows, starts, many = [], [0], []
    for members, times in counts.items():
        positions = _member_positions(plan, members)
        rows += positions
        starts.append(len(rows))
        many.append(times)
    indices = np.array(rows, dtype=np.int64)
    matrix = sp.csc_array((entry[indices] * owned.max(initial=1), indices, starts), shape=(len(owned), len(many)))
    return _Observations(matrix, np.array(many, dtype=float))


def _member_positions(plan: SetPlan, members: Any) -> list[int]:
    if not isinstance(members, tuple | frozenset) or not 0 < len(members) <= plan.k:
        raise InvalidParameter(f"a published set is a tuple of up to k = {plan.k} labels")
    found = [plan.prior.labels.position(label) for label in members]
    if None in found or len(set(found)) != len(found):
        raise UnknownSecret("a published set has a member that the plan does not know, or one twice")
    return [int(x) for x in found if x is not None]
