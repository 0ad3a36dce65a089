"""What an entropy is: a scalar function eta and the perspective of a core F; everything else follows from the two."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array
from minleak._data.channel import Channel
from minleak._data.columns import Columns
from minleak._data.joint import Joint, as_joint
from minleak._data.parameters import real
from minleak._data.prior import Prior, as_prior
from minleak._entropy.forms import Form, RenyiMean, as_mean
from minleak._entropy.random_sets import RandomSets
from minleak._entropy.targets import Targets
from minleak.errors import InvalidParameter


class Sampled(Protocol):
    """What samples say for sure of the attackers that there are bounds for, as brackets of what leaks to each."""

    def compared(self, l: int, how: Callable[[float, float], float], floor: float) -> Any:
        """How success in l guesses stands to that before: `how` grows in the first and falls in the second."""

    def guesswork(self) -> Any:
        """By how many guesses fewer the secret is found."""

    def shannon(self, unit: float) -> Any:
        """Shannon's leakage, in logarithms of which one is `unit` nats."""


class ConditionalEntropy(ABC):
    """A measure of an observer's uncertainty: H(X) before an observation and H(X|Y) after it.

    Subclasses say how a block of columns of the joint is summarised (a few numbers a column) and how the summaries of
    all columns make the value, so that many entropies can share one pass over a large channel.

    What an entropy knows beyond that, it says itself: the methods below `conditional` are asked by sweeps, baselines,
    buckets, convex design and estimates. Here they say "none", or take the long way where there is one.
    """

    #: True when H(X|Y) <= H(X) is a theorem.
    monotone: bool = True

    #: True when only the probabilities count, not whose they are.
    symmetric: bool = True

    #: The natural logarithm of the base that values are in; 1 for those in nats or without a logarithm.
    unit: float = 1.0

    @property
    @abstractmethod
    def name(self) -> str:
        """The name by which `minleak.entropy` finds it, parameters included."""

    @abstractmethod
    def summary(self, v: Array) -> Array:
        """For a block v of shape (r, m), non-negative columns, some numbers a column: an array of shape (q, m).

        Others look at the block too: it is not to be changed.
        """

    @abstractmethod
    def value(self, summary: Array) -> float:
        """The entropy from the summaries of all columns, an array of shape (q, number of columns)."""

    def prepared(self, columns: Columns) -> Columns:
        """The columns that the summaries are taken of; gains change them."""
        return columns

    def __call__(self, prior: Prior | Iterable[Any]) -> float:
        """H(X), the uncertainty before any observation."""
        prior = as_prior(prior)
        spectrum = prior.spectrum
        value = None if spectrum is None else self.of_spectrum(*spectrum)
        if value is not None:
            return value
        column = prior.p[:, None]
        if type(self).prepared is ConditionalEntropy.prepared:
            return self.value(self.summary(column))
        return self._of(Columns(column))

    def conditional(self, prior: Joint | Prior | Iterable[Any], channel: Channel | Any = None) -> float:
        """H(X|Y), the average uncertainty after observing the channel's output. Cost: the channel's non-zeros."""
        return self._of(as_joint(prior, channel).columns())

    def _of(self, columns: Columns) -> float:
        return _values([self], self.prepared(columns))[0]

    @property
    def form(self) -> Form | None:
        """What is known of it beyond its values; None if that is nothing."""
        return None

    # -- what it may know -------------------------------------------------------------------------------------------

    def paper_form(self) -> Entropy | None:
        """Itself, if it is of the paper's form eta(sum Fhat): gains go on those alone, and convex design."""
        return None

    @property
    def linear(self) -> bool:
        """Whether eta is the identity: then H of c times a joint is c times H."""
        return False

    @property
    def renyi_mean(self) -> RenyiMean | None:
        """The form as a mean of Renyi entropies, if it is one."""
        return as_mean(self.form)

    def of_spectrum(self, values: Array, times: Array) -> float | None:  # noqa: ARG002 - for those who have a way
        """H(X) from the distinct probabilities, largest first, and how many secrets have each; None if there is no way
        to it but through the whole prior.
        """
        return None

    def of_targets(self, targets: Targets) -> Array:
        """H(pi) for the targets of many k; on each of them, O(k), by those who have no closed form."""
        return np.array([self(pi) for pi in targets])

    def of_random_sets(self, sets: RandomSets) -> float | None:  # noqa: ARG002
        """H(X|Y) where secrets are shown in uniformly random sets of k; None if that has to be simulated."""
        return None

    def worth_by_count(self, n: int) -> Array | None:  # noqa: ARG002
        """U of N = 0, ..., n secrets of probability 1/n each, H(X|Y) being `outer` of their sum over observables; None
        if it follows from `renyi_mean`, or is not known.
        """
        return None

    @property
    def best_sorted(self) -> bool:
        """Whether it is a theorem that of all partitions into blocks of at most k, the secrets sorted by weight and cut
        from the heaviest on leave the most H(X|Y), for every k and prior.

        Two blocks suffice: pair the members of both by weight, and exchange within pairs; Fhat of the heavier ones
        together and the lighter ones together is at least as good where Fhat is supermodular in that sense.
        """
        return False

    def bias_of_counts(self, pairs: int, n: int, m: int, events: int) -> float | None:  # noqa: ARG002
        """By how much leakage is overestimated from so many events of n secrets and m observables, of which `pairs`
        occurred together; None if there is no formula.
        """
        return None

    def of_samples(self, sampled: Sampled) -> Any:  # noqa: ARG002
        """The bracket of leakage that samples are sure of; None where they give an estimate alone."""
        return None

    def most_leaked(self, n: int, m: int) -> float:  # noqa: ARG002
        """No channel from n secrets to m observables leaks more."""
        return math.inf

    # ---------------------------------------------------------------------------------------------------------------

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

    A subclass gives `eta`, `_perspective` and `increasing`. It overrides `summary` and `value` only where another
    way to the same number keeps more digits.
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
        array = np.array(v, dtype=np.float64)  # a copy: blocks are working space
        if array.ndim not in (1, 2) or not array.size or not (array.min() >= 0 and array.max() < math.inf):
            raise InvalidParameter("the perspective takes a vector or matrix of finite numbers that are not negative")
        result = self._perspective(array if array.ndim == 2 else array[:, None])
        return result if array.ndim == 2 else float(result[0])

    def paper_form(self) -> Entropy:
        return self

    @property
    def linear(self) -> bool:
        return type(self).eta is Entropy.eta

    def plain(self, columns: Columns) -> float:
        """eta of the combined perspectives, literally as defined."""
        return self.eta(float(self.combine(np.concatenate(columns.map(self._perspective)))))

    def summary(self, v: Array) -> Array:
        return self._perspective(v)[None, :]

    def value(self, summary: Array) -> float:
        return self.eta(float(self.combine(summary[0])))


def evaluate(entropies: Sequence[ConditionalEntropy], columns: Columns) -> list[float]:
    """The value of each entropy on the columns; those that look at the same columns share one pass over them."""
    alike = [H for H in entropies if type(H).prepared is ConditionalEntropy.prepared]
    shared = iter(_values(alike, columns) if alike else ())
    return [next(shared) if type(H).prepared is ConditionalEntropy.prepared else H._of(columns) for H in entropies]


def _values(entropies: Sequence[ConditionalEntropy], columns: Columns) -> list[float]:
    blocks = columns.map(lambda v: [H.summary(v) for H in entropies])
    parts = blocks[0] if len(blocks) == 1 else [np.concatenate(each, axis=1) for each in zip(*blocks, strict=True)]
    return [H.value(part) for H, part in zip(entropies, parts, strict=True)]


def log_base(base: float) -> float:
    """The natural logarithm of a base of logarithms, which must be a finite number above 1."""
    return math.log(real(base, "the base of the logarithm is a number above 1", above=1, below=math.inf))


def log(z: float) -> float:
    """The natural logarithm, with log 0 = -inf as entropies want it."""
    return math.log(z) if z > 0 else -math.inf


def order(value: float, what: str, *, infinite: bool = True) -> float:
    """A parameter that must be a number from 0 on, infinity included unless said otherwise."""
    expected = f"{what} is a number from 0 on{', inf included' if infinite else ''}"
    number = real(value, expected, least=0)
    if math.isinf(number) and not infinite:
        raise InvalidParameter(f"{what} must be finite")
    return number + 0.0  # minus zero is zero


def shortest(number: float) -> str:
    """The number as names show it: as few digits as give it back."""
    text = f"{number:g}"
    return text if float(text) == number else repr(number)
