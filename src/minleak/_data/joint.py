"""Joint: a prior and a channel of the same secrets, matched once; what every measure is computed from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.channel import Channel, as_channel
from minleak._data.columns import Columns
from minleak._data.hyper import Hyper, Posteriors
from minleak._data.labels import Labels
from minleak._data.prior import Prior, match_prior, total_of
from minleak._data.together import Together
from minleak.errors import InvalidChannel


class Joint:
    """The joint distribution J[x,y] = p(x) C[x,y] of a prior and a channel, or of channels `Together`.

    Secrets are matched by their labels: the prior's and the channel's must be the same in the same order, unless one of
    the two has none. What measures a prior and a channel takes a joint in place of the two, as
    `posterior_vulnerability(joint)` or `leakage(joint, None, "shannon")`: labels are then compared once.

    >>> joint = Joint([1, 1], [[1, 0], [0.5, 0.5]])
    >>> joint.output()
    array([0.75, 0.25])
    """

    __slots__ = ("prior", "source")

    def __init__(self, prior: Prior | Iterable[Any], channel: Channel | Together | Any) -> None:
        self.source = as_source(channel)
        self.prior = match_prior(prior, self.source.inputs)

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, inputs: Iterable[Hashable] | None = None, outputs: Iterable[Hashable] | None = None
    ) -> Joint:
        """The prior and the channel of a joint distribution as a matrix, or of counts of pairs: rows are secrets, each
        with some weight, and the whole is taken up to a factor. Integers and Fractions stay exact.

        >>> joint = Joint.from_matrix([[2, 2], [1, 3]])
        >>> joint.p, joint.channel[1, 0]
        (array([0.5, 0.5]), 0.25)
        """
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
    def p(self) -> Array:
        """The probabilities of the secrets."""
        return self.prior.p

    @property
    def channel(self) -> Channel:
        """The channel; of channels together, their product is to be asked for."""
        return as_channel(self.source)

    def columns(self) -> Columns:
        """The columns of J, in blocks."""
        return self.source.columns(self.prior.p)

    def matrix(self) -> Any:
        """J as a matrix: dense for a dense channel, sparse for a sparse one."""
        return self.channel.joint(self.prior)

    def output(self) -> Array:
        """The distribution of the observable, p(y) = sum over x of J[x,y]."""
        return self.columns().sums()

    def posteriors(self) -> Posteriors:
        """p(x given y) for every observable of positive probability; the others are dropped, and named."""
        return self.channel.posteriors(self.prior)

    def hyper(self) -> Hyper:
        """The posteriors and how likely each is, equal ones put together; Fractions where both parts are exact."""
        return self.channel.hyper(self.prior)

    def __repr__(self) -> str:
        return f"Joint({self.prior!r}, {self.source!r})"


def as_joint(prior: Joint | Prior | Iterable[Any], channel: Channel | Together | Any = None) -> Joint:
    """The joint of a prior and a channel, or the one that is given in their place."""
    if channel is None:
        if not isinstance(prior, Joint):
            raise InvalidChannel("a prior is measured together with a channel: give both, or a Joint of the two")
        return prior
    if isinstance(prior, Joint):
        raise InvalidChannel("a Joint has its channel: give either a Joint, or a prior and a channel")
    return Joint(prior, channel)


def as_source(channel: Channel | Together | Any) -> Channel | Together:
    """What has columns: channels together as they are, and whatever else stands for a channel as one."""
    return channel if isinstance(channel, Channel | Together) else as_channel(channel)
