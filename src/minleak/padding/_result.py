"""Padding: what sizes are padded to, what that costs and leaks, the proven bound, and how to run it."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._joint import Joint
from minleak.core._labels import Labels
from minleak.core._leakage import leakage, posterior_vulnerability
from minleak.core._plan.channel_plan import ChannelPlan
from minleak.core._plan.streams import Fresh
from minleak.core._prior import Prior
from minleak.core._property_leakage import Values
from minleak.core._result import Result
from minleak.core._text_tables import Table, word
from minleak.errors import InvalidParameter, UnknownSecret
from minleak.padding._limits import Limits
from minleak.padding._overheads import USUAL_CAP, Overheads
from minleak.padding._size_classes import SizeClasses
from minleak.padding._size_table import SizeTable

# Probabilities of a randomised padding are multiples of the reciprocal.
DENOMINATOR = 1 << 32
# The relative gap that counts as none: the precision of convex solvers.
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

    `observables` are the sizes that can be seen, increasing. Secret x is shown as observables[columns[e]] with
    probability weights[e] / 2^32, over the entries e from starts[x] to starts[x+1]; buckets have one entry per secret.

    `overhead` is the mean of padded minus natural size, `leakage` that in the `entropy` designed for, and `bound` is
    proven: no contiguous buckets (no channel at all, if `randomised`) within the `limits` leak less. `gap` is leakage -
    bound, and the status is "optimal" if that is at most a millionth of the leakage, else "within gap".
    `smallest_class` is the least number of secrets, of those that can occur, that share an observable.
    """

    prior: Prior = field(repr=False)
    sizes: npt.NDArray[Any] = field(repr=False)
    entropy: ConditionalEntropy = field(repr=False)
    limits: Limits
    randomised: bool
    observables: npt.NDArray[Any]
    starts: Indices = field(repr=False)
    columns: Indices = field(repr=False)
    weights: Indices = field(repr=False)
    overhead: float
    leakage: float
    bound: float

    reported = (
        "secrets", "measure", "mean_size", "gap", "status", "smallest_class", "overheads",
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
        *,
        observables: npt.NDArray[Any],
        starts: Indices,
        columns: Indices,
        weights: Indices,
        bound: float,
        **given: Any,
    ) -> Padding:
        """The padding of these entries, with its overhead and leakage."""
        import scipy.sparse as sp

        prior, natural = classes.prior, classes.natural
        shares = weights / DENOMINATOR
        matrix = sp.csr_array((shares, columns, starts), shape=(len(natural), len(observables)))
        leaked = leakage(prior, Channel(matrix, inputs=prior.labels), entropy)
        added = shares * (observables[columns] - np.repeat(natural, np.diff(starts)))
        return cls(
            prior=prior,
            sizes=natural,
            entropy=entropy,
            observables=observables,
            starts=starts,
            columns=columns,
            weights=weights,
            overhead=float(prior.p @ np.add.reduceat(added, starts[:-1])),
            leakage=leaked,
            bound=min(leaked, bound),
            **given,
        )

    @property
    def overheads(self) -> Overheads:
        """What is added on the mean, to the median object and to the worst, and how many objects pass the cap."""
        shown, first = self.observables[self.columns], self.starts[:-1]
        return Overheads.of(
            self.sizes,
            self.prior.p,
            np.add.reduceat(self.weights / DENOMINATOR * shown, first),
            largest=np.maximum.reduceat(shown, first),
            most=self.limits.most,
        )

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
        rows = np.repeat(np.arange(len(self.prior)), np.diff(self.starts))
        shown = np.bincount(self.columns[self.prior.p[rows] > 0], minlength=len(self.observables))
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

        A randomised padding belongs to the secrets that it was designed for: use `draw`.

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
        if self.randomised:
            raise InvalidParameter(
                "a randomised padding is drawn for a secret, not for a size: use draw(secret), or rows().save(path)"
            )
        return SizeTable.of(self.sizes, self.observables, most=self.limits.most)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the `table`, as .json or .csv."""
        self.table().save(path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> SizeTable:
        """The table in a file that `save` wrote."""
        return SizeTable.load(path)

    def draw(self, secret: Hashable) -> int | float:
        """The size to show for this secret; a randomised padding draws it, exactly, with fresh randomness from the
        operating system. Each call draws anew, and several draws for one secret leak more than one.
        """
        x = self._running.find(secret)
        if x is None:
            raise UnknownSecret("this padding does not know the secret: pad its size, or design with it")
        one = np.array([x])
        return self._shown(int(self._running.locate(one, Fresh().below(self._running.places(one)))[0, 0]))

    @cached_property
    def _running(self) -> ChannelPlan:
        return self.rows()

    def _shown(self, y: int) -> int | float:
        size = self.observables[y]
        return int(size) if self.observables.dtype.kind == "i" else float(size)

    def buckets(self) -> tuple[Bucket, ...]:
        """The buckets, smallest sizes first. Not for randomised paddings."""
        if self.randomised:
            raise InvalidParameter("a randomised padding has no buckets: look at its channel()")
        p = np.bincount(self.columns, weights=self.prior.p, minlength=len(self.observables))
        members = np.bincount(self.columns[self.prior.p > 0], minlength=len(self.observables))
        lower = [-1 if self.observables.dtype.kind == "i" else -1.0, *map(self._shown, range(len(p) - 1))]
        return tuple(
            Bucket(lower[y], self._shown(y), int(members[y]), float(p[y])) for y in range(len(self.observables))
        )

    def channel(self) -> Channel:
        """The padding as a sparse channel from secrets to the sizes seen."""
        return self.rows().channel()

    def rows(self) -> ChannelPlan:
        """The padding as integer rows: to run with `minleak.Cloak`, sticky, and to save."""
        outputs = Labels.of(self.observables.tolist(), len(self.observables))
        return ChannelPlan(self.prior, outputs, self.starts, self.columns, self.weights)

    def leakage_in(self, entropy: ConditionalEntropy | str, *, of: Values | None = None) -> float:
        """The leakage in another entropy; with `of`, about a property of the secret, such as the topic of a page, given
        in the order of the secrets or by label.
        """
        return leakage(self.prior, self.channel(), as_entropy(entropy), of=of)

    def success_of(self, of: Values) -> float:
        """The success of a guess at a property of the secret that sees the padded size."""
        return posterior_vulnerability(Joint(self.prior, self.channel()).of(of))

    def __repr__(self) -> str:
        kind = "randomised" if self.randomised else "buckets"
        return (
            f"Padding({kind}, n={len(self.prior)}, observables={len(self.observables)}, overhead={self.overhead:.6g}, "
            f"{self.entropy.name} leakage={self.leakage:.6g}, {self.status})"
        )

    def to_parts(self) -> list[str | Table]:
        kind, found = "randomised padding" if self.randomised else "buckets", self.overheads
        limits = ", ".join(f"{name} {word(value)}" for name, value in self.limits.to_dict().items())
        cap = USUAL_CAP if self.limits.most is None else self.limits.most
        share, relative, median, worst, above = found.to_cells()
        reached = "reached: optimal" if self.status == "optimal" else f"{self.gap:.2g} below"
        rows: list[list[Any]] = [
            ["limits", limits],
            ["mean overhead", f"{found.mean:.6g} ({share} of the mean size)"],
            ["an object grows by", f"{relative} on average, median {median}, worst {worst}"],
            [f"objects that grow by more than {'the cap' if callable(cap) else f'{100 * cap:.4g}%'}", above],
            ["a guess is right", f"{self.success:.4g} of the time, {self.success_unpadded:.4g} without padding"],
            [f"leakage in {self.entropy.name}", f"{self.leakage:.6g}"],
            ["proven lower bound", f"{self.bound:.6g} ({reached})"],
            ["sizes that can be seen", f"{len(self.observables):,}"],
            ["secrets in the smallest class", f"{self.smallest_class:,}"],
        ]
        return [Table(f"{kind} for {len(self.prior):,} secrets", (), rows)]


@dataclass(frozen=True)
class LimitPrice(Result):
    """What a `limit` costs: `without` is a lower bound on the leakage without it, so it costs at most `price`."""

    limit: str
    without: float
    price: float


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
