"""What an entropy is: a scalar function eta and the perspective of a core F; everything else follows from the two."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._columns import Block, packed
from minleak.core._entropy.forms import Form
from minleak.core._joint import Joint, as_joint
from minleak.core._parameters import real
from minleak.core._prior import Prior, as_prior
from minleak.errors import InvalidParameter


class ConditionalEntropy(ABC):
    """A measure of an observer's uncertainty: H(X) before an observation and H(X|Y) after it.

    Subclasses say how a block of columns of the joint is summarised (a few numbers a column) and how the summaries of
    all columns make the value, so that many entropies can share one pass over a large channel.

    Everything else about an entropy is data, its `form`. Convex design, sweeps, padding and bounds from samples match
    on it; an entropy knows nothing about its callers.
    """

    #: True when H(X|Y) <= H(X) is a theorem.
    monotone: bool = True

    #: True when permuting the secrets changes nothing.
    symmetric: bool = True

    #: The natural logarithm of the base that values are in; 1 for those in nats or without a logarithm.
    unit: float = 1.0

    @property
    @abstractmethod
    def name(self) -> str:
        """The name by which `minleak.entropy` finds it, parameters included."""

    @abstractmethod
    def summary(self, v: Array) -> Array:
        """q numbers for each column of a block v of shape (r, m), which is not negative: an array of shape (q, m).

        Other entropies use the same block, so it must not be changed.
        """

    @abstractmethod
    def value(self, summary: Array) -> float:
        """The entropy from the summaries of all columns, an array of shape (q, number of columns)."""

    def seen(self, block: Block) -> Iterable[Block]:
        """The columns that the summaries are taken of; gains change them."""
        return (block,)

    def __call__(self, prior: Prior | Iterable[Any]) -> float:
        """H(X), the uncertainty before any observation."""
        prior = as_prior(prior)
        spectrum = prior.spectrum
        value = None if spectrum is None else self.of_spectrum(*spectrum)
        return evaluate([self], [prior.p[:, None]])[0] if value is None else value

    def conditional(self, prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> float:
        """H(X|Y), the average uncertainty after observing the channel's output. Cost: the channel's non-zeros."""
        return evaluate([self], as_joint(prior, channel).blocks())[0]

    @property
    def form(self) -> Form | None:
        """The entropy as data, for closed forms and convex programmes; None if it has no such form."""
        return None

    def of_spectrum(self, values: Array, times: Array) -> float | None:  # noqa: ARG002 - for subclasses
        """H(X) from the distinct probabilities, largest first, and how many secrets have each; None if it takes the
        whole prior.
        """
        return None

    def __repr__(self) -> str:
        return f"<entropy {self.name}>"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), self.name))


class Entropy(ConditionalEntropy):
    """A generalised entropy of the paper: H(X|Y) = eta(sum over y of Fhat(J[:,y])), H(X) = eta(Fhat(p)).

    Fhat(v) = |v|_1 F(v/|v|_1) is the perspective of the core F. Either eta is increasing and F concave
    (`increasing` is True), or eta is decreasing and F convex. F is symmetric and expansible.

    A subclass gives `name`, `_perspective`, `increasing` and, unless it is the identity, `eta`. It overrides `summary`
    and `value` only where another way to the same number keeps more digits.
    """

    #: How the columns are put together; np.max for the few limits that a sum cannot reach.
    combine: Any = staticmethod(np.sum)

    @property
    @abstractmethod
    def increasing(self) -> bool:
        """True: eta increasing, F concave. False: eta decreasing, F convex."""

    def eta(self, z: float) -> float:
        """The outer function, the identity unless a subclass has another."""
        return z

    @abstractmethod
    def _perspective(self, v: Array) -> Array:
        """Fhat of each column of v, an array of shape (r, m) of non-negative floats; zero for a zero column."""

    def perspective(self, v: npt.ArrayLike) -> Any:
        """Fhat(v) = |v|_1 F(v/|v|_1) of a non-negative vector, or of each column of a matrix."""
        array = np.array(v, dtype=np.float64)
        if array.ndim not in (1, 2) or not array.size or not (array.min() >= 0 and array.max() < math.inf):
            raise InvalidParameter("the perspective takes a vector or matrix of finite numbers that are not negative")
        result = self._perspective(array if array.ndim == 2 else array[:, None])
        return result if array.ndim == 2 else float(result[0])

    def summary(self, v: Array) -> Array:
        return self._perspective(v)[None, :]

    def value(self, summary: Array) -> float:
        return self.eta(float(self.combine(summary[0])))


def evaluate(entropies: Sequence[ConditionalEntropy], blocks: Iterable[Block]) -> list[float]:
    """Return H(X|Y) in each entropy, from the columns of the joint of X and Y in blocks (`Joint.blocks`), in one pass.

    A single column [p[:, None]] gives H(X). Columns of zeros add nothing, whatever their number.
    """
    summaries: list[list[Array]] = [[] for _ in entropies]
    for block in blocks:
        plain = None
        for H, found in zip(entropies, summaries, strict=True):
            for own in H.seen(block):
                if own is block:
                    plain = list(packed(block)) if plain is None else plain
                    found += [H.summary(v) for v in plain]
                else:
                    found += [H.summary(v) for v in packed(own)]
    nothing = np.zeros((1, 1))
    return [
        H.value(np.concatenate(found, axis=1) if found else H.summary(nothing))
        for H, found in zip(entropies, summaries, strict=True)
    ]


def log_base(base: float) -> float:
    """The natural logarithm of a base of logarithms, which must be a finite number above 1."""
    return math.log(real(base, "the base of the logarithm is a number above 1", above=1, below=math.inf))


def log(z: float) -> float:
    """The natural logarithm, with log 0 = -inf."""
    return math.log(z) if z > 0 else -math.inf


def order(value: float, what: str, *, infinite: bool = True) -> float:
    """A parameter that must be a number from 0 on, infinity included unless said otherwise."""
    expected = f"{what} is a number from 0 on{', inf included' if infinite else ''}"
    number = real(value, expected, least=0)
    if math.isinf(number) and not infinite:
        raise InvalidParameter(f"{what} must be finite")
    return number + 0.0  # minus zero is zero


def shortest(number: float) -> str:
    """The number as text, in the fewest digits that read back as the same number."""
    text = f"{number:g}"
    return text if float(text) == number else repr(number)
