"""What people pad to: powers of two, multiples, Padmé, the largest; functions of the size alone, in integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.channel import Channel
from minleak._data.parameters import whole
from minleak._entropy.base import ConditionalEntropy
from minleak._face.result import Result
from minleak._measure.leakages import leakage_table
from minleak._padding.size_classes import SizeClasses
from minleak.errors import InvalidParameter, shown

Sizes = npt.NDArray[np.int64]
Policy = Callable[[Any], Sizes]

# The largest power of two that a 64-bit integer holds: nothing above can be padded to one.
_LARGEST = 2**62


def unpadded(sizes: npt.ArrayLike) -> Sizes:
    """Sizes as they are."""
    return _whole(sizes).copy()


def to_largest(sizes: npt.ArrayLike) -> Sizes:
    """Every size to the largest of them: nothing is left to see."""
    whole = _whole(sizes)
    return np.full_like(whole, whole.max())


def to_power_of_two(sizes: npt.ArrayLike) -> Sizes:
    """The least power of two that is not smaller; 0 stays 0.

    >>> to_power_of_two([0, 1, 5, 8, 1000])
    array([   0,    1,    8,    8, 1024])
    """
    whole = _whole(sizes)
    return np.where(whole > 0, np.int64(1) << _bits(whole - 1), 0)


def to_multiple(sizes: npt.ArrayLike, of: int) -> Sizes:
    """The least multiple of `of` that is not smaller.

    >>> to_multiple([0, 1, 512, 513], 512)
    array([   0,  512,  512, 1024])
    """
    unit = whole(of, "what sizes are padded to multiples of", most=_LARGEST)
    return -(-_whole(sizes) // unit) * unit


def padme(sizes: npt.ArrayLike) -> Sizes:
    """Padmé of Nikitin, Barman, Lueks, Underwood, Hubaux and Ford (Reducing Metadata Leakage from Encrypted Files and
    Communication with PURBs, PETS 2019): with E = floor(log2 L) and S = floor(log2 E) + 1, round L up until its low E -
    S bits are zero. At most about 12% overhead, O(log log L) bits of the size left. Sizes below 2 stay as they are.

    >>> padme([0, 1, 2, 3, 9, 100, 1000, 10000])
    array([    0,     1,     2,     3,    10,   104,  1024, 10240])
    """
    whole = _whole(sizes)
    e = np.maximum(_bits(whole) - 1, 0)
    low = np.maximum(e - _bits(e), 0)  # floor(log2 E) + 1 is the number of bits of E
    mask = (np.int64(1) << low) - 1
    padded: Sizes = (whole + mask) & ~mask
    return padded


# By the names that tables and charts show.
POLICIES: dict[str, Policy] = {
    "no padding": unpadded,
    "multiples of 512": lambda sizes: to_multiple(sizes, 512),
    "multiples of 4096": lambda sizes: to_multiple(sizes, 4096),
    "multiples of 65536": lambda sizes: to_multiple(sizes, 65536),
    "Padmé": padme,
    "powers of two": to_power_of_two,
    "all to the largest": to_largest,
}


@dataclass(frozen=True)
class AppliedPolicy(Result):
    """A policy by `name` on some sizes: its mean `overhead`, how many sizes can be seen (`observables`), the least
    number of secrets that share one (`smallest_class`), and its `leakage` in each entropy asked for.
    """

    name: str
    overhead: float
    observables: int
    smallest_class: int
    leakage: tuple[float, ...]


def apply_policies(
    classes: SizeClasses, policies: Mapping[str, Policy], entropies: Sequence[ConditionalEntropy]
) -> tuple[AppliedPolicy, ...]:
    """What policies, by name, cost and leak on these sizes; one that makes a size smaller is refused."""
    if not isinstance(policies, Mapping) or not all(map(callable, policies.values())):
        raise InvalidParameter(f"policies are a mapping from a name to a function of sizes, not {shown(policies)}")
    return tuple(_apply(classes, name, policy, entropies) for name, policy in policies.items())


def _apply(classes: SizeClasses, name: str, policy: Policy, entropies: Sequence[ConditionalEntropy]) -> AppliedPolicy:
    import scipy.sparse as sp

    prior, natural = classes.prior, classes.natural
    padded = np.asarray(policy(natural))
    if padded.shape != natural.shape or not (padded >= natural).all():
        raise InvalidParameter(f"the policy {name!r} makes a size smaller, or gives another number of sizes")
    seen, columns = np.unique(padded, return_inverse=True)
    secrets = np.bincount(columns[prior.p > 0], minlength=len(seen))
    n = len(columns)
    matrix = sp.csr_array((np.ones(n), columns, np.arange(n + 1)), shape=(n, len(seen)))
    table = leakage_table(prior, Channel(matrix, inputs=prior.labels), entropies)
    return AppliedPolicy(
        name=name,
        overhead=float(prior.p @ (padded - natural)),
        observables=len(seen),
        smallest_class=int(secrets[secrets > 0].min()),
        leakage=tuple(row.leakage for row in table.rows),
    )


def _bits(whole: Any) -> Sizes:
    """The number of binary digits, by halves, which floats hold exactly."""
    high = whole >> 32
    bits = np.frexp(np.where(high > 0, high, whole).astype(np.float64))[1].astype(np.int64)
    return np.asarray(np.where(high > 0, bits + 32, bits))


def _whole(sizes: npt.ArrayLike) -> Sizes:
    try:
        array = np.asarray(sizes)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.dtype.kind in "iu" and array.size and array.max() > _LARGEST:
        raise InvalidParameter(f"the size {array.max()} is above 2^62, the largest that policies pad")
    if array.dtype.kind not in "iu" or array.ndim != 1 or not array.size or not (array.min() >= 0):
        raise InvalidParameter(
            "policies pad whole numbers from 0 on, such as bytes or milliseconds: scale times to those"
        )
    return array.astype(np.int64)
