"""Repeated draws: what an attacker learns who sees several fresh sets of the same secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from minleak._attack.intersections import SECRETS, Look, success_exactly, success_simulated
from minleak._data.parameters import listed, truth, whole
from minleak._data.simulating import TRIALS, generator
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak.errors import InvalidParameter

# The most draws of one secret.
_DRAWS = 10_000


@dataclass(frozen=True)
class Repeated(Result):
    """The optimal attacker's `success` after each number of `draws`, with a 99% confidence interval from `low` to
    `high` by so many `trials` unless it is `exact`.
    """

    draws: tuple[int, ...]
    success: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    exact: bool
    trials: int

    def to_parts(self) -> list[str | Table]:
        rows = [
            [t, s, "exact" if self.exact else f"{a:.5f} .. {b:.5f}"]
            for t, s, a, b in zip(self.draws, self.success, self.low, self.high, strict=True)
        ]
        return [Table("", ["draws", "success", "99% interval"], rows)]


def repeated_success(plan: Any, draws: Sequence[int], *, trials: int, seed: int, exact: bool | None) -> Repeated:
    """The success after each number of fresh draws: so many looks at the same plan."""
    given = listed(draws, f"draws are some whole numbers from 1 to {_DRAWS:,}", some=True)
    wanted = tuple(whole(t, "each of the draws", 1, _DRAWS) for t in given)
    trials, rng = whole(trials, "trials", 2, TRIALS), generator(seed)
    exact = None if exact is None else truth(exact, "exact")
    looks = [Look(plan)] * max(wanted)
    if exact is not False:
        small = len(plan.prior) <= SECRETS
        values = success_exactly(looks, exact_probabilities(plan.prior.weights), wanted) if small else None
        if values is not None:
            floats = tuple(map(float, values))
            return Repeated(wanted, floats, floats, floats, True, 0)
        if exact:
            raise InvalidParameter("the plan has too many sets to go through all sequences: leave out exact=True")
    means, halves = zip(*success_simulated(looks, plan.prior.p, wanted, trials, rng), strict=True)
    low = tuple(max(0.0, mean - half) for mean, half in zip(means, halves, strict=True))
    high = tuple(min(1.0, mean + half) for mean, half in zip(means, halves, strict=True))
    return Repeated(wanted, means, low, high, False, trials)


def exact_probabilities(weights: Any) -> list[Fraction]:
    """The probabilities that weights stand for, whose sum in floats may not be finite."""
    given = [Fraction(weight) for weight in weights.tolist()]
    total = sum(given)
    return [weight / total for weight in given]
