"""Noise: random bytes on top of each size, drawn anew for each observation, and how soon it washes out.

Observed sizes with the same posterior are merged: for uniform noise those between two sizes where the set of possible
secrets changes; for geometric noise, which has no memory, those between two natural sizes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._parameters import real
from minleak.errors import InvalidParameter
from minleak.padding._size_classes import SizeClasses

# Noise has washed out when a guess succeeds this share as often as without padding; searched up to this many looks.
WASHED_OUT, _MOST_LOOKS = 0.95, 1 << 30
# The most entries of a channel, and the number of simulated secrets.
_ENTRIES, _TRIALS = 20_000_000, 4000


@dataclass(frozen=True)
class Noise(ABC):
    """A distribution of what is added to each size, scaled by the mean size."""

    share: float

    def __post_init__(self) -> None:
        real(self.share, "the share that noise adds is a number above 0", above=0, below=math.inf)

    @abstractmethod
    def channel(self, sizes: Array, scale: float) -> Any:
        """The sparse channel from distinct, increasing sizes to observations, for this mean size."""

    @abstractmethod
    def shown(self, sizes: Array, scale: float) -> tuple[Array, Array]:
        """The mean and the largest size that each is shown as."""

    @abstractmethod
    def success(self, classes: SizeClasses, looks: int) -> float:
        """The success of one guess after a number of looks."""

    def looks(self, classes: SizeClasses) -> int | None:
        """The least number of looks after which a guess succeeds nearly as often as without padding; None if never."""
        wanted, high = WASHED_OUT * float(_heaviest(classes).sum()), 1
        while self.success(classes, high) < wanted:
            high *= 2
            if high > _MOST_LOOKS:
                return None
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.success(classes, middle) >= wanted else (middle, high)
        return high


@dataclass(frozen=True)
class UniformNoise(Noise):
    """Uniform between 0 and twice `share` of the mean size, so that the mean is `share` of all bytes.

    >>> import minleak as ml
    >>> noise = ml.padding.UniformNoise(0.1)
    >>> found = ml.padding.compare([90, 100, 110], policies={"uniform": noise}, entropies=["min-entropy"])
    >>> found.rivals[0].policy.looks
    4
    """

    def width(self, mean: float) -> int:
        """The number of sizes that each is shown as."""
        return math.floor(2 * self.share * mean) + 1

    def channel(self, sizes: Array, scale: float) -> Any:
        import scipy.sparse as sp

        width = self.width(scale)
        edges = np.union1d(sizes, sizes + width)
        begins, ends = np.searchsorted(edges, sizes), np.searchsorted(edges, sizes + width)
        counts = ends - begins
        _check_entries(int(counts.sum()))
        starts = np.append(0, np.cumsum(counts))
        columns = np.arange(starts[-1]) - np.repeat(starts[:-1] - begins, counts)
        return sp.csr_array((np.diff(edges)[columns] / width, columns, starts), shape=(len(sizes), len(edges) - 1))

    def shown(self, sizes: Array, scale: float) -> tuple[Array, Array]:
        most = self.width(scale) - 1
        return sizes + most / 2, sizes + most

    def success(self, classes: SizeClasses, looks: int) -> float:
        """Simulated: the smallest and the largest of all looks are sufficient, and leave an interval of sizes."""
        rng, width, sizes = np.random.default_rng(0), self.width(classes.mean), classes.sizes
        true = sizes[np.searchsorted(classes.mass[1:-1], rng.random(_TRIALS) * classes.mass[-1], side="right")]
        largest = rng.random(_TRIALS) ** (1 / looks)
        least = largest * (1 - rng.random(_TRIALS) ** (1 / (looks - 1))) if looks > 1 else largest
        low = np.searchsorted(sizes, true + np.floor(width * largest) - width + 1)
        high = np.searchsorted(sizes, true + np.floor(width * least), side="right")
        top, mass = _heaviest(classes), classes.mass[high] - classes.mass[low]
        return float(np.mean([top[a:b].max() for a, b in zip(low.tolist(), high.tolist(), strict=True)] / mass))


@dataclass(frozen=True)
class GeometricNoise(Noise):
    """g with probability (1 - q) q^g, of mean q / (1 - q) = `share` of the mean size."""

    def rate(self, mean: float) -> float:
        """-log q."""
        return math.log1p(1 / max(self.share * mean, 1e-300))

    def channel(self, sizes: Array, scale: float) -> Any:
        import scipy.sparse as sp

        _check_entries(len(sizes) ** 2)
        rate, gaps = self.rate(scale), np.append(np.diff(sizes), math.inf)
        rows = np.exp(-rate * np.triu(sizes[None, :] - sizes[:, None])) * -np.expm1(-rate * gaps)
        return sp.csr_array(np.triu(rows))

    def shown(self, sizes: Array, scale: float) -> tuple[Array, Array]:
        return sizes + self.share * scale, np.full(len(sizes), math.inf)

    def success(self, classes: SizeClasses, looks: int) -> float:
        """The smallest of all looks is sufficient, and geometric with q^looks."""
        rate, sizes = looks * self.rate(classes.mean), classes.sizes
        gaps = np.append(np.diff(sizes), math.inf)
        best = np.maximum.accumulate(np.log(_heaviest(classes)) + rate * sizes) - rate * sizes
        return float(np.sum(np.exp(best) * -np.expm1(-rate * gaps)))


@dataclass(frozen=True)
class RandomTotal(Noise):
    """Pad to a random total between the largest size and `share` more, whatever the size: as Have I Been Pwned fills
    each answer up to a total of 800 to 1,000 rows.
    """

    def channel(self, sizes: Array, scale: float) -> Any:
        import scipy.sparse as sp

        del scale
        return sp.csr_array(np.ones((len(sizes), 1)))

    def shown(self, sizes: Array, scale: float) -> tuple[Array, Array]:
        del scale
        largest = np.full(len(sizes), sizes.max())
        return largest * (1 + self.share / 2), largest * (1 + self.share)

    def success(self, classes: SizeClasses, looks: int) -> float:
        """That of a blind guess: nothing leaks."""
        del looks
        return float(_heaviest(classes).max())


def _heaviest(classes: SizeClasses) -> Array:
    """The probability of the likeliest secret of each size."""
    return np.maximum.reduceat(classes.prior.p[classes.members], classes.ends[:-1])


def _check_entries(count: int) -> None:
    if count > _ENTRIES:
        raise InvalidParameter(
            f"noise on so many sizes takes a matrix of {count:,} entries, above {_ENTRIES:,}: compare a sample of them"
        )
