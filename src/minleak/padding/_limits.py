"""Limits: how much may be added, and the least number of secrets in a bucket; Overheads: how much is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._parameters import is_number, real, truth, whole
from minleak.core._plain import plain
from minleak.core._result import Result
from minleak.errors import InvalidParameter
from minleak.padding._size_classes import SizeClasses
from minleak.padding._told import share_cells

Cap = float | Callable[[Any], float]

#: The cap to count objects above if none was asked for: the most that Padmé adds.
USUAL_CAP = 0.12


@dataclass(frozen=True)
class Limits(Result):
    """The limits of a padding, which all hold together; None is no limit.

    With Y >= s(X) the size that is shown and E the mean over the prior:

    - `budget`: E[Y - s] is at most this, in the unit of the sizes;
    - `overhead`: E[Y - s] is at most this share of E[s], the share by which the traffic grows;
    - `relative`: E[(Y - s) / s] is at most this, the mean share by which an object grows;
    - `most`: Y - s is at most this share of s for each object, or most(s) if it is a function of the size. Shares are
      read as decimal numbers, so that 12% of 25 is 3 and not a little less;
    - `floor`: the least number of secrets, of those that can occur, in a bucket;
    - `unseen`: the cap `most` also holds for sizes that no secret has, from the end of one bucket to the next, as
      far as no gap between the sizes is wider than the cap: a table for future objects.

    Under `relative` and `most` an object of size 0 stays as it is, since any growth is infinite.
    """

    budget: float | None = None
    overhead: float | None = None
    relative: float | None = None
    most: Cap | None = None
    floor: int = 1
    unseen: bool = False

    def __post_init__(self) -> None:
        for name, what in _SHARES.items():
            given = getattr(self, name)
            if given is not None and not (name == "most" and callable(given)):
                object.__setattr__(self, name, real(given, what, least=0.0))
        if truth(self.unseen, "unseen") and self.most is None:
            raise InvalidParameter("unseen sizes are padded within a cap: give most= too")
        object.__setattr__(self, "floor", min(whole(self.floor, "the floor", 1), 2**62))
        if all(getattr(self, name) is None for name in _SHARES):
            raise InvalidParameter("say how much may be added: budget=, overhead=, relative= or most=")

    def given(self) -> tuple[str, ...]:
        """The names of the limits that are set."""
        floor = ("floor",) if self.floor > 1 else ()
        return (*(name for name in _SHARES if getattr(self, name) is not None), *floor)

    def to_dict(self) -> dict[str, Any]:
        """The limits that are set, in JSON's types."""
        found = {name: getattr(self, name) for name in (*self.given(), *(("unseen",) if self.unseen else ()))}
        return {name: "a function of the size" if callable(value) else plain(value) for name, value in found.items()}

    def without(self, name: str) -> Limits | None:
        """The same without one of them; None if nothing is left to limit what is added."""
        others: dict[str, Any] = {other: getattr(self, other) for other in self.given() if other != name}
        if not set(others) & set(_SHARES):
            return None
        return Limits(**others, unseen=self.unseen and name != "most")

    def largest(self, sizes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The largest size that each of these may be shown as: exact for whole sizes; infinite without a limit."""
        if self.most is None:
            none = np.full(len(sizes), math.inf)
            return np.where(sizes == 0, 0.0, none) if self.relative is not None else none
        return cap_sizes(sizes, self.most)

    def _largest_of_bucket(self, sizes: Array) -> npt.NDArray[Any]:
        """The largest size that a bucket which starts with each of these sizes may end at."""
        largest = self.largest(sizes)
        if self.unseen:
            step = 1.0 if (sizes == np.floor(sizes)).all() else 0.0
            smallest = np.append(0.0, sizes[:-1] + step)  # in the bucket, which may be unseen
            between = self.largest(smallest)
            largest = np.where(between >= sizes, between, largest)
        return largest

    def on(self, classes: SizeClasses) -> ClassLimits:
        """The limits for these sizes, as arrays for the search."""
        p, sizes = np.diff(classes.mass), classes.sizes
        share = self.overhead * classes.mean if self.overhead and classes.mean else self.overhead
        sums = [(self.budget, "budget"), (share, "overhead")]
        limits = sorted((bound, name) for bound, name in sums if bound is not None)[:1]  # of the same cost the tighter
        if self.relative is not None:
            limits.append((self.relative, "relative"))
        limits = [limit for limit in limits if limit[0] < math.inf] or limits[:1]
        limits = [limit for limit in limits if limit[0] == 0][:1] or limits  # at 0 nothing is padded anyway
        m = len(sizes)
        x, load = np.zeros((len(limits), m + 1)), np.zeros((len(limits), m + 1))
        for k, (_, name) in enumerate(limits):
            x[k], load[k] = classes.mass, classes.load
            if name == "relative":
                rate = p / np.where(sizes > 0, sizes, 1.0)  # size 0 is alone in its bucket: no matter what it costs
                x[k, 1:], load[k, 1:] = np.cumsum(rate), np.cumsum(rate * sizes)
        # A bucket with class r must end before the first size above its cap, or start after r.
        ends = np.searchsorted(sizes, self._largest_of_bucket(sizes), side="right") + 1
        reach = np.zeros(m + 2, dtype=np.int64)
        np.maximum.at(reach, ends, np.arange(1, m + 1))
        reach = np.maximum.accumulate(reach)[: m + 1]
        allowed = np.array([bound for bound, _ in limits])
        return ClassLimits(tuple(name for _, name in limits), x, load, allowed, reach, self.floor)


# The limits that are numbers from 0 on, as messages describe them.
_SHARES = {
    "budget": "the budget is a mean overhead from 0 on, in the unit of the sizes",
    "overhead": "the overhead is a share of the mean size from 0 on, such as 0.05",
    "relative": "the relative overhead is a mean share from 0 on, such as 0.05",
    "most": "the most that may be added to an object is a share of its size from 0 on, such as 0.12",
}


@dataclass(frozen=True, eq=False)
class ClassLimits:
    """Limits on m classes of sizes. Overhead k of a bucket i..j-1 is size_(j-1) (x[k,j] - x[k,i]) - (load[k,j] -
    load[k,i]), in total at most allowed[k]; a bucket that ends before class j starts at reach[j] or later.
    """

    names: tuple[str, ...]
    x: Array
    load: Array
    allowed: Array
    reach: Indices
    floor: int


def cap_sizes(sizes: npt.NDArray[Any], most: Cap) -> npt.NDArray[Any]:
    """The largest size that each size may be shown as: floor((1 + most) s) of whole sizes, by fractions."""
    if callable(most):
        shares = [_share(most, size) for size in sizes.tolist()]
    else:
        shares = [exact_share(most)] * len(sizes) if most < math.inf else []
    if not shares:
        return np.full(len(sizes), math.inf)
    if (sizes == np.floor(sizes)).all():
        largest = [
            int(size) + math.floor(int(size) * share) for size, share in zip(sizes.tolist(), shares, strict=True)
        ]
        return np.array([float(min(size, 2**62)) for size in largest])
    return np.asarray(sizes * (1 + np.array([float(share) for share in shares])))


def _share(most: Callable[[Any], float], size: float) -> Fraction:
    share = most(int(size) if size == int(size) else size)
    if not is_number(share) or not 0 <= share < math.inf:
        raise InvalidParameter(f"most(size) is a share from 0 on, and for one of the sizes it is {share!r}")
    return exact_share(share)


def exact_share(share: float) -> Fraction:
    """The decimal number that a share prints as."""
    return Fraction(Decimal(repr(float(share))))


@dataclass(frozen=True)
class Overheads(Result):
    """What is added: the `mean` in the unit of the sizes; the same as a `share` of the mean size; the `relative` mean
    of the shares by which objects grow; the `median` and the `worst` of these shares; and the share of objects that
    grow by more than the cap (`above_cap`), 12% if no other was asked for.

    Objects are weighted by their probability. An object of size 0 that is padded grows infinitely.
    """

    mean: float
    share: float
    relative: float
    median: float
    worst: float
    above_cap: float

    @classmethod
    def of(
        cls,
        sizes: npt.NDArray[Any],
        p: Array,
        padded: npt.NDArray[Any],
        *,
        largest: npt.NDArray[Any] | None = None,
        most: Cap | None = None,
    ) -> Overheads:
        """The overheads of sizes of probabilities p, shown as `padded` on the mean and as `largest` at most."""
        largest = padded if largest is None else largest
        possible = p > 0
        sizes, p, padded, largest = sizes[possible], p[possible], padded[possible], largest[possible]
        added, natural = (padded - sizes).astype(float), sizes.astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(added > 0, added / natural, 0.0)
            worst = np.where(largest > sizes, (largest - sizes) / natural, 0.0)
        order = np.argsort(shares, kind="stable")
        middle = int(np.searchsorted(np.cumsum(p[order]), 0.5 * p.sum() * (1 - 1e-12)))
        mean, size = float(p @ added), float(p @ natural)
        cap = Limits(most=USUAL_CAP if most is None else most).largest(sizes)
        return cls(
            mean=mean,
            share=mean / size if size > 0 else 0.0,
            relative=float(p @ shares),
            median=float(shares[order[middle]]),
            worst=float(worst.max()),
            above_cap=float(p[largest > cap].sum()),
        )

    def to_cells(self) -> list[str]:
        """The shares as cells of a table."""
        return share_cells(self)
