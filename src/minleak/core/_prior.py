"""Prior: the probability of each secret, as labelled weights that stay exact if they are given exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.core._arrays import Array, Indices, in_one_piece
from minleak.core._frames import axes, have_one_index
from minleak.core._heat import SHOWN, heat_map
from minleak.core._labels import Labels, agree, locator, match
from minleak.core._matching import find_positions, order_of, rename, values_by_label
from minleak.core._numbers import from_arrow, from_list
from minleak.core._parameters import as_list, truth, whole
from minleak.core._plain import plain
from minleak.errors import InvalidChannel, InvalidParameter, InvalidPrior, quote

# How far the sum of float weights may be from one under `normalised=True`.
SUM_TOLERANCE = 1e-9
# The most secrets that `uniform` makes: their weights take 8 GiB.
MOST = 1 << 30
# `spectrum` looks for repeated weights from _MANY secrets on, and counts those below _SMALL by value.
_MANY, _SMALL = 1 << 15, 1 << 20


class Prior:
    """The prior p(x) of n secrets: p_x = w_x / (w_1 + ... + w_n) for weights w >= 0, not all zero.

    Parameters
    ----------
    weights
        Counts or probabilities, one for each secret: integers of any size (kept exactly), Fractions (kept exactly, as
        integers over their common denominator), or floats. They need not sum to one. A mapping, a pandas Series and
        an xarray bring their labels.
    labels
        Distinct names of the secrets, by default those that the weights bring, or 0, 1, ..., n-1. Where the weights
        bring the same ones in another order, these say the order.
    normalised
        Require that the weights sum to one: exactly for integers and Fractions, within 1e-9 for floats.
    counts
        Whether the weights count events, and so are a sample of the true population (`minleak.population`). By default
        integers do. Counts in the millions are so exact that it makes no difference.
    events
        The number of independent events behind the weights, if these are shares, or counts of events that come in
        clusters. The attribute `events` is None if the weights are not counts.

    Raises
    ------
    InvalidPrior
        For a negative, NaN, infinite, boolean or text weight, no weights, only zeros, and labels that repeat or are
        not as many as the weights. The message names the row or label.

    Examples
    --------
    >>> prior = Prior([5, 3, 2], labels=["flu", "cold", "gout"])
    >>> prior.p
    array([0.5, 0.3, 0.2])
    >>> prior
    Prior(n=3, total=10, exact)
    """

    def __init__(
        self,
        weights: Iterable[Any] | npt.NDArray[Any],
        *,
        labels: Iterable[Hashable] | pa.Array | None = None,
        normalised: bool = False,
        counts: bool | None = None,
        events: int | None = None,
        _where: Callable[[int], str] | None = None,
    ) -> None:
        names: Any = None
        if isinstance(weights, Prior):
            names = None if weights.labels.is_default else weights.labels
            events = weights.events if events is None and counts is None else events
            weights = weights.weights
        elif not isinstance(weights, list | np.ndarray):
            if isinstance(weights, Mapping):
                names, weights = list(weights), list(weights.values())
            elif have_one_index(weights, labels):
                names = axes(weights)[0]
            else:
                raise InvalidPrior("the weights and their labels have different indices: bring both into one order")
        weights, labels = rename(weights, names, labels, "the weights", InvalidPrior)
        values = _as_sequence(weights)
        n = len(values)
        self.labels = Labels.of(labels, n)
        where = _where or locator(self.labels)
        if n == 0:
            raise InvalidPrior("a prior needs at least one secret, and there are no weights")
        if len(self.labels) != n:
            raise InvalidPrior(f"{n} weights but {len(self.labels)} labels: give one label for each weight")
        self.weights, denominator = _check(values, where)
        self.weights.flags.writeable = False
        twice = self.labels.first_duplicate()
        if twice is not None:
            label = "" if _where else f"{quote(self.labels[twice[0]])} "  # for a file, the line is enough
            raise InvalidPrior(
                f"the label {label}stands twice, at {where(twice[0])} and {where(twice[1])}: "
                "add up its weights, or give each secret a name of its own"
            )
        self.total = total_of(self.weights)
        if not self.total > 0:
            raise InvalidPrior("all weights are zero: at least one secret must be possible")
        if counts is not None:
            counts = truth(counts, "counts")
        if truth(normalised, "normalised"):
            sums_to = Fraction(self.total, denominator) if self.exact else self.total
            if not abs(sums_to - 1) <= (0 if self.exact else SUM_TOLERANCE):
                raise InvalidPrior(
                    f"normalised=True, but the weights sum to {quote(sums_to)}, not to 1; leave it out to have them "
                    "taken as weights"
                )
        if events is not None:
            events = whole(events, "the number of events")
        elif self.exact and (denominator == 1 if counts is None else counts):
            events = self.total
        self.events = None if counts is False else events

    @classmethod
    def from_counts(cls, counts: Mapping[Hashable, Any]) -> Prior:
        """The prior of a mapping from secret to weight, in the mapping's order.

        >>> Prior.from_counts({"flu": 812, "cold": 640}).labels[0]
        'flu'
        """
        if isinstance(counts, Mapping):
            return cls(list(counts.values()), labels=list(counts))
        if axes(counts)[0] is not None:  # a Series, with its index
            return cls(counts)
        kind = type(counts).__name__
        raise InvalidPrior(f"counts are a mapping from secret to weight, not {kind}; for a sequence use Prior")

    @classmethod
    def uniform(cls, n: int) -> Prior:
        """n secrets, all equally likely.

        >>> Prior.uniform(4).p
        array([0.25, 0.25, 0.25, 0.25])
        """
        count = whole(n, "the number of secrets", most=MOST)
        return cls(np.ones(count, dtype=np.int64), counts=False)

    @classmethod
    def trusted(
        cls, weights: npt.NDArray[Any], labels: Labels | pa.Array | None, total: Any, events: int | None = None
    ) -> Prior:
        """A prior of parts that are already checked."""
        prior = cls.__new__(cls)
        prior.weights, prior.labels, prior.total = weights, Labels.of(labels, len(weights)), total
        prior.events = events
        return prior

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: what is computed from the weights is computed again."""
        return {name: vars(self)[name] for name in ("weights", "labels", "total", "events")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.weights.flags.writeable = False  # which pickle forgets

    @property
    def exact(self) -> bool:
        """Whether the weights are integers, and p is known in fractions."""
        return self.weights.dtype.kind != "f"

    @cached_property
    def p(self) -> Array:
        """The probabilities as float64, each within three roundings of w_x / total."""
        p = self._probabilities()
        p.flags.writeable = False
        return p

    def _probabilities(self) -> Array:
        if self.weights.dtype.kind == "O":
            return np.array([w / self.total for w in self.weights], dtype=np.float64)
        if math.isfinite(self.total):
            return self.weights / float(self.total)
        scaled = self.weights / self.weights.max()  # finite weights whose sum is not
        return np.asarray(scaled / scaled.sum())

    @cached_property
    def descending(self) -> Array:
        """The probabilities, largest first; read-only."""
        descending = np.sort(self.p)[::-1].copy()
        descending.flags.writeable = False
        return descending

    @cached_property
    def spectrum(self) -> tuple[Array, Array] | None:
        """The distinct probabilities, largest first, and the number of secrets with each; None if few repeat.

        Ten million counts often have only some thousand distinct values, which are enough to compute H(X).
        """
        weights = self.weights
        if len(weights) < _MANY or weights.dtype != np.int64:
            return None
        largest = int(weights.max())
        times = np.bincount(weights if largest < _SMALL else np.minimum(weights, _SMALL), minlength=1)
        values = np.flatnonzero(times)
        counts = times[values]
        if largest >= _SMALL:
            large, often = np.unique(weights[weights >= _SMALL], return_counts=True)
            small = values < _SMALL
            values, counts = np.concatenate([values[small], large]), np.concatenate([counts[small], often])
        if 4 * len(values) > len(weights):
            return None
        return values[::-1] / float(self.total), counts[::-1].astype(np.float64)

    def on_grid(self, room: int) -> Grid:
        """The weights as 64-bit integers with a total of at most `room`, itself at most 2^62.

        Integers that fit stay as they are. Others are truncated to multiples of the finest power of two that fits;
        positive weights get at least one unit.
        """
        weights, total = self.weights, self.total
        if self.exact and total <= room:
            return Grid(weights.astype(np.int64, copy=False), int(total), 0.0)
        spare = room - len(weights)  # truncating loses less than one unit each, the minimum adds at most one each
        if self.exact:
            shift = max(0, int(total).bit_length() - spare.bit_length())
            shift += int(total) >> shift > spare
            cut: npt.NDArray[Any] = (weights >> shift).astype(np.int64)
        else:
            cut = np.floor(self.p * 2.0 ** (spare.bit_length() - 1)).astype(np.int64)
        on_grid = np.maximum(cut, (weights > 0).astype(np.int64))
        grid_total = int(on_grid.sum())
        return Grid(on_grid, grid_total, 0.5 * float(np.abs(on_grid / grid_total - self.p).sum()))

    def __len__(self) -> int:
        return len(self.weights)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The probabilities, for numpy."""
        return np.array(self.p, dtype=dtype, copy=copy)

    def __getitem__(self, secret: Hashable) -> float:
        """prior[x] is p(x), by the label of x, which is a number by default."""
        at = self.labels.position(secret)
        if at is None:
            raise InvalidParameter(f"{quote(secret)} is not a secret of the prior")
        return float(self.p[at])

    __iter__: ClassVar[None] = None  # Python would iterate over prior[0], prior[1], ..., which are labels here

    def __eq__(self, other: object) -> bool:
        """Whether the secrets and their probabilities are equal."""
        if not isinstance(other, Prior):
            return NotImplemented
        return len(self) == len(other) and self.labels == other.labels and bool(np.array_equal(self.p, other.p))

    def __hash__(self) -> int:
        return hash(len(self))

    def to_dict(self) -> dict[str, Any]:
        """The labels and their probabilities, for JSON."""
        return {"labels": plain(self.labels), "p": plain(self.p)}

    def __repr__(self) -> str:
        return f"Prior(n={len(self)}, total={quote(self.total)}, {'exact' if self.exact else 'float'})"

    def _repr_html_(self) -> str:
        """The likeliest secrets with their probabilities, for notebooks."""
        first = np.argsort(-self.p, kind="stable")[:SHOWN]
        names, rest = [self.labels[int(x)] for x in first], len(self) - len(first)
        more = f"and {rest:,} more, {1 - float(self.p[first].sum()):.4g} of the probability" if rest else ""
        return heat_map(repr(self), names, ["probability"], self.p[first][:, None], more)


@dataclass(frozen=True)
class Grid:
    """Integer weights, their total, and the total-variation distance between their distribution and the prior."""

    weights: Indices
    total: int
    distance: float

    def times(self, factor: int) -> Grid:
        """The same prior in finer units."""
        return self if factor == 1 else Grid(self.weights * factor, self.total * factor, self.distance)


def as_prior(prior: Prior | Mapping[Hashable, Any] | Iterable[Any]) -> Prior:
    """The prior itself, or that of a mapping or a sequence of weights."""
    if isinstance(prior, Prior):
        return prior
    if isinstance(prior, Mapping):
        return Prior.from_counts(prior)
    return Prior(prior)


def match_prior(prior: Prior | Mapping[Hashable, Any] | Iterable[Any], inputs: Labels) -> Prior:
    """The prior, whose secrets must be the inputs of a channel.

    A mapping or a Series is brought into the order of the inputs. A `Prior` has positions of its own and is refused in
    another order.
    """
    given = as_prior(prior)
    if agree(given.labels, inputs):
        return given
    if given is not prior and not given.labels.is_default and not inputs.is_default:
        found = order_of(given.labels, inputs, "the prior", error=InvalidChannel)
        return given if found is None else take_prior(given, found)
    match(given.labels, inputs, ("the prior", "secret"), ("the channel", "row"), InvalidChannel)
    return given


def reorder_prior(prior: Prior, labels: Labels) -> Prior:
    """The prior in the order of the labels, with zero for labels that it does not have. Other secrets are refused.

    If one of the two has only default labels, both must be of one length and are taken to be in one order.
    """
    if prior.labels.is_default != labels.is_default:
        match(prior.labels, labels, ("the prior", "secret"), ("the plan", "secret"), InvalidParameter)
        return prior
    found = find_positions(labels, prior.labels)
    if found is None:
        return prior
    known = found >= 0
    strange = len(prior) - int(np.count_nonzero(known))
    if strange:
        mass = max(1.0 - float(prior.p[found[known]].sum()), 0.0)
        raise InvalidParameter(
            f"{strange:,} secrets of the prior, {mass:.3g} of its mass, are not among the plan's {len(labels):,}: "
            "update the plan for them, or leave them out"
        )
    weights = np.where(known, prior.weights[found], 0)
    return Prior.trusted(weights, labels, prior.total, prior.events)


def take_prior(prior: Prior, order: Indices) -> Prior:
    """The same prior with its secrets in another order."""
    return Prior.trusted(prior.weights[order], prior.labels.take(order), prior.total, prior.events)


def as_gains(gains: Any, secrets: Labels) -> Prior:
    """The gains of the secrets, up to a factor, in the order of the secrets."""
    try:
        if isinstance(gains, Prior):
            order = order_of(None if gains.labels.is_default else gains.labels, secrets, "gains")
            worth = gains if order is None else take_prior(gains, order)
        else:
            worth = Prior(values_by_label(gains, secrets, "gains"))
    except InvalidPrior as error:
        raise InvalidParameter(f"gains are numbers such as the weights of a prior: {error}") from None
    if len(worth) != len(secrets):
        raise InvalidParameter(f"{len(worth)} gains for {len(secrets)} secrets: give one for each")
    match(worth.labels, secrets, ("the list of gains", "secret"), ("the prior", "secret"), InvalidParameter)
    return worth


def _as_sequence(weights: Any) -> npt.NDArray[Any] | list[Any]:
    """Weights as a one-dimensional numeric array, or as a list if the type of each element must be checked."""
    if isinstance(weights, str | bytes):
        raise InvalidPrior(f"weights are a sequence of numbers or a mapping to them, not {type(weights).__name__}")
    if isinstance(weights, np.ma.MaskedArray) and np.ma.is_masked(weights):
        at = int(np.argmax(np.ma.getmaskarray(weights)))
        raise InvalidPrior(f"the weight at row {at} is masked: give 0 for a secret that cannot occur, or leave it out")
    if isinstance(weights, pa.Array | pa.ChunkedArray):
        weights = from_arrow(in_one_piece(weights), "weight", "row {}".format, InvalidPrior)
    elif hasattr(weights, "__array__"):
        weights = np.asarray(weights)
    if isinstance(weights, np.ndarray):
        if weights.ndim != 1:
            raise InvalidPrior(f"weights must have one dimension, not shape {weights.shape}")
        return weights if weights.dtype.kind in "iufb" else list(weights.tolist())
    return as_list(weights, "weights are a sequence of numbers", InvalidPrior)


def _check(values: npt.NDArray[Any] | list[Any], where: Callable[[int], str]) -> tuple[npt.NDArray[Any], int]:
    """Weights as int64, object (larger integers) or float64, all finite and >= 0, and their common denominator."""
    denominator = 1
    array: npt.NDArray[Any]
    if isinstance(values, list):
        array, denominator = from_list(values, "weight", where, InvalidPrior)
    elif values.dtype.kind == "b":
        raise InvalidPrior(f"the weight at {where(0)} is a bool: give an integer, a float or a Fraction")
    elif values.dtype == np.uint64 and values.size and values.max() > np.iinfo(np.int64).max:
        array = values.astype(object)
    else:
        kind = np.float64 if values.dtype.kind == "f" else np.int64
        array = values.astype(kind, copy=values.flags.writeable or not values.flags.owndata)
    if array.dtype == np.int64 and (not array.size or array.min() >= 0):
        return array, denominator
    good = np.asarray((array >= 0) & (array < math.inf), dtype=bool)  # NaN fails both
    if not good.all():
        i = int(np.argmin(good))
        raise InvalidPrior(f"the weight at {where(i)} is {quote(array[i])}: weights must be finite and not negative")
    return array, denominator


def total_of(weights: npt.NDArray[Any]) -> Any:
    """The sum: an exact int for integers, perhaps beyond 64 bits, and a float for floats."""
    if weights.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return float(weights.sum())
    if weights.dtype.kind == "O":
        return sum(weights.tolist())
    if int(weights.max()) * len(weights) < 2**63:
        return int(weights.sum())
    return (int((weights >> 32).sum()) << 32) + int((weights & 0xFFFFFFFF).sum())
