"""Padding: what sizes are padded to, what that costs and leaks, the proven bound, and the table to deploy."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._joint import Joint
from minleak.core._leakage import leakage, posterior_vulnerability
from minleak.core._prior import Prior
from minleak.core._property_leakage import Values
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.padding._limits import USUAL_CAP, Limits, Overheads
from minleak.padding._policies import channel_of
from minleak.padding._size_classes import SizeClasses
from minleak.padding._size_table import SizeTable
from minleak.padding._told import tell_padding

# The relative gap that counts as none.
OPTIMAL = 1e-6


@dataclass(frozen=True)
class Bucket(Result):
    """Sizes above `above` and up to `padded`, which are all shown as `padded`; the number of `secrets` in it and their
    `probability`. The first bucket is above -1, so that it holds size 0.
    """

    above: float
    padded: float
    secrets: int
    probability: float


@dataclass(frozen=True, repr=False, eq=False)
class Padding(Result):
    """What each secret's size is padded to: made by `minleak.padding.design`.

    `observables` are the sizes that can be seen, increasing: each size is padded to the least of them that is not
    smaller. `leakage` is that in the `entropy` designed for, and `bound` is proven: no contiguous buckets within the
    `limits` leak less. `gap` is leakage - bound, and the status is "optimal" if that is at most a millionth of the
    leakage, else "within gap". `smallest_class` is the least number of secrets, of those that can occur, that share an
    observable.
    """

    prior: Prior = field(repr=False)
    sizes: npt.NDArray[Any] = field(repr=False)
    entropy: ConditionalEntropy = field(repr=False)
    limits: Limits
    observables: npt.NDArray[Any]
    leakage: float
    bound: float

    reported = (
        "secrets", "measure", "mean_size", "overhead", "gap", "status", "smallest_class", "overheads",
        "success", "success_unpadded", "success_blind",
    )  # fmt: skip

    @property
    def secrets(self) -> int:
        """The number of secrets."""
        return len(self.prior)

    @property
    def measure(self) -> str:
        """The name of the entropy designed for."""
        return self.entropy.name

    @property
    def mean_size(self) -> float:
        """The mean natural size."""
        return float(self.prior.p @ self.sizes)

    @classmethod
    def of(
        cls,
        classes: SizeClasses,
        entropy: ConditionalEntropy,
        limits: Limits,
        observables: npt.NDArray[Any],
        bound: float,
    ) -> Padding:
        """Return the padding to these sizes, with what it leaks."""
        columns = np.searchsorted(observables, classes.natural)
        leaked = leakage(classes.prior, channel_of(classes.prior, columns, observables), entropy)
        return cls(classes.prior, classes.natural, entropy, limits, observables, leaked, min(leaked, bound))

    @cached_property
    def columns(self) -> npt.NDArray[np.int64]:
        """The place of each secret's padded size among the observables."""
        return np.searchsorted(self.observables, self.sizes)

    @property
    def overheads(self) -> Overheads:
        """What is added on the mean, to the median object and to the worst, and how many objects pass the cap."""
        shown = self.observables[self.columns]
        return Overheads.of(self.sizes, self.prior.p, shown, most=self.limits.most)

    @property
    def overhead(self) -> float:
        """The mean of padded minus natural size."""
        return float(self.prior.p @ (self.observables[self.columns] - self.sizes))

    @property
    def gap(self) -> float:
        """leakage - bound, not negative."""
        return max(0.0, self.leakage - self.bound)

    @property
    def status(self) -> str:
        """ "optimal", or "within gap"."""
        return "optimal" if self.gap <= OPTIMAL * max(1.0, self.leakage) else "within gap"

    @property
    def smallest_class(self) -> int:
        """The least number of secrets of positive probability that one observable may come from."""
        shown = np.bincount(self.columns[self.prior.p > 0], minlength=len(self.observables))
        return int(shown[shown > 0].min())

    @property
    def success(self) -> float:
        """The success of a guess that sees the padded size."""
        return posterior_vulnerability(Joint(self.prior, self.channel()))

    @property
    def success_unpadded(self) -> float:
        """The success of a guess that sees the natural size."""
        by_size = np.lexsort((-self.prior.p, self.sizes))
        _, first = np.unique(self.sizes[by_size], return_index=True)
        return float(self.prior.p[by_size][first].sum())

    @property
    def success_blind(self) -> float:
        """The success of a guess without looking."""
        return float(self.prior.p.max())

    def pad(self, size: float) -> int | float:
        """What to pad this size to: the least value of the `table` that is not smaller; O(log n) for n values.

        >>> import minleak as ml
        >>> ml.padding.design([10, 20, 21, 40], budget=6).pad(15)
        21
        """
        return self._table.pad(size)

    @cached_property
    def _table(self) -> SizeTable:
        return self.table()

    def table(self) -> SizeTable:
        """What to deploy: a table that pads any size and holds nothing of the secrets.

        Under a cap no size, seen or not, is padded by more: the table has further values between buckets, and goes on
        above the largest. Without a cap a size is padded to the end of its bucket; one above the largest is refused.
        """
        return SizeTable.of(self.sizes, self.observables, most=self.limits.most)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the `table`, as .json or .csv."""
        self.table().save(path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> SizeTable:
        """The table in a file that `save` wrote."""
        return SizeTable.load(path)

    def _shown(self, y: int) -> int | float:
        size = self.observables[y]
        return int(size) if self.observables.dtype.kind == "i" else float(size)

    def buckets(self) -> tuple[Bucket, ...]:
        """The buckets, smallest sizes first."""
        p = np.bincount(self.columns, weights=self.prior.p, minlength=len(self.observables))
        members = np.bincount(self.columns[self.prior.p > 0], minlength=len(self.observables))
        lower = [-1 if self.observables.dtype.kind == "i" else -1.0, *map(self._shown, range(len(p) - 1))]
        return tuple(
            Bucket(lower[y], self._shown(y), int(members[y]), float(p[y])) for y in range(len(self.observables))
        )

    def channel(self) -> Channel:
        """The padding as a sparse channel from secrets to the sizes seen."""
        return channel_of(self.prior, self.columns, self.observables)

    def leakage_in(self, entropy: ConditionalEntropy | str, *, of: Values | None = None) -> float:
        """The leakage in another entropy; with `of`, about a property of the secret, such as the topic of a page, given
        in the order of the secrets or by label.
        """
        return leakage(self.prior, self.channel(), as_entropy(entropy), of=of)

    def success_of(self, of: Values) -> float:
        """The success of a guess at a property of the secret that sees the padded size."""
        return posterior_vulnerability(Joint(self.prior, self.channel()).of(of))

    def __repr__(self) -> str:
        return (
            f"Padding(n={len(self.prior)}, observables={len(self.observables)}, overhead={self.overhead:.6g}, "
            f"{self.entropy.name} leakage={self.leakage:.6g}, {self.status})"
        )

    def to_parts(self) -> list[str | Table]:
        return tell_padding(self, USUAL_CAP)


@dataclass(frozen=True)
class LeastOverhead(Result):
    """The `padding` of least overhead found that leaks at most `leakage`; `bound` is a proven lower bound on the
    overhead of all such paddings.
    """

    padding: Padding
    leakage: float
    bound: float

    reported = ("overhead", "gap")

    @property
    def overhead(self) -> float:
        """The mean overhead of the padding."""
        return self.padding.overhead

    @property
    def gap(self) -> float:
        """overhead - bound, not negative."""
        return max(0.0, self.overhead - self.bound)
