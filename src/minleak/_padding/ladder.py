"""Ladder: secrets by their natural size; the distinct sizes are the rungs that anything can be padded up to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array, Indices
from minleak._data.labels import named
from minleak._data.parameters import listed
from minleak._data.prior import Prior, as_prior
from minleak.errors import InvalidParameter

# Integers up to here are floats too, so that sizes compare exactly.
_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Ladder:
    """The distinct sizes of secrets that can occur, smallest first, with what is on each rung.

    `sizes` are those of all secrets, in the prior's order; `rungs` the m distinct sizes of the secrets of positive
    probability, `members` these secrets by size and within a size as they came, `ends[r]` how many of them are on the
    rungs before r (m + 1 numbers), `mass[r]` their probability, and `load[r]` the sum of p(x) size(x) over them.
    """

    prior: Prior
    sizes: npt.NDArray[Any]
    rungs: Array
    members: Indices
    ends: Indices
    mass: Array
    load: Array

    @property
    def mean(self) -> float:
        """The mean natural size."""
        return float(self.load[-1])


def as_ladder(sizes: Iterable[Any] | Mapping[Any, Any], prior: Prior | Iterable[Any] | None) -> Ladder:
    """Sizes as a ladder, each finite and not negative; all secrets equally likely if there is no prior.

    A mapping from secret to size names the secrets, and is looked up by the labels of a prior. O(n log n).
    """
    if isinstance(sizes, Mapping):
        if prior is None:
            prior = Prior(np.ones(max(len(sizes), 1), dtype=np.int64)[: len(sizes)], labels=list(sizes))
            given: Any = list(sizes.values())
        else:
            prior = as_prior(prior)
            missing = next((i for i, label in enumerate(prior.labels) if label not in sizes), None)
            if missing is not None:
                raise InvalidParameter(f"the secret at {named(prior.labels)(missing)} has no size: give one for each")
            given = [sizes[label] for label in prior.labels]
    else:
        given = (
            sizes if isinstance(sizes, np.ndarray) else listed(sizes, "sizes are a sequence of numbers or a mapping")
        )
        prior = Prior.uniform(max(len(given), 1)) if prior is None else as_prior(prior)
    values = _checked(given, prior)
    likely = np.flatnonzero(prior.p > 0)
    members = likely[np.argsort(values[likely], kind="stable")].astype(np.int64)
    ordered = values[members].astype(np.float64)
    starts = np.flatnonzero(np.diff(ordered, prepend=-1.0))
    p = prior.p[members]
    return Ladder(
        prior=prior,
        sizes=values,
        rungs=ordered[starts],
        members=members,
        ends=np.append(starts, len(members)).astype(np.int64),
        mass=np.append(0.0, np.cumsum(p))[np.append(starts, len(p))],
        load=np.append(0.0, np.cumsum(p * ordered))[np.append(starts, len(p))],
    )


def _checked(given: Any, prior: Prior) -> npt.NDArray[Any]:
    """Sizes as int64 if all are whole, else float64; as many as secrets, finite, not negative."""
    where = named(prior.labels)
    try:
        array = np.asarray(given)
    except Exception:
        raise InvalidParameter("sizes are one number for each secret, and these are no numbers") from None
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        kinds = [type(size).__name__ for size in given] if array.ndim == 1 else [f"array of shape {array.shape}"]
        wrong = next((i for i, kind in enumerate(kinds) if kind not in ("int", "float")), 0)
        raise InvalidParameter(
            f"sizes are one number for each secret, and the one at {where(wrong) if wrong < len(prior) else 'the end'} "
            f"is of type {kinds[wrong] if kinds else 'nothing'}"
        )
    if len(array) != len(prior):
        raise InvalidParameter(f"{len(array)} sizes for {len(prior)} secrets: give one for each")
    good = (array >= 0) & (array <= _EXACT if array.dtype.kind != "f" else array < math.inf)  # NaN fails
    if not good.all():
        i = int(np.argmin(good))
        raise InvalidParameter(
            f"the size at {where(i)} is {array[i]}: sizes are finite and not negative"
            + (", and whole ones at most 2^53" if array.dtype.kind != "f" else "")
        )
    values: npt.NDArray[Any] = array.astype(np.int64 if array.dtype.kind != "f" else np.float64)
    values.flags.writeable = False
    return values
