"""Channels that every paper knows by a name, exact where their parameter is, and random choices of several channels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._channel import as_channel
from minleak.core._matrices import is_sparse
from minleak.core._parameters import real, whole
from minleak.core._prior import as_prior
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.lab._algebra import sharing


def binary_symmetric(error: Any) -> Channel:
    """A bit that is flipped with probability `error`. Its Shannon capacity is 1 - h(error).

    >>> binary_symmetric(0.1).toarray()
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    return symmetric(2, error)


def symmetric(n: int, error: Any) -> Channel:
    """n symbols, each shown as itself but for an `error`, which makes it one of the others, all equally likely.

    >>> symmetric(3, Fraction(1, 2)).exact[0].tolist()
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    """
    many, wrong = whole(n, "the number of symbols", 2), _probability(error, "the error")
    return Channel([[1 - wrong if x == y else wrong / (many - 1) for y in range(many)] for x in range(many)])


def binary_erasure(erased: Any) -> Channel:
    """A bit that is shown as 0 or 1, or with probability `erased` as "?". Its Shannon capacity is 1 - erased.

    >>> binary_erasure(0.25).toarray()
    array([[0.75, 0.25, 0.  ],
           [0.  , 0.25, 0.75]])
    """
    lost = _probability(erased, "the share that is erased")
    return Channel([[1 - lost, lost, 0], [0, lost, 1 - lost]], outputs=("0", "?", "1"))


def z_channel(error: Any) -> Channel:
    """A bit whose 0 is always shown, and whose 1 is shown as 0 with probability `error`.

    >>> z_channel(0.5).toarray()
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    wrong = _probability(error, "the error")
    return Channel([[1, 0], [wrong, 1 - wrong]])


def _probability(value: Any, what: str) -> Any:
    """A number from 0 to 1, exact if it is given so."""
    number = real(value, f"{what} is a probability, from 0 to 1", least=0, most=1)
    return Fraction(value) if isinstance(value, int | Fraction) else number


def visible_choice(weights: Prior | Iterable[Any], channels: Sequence[Channel | Any]) -> Channel:
    """One of the channels on the same secrets is run, with probabilities in proportion to the weights, and the attacker
    sees which: an output is a pair of the number of the channel (its label in a `Prior` with labels) and its output.

    Every posterior vulnerability, and every H(X|Y) whose eta is the identity, is the mean of those of the channels.
    Exact where the weights and the channels are.

    >>> choice = visible_choice([1, 3], [[[1, 0], [0, 1]], [[1], [1]]])
    >>> list(choice.outputs), choice.toarray()[0].tolist()
    ([(0, 0), (0, 1), (1, 0)], [0.25, 0.0, 0.75])
    """
    chosen, shares, parts = _weighed(weights, channels)
    outputs = [(name, y) for name, part in zip(chosen.labels, parts, strict=True) for y in part.outputs]
    return _joined([share * _entries(part, parts) for share, part in zip(shares, parts, strict=True)], parts, outputs)


def hidden_choice(weights: Prior | Iterable[Any], channels: Sequence[Channel | Any]) -> Channel:
    """The same where the attacker does not see which channel was run: equal outputs of different channels are one, and
    the matrix is the mean of theirs, an output that a channel lacks having probability zero in it.

    It can be made of the visible choice by forgetting the number, so it never leaks more. Exact where the weights and
    the channels are.

    >>> hidden_choice([1, 1], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]).toarray()
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    _, shares, parts = _weighed(weights, channels)
    if len({part.outputs.is_default for part in parts}) > 1:
        raise InvalidChannel("outputs are matched by their names: name those of all channels, or of none")
    outputs = list(dict.fromkeys(y for part in parts for y in part.outputs))
    place = {y: i for i, y in enumerate(outputs)}
    total: Any = 0
    for share, part in zip(shares, parts, strict=True):
        total = total + share * _entries(part, parts) @ _moves([place[y] for y in part.outputs], len(outputs), part)
    return _joined([total], parts, None if parts[0].outputs.is_default else outputs)


def _weighed(
    weights: Prior | Iterable[Any], channels: Sequence[Channel | Any]
) -> tuple[Prior, list[Any], list[Channel]]:
    """The weights, the probabilities (Fractions where all is exact), and the channels on the secrets of the first."""
    chosen, given = as_prior(weights), [as_channel(channel) for channel in channels]
    if len(chosen) != len(given):
        raise InvalidParameter(f"{len(chosen)} weights for {len(given)} channels: give one for each")
    named = next((part for part in given if not part.inputs.is_default), given[0])
    parts = [sharing(named, part, "to choose from") for part in given]
    if chosen.exact and all(part.exact is not None for part in parts):
        return chosen, [Fraction(int(w), int(chosen.total)) for w in chosen.weights], parts
    return chosen, chosen.p.tolist(), parts


def _entries(part: Channel, parts: Sequence[Channel]) -> Any:
    """Fractions where all channels have them."""
    return part.exact if all(each.exact is not None for each in parts) else part.matrix


def _moves(places: Sequence[int], width: int, part: Channel) -> Any:
    """The matrix that moves column i to places[i]."""
    import scipy.sparse as sp

    if part.is_dense:
        moves = np.zeros((len(places), width), dtype=np.int64)
        moves[np.arange(len(places)), places] = 1
        return moves
    return sp.csc_array((np.ones(len(places)), (np.arange(len(places)), places)), shape=(len(places), width))


def _joined(matrices: Sequence[Any], parts: Sequence[Channel], outputs: Sequence[Any] | None) -> Channel:
    import scipy.sparse as sp

    sparse = all(is_sparse(matrix) for matrix in matrices)
    dense = [matrix.toarray() if is_sparse(matrix) and not sparse else matrix for matrix in matrices]
    names = next((part.inputs for part in parts if not part.inputs.is_default), None)
    tolerance = max(part.tolerance for part in parts)
    return Channel(sp.hstack(dense) if sparse else np.hstack(dense), inputs=names, outputs=outputs, tolerance=tolerance)
