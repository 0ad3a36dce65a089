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
from minleak._padding.make import design
from minleak._padding.policies import POLICIES, AppliedPolicy, Policy, apply_policies
from minleak._padding.result import Padding
from minleak._padding.size_classes import as_size_classes


@dataclass(frozen=True)
class PolicyComparison:
    """A policy, and for each entropy the best padding at its overhead: buckets, and the randomised one if asked for."""

    policy: AppliedPolicy
    best: tuple[Padding, ...]
    randomised: tuple[Padding, ...]


@dataclass(frozen=True)
class PaddingComparison:
    """Policies and the best paddings at their overheads; prints as a table."""

    entropies: tuple[str, ...]
    mean: float
    rivals: tuple[PolicyComparison, ...]

    def __str__(self) -> str:
        lines = [
            f"{'policy':<20}{'overhead':>10}  {'entropy':<14}{'leaks':>10}{'buckets':>10}{'bound':>10}"
            + (f"{'random':>10}" if self.rivals[0].randomised else "")
            + f"{'less by':>9}   smallest class"
        ]
        for rival in self.rivals:
            for i, name in enumerate(self.entropies):
                ours, theirs = rival.best[i], rival.policy.leakage[i]
                share = rival.policy.overhead / self.mean if self.mean > 0 else 0.0
                head = (rival.policy.name, f"{share:.2%}") if i == 0 else ("", "")
                less = 1 - ours.leakage / theirs if theirs > 0 else 0.0
                lines.append(
                    f"{head[0]:<20}{head[1]:>10}  {name:<14}{theirs:>10.4f}{ours.leakage:>10.4f}"
                    f"{ours.bound:>10.4f}"
                    + (f"{rival.randomised[i].leakage:>10.4f}" if rival.randomised else "")
                    + f"{less:>9.1%}   {rival.policy.smallest_class} -> {ours.smallest_class}"
                )
        return "\n".join(lines)


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
    policy                overhead  entropy            leaks   buckets     bound  less by   smallest class
    powers of two           43.59%  shannon           1.5850    0.9183    0.9183    42.1%   2 -> 2
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
