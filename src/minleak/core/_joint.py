"""Joint: a prior and a channel of the same secrets, matched once. Every measure is computed from one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._columns import Block, Source, sums_of
from minleak.core._frames import axes
from minleak.core._labels import Labels
from minleak.core._matching import rename, values_by_label
from minleak.core._prior import Prior, as_prior, match_prior, total_of
from minleak.core._properties import Property, as_property
from minleak.errors import InvalidChannel


class Joint:
    """The joint distribution J[x,y] = p(x) C[x,y] of a prior and a channel, or of channels `Together`.

    Secrets are matched by their labels, unless the prior or the channel has none. A mapping, a Series or a frame is
    brought into the order of the other; a `Prior` and a `Channel` have positions of their own and must be in the same
    order. Every function of a prior and a channel takes a joint instead, as in
    `posterior_vulnerability(joint)` or `leakage(joint, None, "shannon")`; labels are then compared once.

    >>> joint = Joint([1, 1], [[1, 0], [0.5, 0.5]])
    >>> joint.output()
    array([0.75, 0.25])
    """

    __slots__ = ("prior", "source")

    def __init__(self, prior: Prior | Iterable[Any], channel: Source | Any) -> None:
        if isinstance(prior, Prior) and not isinstance(channel, Source):
            channel = values_by_label(channel, prior.labels, "the channel", error=InvalidChannel)
        self.source = as_source(channel)
        self.prior = match_prior(prior, self.source.inputs)

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, inputs: Iterable[Hashable] | None = None, outputs: Iterable[Hashable] | None = None
    ) -> Joint:
        """The prior and the channel of a matrix of joint probabilities or of counts of pairs, up to a factor. Rows are
        secrets, each with some weight. Integers and Fractions stay exact.

        >>> joint = Joint.from_matrix([[2, 2], [1, 3]])
        >>> joint.p, joint.channel[1, 0]
        (array([0.5, 0.5]), 0.25)
        """
        if isinstance(matrix, Mapping):
            matrix, inputs = rename(list(matrix.values()), list(matrix), inputs, "the rows", InvalidChannel)
        own, shown = axes(matrix)
        matrix, inputs = rename(matrix, own, inputs, "the rows", InvalidChannel)
        matrix, outputs = rename(matrix, shown, outputs, "the columns", InvalidChannel, axis=1)
        matrix = matrix if isinstance(matrix, list | tuple) else np.asarray(matrix)
        if len({len(row) for row in matrix}) != 1:
            raise InvalidChannel("the rows of a joint matrix are not of one length")
        flat = Prior([value for row in matrix for value in (row.tolist() if hasattr(row, "tolist") else row)])
        weights = flat.weights.reshape(len(matrix), -1)
        sums = [total_of(row) for row in weights]
        empty = next((x for x, total in enumerate(sums) if not total), None)
        if empty is not None:
            raise InvalidChannel(f"row {empty} of the joint matrix is zero, so nothing is known of it: leave it out")
        names = None if inputs is None else Labels.of(inputs, len(sums))
        if flat.exact:
            rows: Any = [[Fraction(int(w), int(total)) for w in row] for row, total in zip(weights, sums, strict=True)]
        else:
            rows = weights / np.array(sums)[:, None]
        return cls(Prior(sums, labels=names), Channel(rows, inputs=names, outputs=outputs))

    @property
    def secrets(self) -> Labels:
        """The labels of the secrets: those of the prior, or of the channel if it has none."""
        return self.source.inputs if self.prior.labels.is_default else self.prior.labels

    @property
    def p(self) -> Array:
        """The probabilities of the secrets."""
        return self.prior.p

    @property
    def channel(self) -> Channel:
        """The channel; a joint of several channels `Together` has none, and says so."""
        return as_channel(self.source)

    def blocks(self) -> Iterator[Block]:
        """Yield the columns of J in order, some at a time: dense blocks for a dense channel, csc arrays for a sparse
        one. Each is valid until the next is asked for, and none may be changed.
        """
        return self.source.blocks(self.prior.p)

    def matrix(self) -> Any:
        """J as a matrix: dense for a dense channel, sparse for a sparse one.

        >>> Joint([1, 1], [[1, 0], [0.5, 0.5]]).matrix()
        array([[0.5 , 0.  ],
               [0.25, 0.25]])
        """
        p, matrix = self.prior.p, self.channel.matrix
        if isinstance(matrix, np.ndarray):
            return p[:, None] * matrix
        joint = matrix.copy()
        joint.data = joint.data * p[joint.indices]
        return joint

    def output(self) -> Array:
        """The distribution of the observable, p(y) = sum over x of J[x,y]."""
        return np.concatenate([sums_of(block) for block in self.blocks()])

    def of(self, values: Property | Mapping[Any, Any] | Iterable[Any]) -> Joint:
        """The joint of a property f(X) of the secret and the observable.

        f(X) -> X -> Y is a Markov chain, so the rows of J with one value of f add up to its row. `values` holds f(x) in
        the order of the secrets or by label. Values are numbered in order of appearance. Exact if both parts are.

        >>> joint = Joint([2, 1, 1], [[1, 0], [0, 1], [0.5, 0.5]]).of(["old", "young", "old"])
        >>> joint.p, joint.channel.toarray().round(6)[0]
        (array([0.75, 0.25]), array([0.833333, 0.166667]))
        """
        chosen = as_property(values, self.secrets)
        return Joint(chosen.prior(self.prior), _channel_of_values(self.channel, self.prior, chosen))

    def __repr__(self) -> str:
        return f"Joint({self.prior!r}, {self.source!r})"


def as_joint(
    prior: Joint | Prior | Iterable[Any],
    channel: Source | Any = None,
    of: Property | Mapping[Any, Any] | Iterable[Any] | None = None,
) -> Joint:
    """The joint of a prior and a channel, or the joint given in place of the prior; with `of`, that of a property."""
    if channel is None:
        if not isinstance(prior, Joint):
            raise InvalidChannel("a prior is measured together with a channel: give both, or a Joint of the two")
        joint = prior
    elif isinstance(prior, Joint):
        raise InvalidChannel("a Joint has its channel: give either a Joint, or a prior and a channel")
    else:
        joint = Joint(prior, channel)
    return joint if of is None else joint.of(of)


def joint_or_prior(prior: Joint | Prior | Iterable[Any], channel: Source | Any = None) -> Joint:
    """Like `as_joint`, but a prior may come alone: its channel then shows the same for every secret."""
    if channel is None and not isinstance(prior, Joint):
        given = as_prior(prior)
        return Joint(given, Channel(np.ones((len(given), 1)), inputs=given.labels))
    return as_joint(prior, channel)


def _channel_of_values(channel: Channel, prior: Prior, chosen: Property) -> Channel:
    """C[v,y] = sum over x with f(x) = v of p(x) C[x,y] / p(v). The row of a value of probability zero is arbitrary:
    its secrets are taken to be equally likely.
    """
    import scipy.sparse as sp

    n, many = len(chosen), len(chosen.values)
    names = None if chosen.values.is_default else chosen.values
    outputs = None if channel.outputs.is_default else channel.outputs
    weights = np.where(chosen.add_up(prior.weights)[chosen.codes] > 0, prior.weights, 1)
    mass = chosen.add_up(weights)
    if channel.exact is not None and prior.exact:
        rows = np.full((many, channel.shape[1]), Fraction(0), dtype=object)
        for code, weight, row in zip(chosen.codes.tolist(), weights.tolist(), channel.exact, strict=True):
            rows[code] += Fraction(weight, int(mass[code])) * row
        return Channel(rows, inputs=names, outputs=outputs)
    shares = (weights / mass[chosen.codes]).astype(np.float64)
    adding = sp.csr_array((shares, (chosen.codes, np.arange(n))), shape=(many, n))
    return Channel(adding @ channel.matrix, inputs=names, outputs=outputs, tolerance=channel.tolerance + 1e-9)


def as_source(channel: Source | Any) -> Source:
    """A source as it is, and anything else as a channel."""
    return channel if isinstance(channel, Source) else as_channel(channel)
