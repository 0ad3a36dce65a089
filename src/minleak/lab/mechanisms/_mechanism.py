"""Mechanism: a channel that is private in a metric, with the epsilon of its entries."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._matrices import DENSE, too_large
from minleak.core._parameters import real, whole
from minleak.errors import InvalidParameter
from minleak.lab._measures.privacy import d_privacy


class Mechanism(Channel):
    """A d-private channel: C[x,y] <= exp(epsilon d(x,x')) C[x',y] for all x, x', y.

    `distances` are those it was made for; `epsilon`, in nats, is computed from the entries, whatever was asked for. It
    can be used wherever a channel can.

    >>> from minleak.lab import mechanisms
    >>> mechanism = mechanisms.randomised_response(3, 1)
    >>> mechanism, round(mechanism.epsilon, 12)
    (Mechanism(3 secrets, 3 observables, epsilon 1), 1.0)
    """

    def __init__(
        self,
        matrix: Array,
        distances: Callable[[], Array],
        *,
        inputs: Iterable[Hashable] | None,
        outputs: Any = None,
        along_line: bool = False,
    ) -> None:
        if outputs is None and matrix.shape[0] == matrix.shape[1]:
            outputs = inputs  # the observables are secrets, and have their names
        super().__init__(matrix, inputs=inputs, outputs=outputs)
        self._distances, self._along_line = distances, along_line

    @cached_property
    def distances(self) -> Array:
        """The distances between secrets that the mechanism was made for; computed on first use."""
        return self._distances()

    @cached_property
    def epsilon(self) -> float:
        """The least epsilon that holds for every pair of secrets and every observable.

        On a line neighbours are enough: log C[x,y] - log C[x',y] is the sum of the steps between, as |x-x'| is.
        """
        if not self._along_line:
            return d_privacy(self, self.distances)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.abs(np.diff(np.log(self.toarray()), axis=0))
        return float(np.nan_to_num(steps, nan=0.0, posinf=math.inf).max(initial=0.0))

    def __repr__(self) -> str:
        n, m = self.shape
        known = f", epsilon {self.epsilon:.9g}" if "epsilon" in self.__dict__ else ""  # it may take seconds to compute
        return f"Mechanism({n} secrets, {m} observables{known})"


def positive_epsilon(epsilon: Any) -> float:
    """Check an epsilon."""
    expected = "epsilon is a positive finite number, in nats for a distance of 1"
    return real(epsilon, expected, above=0, below=math.inf)


def matrix_size(n: Any, what: str = "n", *, columns: Any = None) -> tuple[int, int]:
    """Check the numbers of secrets and observables of a dense matrix."""
    rows = whole(n, what, 1)
    many = rows if columns is None else whole(columns, "the number of observables", 1)
    size = too_large(rows * many, each=DENSE)
    if size is not None:
        raise InvalidParameter(f"a mechanism of {rows:,} secrets has {size}")
    return rows, many


def line_distances(n: int) -> Array:
    """The distances |x - x'| between whole numbers."""
    at = np.arange(n, dtype=np.float64)
    return np.asarray(np.abs(at[:, None] - at[None]))
