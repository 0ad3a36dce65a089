"""SizeClasses: secrets grouped by their natural size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._frames import axes
from minleak.core._labels import locator
from minleak.core._matching import values_by_label
from minleak.core._parameters import as_list, is_number
from minleak.core._prior import Prior, as_prior
from minleak.errors import InvalidParameter

# Integers up to here are exact as floats.
_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class SizeClasses:
    """The m distinct sizes of the secrets that can occur, increasing, and the secrets of each.

    `natural` are the sizes of all secrets, in the prior's order; `sizes` the distinct ones of secrets of positive
    probability, and `members` these secrets by size (ties in the prior's order). For the classes before class r, r = 0,
    ..., m, `ends[r]` is the number of members, `mass[r]` their probability, `load[r]` the sum of p(x) size(x).
    """

    prior: Prior
    natural: npt.NDArray[Any]
    sizes: Array
    members: Indices
    ends: Indices
    mass: Array
    load: Array

    @property
    def mean(self) -> float:
        """The mean natural size."""
        return float(self.load[-1])

    def overhead(self, cuts: Indices) -> float:
        """The mean overhead of buckets that end before the classes `cuts`, summed without cancellation."""
        p = np.diff(self.mass)
        bucket = np.searchsorted(cuts, np.arange(len(p)), side="right")
        return float(p @ (self.sizes[cuts[bucket] - 1] - self.sizes))


def as_size_classes(sizes: Iterable[Any] | Mapping[Any, Any], prior: Prior | Iterable[Any] | None) -> SizeClasses:
    """Group secrets by size; the prior is uniform if not given. A mapping or a Series names the secrets, and is matched
    with a prior by label. O(n log n).
    """
    names = list(sizes) if isinstance(sizes, Mapping) else axes(sizes)[0]
    if prior is not None:
        prior = as_prior(prior)
        given: Any = values_by_label(sizes, prior.labels, "the sizes", more=isinstance(sizes, Mapping))
    else:
        given = list(sizes.values()) if isinstance(sizes, Mapping) else sizes
    if hasattr(given, "__array__"):
        given = np.asarray(given)
    else:
        given = as_list(given, "sizes are a sequence of numbers or a mapping")
    if prior is None:
        prior = Prior(np.ones(max(len(given), 1), dtype=np.int64), labels=names or None, counts=False)
    elif prior.labels.is_default and names is not None and len(names) == len(prior):
        prior = Prior(cast(Any, prior), labels=names)
    natural = _check_sizes(given, prior)
    possible = np.flatnonzero(prior.p > 0)
    members = possible[np.argsort(natural[possible], kind="stable")].astype(np.int64)
    ordered = natural[members].astype(np.float64)
    starts = np.flatnonzero(np.diff(ordered, prepend=-1.0))
    ends = np.append(starts, len(members)).astype(np.int64)
    p = prior.p[members]
    return SizeClasses(
        prior=prior,
        natural=natural,
        sizes=ordered[starts],
        members=members,
        ends=ends,
        mass=np.append(0.0, np.cumsum(p))[ends],
        load=np.append(0.0, np.cumsum(p * ordered))[ends],
    )


def _check_sizes(given: Any, prior: Prior) -> npt.NDArray[Any]:
    """Sizes as int64 if they are integers, else float64; refuse other than one finite, nonnegative size per secret."""
    where = locator(prior.labels)
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.array([None])
    if array.ndim != 1:
        raise InvalidParameter(f"sizes are one number for each secret, not an array of shape {array.shape}")
    if array.dtype.kind not in "iuf":
        wrong = next((i for i, size in enumerate(given) if not is_number(size)), 0)
        at = where(wrong) if wrong < len(prior) else "the end"
        raise InvalidParameter(
            f"sizes are one number for each secret, and the one at {at} is of type {type(given[wrong]).__name__}"
        )
    if len(array) != len(prior):
        raise InvalidParameter(f"{len(array)} sizes for {len(prior)} secrets: give one for each")
    whole = array.dtype.kind != "f"
    good = (array >= 0) & (array <= _EXACT if whole else array < math.inf)  # NaN fails
    if not good.all():
        i = int(np.argmin(good))
        limit = ", and whole ones at most 2^53" if whole else ""
        raise InvalidParameter(f"the size at {where(i)} is {array[i]}: sizes are finite and not negative{limit}")
    values: npt.NDArray[Any] = array.astype(np.int64 if whole else np.float64)
    values.flags.writeable = False
    return values
