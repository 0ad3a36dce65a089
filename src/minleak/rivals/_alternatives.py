"""Baselines: what people do instead of an optimal plan, measured as exactly as possible, for comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy, Entropy
from minleak.core._entropy.names import as_entropies, as_entropy
from minleak.core._leakage import leakage
from minleak.core._parameters import whole
from minleak.core._plan.fields import cap
from minleak.core._plan.partition import Partition, cut
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._simulating import TRIALS, generator, margin
from minleak.errors import InvalidParameter, quote
from minleak.rates._world import SampledSets, World, count_sample, estimate_world, population, sets_to_draw
from minleak.rivals._random_sets import RandomSets

# The most members of a set that is simulated.
_MOST = 1_000_000


@dataclass(frozen=True)
class Estimate(Result):
    """A posterior entropy, `value`: `exact`, or simulated with a 99% confidence interval from `low` to `high`."""

    value: float
    low: float
    high: float
    exact: bool


class Baseline(ABC):
    """A countermeasure with sets of at most k that is not the optimal one."""

    name: str

    def __init__(self, prior: Prior | Iterable[Any], k: int, *, trials: int = 20_000, seed: int = 0) -> None:
        self.prior, self.k = as_prior(prior), cap(k)
        if self.k > _MOST:
            raise InvalidParameter(f"sets of k = {quote(k)} are too large to simulate: {_MOST:,} members at most")
        generator(seed)  # or it is refused
        self.trials, self.seed = whole(trials, "trials", 2, TRIALS), seed

    @abstractmethod
    def entropy(self, entropy: ConditionalEntropy | str) -> Estimate:
        """H(X|Y) under this countermeasure."""

    def leakage(self, entropy: ConditionalEntropy | str) -> Estimate:
        """H(X) - H(X|Y) under this countermeasure."""
        H = as_entropy(entropy)
        before, after = H(self.prior), self.entropy(H)
        return Estimate(before - after.value, before - after.high, before - after.low, after.exact)


class RandomBaseline(Baseline):
    """A baseline whose decoys are drawn anew for each secret. Sets are simulated where no closed form is known."""

    @abstractmethod
    def _draw_sets(self, rng: np.random.Generator, size: int) -> tuple[Indices, Array]:
        """Members of sets, a column for each set, and what each member owns: sets are drawn with some density f such
        that p(set given x) = f(set) / owned up to a factor; a member that owns infinity does not count.
        """

    def entropy(self, entropy: ConditionalEntropy | str) -> Estimate:
        """eta of the mean of F over simulated posteriors, with eta of the mean's interval."""
        H = as_entropy(entropy)
        if not isinstance(H, Entropy) or not H.symmetric or H.combine is not np.sum:
            raise InvalidParameter(
                f"this baseline is simulated, which takes an entropy that is a mean over sets, not {H.name}"
            )
        rng = generator(self.seed)
        sizes = [min(2000, self.trials - begin) for begin in range(0, self.trials, 2000)]
        values = np.concatenate([H._perspective(self._posterior(rng, size)) for size in sizes])
        mean, half = float(values.mean()), float(margin(values))
        ends = sorted((H.eta(mean - half), H.eta(mean + half)))
        return Estimate(H.eta(mean), ends[0], ends[1], False)

    def _posterior(self, rng: np.random.Generator, size: int) -> Array:
        """Posteriors on the members of sets that are as likely as they are shown."""
        members, owned = self._draw_sets(rng, size)
        columns = self.prior.p[members] / owned
        return np.asarray(columns / columns.sum(axis=0))

    def population(self, *, entropies: Sequence[ConditionalEntropy | str] = (), seed: int = 0) -> World:
        """What leaks in the true population that the counts are a sample of, by simulated sets: see `World`. Decoys are
        drawn by the counts; secrets come by their true frequencies, which the attacker knows.
        """
        counts, sample = count_sample(self.prior)
        certified = {H.name: self.leakage(H).value for H in as_entropies(entropies)}

        def draw_sets(rng: np.random.Generator) -> SampledSets:
            members, owned = self._draw_sets(rng, sets_to_draw(self.k))
            seen = counts[members] > 0  # secrets that were never seen have no rate
            return SampledSets(members, np.where(seen, counts[members], 1), np.where(seen, owned, np.inf))

        claimed = 1 - self.entropy("guess-error:1").value
        world = estimate_world(sample, draw_sets, self.k, claimed, certified, seed)
        # sets differ more than those of a plan: their sampling error counts too
        columns = world._shown.columns
        off = columns.max(axis=0) - world.success * columns.sum(axis=0)
        half = float(margin(off * len(off)))
        return replace(world, low=max(world.low - half, 1 / self.k), high=min(world.high + half, 1.0))


class UniformRandomisation(RandomBaseline):
    """The paper's baseline: secret x is shown in a uniformly random set of k that contains it, 1/C(n-1,k-1) each.

    The same as adding k-1 uniformly random decoys. Closed forms, never listing the sets: the i-th likeliest secret is
    the likeliest of its set with probability C(n-i,k-1)/C(n-1,k-1), and its rank in the set is one more than a
    hypergeometric variable. Shannon entropy is exact for integer weights of moderate total, counting subsets by size
    and weight; other entropies are simulated.

    >>> UniformRandomisation(range(30, 0, -1), 5).leakage("min-entropy").value.__round__(10)
    2.3692338097
    """

    name = "uniform randomisation"

    def entropy(self, entropy: ConditionalEntropy | str) -> Estimate:
        H = as_entropy(entropy)
        value = RandomSets(self.prior, min(self.k, len(self.prior))).entropy(H.form)
        return super().entropy(H) if value is None else _exact(value)

    def _draw_sets(self, rng: np.random.Generator, size: int) -> tuple[Indices, Array]:
        """A set is drawn as often as its mass says, and is equally likely given any member."""
        n, k = len(self.prior), min(self.k, len(self.prior))
        secrets = rng.choice(n, size=size, p=self.prior.p)
        members = np.empty((k, size), dtype=np.int64)
        for column, x in enumerate(secrets):
            decoys = rng.choice(n - 1, size=k - 1, replace=False)
            members[:, column] = np.append(decoys + (decoys >= x), x)
        return members, np.broadcast_to(self.prior.p[members].sum(axis=0), members.shape)


class PopularDecoys(RandomBaseline):
    """k-1 decoys drawn independently from the prior itself. Secret and decoys are then exchangeable: a label that
    appears m times in what is shown has posterior m/k, so only repetitions leak. Simulated.
    """

    name = "popularity-weighted decoys"

    def _draw_sets(self, rng: np.random.Generator, size: int) -> tuple[Indices, Array]:
        """Of labels that appear m times the first owns p(x)/m, and the others do not count."""
        members = np.sort(rng.choice(len(self.prior), size=(self.k, size), p=self.prior.p), axis=0)
        times, run = np.zeros(members.shape), np.zeros(size, dtype=np.int64)
        for row in range(self.k):
            if row:
                run = np.where(members[row] == members[row - 1], run, row)
            times[run, np.arange(size)] += 1
        with np.errstate(divide="ignore"):
            return members, self.prior.p[members] / times


class ChannelBaseline(Baseline):
    """A baseline that is a small channel, measured as it is."""

    @abstractmethod
    def channel(self) -> Channel:
        """The channel itself."""

    def entropy(self, entropy: ConditionalEntropy | str) -> Estimate:
        return _exact(as_entropy(entropy).conditional(self.prior, self.channel()))

    def leakage(self, entropy: ConditionalEntropy | str) -> Estimate:
        return _exact(leakage(self.prior, self.channel(), as_entropy(entropy)))


class FixedBuckets(ChannelBaseline):
    """Secrets sorted by weight are put into fixed buckets of k, and the bucket is shown."""

    name = "fixed buckets"

    @cached_property
    def _buckets(self) -> Partition:
        return cut(self.prior.weights, self.k)

    def channel(self) -> Channel:
        return Channel.deterministic(self._buckets.block_of().tolist())

    def entropy(self, entropy: ConditionalEntropy | str) -> Estimate:
        H = as_entropy(entropy)  # by the buckets where it can be, which takes a fraction of the channel's time
        return _exact(self._buckets.entropies(self.prior, [H])[0]) if H.symmetric else super().entropy(H)


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

    def entropy(self, entropy: ConditionalEntropy | str) -> Estimate:
        return _exact(as_entropy(entropy)(self.prior))  # the channel's may differ from it in the last digit


BASELINES: tuple[type[Baseline], ...] = (NoCloak, FixedBuckets, UniformRandomisation, PopularDecoys, OneSet)


def baselines(prior: Prior | Iterable[Any], k: int, *, trials: int = 20_000, seed: int = 0) -> list[Baseline]:
    """All baselines for a prior and a cap, to compare the optimal plan with.

    >>> [baseline.name for baseline in baselines([3, 2, 1], 2)][:3]
    ['no cloak', 'fixed buckets', 'uniform randomisation']
    """
    known = as_prior(prior)
    return [kind(known, k, trials=trials, seed=seed) for kind in BASELINES]


def _exact(value: float) -> Estimate:
    return Estimate(value, value, value, True)


@population.register(RandomBaseline)
def _of_baseline(plan: RandomBaseline, *, entropies: Sequence[ConditionalEntropy | str] = (), seed: int = 0) -> World:
    return plan.population(entropies=entropies, seed=seed)
