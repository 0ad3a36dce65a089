"""ChannelPlan: a channel whose rows are whole numbers, to be drawn from exactly; and rounding any channel to one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel, as_channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.standard import STANDARD
from minleak.core._file.format import Contents, require, require_whole
from minleak.core._file.hashing import hash_parts, label_parts
from minleak.core._file.writing import prior_arrays, text_arrays
from minleak.core._joint import Joint
from minleak.core._labels import Labels
from minleak.core._leakage import leakage
from minleak.core._matrices import as_csr
from minleak.core._plan.drawable import Listed
from minleak.core._plan.fields import LIMIT
from minleak.core._plan.summaries import ChannelSummary, summarize_channel, tell_property
from minleak.core._prior import Prior
from minleak.core._property_leakage import Values
from minleak.errors import InvalidCloak, InvalidParameter

# How labels of observables stand in a file: text and numbers as arrays, tuples of these as JSON.
_FORMS = {str: "text", int: "integers", float: "numbers"}
_TYPES = {"integers": "i8", "numbers": "f8"}
# Rows of floats sum to this, so that a probability is off by at most its inverse.
TOTAL = 1 << 60


@dataclass(frozen=True, repr=False, eq=False)
class ChannelPlan(Listed):
    """A channel to run: made by `minleak.lab.mechanisms.rounded(channel)`, or by `minleak.Cloak(channel)` itself.

    Secret x shows observable columns[e] with probability weights[e] / totals[x], exactly, over the entries e from
    starts[x] to starts[x+1]. `distance` tells how near that is to the channel that was given.

    >>> import minleak as ml
    >>> channel = ml.lab.mechanisms.randomised_response(3, 1.0)
    >>> rows = ml.lab.mechanisms.rounded(channel)
    >>> rows, rows.distance(channel) < 1e-17
    (ChannelPlan(n=3, observables=3), True)
    """

    prior: Prior
    outputs: Labels
    starts: Indices
    columns: Indices
    weights: Indices

    kind = "channel"
    layout = "channel"

    def __post_init__(self) -> None:
        """Refuse what is no row for each secret, of positive numbers in order of their observables, with sums that
        random numbers can be drawn below.
        """
        wrong = next((what for what, holds in self._claims() if not holds), None)
        if wrong is not None:
            raise InvalidParameter(
                f"these fields are not those of a channel in whole numbers: {wrong}; mechanisms.rounded(channel) makes "
                "one"
            )

    def _claims(self) -> Iterator[tuple[str, bool]]:
        starts, columns, weights = self.starts, self.columns, self.weights
        n, m = len(self.prior), len(self.outputs)
        whole = all(
            isinstance(a, np.ndarray) and a.dtype == np.int64 and a.ndim == 1 for a in (starts, columns, weights)
        )
        yield "starts, columns and weights are not 64-bit integers", whole
        lined = len(starts) == n + 1 and starts[0] == 0 and starts[-1] == len(columns) == len(weights)
        yield "there is not one row for each secret", bool(lined and (starts[1:] > starts[:-1]).all())
        yield "an entry is of no observable", bool(columns.min() >= 0 and columns.max() < m)
        inside = np.ones(len(columns), dtype=bool)
        inside[starts[:-1]] = False
        yield "a row is not in order of its observables", bool((np.diff(columns)[inside[1:]] > 0).all())
        yield "a number is not from 1 to 2^62", bool(weights.min() >= 1 and weights.max() <= LIMIT)
        rough = np.add.reduceat(weights.astype(np.float64), starts[:-1])  # which tells whether integers go round
        yield "a row sums to more than 2^62", bool(rough.max() <= 1.5 * LIMIT) and bool(self.totals.max() <= LIMIT)

    @cached_property
    def totals(self) -> Indices:
        """What the whole numbers of each row sum to."""
        return np.asarray(np.add.reduceat(self.weights, self.starts[:-1]))

    @property
    def k(self) -> int:  # type: ignore[override]
        """The most secrets that an observable comes from."""
        return int(np.bincount(self.columns).max())

    @cached_property
    def digest(self) -> bytes:
        """A hash, 32 bytes, of the labels, the observables and the rows; sticky draws depend on it."""
        names = [*label_parts(self.prior.labels), *label_parts(self.outputs)]
        rows = [part.astype("<i8", copy=False) for part in (self.starts, self.columns, self.weights)]
        return hash_parts(b"minleak channel 2", [*names, *rows], self.hashes)

    def channel(self) -> Channel:
        """What is drawn from, as a channel of floats."""
        import scipy.sparse as sp

        shape = (len(self.prior), len(self.outputs))
        data = self.weights / np.repeat(self.totals, np.diff(self.starts))
        matrix = sp.csr_array((data, self.columns, self.starts), shape=shape)
        return Channel(matrix, inputs=self.prior.labels, outputs=self.outputs)

    def summary(
        self, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, of: Values | None = None
    ) -> ChannelSummary:
        """The plan in words and tables, with the leakage in each entropy, also about a property of the secret if `of`
        gives one.
        """
        return tell_property(self, summarize_channel(self, entropies), of, entropies)

    def distance(self, channel: Channel | Any) -> float:
        """The largest total variation between a row and that of a channel with as many secrets and observables, in
        their order: no event is more or less likely by more than that. Computed in fractions from what is drawn.
        """
        channel = as_channel(channel)
        shape = (len(self.prior), len(self.outputs))
        if channel.shape != shape:
            raise InvalidParameter(
                f"the channel is {channel.shape[0]} x {channel.shape[1]}, the rows {shape[0]} x {shape[1]}"
            )
        given = as_csr(channel.matrix)
        worst = none = Fraction(0)
        for x, total in enumerate(self.totals.tolist()):
            begin, end = self.starts[x], self.starts[x + 1]
            entries = self.weights[begin:end].tolist()
            own = {y: Fraction(w, total) for y, w in zip(self.columns[begin:end].tolist(), entries, strict=True)}
            there = slice(given.indptr[x], given.indptr[x + 1])
            columns = given.indices[there].tolist()
            asked = given.data[there].tolist() if channel.exact is None else channel.exact[x][columns].tolist()
            row = {y: Fraction(p) for y, p in zip(columns, asked, strict=True)}
            off = sum((abs(own.get(y, none) - row.get(y, none)) for y in own.keys() | row.keys()), none)
            worst = max(worst, off / 2)
        return float(worst)

    def leakage(
        self,
        entropy: ConditionalEntropy | str,
        *,
        prior: Prior | Iterable[Any] | None = None,
        of: Values | None = None,
    ) -> float:
        """H(X) - H(X|Y), see `Drawable.leakage`; exact to some digits also where little leaks about a property."""
        return leakage(self.under(prior), self.channel(), entropy, of=of)

    def joint_blocks(self, p: Array) -> Iterator[Any]:
        """The columns of the joint for the probabilities of the secrets, all at once."""
        joint = as_csr(self.channel().matrix) * p[:, None]
        yield joint.tocsc()

    # -- draws --------------------------------------------------------------------------------------------------------

    @cached_property
    def _ends(self) -> Indices:
        """Sums of each row's numbers up to each entry."""
        ends: Indices = np.empty_like(self.weights)
        for begin, end in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            ends[begin:end] = np.cumsum(self.weights[begin:end])
        return ends

    def shown_labels(self) -> Labels:
        """The observables."""
        return self.outputs

    def places(self, found: Indices) -> Indices:
        """The total of each row."""
        return np.asarray(self.totals[found])

    def locate(self, found: Indices, places: Indices) -> Indices:
        """The number of the observable of each secret: the entry in which the place falls."""
        shown = np.empty((len(found), 1), dtype=np.int64)
        for row, (x, place) in enumerate(zip(found.tolist(), places.tolist(), strict=True)):
            begin, end = self.starts[x], self.starts[x + 1]
            shown[row, 0] = self.columns[begin + np.searchsorted(self._ends[begin:end], place, side="right")]
        return shown

    # -- files --------------------------------------------------------------------------------------------------------

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers from which a file makes it again. Labels of observables may also be numbers and tuples."""
        observables, form = _output_arrays(self.outputs)
        rows = {"starts": self.starts, "columns": self.columns, "weights": self.weights}
        numbers = {"events": self.prior.events, "outputs": [form, len(self.outputs)]}
        return rows | prior_arrays(self.prior) | observables, numbers

    @classmethod
    def from_contents(cls, contents: Contents) -> Self:
        """The rows in a file."""
        starts, columns, weights = (contents.vector(name, "i8") for name in ("starts", "columns", "weights"))
        require(len(starts) > 1)
        form, count = contents.numbers["outputs"]
        outputs = _read_outputs(contents, form, require_whole(count, 1, len(columns)))
        return cls(contents.prior(len(starts) - 1), outputs, starts, columns, weights)

    def __repr__(self) -> str:
        return f"ChannelPlan(n={len(self.prior)}, observables={len(self.outputs)})"


# -- rounding --------------------------------------------------------------------------------------------------------


def rounded(channel: Channel | Any, prior: Prior | Iterable[Any] | None = None) -> ChannelPlan:
    """A channel in whole numbers, to be drawn from exactly, saved and certified.

    Rows of floats are rounded to multiples of 2^-60, by largest remainders, and a positive entry stays positive: what
    differs is at most m 2^-60 in total variation for m observables, and `ChannelPlan.distance` says how much it is.
    Rows of Fractions stay as they are where their common denominator is below 2^62. The prior is kept with them, for
    certificates; all secrets are taken to be equally likely if it is not given.

    >>> channel = [[0.5, 0.5], [0.25, 0.75]]
    >>> rows = rounded(channel)
    >>> rows.distance(channel), (rows.weights / rows.totals[0]).tolist()
    (0.0, [0.5, 0.5, 0.25, 0.75])
    """
    channel = as_channel(channel)
    n = channel.shape[0]
    known = Prior(np.ones(n, dtype=np.int64), labels=channel.inputs) if prior is None else prior
    known = Joint(known, channel).prior
    starts, columns, weights = [0], [], []
    sparse = as_csr(channel.matrix)
    sparse.sort_indices()
    for x in range(n):
        shown = sparse.indices[sparse.indptr[x] : sparse.indptr[x + 1]]
        exact = None if channel.exact is None else _whole(channel.exact[x][shown])
        numbers = _nearest(sparse.data[sparse.indptr[x] : sparse.indptr[x + 1]]) if exact is None else exact
        columns.append(shown.astype(np.int64))
        weights.append(numbers)
        starts.append(starts[-1] + len(shown))
    return ChannelPlan(
        known,
        channel.outputs,
        np.array(starts, dtype=np.int64),
        np.concatenate(columns),
        np.concatenate(weights),
    )


def _whole(entries: Any) -> Any:
    """Fractions that sum to one over their common denominator, or None where that is too large."""
    common = math.lcm(*(entry.denominator for entry in entries))
    if common > LIMIT or sum(entries) != 1:
        return None
    return np.array([entry.numerator * (common // entry.denominator) for entry in entries], dtype=np.int64)


def _nearest(p: Any) -> Any:
    """Whole numbers that sum to TOTAL, as near to p as can be.

    p times a power of two is exact, and so are its whole and its broken part.
    """
    scaled = p * float(TOTAL)
    below = np.floor(scaled)
    broken = scaled - below
    numbers = np.maximum(below.astype(np.int64), 1)
    added = (numbers - below.astype(np.int64)).astype(np.float64)
    left = TOTAL - int(numbers.sum())
    most = len(p) + int(float(TOTAL) * 1e-6)
    if abs(left) > most:
        raise InvalidParameter("a row does not sum to one: a channel that tolerates so much cannot be drawn from")
    change = np.zeros(len(p), dtype=np.int64)
    if left >= 0:
        each, rest = divmod(left, len(p))
        change += each
        change[np.argsort(-(broken - added), kind="stable")[:rest]] += 1
    else:  # taken from the largest, which has the most to give
        change[int(np.argmax(numbers))] = left
    return numbers + change


# -- labels of observables in a file -----------------------------------------------------------------------------------


def _output_arrays(outputs: Labels) -> tuple[dict[str, Any], str]:
    """The labels as arrays, and the form that they have in them."""
    if outputs.is_default:
        return {}, "default"
    names = list(outputs)
    kinds = {type(name) for name in names}
    form = _FORMS[kinds.pop()] if len(kinds) == 1 and kinds <= set(_FORMS) else "json"
    try:
        if form in _TYPES:
            return {"outputs": np.array(names, dtype=_TYPES[form])}, form
        texts = names if form == "text" else [json.dumps(_as_lists(name)) for name in names]
        return text_arrays("outputs", pa.array(texts, type=pa.large_string())), form
    except (TypeError, ValueError, OverflowError, RecursionError, pa.ArrowException):
        raise InvalidCloak("a file holds observables that are text, numbers, or tuples of these: rename them") from None


def _read_outputs(contents: Contents, form: Any, count: int) -> Labels:
    """The labels again; a ValueError or the like where the arrays hold none of that form."""
    if form == "default":
        return Labels.of(None, count)
    require(form in ("text", "json", *_TYPES))
    if form in _TYPES:
        given = contents.vector("outputs", _TYPES[form], count).tolist()
    else:
        given = contents.text("outputs", count).to_pylist()
    labels = Labels.of([_as_tuples(json.loads(name)) for name in given] if form == "json" else given, count)
    require(labels.first_duplicate() is None)
    return labels


def _as_lists(label: Any) -> Any:
    """Tuples as lists, which JSON has; what it would change is refused."""
    if type(label) is tuple:
        return [_as_lists(part) for part in label]
    if type(label) in (str, int, float) and label == label:
        return label
    raise TypeError


def _as_tuples(read: Any) -> Any:
    if type(read) is list:
        return tuple(_as_tuples(part) for part in read)
    require(type(read) in (str, int, float))
    return read
