"""Paddings side by side: each policy, and the best at the same mean overhead in every entropy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.parameters import truth
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies
from minleak._entropy.standard import STANDARD
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._padding.ladder import Ladder, as_ladder
from minleak._padding.make import design, leaked_by
from minleak._padding.policies import POLICIES
from minleak._padding.result import Padding
from minleak.errors import InvalidParameter, shown

Policy = Callable[[Any], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Applied(Result):
    """A policy by `name` on some sizes: its mean `overhead`, how many sizes can be seen (`observables`), the least
    number of secrets that share one (`smallest_class`), and its `leakage` in each entropy asked for.
    """

    name: str
    overhead: float
    observables: int
    smallest_class: int
    leakage: tuple[float, ...]


@dataclass(frozen=True)
class Rival(Result):
    """A `policy`, and for each entropy the `best` padding at its overhead: buckets, and the `randomised` one if asked
    for.
    """

    policy: Applied
    best: tuple[Padding, ...]
    randomised: tuple[Padding, ...]


@dataclass(frozen=True)
class PaddingComparison(Result):
    """Policies and the best paddings at their overheads, as `rivals` in some `entropies`; `mean` is the mean size."""

    entropies: tuple[str, ...]
    mean: float
    rivals: tuple[Rival, ...]

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
    ladder = as_ladder(sizes, prior)
    measures = tuple(as_entropies(entropies))
    rivals = []
    for name, policy in named_policies(POLICIES if policies is None else policies).items():
        applied = apply_policy(ladder, name, policy, measures)
        best, random = [], []
        for H in measures:
            best.append(design(ladder.sizes, ladder.prior, budget=applied.overhead, entropy=H, floor=floor))
            if randomised:
                random.append(design(ladder.sizes, ladder.prior, budget=applied.overhead, entropy=H, randomised=True))
        rivals.append(Rival(applied, tuple(best), tuple(random)))
    return PaddingComparison(tuple(H.name for H in measures), ladder.mean, tuple(rivals))


def named_policies(policies: Any) -> Mapping[str, Policy]:
    """Policies by name, if they are."""
    if not isinstance(policies, Mapping) or not all(map(callable, policies.values())):
        raise InvalidParameter(f"policies are a mapping from a name to a function of sizes, not {shown(policies)}")
    return policies


def apply_policy(ladder: Ladder, name: str, policy: Policy, entropies: Sequence[ConditionalEntropy]) -> Applied:
    """What a policy costs and leaks on these sizes; refused where it makes a size smaller."""
    padded = np.asarray(policy(ladder.sizes))
    if padded.shape != ladder.sizes.shape or not (padded >= ladder.sizes).all():
        raise InvalidParameter(f"the policy {name!r} makes a size smaller, or gives another number of sizes")
    seen, columns = np.unique(padded, return_inverse=True)
    classes = np.bincount(columns[ladder.prior.p > 0], minlength=len(seen))
    return Applied(
        name=name,
        overhead=float(ladder.prior.p @ (padded - ladder.sizes)),
        observables=len(seen),
        smallest_class=int(classes[classes > 0].min()),
        leakage=tuple(row.leakage for row in leaked_by(ladder.prior, columns, entropies).rows),
    )
