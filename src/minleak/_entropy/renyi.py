"""Renyi entropies and the three ways of conditioning them that never grow by observing.

All three are one thing: the Renyi entropy H_a of each posterior, in nats, put together by the exponential mean

    H(X|Y) = (1/c) log sum over y of p(y) exp(c H_a(X given y)),

with c = (1-a)/a for Arimoto, c = 1-a for Hayashi and c = -1 for Fehr and Berens. This is the Kolmogorov-Nagumo form
of eta(sum Fhat), and it is how values are computed: it keeps its digits where the plain form loses them (a close
to 1), and the limits a = 0, 1, inf are ordinary values of a and c.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.columns import heavy_columns
from minleak._entropy.averaged import Averaged, exponential_mean
from minleak._entropy.base import log, log_base, order, shortest
from minleak._entropy.deformed import deformed, restored
from minleak._entropy.forms import RenyiMean, arimoto_exponent
from minleak._entropy.shannon import log_ratios, shannon_sums
from minleak._entropy.spectra import NEAR_ONE
from minleak.errors import InvalidParameter, shown


def renyi_columns(v: Array, alpha: float) -> Array:
    """For each column its sum s and the Renyi entropy of order alpha of v/s, in nats: an array of shape (2, m).

    To about 1e-15 relative for every alpha in [0, inf]; 1e-13 where entries of 1e-300 decide the value.
    """
    if alpha == 0:
        return np.stack([v.sum(axis=0), np.log(np.maximum(np.count_nonzero(v, axis=0), 1))])
    if alpha <= NEAR_ONE:
        s, logs = log_ratios(v)
        excess = -(v * deformed(logs, alpha - 1)).sum(axis=0) / np.where(s > 0, s, 1.0)
        return np.stack([s, restored(excess, 1 - alpha)])
    top, rest, heavy, at = heavy_columns(v)
    scale = np.where(top > 0, top, 1.0)
    odds = np.log1p(rest / scale)
    if alpha == math.inf:
        return np.stack([top + rest, odds])
    with np.errstate(under="ignore"):
        powers = (v / scale) ** alpha
    powers[at, heavy] = 0.0
    others = powers.sum(axis=0)
    light = np.ones(len(top), dtype=bool)
    light[heavy] = False
    others[light] -= np.where(top[light] > 0, 1.0, 0.0)
    return np.stack([top + rest, alpha / (alpha - 1) * odds - np.log1p(others) / (alpha - 1)])


class Renyi(Averaged):
    """Shared by the three conditional forms: the order alpha in [0, inf] and the exponent c of the mean."""

    #: What it was asked for by, where that is no order: tables then call it so.
    _known_as = ""

    def __init__(self, alpha: float, *, base: float = 2) -> None:
        self.alpha = order(alpha, "the order alpha")
        self.unit = log_base(base)

    @property
    @abstractmethod
    def exponent(self) -> float:
        """c, the exponent of the mean over observables."""

    @property
    def increasing(self) -> bool:
        return self.alpha <= 1

    @property
    def name(self) -> str:
        return self._known_as or f"{type(self).__name__.lower()}:{shortest(self.alpha)}"

    def __eq__(self, other: object) -> bool:
        unnamed = {"_known_as": ""}
        return type(self) is type(other) and self.__dict__ | unnamed == other.__dict__ | unnamed

    def __hash__(self) -> int:
        return hash((type(self), self.alpha))

    @property
    def form(self) -> RenyiMean:
        return RenyiMean(self.alpha, self.exponent, unit=self.unit)

    def summary(self, v: Array) -> Array:
        return renyi_columns(v, self.alpha)

    def value(self, summary: Array) -> float:
        return self.form.outer(exponential_mean(summary[0], summary[1], self.exponent))


class Arimoto(Renyi):
    """Arimoto's conditional Renyi entropy: Fhat(v) = |v|_a, eta(z) = a/(1-a) log z.

    a -> 1 is Shannon, a -> inf min-entropy, a -> 0 the logarithm of the largest support of a posterior.

    >>> round(Arimoto(2)([1, 1, 2]), 12)
    1.415037499279
    """

    best_sorted = True

    @property
    def exponent(self) -> float:
        return arimoto_exponent(self.alpha)

    @property
    def combine(self) -> Any:  # the limit at 0 is a maximum, not a sum
        return np.max if self.alpha == 0 else np.sum

    def eta(self, z: float) -> float:
        if self.alpha == 1:
            return z
        if self.alpha == 0:
            return log(z) / self.unit
        return log(z) / (self.exponent * self.unit)

    def _perspective(self, v: Array) -> Array:
        if self.alpha == 0:
            return np.asarray(np.count_nonzero(v, axis=0), dtype=np.float64)
        if self.alpha == 1:
            return shannon_sums(v) / self.unit
        top = v.max(axis=0)
        if self.alpha == math.inf:
            return np.asarray(top)
        scale = np.where(top > 0, top, 1.0)
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(top * ((v / scale) ** self.alpha).sum(axis=0) ** (1 / self.alpha))


class Hayashi(Renyi):
    """Hayashi's conditional Renyi entropy: Fhat(v) = sum of v_i^a |v|_1^(1-a), eta(z) = 1/(1-a) log z.

    a -> 1 is Shannon, a -> inf the worst case -log max p(x given y), a = 0 the logarithm of the mean support.

    >>> round(Hayashi(2)([1, 1, 2]), 12)
    1.415037499279
    """

    @property
    def best_sorted(self) -> bool:  # uniform, n = k+1: sizes (k-1, 2) beat (k, 1) above 2; below 1 from k = 8 on
        return 1 <= self.alpha <= 2

    @property
    def exponent(self) -> float:
        return 1 - self.alpha

    @property
    def combine(self) -> Any:  # the limit at infinity is a maximum, not a sum
        return np.max if self.alpha == math.inf else np.sum

    def eta(self, z: float) -> float:
        if self.alpha == 1:
            return z
        return 0.0 - log(z) / self.unit if self.alpha == math.inf else log(z) / ((1 - self.alpha) * self.unit)

    def _perspective(self, v: Array) -> Array:
        if self.alpha == 1:
            return shannon_sums(v) / self.unit
        s = v.sum(axis=0)
        q = v / np.where(s > 0, s, 1.0)
        if self.alpha == math.inf:
            return np.asarray(q.max(axis=0))
        with np.errstate(under="ignore"):
            return np.asarray(s * (np.count_nonzero(v, axis=0) if self.alpha == 0 else (q**self.alpha).sum(axis=0)))


class FehrBerens(Renyi):
    """Fehr and Berens' conditional Renyi entropy: Fhat(v) = |v|_1 exp(-H_a(v/|v|_1)) in nats, eta(z) = -log z.

    That is |v|_a^(a/(a-1)) |v|_1^(-1/(a-1)). a -> inf is min-entropy; a -> 1 is *not* Shannon but
    -log of the mean of exp(-H(X given y)).

    >>> round(FehrBerens(2)([1, 1, 2]), 12)
    1.415037499279
    """

    @property
    def best_sorted(self) -> bool:  # below 2 from k = 14 on: one heavy secret in each of two blocks may be better
        return self.alpha >= 2

    exponent = -1.0
    increasing = False

    def eta(self, z: float) -> float:
        return 0.0 - log(z) / self.unit

    def _perspective(self, v: Array) -> Array:
        if self.alpha == math.inf:
            return np.asarray(v.max(axis=0))
        s, h = renyi_columns(v, self.alpha)  # the norms' power 1/(a-1) would lose all digits close to a = 1
        return np.asarray(s * np.exp(-h))


_FORMS: dict[str, type[Renyi]] = {"arimoto": Arimoto, "hayashi": Hayashi, "fehrberens": FehrBerens}


def _named(name: str, alpha: float, form: str, base: float) -> Renyi:
    """An order that has a name, which is that of Arimoto's form."""
    if not isinstance(form, str) or form not in _FORMS:
        raise InvalidParameter(f"unknown conditional form {shown(form)}: one of {', '.join(_FORMS)}")
    made = _FORMS[form](alpha, base=base)
    if form == "arimoto":
        made._known_as = name
    return made


def Hartley(*, form: str = "arimoto", base: float = 2) -> Renyi:
    """Order 0, the logarithm of the number of secrets still possible: of the largest posterior support ("arimoto")
    or of the mean support ("hayashi").

    >>> round(Hartley()([0.7, 0.2, 0.1, 0]), 12)
    1.584962500721
    """
    return _named("hartley", 0.0, form, base)


def Collision(*, form: str = "arimoto", base: float = 2) -> Renyi:
    """Order 2: minus the logarithm of the probability that two draws of the secret agree.

    >>> Collision()([1, 1, 1, 1])
    2.0
    """
    return _named("collision", 2.0, form, base)
