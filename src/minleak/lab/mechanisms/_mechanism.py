"""Mechanism, and those with a name: randomised response, the geometric, the exponential, tight constraints."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from minleak import Channel
from minleak.core._arrays import Array
from minleak.core._labels import check_labels
from minleak.core._matrices import DENSE, too_large
from minleak.core._parameters import real, whole
from minleak.errors import Infeasible, InvalidParameter
from minleak.lab._measures.privacy import d_privacy, distances_between


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


# Weights below zero by at most this share of the largest are rounded zeros.
_ROUNDING = 1e-13


def randomised_response(
    n: int, epsilon: float, *, observables: int | None = None, inputs: Iterable[Hashable] | None = None
) -> Mechanism:
    """The truth with e^epsilon times the probability of each lie: private if all distances are 1.

        C[x,y] = e^epsilon / (e^epsilon + m - 1) if y = x, else 1 / (e^epsilon + m - 1)

    With `observables` there are m of them instead of n; secrets from m on answer uniformly.

    >>> randomised_response(2, math.log(3)).toarray()
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    rows, m = matrix_size(n, columns=observables)
    lie = math.exp(-positive_epsilon(epsilon))  # relative to the truth, so that a large epsilon does not overflow
    matrix = np.full((rows, m), lie / (1 + (m - 1) * lie))
    np.fill_diagonal(matrix[:m], 1 / (1 + (m - 1) * lie))
    matrix[m:] = 1 / m
    return Mechanism(matrix, lambda: 1.0 - np.eye(rows), inputs=inputs)


def geometric(n: int, epsilon: float, *, inputs: Iterable[Hashable] | None = None) -> Mechanism:
    """Whole numbers 0..n-1 with two-sided geometric noise, clipped to 0..n-1.

        C[x,y] = (1-a)/(1+a) a^|x-y| within, a^|x-y| / (1+a) at the ends,   a = e^-epsilon

    Private for d(x,x') = |x-x'|. For counting queries no mechanism with this epsilon serves any user better, whatever
    their prior and their monotone loss (Ghosh, Roughgarden, Sundararajan 2009).

    >>> geometric(3, math.log(2)).toarray().round(6)
    array([[0.666667, 0.166667, 0.166667],
           [0.333333, 0.333333, 0.333333],
           [0.166667, 0.166667, 0.666667]])
    """
    return truncated_geometric(n, epsilon, low=0, high=matrix_size(n)[0] - 1, inputs=inputs)


def truncated_geometric(
    n: int, epsilon: float, *, low: int, high: int, inputs: Iterable[Hashable] | None = None
) -> Mechanism:
    """The same with answers clipped to `low`..`high`, within 0..n-1 or beyond; these numbers label the observables.

    >>> truncated_geometric(2, math.log(2), low=-1, high=1).toarray().round(6)
    array([[0.333333, 0.333333, 0.333333],
           [0.166667, 0.166667, 0.666667]])
    """
    low, high = (whole(end, what, -(2**53), 2**53) for end, what in ((low, "low"), (high, "high")))
    if low > high:
        raise InvalidParameter(f"answers go from low to high, and low={low} is above high={high}")
    rows, m = matrix_size(n, columns=high - low + 1)
    decay = positive_epsilon(epsilon)
    noise = np.exp(-decay * np.abs(np.arange(low - rows + 1, high + 1, dtype=np.float64)))
    noise *= -math.expm1(-decay) / (1 + math.exp(-decay))
    x = np.arange(rows, dtype=np.float64)
    within = np.ndarray((rows, m), buffer=noise, offset=8 * (rows - 1), strides=(-8, 8))
    matrix = np.array(within, order="C")  # row x starts at the noise low - x
    matrix[:, 0], matrix[:, -1] = _noise_from(x - low, decay), _noise_from(high - x, decay)
    if m == 1:
        matrix[:] = 1.0
    outputs = None if (low, high) == (0, rows - 1) else range(low, high + 1)
    return Mechanism(matrix, lambda: line_distances(rows), inputs=inputs, outputs=outputs, along_line=True)


def _noise_from(t: Array, decay: float) -> Array:
    """P(noise >= t) = a^t / (1+a) for t >= 0, and 1 - P(noise >= 1 - t) below."""
    beyond = np.exp(-decay * np.where(t >= 0, t, 1 - t)) / (1 + math.exp(-decay))
    return np.where(t >= 0, beyond, 1 - beyond)


def exponential(
    n: int,
    epsilon: float,
    metric: Any,
    *,
    observables: int | None = None,
    inputs: Iterable[Hashable] | None = None,
) -> Mechanism:
    """Near observables more often: C[x,y] proportional to exp(-epsilon d(x,y) / 2).

    Private in d, by the triangle inequality once in the numerator and once in the row's sum; usually with room to
    spare, as `epsilon` of the result shows. `metric` is a matrix or a callable of two secrets: their labels `inputs`,
    or positions without these. With `observables` there are m of them, numbered from 0, and the metric is a callable
    that takes a secret and a number too.

    >>> mechanism = exponential(3, 1.0, lambda x, y: abs(x - y))
    >>> mechanism.toarray()[0].round(6), round(mechanism.epsilon, 6)
    (array([0.50648 , 0.307196, 0.186324]), 0.614107)
    """
    rows, m = matrix_size(n, columns=observables)
    names = check_labels(inputs, rows, "inputs", "rows", InvalidParameter)
    between = distances_between(metric, names) if m == rows or callable(metric) else None
    if between is None:
        raise InvalidParameter("with observables= the metric is a callable, of two secrets, or a secret and a number")
    beyond = between  # how much farther than the nearest observable
    if m != rows:
        reach = distances_between(metric, names, m)
        nearest = reach.min(axis=1, keepdims=True)
        if not np.isfinite(nearest).all():
            raise InvalidParameter(f"secret {int(np.argmax(nearest))} is infinitely far from every observable")
        beyond = reach - nearest
    weights = np.exp(-positive_epsilon(epsilon) / 2 * beyond)
    return Mechanism(weights / weights.sum(axis=1, keepdims=True), lambda: between, inputs=names)


def tight_constraints(n: int, epsilon: float, metric: Any, *, inputs: Iterable[Hashable] | None = None) -> Mechanism:
    """The mechanism whose constraints towards the true secret are all tight: C[x,y] = w_y exp(-epsilon d(x,y)).

    The weights w >= 0 solve D w = 1 with D[x,y] = exp(-epsilon d(x,y)); Infeasible if there are none. On a line it is
    the geometric mechanism, and if all distances are 1 randomised response. `metric` is a matrix or a callable of two
    secrets: their labels `inputs`, or positions.

    >>> ends = tight_constraints(3, math.log(2), lambda x, y: abs(x - y))
    >>> ends.toarray()[0].round(6), round(ends.epsilon, 9)
    (array([0.666667, 0.166667, 0.166667]), 0.693147181)
    """
    rows, _ = matrix_size(n)
    decay = positive_epsilon(epsilon)
    names = check_labels(inputs, rows, "inputs", "rows", InvalidParameter)
    between = distances_between(metric, names)
    D = np.exp(-decay * between)
    try:
        w = np.linalg.solve(D, np.ones(rows))
    except np.linalg.LinAlgError:
        raise Infeasible("some secrets are at the same place, so that no weights make all constraints tight") from None
    matrix = D * np.maximum(w, 0.0)
    sums = matrix.sum(axis=1, keepdims=True)
    if not (w.min() >= -_ROUNDING * w.max() and np.abs(sums - 1).max() <= 1e-9):
        raise Infeasible(
            f"no mechanism has all constraints tight for epsilon={decay:g} and this metric: "
            f"observable {int(np.argmin(w))} would need a negative weight; a larger epsilon may do, or optimise "
            "with d_privacy="
        )
    return Mechanism(matrix / sums, lambda: between, inputs=names)
