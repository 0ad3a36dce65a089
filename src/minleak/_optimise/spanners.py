"""Spanners: few pairs of secrets whose distances imply nearly all others, for privacy on many secrets.

A graph on the secrets with ways at most delta times as long as the metric's distances is a spanner of dilation delta.
Privacy with epsilon/delta along its edges gives epsilon in the metric (Bordenabe, Chatzikokolakis, Palamidessi 2014):
a valid channel, which is somewhat dearer than the best. Privacy with epsilon along the edges alone asks less than the
metric does: what is best there bounds what is best from below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.channel import Channel
from minleak._data.parameters import real
from minleak._measure.privacy import d_privacy
from minleak.errors import SolverFailed

# Ways that are longer by no more than this share are as long as asked for.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Spanner:
    """epsilon and the metric that were asked for, the lengths of the ways along the edges, and how many these are.

    `dilation` is what the ways have, at most what was asked for: no way is longer than that times the distance.
    """

    epsilon: float
    distances: Array
    ways: Array
    edges: int
    dilation: float

    def status(self, channel: Channel) -> str:
        """What is said of a channel, whose epsilon in the metric is computed from its entries."""
        found = d_privacy(channel, self.distances)
        if not found <= self.epsilon * (1 + _ROUNDING):
            raise SolverFailed(f"the channel has epsilon {found:.9g} in the metric, where {self.epsilon:.9g} was asked")
        return (
            f"an upper bound, along {self.edges:,} pairs of dilation {self.dilation:.6g}; epsilon {found:.9g} in the "
            "metric is certified"
        )


def spanner_of(epsilon: float, distances: Array, asked: Any) -> Spanner:
    """The spanner of at most the dilation asked for."""
    most = real(asked, "the dilation of a spanner is a finite number from 1 on", least=1, below=np.inf)
    ways, edges = spanned(distances, most)
    apart = (distances > 0) & (distances < np.inf)
    dilation = float((ways[apart] / distances[apart]).max(initial=1.0))
    return Spanner(epsilon, distances, ways, edges, dilation)


def spanned(distances: Array, dilation: float) -> tuple[Array, int]:
    """The lengths of the ways in the greedy spanner, and how many edges it has: the nearest pairs first, each that is
    not yet joined by a way of so little more than its distance. O(n^2) a pair that is joined.

    >>> ways, edges = spanned(np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]]), 1.0)
    >>> edges, ways[0].tolist()
    (2, [0.0, 1.0, 2.0])
    """
    n = len(distances)
    ways = np.full((n, n), np.inf)
    np.fill_diagonal(ways, 0.0)
    first, second = np.triu_indices(n, 1)
    asked = np.isfinite(distances[first, second])
    first, second = first[asked], second[asked]
    edges = 0
    for at in np.argsort(distances[first, second], kind="stable"):
        x, y = first[at], second[at]
        length = distances[x, y]
        if ways[x, y] <= dilation * length * (1 + _ROUNDING):
            continue
        edges += 1
        there = ways[:, x, None] + (length + ways[y])[None]
        np.minimum(ways, there, out=ways)
        np.minimum(ways, there.T, out=ways)
    return ways, edges
