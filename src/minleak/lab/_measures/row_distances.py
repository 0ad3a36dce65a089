"""How far the rows of a channel are apart, and Bayes security, which the farthest two decide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._capacity import Capacity, uniform_prior
from minleak.core._channel import Channel, as_channel
from minleak.core._frames import refuse_names
from minleak.core._parameters import as_list
from minleak.core._properties import as_property
from minleak.errors import InvalidParameter

Places = npt.NDArray[np.int64]

# Rows that are compared with all others at a time.
_ROWS = 256


def bayes_security(channel: Channel | Any, *, predicate: Iterable[Any] | None = None) -> float:
    """How much of the risk of a wrong guess is left after observing, at the worst prior: min of R(X|Y)/R(X).

    It is 1 - the largest total variation between two rows (Chatzikokolakis, Cherubin, Palamidessi, Troncoso): 1 for a
    channel that leaks nothing, 0 for one that tells two secrets apart for sure. With `predicate`, a value for each
    secret, the attacker guesses the value, and only rows of different values count. O(n^2 m).

    >>> bayes_security([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
    0.5
    """
    return 1 - farthest_rows(channel, predicate=predicate)[0]


def bayes_risk_capacity(channel: Channel | Any, *, predicate: Iterable[Any] | None = None) -> Capacity:
    """The largest factor by which observing lowers the risk of a wrong guess, over all priors: 1/Bayes security.

    Attained by the uniform prior on the two secrets whose rows are farthest apart. Exact.

    >>> bayes_risk_capacity([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]).value
    2.0
    """
    channel = as_channel(channel)
    distance, x, y = farthest_rows(channel, predicate=predicate)
    value = 1 / (1 - distance) if distance < 1 else math.inf
    return Capacity.exact(value, uniform_prior(channel, [x, y]))


def farthest_rows(channel: Channel | Any, *, predicate: Iterable[Any] | None = None) -> tuple[float, int, int]:
    """The largest total variation between two rows, and which two."""
    channel = as_channel(channel)
    n = channel.shape[0]
    classes = np.arange(n) if predicate is None else as_property(predicate, channel.inputs, what="predicate").codes
    if not channel.is_dense:
        apart = _disjoint(channel.matrix, classes)
        if apart is not None:
            return (1.0, *apart)
    C = channel.toarray()
    best = (0.0, 0, min(1, n - 1))
    for rows, others in _apart(classes, whole=predicate is None):
        found = 0.5 * cityblock(C[rows], C[others])
        x, y = divmod(int(found.argmax()), found.shape[1])
        if found[x, y] > best[0]:
            best = (min(1.0, float(found[x, y])), int(rows[x]), int(others[y]))
    return best


def cityblock(a: Array, b: Array) -> Array:
    """The sum of absolute differences between each row of a and each of b."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(a, b, "cityblock"))


def _apart(classes: Places, *, whole: bool) -> Iterator[tuple[Places, Places]]:
    """Rows, some at a time, and those of other classes that have not been compared with them."""
    for value in (0,) if whole else range(int(classes.max())):
        mine = np.arange(len(classes)) if whole else np.flatnonzero(classes == value)
        for start in range(0, len(mine), _ROWS):
            yield mine[start : start + _ROWS], mine[start:] if whole else np.flatnonzero(classes > value)


def _disjoint(matrix: Any, classes: Places) -> tuple[int, int] | None:
    """Two rows of different classes that share no observable: none are farther apart.

    Only the first, the sparsest and the last row are compared with all others: None proves nothing.
    """
    used = (matrix != 0).astype(np.int32).tocsr()
    for x in (0, int(np.argmin(np.diff(used.indptr))), len(classes) - 1):
        shared = np.asarray((used @ used[[x]].T).todense()).ravel()
        free = np.flatnonzero((shared == 0) & (classes != classes[x]))
        if len(free):
            return (x, int(free[0]))
    return None


def number_values(predicate: Iterable[Any]) -> Places:
    """The values of a predicate as 0, 1, ... in order of appearance."""
    refuse_names(predicate, "the values of a predicate", InvalidParameter)
    if isinstance(predicate, Mapping):
        raise InvalidParameter("the values of a predicate are a list in the order of the secrets, not a mapping")
    values = as_list(predicate, "a predicate is a value for each secret")
    number: dict[Any, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values], dtype=np.int64)
