"""Joint: a prior and a channel of the same secrets, matched once; what every measure is computed from."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.channel import Channel, as_channel
from minleak._data.columns import Columns
from minleak._data.hyper import Hyper, Posteriors, hyper
from minleak._data.labels import Labels, match
from minleak._data.prior import Prior, as_prior
from minleak._data.reducing import divided
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
        self.prior = as_prior(prior)
        self.source = as_source(channel)
        match(self.prior.labels, self.source.inputs, ("the prior", "secret"), ("the channel", "row"), InvalidChannel)

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
        channel, p = self.channel, self.p
        if channel.is_dense:
            return p[:, None] * channel.matrix
        joint = channel.matrix.copy()
        joint.data = joint.data * p[joint.indices]
        return joint

    def output(self) -> Array:
        """The distribution of the observable, p(y) = sum over x of J[x,y]."""
        return self.columns().sums()

    def posteriors(self) -> Posteriors:
        """p(x given y) for every observable of positive probability; the others are dropped, and named."""
        joint, outputs = self.matrix(), self.channel.outputs
        p_y = np.asarray(joint.sum(axis=0))
        seen = p_y > 0
        if seen.all():
            return Posteriors(divided(joint, p_y), p_y, outputs, ())
        kept = Labels.of(outputs.at(np.flatnonzero(seen)), 0)
        dropped = tuple(outputs.at(np.flatnonzero(~seen)))
        return Posteriors(divided(joint[:, seen], p_y[seen]), p_y[seen], kept, dropped)

    def hyper(self) -> Hyper:
        """The posteriors and how likely each is, equal ones put together; Fractions where both parts are exact."""
        channel, prior = self.channel, self.prior
        if channel.exact is None or not prior.exact:
            return hyper(self.matrix(), channel.inputs)
        p = np.array([Fraction(w, prior.total) for w in prior.weights.tolist()], dtype=object)
        return hyper(p[:, None] * channel.exact, channel.inputs)

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
