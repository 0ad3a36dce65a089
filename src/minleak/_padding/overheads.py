"""least_budget of padding: the least mean overhead for which no more than so much leaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from minleak._data.parameters import real
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._padding.ladder import as_ladder
from minleak._padding.make import design
from minleak._padding.result import Padding
from minleak.errors import Infeasible

# Budgets are told apart to this share of the largest.
_CLOSE = 1e-7
_MOST = 60


@dataclass(frozen=True)
class LeastOverhead(Result):
    """The `padding` of least overhead that leaks at most `leakage`; none with less overhead than `bound` does.

    Nothing is proven of paddings between `bound` and `overhead`.
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
        """By how much less overhead might do."""
        return max(0.0, self.overhead - self.bound)

    def to_parts(self) -> list[str | Table]:
        least = f"no padding that leaks at most {self.leakage:.6g} has a mean overhead below {self.bound:.6g}"
        return [*self.padding.to_parts(), least]


def least_budget(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    leakage: float,
    entropy: ConditionalEntropy | str = "shannon",
    floor: int = 1,
    randomised: bool = False,
) -> LeastOverhead:
    """The other way round of `design`: the least mean overhead E[Y - s(X)] with H(X) - H(X|Y) <= leakage.

    Budgets are bisected: the padding that `design` finds for one leaks little enough, or its bound proves that none
    within that budget does. Everything else is as there.

    >>> site = least_budget([10, 20], [80, 20], leakage=0.1)
    >>> site.overhead, site.padding.leakage
    (8.0, 0.0)
    """
    most = real(leakage, "the leakage to keep to is a number from 0 on", least=0.0)
    ladder = as_ladder(sizes, prior)
    within = partial(design, ladder.sizes, ladder.prior, entropy=entropy, floor=floor, randomised=randomised)
    largest = float(ladder.prior.p @ (ladder.sizes.max() - ladder.sizes).astype(float))
    best = within(budget=largest)
    if best.leakage > most:
        raise Infeasible(
            f"no padding leaks less than {best.leakage:.9g} in {best.entropy.name}: allow that much, which is rounding"
        )
    proven, low, budget = 0.0, 0.0, 0.0
    for _ in range(_MOST):
        try:
            tried = within(budget=budget)
            enough, none = tried.leakage <= most, tried.bound > most
        except Infeasible:  # the floor asks for more
            enough, none = False, True
        if enough:
            best = tried
        else:
            low, proven = budget, budget if none else proven
        if best.overhead - low <= _CLOSE * largest:
            break
        budget = 0.5 * (low + best.overhead)
    return LeastOverhead(best, most, min(proven, best.overhead))
