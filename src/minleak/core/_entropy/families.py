"""The named entropies: the Renyi family (Shannon, min-entropy, Arimoto, ...), and guesses.

Those of the family take the Renyi entropy H_a of every posterior, in nats, combine them by the exponential mean

    R = (1/c) log sum over y of p(y) exp(c H_a(X given y)),

and apply an increasing function. This is the Kolmogorov-Nagumo form of eta(sum Fhat), with
Fhat(v) = |v|_1 exp(c H_a(v/|v|_1)), and it is how values are computed: it keeps digits that the plain form loses (a
close to 1), and supports orders 0, 1 and infinity exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._columns import workspace
from minleak.core._entropy.base import Entropy, log, log_base, order, shortest
from minleak.core._entropy.forms import (
    AllGuesses,
    BestGuesses,
    RenyiMean,
    arimoto_exponent,
    heavy_columns,
    renyi_columns,
)
from minleak.core._parameters import real, whole
from minleak.errors import InvalidParameter, quote

# Below this order the sums of powers keep the digits of the perspective.
_LOW = 0.75


class Renyi(Entropy):
    """An entropy of the family, from its `form`; a subclass makes that from its parameters.

    >>> from minleak.lab import RenyiMean
    >>> Renyi(RenyiMean(order=2.0, exponent=-1.0, degree=-1.0))([1, 1])  # Tsallis(2)
    0.5
    """

    def __init__(self, form: RenyiMean) -> None:
        self._form = form
        self.unit = form.unit

    @property
    def form(self) -> RenyiMean:
        """The order and the exponent of the mean, and the outer function."""
        return self._form

    @property
    def alpha(self) -> float:
        """The order."""
        return self._form.order

    @property
    def name(self) -> str:
        return f"{type(self).__name__.lower()}:{shortest(self.alpha)}"

    @property
    def increasing(self) -> bool:
        return self._form.exponent >= 0

    @property
    def combine(self) -> Any:  # the limits of an infinite exponent are a maximum, not a sum
        return np.max if math.isinf(self._form.exponent) else np.sum

    def eta(self, z: float) -> float:
        c = self._form.exponent
        if c == 0:  # Fhat is in units already
            return z if self._form.degree == 0 else self._form.outer(z * self.unit)
        return self._form.outer(0.0 + log(z) / (math.copysign(1.0, c) if math.isinf(c) else c))

    def _perspective(self, v: Array) -> Array:
        a, c = self.alpha, self._form.exponent
        with np.errstate(under="ignore", over="ignore"):
            if 0 < a < _LOW and c != 0:
                s = v.sum(axis=0)
                powers = np.maximum(((v / np.where(s > 0, s, 1.0)) ** a).sum(axis=0), 1.0)
                return np.asarray(s * powers ** (c / (1 - a)))
            s, h = renyi_columns(v, a)
            if c == 0:
                return np.asarray(s * h / self.unit)
            if math.isinf(c):
                return np.asarray(np.where(s > 0, np.exp(math.copysign(1.0, c) * h), 0.0))
            return np.asarray(s * np.exp(c * h))

    def summary(self, v: Array) -> Array:
        return renyi_columns(v, self.alpha)

    def value(self, summary: Array) -> float:
        return self._form.combine(summary[0], summary[1])

    def of_spectrum(self, values: Array, times: Array) -> float:
        return self._form.outer(float(renyi_columns(values[:, None], self.alpha, times[:, None])[1, 0]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Renyi) and self._form == other._form

    def __hash__(self) -> int:
        return hash(self._form)


class Shannon(Renyi):
    """Fhat(v) = sum of v_i log(|v|_1 / v_i), eta(z) = z. In bits unless `base` says otherwise.

    >>> Shannon()([1, 1, 2])
    1.5
    """

    name = "shannon"

    def __init__(self, *, base: float = 2) -> None:
        super().__init__(RenyiMean(1.0, 0.0, unit=log_base(base)))


class MinEntropy(Renyi):
    """One best guess: Fhat(v) = max v, eta(z) = -log z. In bits unless `base` says otherwise.

    >>> MinEntropy()([2, 1, 1])
    1.0
    """

    name = "min-entropy"

    def __init__(self, *, base: float = 2) -> None:
        super().__init__(RenyiMean(math.inf, -1.0, unit=log_base(base)))

    def _perspective(self, v: Array) -> Array:
        return np.asarray(v.max(axis=0))

    # -log(T / (T + R)) = log1p(R / T) keeps the digits when a guess is almost surely right.
    def summary(self, v: Array) -> Array:
        return np.array(heavy_columns(v)[:2])

    def value(self, summary: Array) -> float:
        top, rest = summary.sum(axis=1)
        return math.log1p(rest / top) / self.unit


class Arimoto(Renyi):
    """Arimoto's conditional Renyi entropy: Fhat(v) = |v|_a, eta(z) = a/(1-a) log z.

    a -> 1 is Shannon, a -> inf min-entropy, a -> 0 the logarithm of the largest support of a posterior.

    >>> round(Arimoto(2)([1, 1, 2]), 12)
    1.415037499279
    """

    def __init__(self, alpha: float, *, base: float = 2) -> None:
        a = order(alpha, "the order alpha")
        super().__init__(RenyiMean(a, arimoto_exponent(a), unit=log_base(base)))


class Hayashi(Renyi):
    """Hayashi's conditional Renyi entropy: Fhat(v) = sum of v_i^a |v|_1^(1-a), eta(z) = 1/(1-a) log z.

    a -> 1 is Shannon, a -> inf the worst case -log max p(x given y), a = 0 the logarithm of the mean support.

    >>> round(Hayashi(2)([1, 1, 2]), 12)
    1.415037499279
    """

    def __init__(self, alpha: float, *, base: float = 2) -> None:
        a = order(alpha, "the order alpha")
        super().__init__(RenyiMean(a, 1 - a, unit=log_base(base)))


class FehrBerens(Renyi):
    """Fehr and Berens' conditional Renyi entropy: Fhat(v) = |v|_1 exp(-H_a(v/|v|_1)) in nats, eta(z) = -log z.

    That is |v|_a^(a/(a-1)) |v|_1^(-1/(a-1)). a -> inf is min-entropy; a -> 1 is *not* Shannon but
    -log of the mean of exp(-H(X given y)).

    >>> round(FehrBerens(2)([1, 1, 2]), 12)
    1.415037499279
    """

    def __init__(self, alpha: float, *, base: float = 2) -> None:
        super().__init__(RenyiMean(order(alpha, "the order alpha"), -1.0, unit=log_base(base)))


class SharmaMittal(Renyi):
    """Fhat as Hayashi(a), eta(z) = (1 - z^((1-b)/(1-a))) / (b-1); a in [0, inf], b any real number. In nats.

    With R the Hayashi entropy of order a in nats this is (exp((1-b) R) - 1) / (1-b), which is how it is computed.
    b -> 1 is Hayashi(a), b = a Tsallis(a), both -> 1 Shannon.

    >>> round(SharmaMittal(2, 0.5)([1, 1, 1, 1]), 12)
    2.0
    """

    def __init__(self, alpha: float, beta: float) -> None:
        a = order(alpha, "the order alpha")
        # Minus zero is zero.
        self.beta = real(beta, "the degree beta is a finite number", above=-math.inf, below=math.inf) + 0.0
        super().__init__(RenyiMean(a, 1 - a, degree=1 - self.beta))

    @property
    def name(self) -> str:
        return f"sharma-mittal:{shortest(self.alpha)},{shortest(self.beta)}"


class Tsallis(Renyi):
    """Fhat as Hayashi(q), eta(z) = (1 - z)/(q-1), q in [0, inf). In nats; q -> 1 is Shannon.

    >>> Tsallis(2)([1, 1])
    0.5
    """

    def __init__(self, q: float) -> None:
        a = order(q, "the order q", infinite=False)
        super().__init__(RenyiMean(a, 1 - a, degree=1 - a))


_CONDITIONAL: dict[str, Callable[[float], float]] = {
    "arimoto": arimoto_exponent,
    "hayashi": lambda a: 1 - a,
    "fehrberens": lambda a: -1.0,  # noqa: ARG005
}


class _Named(Renyi):
    """An order with a name of its own, which stands for Arimoto's form; other forms are named by their order."""

    _order: float

    def __init__(self, *, form: str = "arimoto", base: float = 2) -> None:
        if not isinstance(form, str) or form not in _CONDITIONAL:
            raise InvalidParameter(f"unknown conditional form {quote(form)}: one of {', '.join(_CONDITIONAL)}")
        super().__init__(RenyiMean(self._order, _CONDITIONAL[form](self._order), unit=log_base(base)))
        self._name = type(self).__name__.lower() if form == "arimoto" else f"{form}:{shortest(self._order)}"

    @property
    def name(self) -> str:
        return self._name


class Hartley(_Named):
    """Order 0, the logarithm of the number of secrets still possible: of the largest posterior support ("arimoto")
    or of the mean support ("hayashi").

    >>> round(Hartley()([0.7, 0.2, 0.1, 0]), 12)
    1.584962500721
    """

    _order = 0.0


class Collision(_Named):
    """Order 2: minus the logarithm of the probability that two draws of the secret agree.

    >>> Collision()([1, 1, 1, 1])
    2.0
    """

    _order = 2.0


class GuessError(Entropy):
    """The probability that l best guesses are all wrong: Fhat(v) = |v|_1 - (the sum of the l largest), eta(z) = z.

    GuessError(1) is one minus the Bayes vulnerability.

    >>> GuessError(2)([4, 3, 2, 1])
    0.30000000000000004
    """

    increasing = True

    def __init__(self, l: int = 1) -> None:
        self.l = whole(l, "the number of guesses l", most=2**53)

    @property
    def name(self) -> str:
        return f"guess-error:{self.l}"

    @property
    def form(self) -> BestGuesses:
        return BestGuesses(self.l)

    def _perspective(self, v: Array) -> Array:
        others = len(v) - self.l
        if others <= 0:
            return np.zeros(v.shape[1])
        if self.l == 1:
            return heavy_columns(v)[1]
        return np.asarray(np.partition(v, others, axis=0)[:others].sum(axis=0))

    def of_spectrum(self, values: Array, times: Array) -> float:
        after = np.clip(np.cumsum(times) - self.l, 0.0, times)  # of each value, how many come after the l-th place
        return float(after @ values)


class Guesswork(Entropy):
    """The expected number of guesses until right: Fhat(v) = sum of i v_[i], v_[i] the i-th largest, eta(z) = z.

    >>> Guesswork()([4, 3, 2, 1])
    2.0
    """

    name = "guesswork"
    increasing = True
    form = AllGuesses()

    def _perspective(self, v: Array) -> Array:
        ascending = workspace(v.T.shape)
        ascending[:] = v.T
        ascending.sort(axis=1)
        return np.asarray(ascending @ np.arange(len(v), 0, -1, dtype=np.float64))

    def of_spectrum(self, values: Array, times: Array) -> float:
        # c secrets of equal probability after b others stand on average at b + (c+1)/2
        before = np.cumsum(times) - times
        return float((times * values) @ (before + (times + 1) / 2))
