"""Channels that every paper knows by a name: symmetric, erasure and Z, exact where their parameter is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from minleak.core._channel import Channel
from minleak.core._parameters import real, whole


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
