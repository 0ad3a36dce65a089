"""Baselines: what people do instead, measured as exactly as can be, to set the optimal plan beside."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.channel import Channel
from minleak.design.cap import cap
from minleak.entropy.base import ConditionalEntropy, Entropy
from minleak.entropy.gain import Gain
from minleak.entropy.guessing import GuessError, Guesswork
from minleak.entropy.names import as_entropy
from minleak.errors import InvalidParameter
from minleak.prior import Prior, as_prior

Array = npt.NDArray[np.float64]

# The 99.5th percentile of the normal distribution, for two-sided intervals of 99%.
_Z = 2.5758293035489004
# Steps that the exact Shannon entropy of uniform randomisation may take (subsets counted by size and weight).
_EXACT = 20_000_000


@dataclass(frozen=True)
class Estimate:
    """A posterior entropy: exact (low = value = high), or simulated with a 99% confidence interval."""

    value: float
    low: float
    high: float
    exact: bool


class Baseline(ABC):
    """A countermeasure with sets of at most k that is not the optimal one."""

    name: str

    def __init__(self, prior: Prior | Iterable[Any], k: int, *, trials: int = 20_000, seed: int = 0) -> None:
        self.prior, self.k = as_prior(prior), cap(k)
        if isinstance(trials, bool) or not isinstance(trials, int | np.integer) or trials < 2:
            raise InvalidParameter(f"trials is a whole number from 2 on, not {trials!r}")
        self.trials, self.seed = int(trials), seed

    @abstractmethod
    def entropy(self, H: ConditionalEntropy | str) -> Estimate:
        """H(X|Y) under this countermeasure."""

    def leakage(self, H: ConditionalEntropy | str) -> Estimate:
        """H(X) - H(X|Y) under this countermeasure."""
        entropy = as_entropy(H)
        before, after = entropy(self.prior), self.entropy(entropy)
        return Estimate(before - after.value, before - after.high, before - after.low, after.exact)


class UniformRandomisation(Baseline):
    """The paper's baseline: secret x is shown in a uniformly random set of k that contains it, 1/C(n-1,k-1) each.

    The same as adding k-1 uniformly random decoys. Closed forms, never listing the sets: the i-th likeliest secret is
    the likeliest of its set with probability C(n-i,k-1)/C(n-1,k-1), and its rank in the set is one more than a
    hypergeometric variable. Shannon entropy is exact for integer weights of moderate total, counting subsets by size
    and weight; other entropies are simulated.

    >>> UniformRandomisation(range(30, 0, -1), 5).leakage("min-entropy").value.__round__(10)
    2.3692338097
    """

    name = "uniform randomisation"

    def entropy(self, H: ConditionalEntropy | str) -> Estimate:
        entropy = as_entropy(H)
        p = np.sort(self.prior.p)[::-1]
        n, k = len(p), min(self.k, len(p))
        i = np.arange(1, n + 1)
        if isinstance(entropy, Guesswork):
            return _exactly(float(p @ (1 + (i - 1) * (k - 1) / max(n - 1, 1))))
        if isinstance(entropy, GuessError) or entropy.arimoto_order == math.inf:
            among_best = _among_best(n, k, entropy.l if isinstance(entropy, GuessError) else 1)
            if isinstance(entropy, GuessError):
                return _exactly(float(p @ (1 - among_best)))
            return _exactly(-math.log(float(p @ among_best)) / entropy.unit)
        if entropy.arimoto_order == 1:
            after = self._shannon(k)
            if after is not None:
                return _exactly(after / entropy.unit)
        return _simulated(entropy, self._posterior, self.trials, np.random.default_rng(self.seed))

    def _shannon(self, k: int) -> float | None:
        """E[-log p(x given M)] by counting the subsets of each size and weight, in nats."""
        prior, n = self.prior, len(self.prior)
        if not prior.exact or n * k * int(prior.total) > _EXACT:
            return None
        total = int(prior.total)
        counts = np.zeros((k + 1, total + 1), dtype=object)
        counts[0, 0] = 1
        for w in prior.weights.tolist():
            counts[1:, w:] += counts[:-1, : total + 1 - w].copy()
        subsets = math.comb(n - 1, k - 1)
        weight = np.array([float(counts[k, t] / subsets) for t in range(total + 1)])
        mass = np.arange(total + 1) / total
        positive = mass > 0
        of_sets = float((weight[positive] * mass[positive]) @ np.log(mass[positive]))
        p = prior.p[prior.p > 0]
        return of_sets - float(p @ np.log(p))

    def _posterior(self, rng: np.random.Generator, size: int) -> Array:
        """Posteriors on the sets of random secrets, as columns."""
        n, k = len(self.prior), min(self.k, len(self.prior))
        secrets = rng.choice(n, size=size, p=self.prior.p)
        columns = np.empty((k, size))
        for column, x in enumerate(secrets):
            decoys = rng.choice(n - 1, size=k - 1, replace=False)
            members = np.append(decoys + (decoys >= x), x)
            columns[:, column] = self.prior.p[members]
        return np.asarray(columns / columns.sum(axis=0))


class PopularDecoys(Baseline):
    """k-1 decoys drawn independently from the prior itself. Secret and decoys are then exchangeable: a label that
    stands m times in what is shown has posterior m/k, so only repetitions leak. Simulated.
    """

    name = "popularity-weighted decoys"

    def entropy(self, H: ConditionalEntropy | str) -> Estimate:
        return _simulated(as_entropy(H), self._posterior, self.trials, np.random.default_rng(self.seed))

    def _posterior(self, rng: np.random.Generator, size: int) -> Array:
        drawn = np.sort(rng.choice(len(self.prior), size=(self.k, size), p=self.prior.p), axis=0)
        columns = np.zeros((self.k, size))
        run = np.zeros(size, dtype=np.int64)
        for row in range(self.k):
            if row:
                run = np.where(drawn[row] == drawn[row - 1], run, row)
            columns[run, np.arange(size)] += 1 / self.k
        return columns


class ChannelBaseline(Baseline):
    """A baseline that is a small channel, measured as it is."""

    @abstractmethod
    def channel(self) -> Channel:
        """The channel itself."""

    def entropy(self, H: ConditionalEntropy | str) -> Estimate:
        return _exactly(as_entropy(H).conditional(self.prior, self.channel()))


class FixedBuckets(ChannelBaseline):
    """Secrets sorted by weight are put into fixed buckets of k, and the bucket is shown."""

    name = "fixed buckets"

    def channel(self) -> Channel:
        bucket = np.empty(len(self.prior), dtype=np.int64)
        bucket[np.argsort(-self.prior.p, kind="stable")] = np.arange(len(self.prior)) // self.k
        return Channel.deterministic(bucket.tolist())


class NoCloak(ChannelBaseline):
    """The secret is shown as it is."""

    name = "no cloak"

    def channel(self) -> Channel:
        return Channel.deterministic(range(len(self.prior)))


class OneSet(ChannelBaseline):
    """Everything looks the same. It respects the cap only if k >= n; the end of the scale."""

    name = "one set"

    def channel(self) -> Channel:
        return Channel.deterministic([0] * len(self.prior))


BASELINES: tuple[type[Baseline], ...] = (NoCloak, FixedBuckets, UniformRandomisation, PopularDecoys, OneSet)


def baselines(prior: Prior | Iterable[Any], k: int, *, trials: int = 20_000, seed: int = 0) -> list[Baseline]:
    """All baselines for a prior and a cap, to set the optimal plan beside.

    >>> [baseline.name for baseline in baselines([3, 2, 1], 2)][:3]
    ['no cloak', 'fixed buckets', 'uniform randomisation']
    """
    known = as_prior(prior)
    return [kind(known, k, trials=trials, seed=seed) for kind in BASELINES]


def _among_best(n: int, k: int, l: int) -> Array:
    """The chance that the i-th likeliest secret is among the l likeliest of its random set, for i = 1..n."""
    i = np.arange(1, n + 1)
    if l == 1:  # C(n-i,k-1) / C(n-1,k-1), each from the one before
        return np.cumprod(np.append(1.0, np.maximum(n - k + 1 - i[:-1], 0) / (n - i[:-1])))
    from scipy.stats import hypergeom

    # one secret more, of no weight and always last, changes no rank: hypergeom wants somebody to draw from
    return np.asarray(hypergeom.cdf(l - 1, max(n - 1, 1), i - 1, k - 1))


def _exactly(value: float) -> Estimate:
    return Estimate(value, value, value, True)


def _simulated(
    H: ConditionalEntropy,
    posterior: Callable[[np.random.Generator, int], Array],
    trials: int,
    rng: np.random.Generator,
) -> Estimate:
    """eta of the mean of F over simulated posteriors, with eta of the mean's interval."""
    if not isinstance(H, Entropy) or isinstance(H, Gain) or H.combine is not np.sum:
        raise InvalidParameter(
            f"this baseline is simulated, which takes an entropy that is a mean over sets, not {H.name}"
        )
    values = np.concatenate([H._perspective(posterior(rng, min(2000, trials - b))) for b in range(0, trials, 2000)])
    mean, half = float(values.mean()), _Z * float(values.std(ddof=1)) / math.sqrt(trials)
    ends = sorted((H.eta(mean - half), H.eta(mean + half)))
    return Estimate(H.eta(mean), ends[0], ends[1], False)
