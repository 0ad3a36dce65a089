"""Common padding policies, functions of the size alone: powers, multiples, Padmé, NIP-44, the largest size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._leakage import leakage_table
from minleak.core._parameters import whole
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter, quote
from minleak.padding._limits import Cap, Overheads
from minleak.padding._size_classes import SizeClasses

Sizes = npt.NDArray[np.int64]
Policy = Callable[[Any], Sizes]

# The largest power of two in a 64-bit integer: larger sizes cannot be padded to one.
_LARGEST = 2**62


def unpadded(sizes: npt.ArrayLike) -> Sizes:
    """Sizes as they are."""
    return _whole(sizes).copy()


def to_largest(sizes: npt.ArrayLike) -> Sizes:
    """Every size to the largest of them: nothing leaks."""
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


def signal(sizes: npt.ArrayLike) -> Sizes:
    """Signal's padding of attachments: the least floor(1.05^k) that is not smaller, and at least 541 bytes
    (`PaddingInputStream` of Signal for Android).

    >>> signal([0, 541, 542, 10_000])
    array([  541,   541,   568, 10110])
    """
    whole = _whole(sizes)
    values, above, below = [541], 21**129, 20**129  # 541 is floor(1.05^129)
    while values[-1] < whole.max():
        above, below = above * 21, below * 20
        values.append(above // below)
    return np.array(values)[np.searchsorted(values, whole)]


def nip44(sizes: npt.ArrayLike) -> Sizes:
    """The padding of NIP-44, version 2 (encrypted messages of Nostr): at least 32 bytes, then multiples of 32 up to 256
    and of an eighth of the next power of two above.

    >>> nip44([1, 33, 65, 257, 700])
    array([ 32,  64,  96, 320, 768])
    """
    whole = np.maximum(_whole(sizes), 1)
    unit = np.maximum(to_power_of_two(whole) // 8, 32)
    return np.asarray(-(-whole // unit) * unit)


# By the names in tables and charts.
POLICIES: dict[str, Policy] = {
    "no padding": unpadded,
    "multiples of 512": lambda sizes: to_multiple(sizes, 512),
    "multiples of 4096": lambda sizes: to_multiple(sizes, 4096),
    "multiples of 65536": lambda sizes: to_multiple(sizes, 65536),
    "Padmé": padme,
    "powers of two": to_power_of_two,
    "Signal, 1.05^k": signal,
    "NIP-44": nip44,
    "DNS queries, 128": lambda sizes: to_multiple(sizes, 128),
    "DNS answers, 468": lambda sizes: to_multiple(sizes, 468),
    "all to the largest": to_largest,
}
# Policies made to limit the share by which each object grows, not bytes.
RELATIVE: tuple[Policy, ...] = (padme, to_power_of_two, signal, nip44)
# Policies that a chart leaves out: they would lie together near no padding.
_SMALL = ("multiples of 512", "DNS queries, 128", "DNS answers, 468")


def policies_of_axis(*, relative: bool) -> dict[str, Policy]:
    """The policies for a chart: those made to limit the growth of each object, or bytes; each only on its own axis."""
    shown = {name: policy for name, policy in POLICIES.items() if name not in _SMALL}
    return {name: policy for name, policy in shown.items() if policy is unpadded or (policy in RELATIVE) == relative}


@dataclass(frozen=True)
class AppliedPolicy(Result):
    """A policy by `name` on some sizes: what it adds (`overheads`), the number of sizes that can be seen
    (`observables`), the least number of secrets that share one (`smallest_class`), and its `leakage` in each entropy
    asked for. For noise, which is drawn anew for each look, `looks` is the number of looks after which a guess succeeds
    95% as often as without padding; policies always show the same.
    """

    name: str
    overheads: Overheads
    observables: int
    smallest_class: int
    leakage: tuple[float, ...]
    looks: int | None = None

    reported = ("overhead",)

    @property
    def overhead(self) -> float:
        """The mean overhead, in the unit of the sizes."""
        return self.overheads.mean


def apply_policies(
    classes: SizeClasses,
    policies: Mapping[str, Policy],
    entropies: Sequence[ConditionalEntropy],
    most: Cap | None = None,
) -> tuple[AppliedPolicy, ...]:
    """What policies, by name, cost and leak on these sizes. A policy that makes a size smaller is refused."""
    if not isinstance(policies, Mapping) or not all(map(callable, policies.values())):
        raise InvalidParameter(f"policies are a mapping from a name to a function of sizes, not {quote(policies)}")
    return tuple(_apply(classes, name, policy, entropies, most) for name, policy in policies.items())


def _apply(
    classes: SizeClasses, name: str, policy: Policy, entropies: Sequence[ConditionalEntropy], most: Cap | None
) -> AppliedPolicy:
    prior, natural = classes.prior, classes.natural
    padded = np.asarray(policy(natural))
    if padded.shape != natural.shape or not (padded >= natural).all():
        raise InvalidParameter(f"the policy {name!r} makes a size smaller, or gives another number of sizes")
    observables, columns = np.unique(padded, return_inverse=True)
    secrets = np.bincount(columns[prior.p > 0])  # that each observable may come from
    table = leakage_table(prior, channel_of(prior, columns, observables), entropies)
    return AppliedPolicy(
        name=name,
        overheads=Overheads.of(natural, prior.p, padded, most=most),
        observables=len(observables),
        smallest_class=int(secrets[secrets > 0].min()),
        leakage=tuple(row.leakage for row in table.rows),
    )


def channel_of(prior: Prior, columns: npt.NDArray[np.int64], observables: npt.NDArray[Any]) -> Channel:
    """The channel in which each secret shows the observable of its column."""
    import scipy.sparse as sp

    n = len(columns)
    matrix = sp.csr_array((np.ones(n), columns, np.arange(n + 1)), shape=(n, len(observables)))
    return Channel(matrix, inputs=prior.labels, outputs=observables.tolist())


def _bits(whole: Any) -> Sizes:
    """The number of binary digits, from halves that floats hold exactly."""
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
