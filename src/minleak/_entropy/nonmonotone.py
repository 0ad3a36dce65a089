"""Three conditional Renyi entropies that the paper rejects: observing can increase them, and a search shows it."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from minleak._data.channel import Channel
from minleak._data.parameters import whole
from minleak._data.prior import Prior
from minleak._data.simulating import TRIALS, generator
from minleak._entropy.averaged import exponential_mean
from minleak._entropy.base import Array, ConditionalEntropy, log_base, order, shortest
from minleak._entropy.random_search import random_search
from minleak._entropy.renyi import renyi_columns
from minleak.errors import InvalidParameter, shown

# The largest joint that is searched.
_ENTRIES = 1_000_000


class NonMonotone(ConditionalEntropy):
    """Shared by the three: H(X) is the Renyi entropy of order alpha, H(X|Y) is not bounded by it."""

    monotone = False

    def __init__(self, alpha: float, *, base: float = 2) -> None:
        self.alpha = order(alpha, "the order alpha")
        self.unit = log_base(base)

    @property
    def name(self) -> str:
        return f"{type(self).__name__.lower()}:{shortest(self.alpha)}"

    def summary(self, v: Array) -> Array:
        return renyi_columns(v, self.alpha)

    def value(self, summary: Array) -> float:
        s, h = summary
        return self._combined(s[s > 0] / s.sum(), h[s > 0]) / self.unit

    @abstractmethod
    def _combined(self, s: Array, h: Array) -> float:
        """H(X|Y) in nats from p(y) > 0 and the Renyi entropies of the posteriors."""


class Cachin(NonMonotone):
    """The mean of H_a(X given y) over y.

    Observing can increase it for a > 1, given enough secrets; for a <= 1 it cannot, H_a being concave.
    """

    def _combined(self, s: Array, h: Array) -> float:
        return float(s @ h)


class JizbaArimitsu(NonMonotone):
    """H_a(X,Y) - H_a(Y), also Golshani's. Observing can increase it for every a other than 0 and 1."""

    def _combined(self, s: Array, h: Array) -> float:
        a = self.alpha
        logs = np.log(s) - np.log(s).max()
        if a == math.inf:
            return float((h - logs).min())
        x = a * logs
        if a <= 2 or x.min() > -700:  # no p(y)^a that matters underflows: the mean keeps more digits
            return exponential_mean(np.exp(x), h, 1 - a)
        both = x + (1 - a) * h  # the logarithm of the sum over x of p(x,y)^a
        return float(np.logaddexp.reduce(both) - np.logaddexp.reduce(x)) / (1 - a)


class RennerWolf(NonMonotone):
    """1/(1-a) max over y of log |p(.|y)|_a^a: the largest H_a(X given y) for a < 1, the smallest for a > 1.

    Observing can increase it for a < 1. For a > 1 the print's maximum makes it a minimum of entropies, which by the
    convexity of sum p^a cannot exceed H_a(X). At a = 1 the two one-sided limits differ; the larger is taken.
    """

    def _combined(self, s: Array, h: Array) -> float:
        del s
        return float(h.max() if self.alpha <= 1 else h.min())


@dataclass(frozen=True)
class Increase:
    """A joint distribution under which observing increases an entropy by `amount`, or the best that was found."""

    found: bool
    amount: float
    prior: Prior
    channel: Channel
    tried: int


def find_increase(
    entropy: ConditionalEntropy, *, n: int = 3, m: int = 2, trials: int = 2000, seed: int = 0
) -> Increase:
    """Search for a joint distribution of n secrets and m observables with H(X|Y) > H(X), H the entropy.

    Random joints of varied skew, each improved by random steps. The witness is evaluated by H itself; `found` means an
    increase above 1e-9. Nothing found is not a proof that there is none.

    >>> find_increase(Cachin(2)).found
    True
    """
    n, m, trials = whole(n, "n", 1), whole(m, "m", 1), whole(trials, "trials", 1, TRIALS)
    if n * m > _ENTRIES:
        raise InvalidParameter(f"a joint of n x m = {shown(n * m)} entries is too large: {_ENTRIES:,} at most")
    if not isinstance(entropy, ConditionalEntropy):
        raise InvalidParameter(f"an entropy is wanted, such as Cachin(2), not {shown(entropy)}")
    rng = generator(seed)

    def split(flat: Array) -> tuple[Array, Array]:
        joint = flat.reshape(n, m)
        p = joint.sum(axis=1)
        return p, joint / p[:, None]

    def increase(flat: Array) -> float:
        p, rows = split(flat)
        return entropy.conditional(p, rows) - entropy(p)

    flat, amount = random_search(increase, n * m, trials=trials, rng=rng)
    p, rows = split(flat)
    return Increase(amount > 1e-9, amount, Prior(p), Channel(rows), trials)
