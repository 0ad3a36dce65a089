"""Paddings side by side: each policy, and the best at the same mean overhead in every entropy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from minleak._data.parameters import truth
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies
from minleak._entropy.standard import STANDARD
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._padding.make import design
from minleak._padding.policies import POLICIES, AppliedPolicy, Policy, apply_policies
from minleak._padding.result import Padding
from minleak._padding.size_classes import as_size_classes


@dataclass(frozen=True)
class PolicyComparison(Result):
    """A `policy`, and for each entropy the `best` padding at its overhead: buckets, and the `randomised` one if asked
    for.
    """

    policy: AppliedPolicy
    best: tuple[Padding, ...]
    randomised: tuple[Padding, ...]


@dataclass(frozen=True)
class PaddingComparison(Result):
    """Policies and the best paddings at their overheads, as `rivals` in some `entropies`; `mean` is the mean size."""

    entropies: tuple[str, ...]
    mean: float
    rivals: tuple[PolicyComparison, ...]

    def to_parts(self) -> list[str | Table]:
        random = [] if not self.rivals[0].randomised else ["random"]
        columns = ["policy", "overhead", "entropy", "leaks", "buckets", "bound", *random, "less by", "smallest class"]
        rows = []
        for rival in self.rivals:
            share = rival.policy.overhead / self.mean if self.mean > 0 else 0.0
            for i, name in enumerate(self.entropies):
                ours, theirs = rival.best[i], rival.policy.leakage[i]
                leaks = [theirs, ours.leakage, ours.bound, *(best.leakage for best in rival.randomised[i : i + 1])]
                less = 1 - ours.leakage / theirs if theirs > 0 else 0.0
                classes = f"{rival.policy.smallest_class} -> {ours.smallest_class}"
                rows.append([rival.policy.name, f"{share:.2%}", name, *leaks, f"{less:.1%}", classes])
        return [Table("", columns, rows)]


def compare(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD[:3],
    policies: Mapping[str, Policy] | None = None,
    floor: int = 1,
    randomised: bool = False,
) -> PaddingComparison:
    """For each policy its overhead and leakage, and for each entropy the best padding whose mean overhead is no larger.

    A policy is a function from an array of sizes to one of sizes that are nowhere smaller; `POLICIES` if not given.
    With a `floor` the best must also have so many secrets in each bucket; a policy within whose overhead that cannot be
    is refused as `padding` refuses it. Buckets never leak more than a policy that keeps the order of sizes.

    >>> from minleak._padding.policies import to_power_of_two
    >>> print(compare([3, 4, 5, 6, 9, 12], entropies=["shannon"], policies={"powers of two": to_power_of_two}))
    policy         overhead  entropy    leaks   buckets     bound  less by  smallest class
    powers of two  43.59%    shannon  1.58496  0.918296  0.918296  42.1%    2 -> 2
    """
    truth(randomised, "randomised")
    classes = as_size_classes(sizes, prior)
    measures = as_entropies(entropies)
    rivals = []
    for applied in apply_policies(classes, POLICIES if policies is None else policies, measures):
        within = partial(design, classes.natural, classes.prior, budget=applied.overhead)
        best = tuple(within(entropy=H, floor=floor) for H in measures)
        random = tuple(within(entropy=H, randomised=True) for H in measures) if randomised else ()
        rivals.append(PolicyComparison(applied, best, random))
    return PaddingComparison(tuple(H.name for H in measures), classes.mean, tuple(rivals))
