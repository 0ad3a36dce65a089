"""Least leakage against k, for all k at once, and the least k for a target."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from minleak._attack.profiles import SortedPrior
from minleak._data.arrays import Array, Indices
from minleak._data.parameters import as_list, real
from minleak._data.prior import Prior, as_prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies, as_entropy, place
from minleak._entropy.standard import FEW
from minleak._face.plain import plain
from minleak._face.tables import Table
from minleak._layouts.tiers import find_partition
from minleak._measure.frontier import Axes, Frontier, Row
from minleak._measure.leakages import difference
from minleak._plan.groups import Groups, GroupTree
from minleak._plan.rings import LIMIT, cap
from minleak._plans.make import design
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Sweep(Frontier):
    """The least `leakage` in each of the `entropies`, and the attacker's chance with one guess, `success`, for each of
    the `ks` asked for.

    `in_the_world` is that chance for an attacker who knows the truth of which the counts are a sample, where asked for.
    """

    ks: tuple[int, ...]
    entropies: tuple[str, ...]
    leakage: Array
    success: Array
    in_the_world: Array | None = None

    def __getitem__(self, entropy: ConditionalEntropy | str) -> Array:
        return np.asarray(self.leakage[:, place(self.entropies, entropy)])

    @property
    def axes(self) -> Axes:
        return Axes(
            across="k", title="size k of the sets", leakage="least leakage, in the unit of each entropy", scale="log"
        )

    def rows(self) -> list[Row]:
        return [
            {"series": name, "k": k, "leakage": float(leak), "success": float(success)}
            for name, leaks in zip(self.entropies, self.leakage.T, strict=True)
            for k, leak, success in zip(self.ks, leaks, self.success, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """`ks`, `success` and `in_the_world` as lists, and `leakage`, by entropy a list."""
        leakage = dict(zip(self.entropies, self.leakage.T, strict=True))
        told = {"ks": self.ks, "success": self.success, "in_the_world": self.in_the_world, "leakage": leakage}
        return {name: plain(value) for name, value in told.items()}

    def to_parts(self) -> list[str | Table]:
        columns = {"k": list(self.ks), "success": self.success.tolist()}
        if self.in_the_world is not None and (self.in_the_world > 1.01 * self.success).any():
            columns["true population"] = self.in_the_world.tolist()
        columns |= {name: self[name].tolist() for name in self.entropies}
        return [Table("", list(columns), list(zip(*columns.values(), strict=True)))]


def sweep(
    prior: Prior | Iterable[Any],
    *,
    ks: Iterable[int] | None = None,
    groups: Groups | GroupTree | None = None,
    entropies: Sequence[ConditionalEntropy | str] = FEW,
    in_the_world: bool = False,
) -> Sweep:
    """H(X) - H(pi) for many k: what the best countermeasure with sets of k still leaks.

    j* grows with k: secret j is no giant as long as k <= j - 1 + floor((w_j + ... + w_n) / w_j), a bound that does not
    fall with j, so that one sort and one search give all targets. Entropies with a `form` then follow from prefix
    sums, O(1) for each k; one's own are evaluated on pi, O(k) each. `ks` defaults to 1..min(n, 100).
    With `in_the_world` a plan is made for each k and judged by `Plan.in_the_world`. With `groups` sets keep their caps,
    and pi is found anew for each k, O(n) each.

    >>> table = sweep(range(30, 0, -1), ks=[15, 20])
    >>> [round(float(value), 10) for value in table["shannon"]]
    [0.7437328063, 0.3404993987]
    """
    prior = as_prior(prior)
    profile = SortedPrior(prior)
    chosen = range(1, min(profile.n, 100) + 1) if ks is None else ks
    asked = tuple(cap(k) for k in as_list(chosen, "ks are the caps to sweep over, such as range(1, 20)", some=True))
    wanted = np.array([min(k, profile.n) for k in asked], dtype=np.int64)  # no set has more members than that
    measures = as_entropies(entropies)
    capped = None if groups is None else _Capped(prior, groups)
    table = np.empty((len(wanted), len(measures)))
    for column, H in enumerate(measures):
        before, source = H(profile.prior), profile if capped is None else capped
        table[:, column] = [difference(H, before, after) for after in source.entropies(H, wanted).tolist()]
    success = np.maximum(1.0 / wanted, float(profile.p[0]))
    if capped is not None:
        success = np.array([capped.target(int(k))[0] for k in wanted])
    world = np.array([_in_the_world(prior, k, groups) for k in asked]) if in_the_world else None
    return Sweep(asked, tuple(H.name for H in measures), table, success, world)


class _Capped:
    """pi for any k, where sets keep the caps of groups."""

    def __init__(self, prior: Prior, groups: Groups | GroupTree) -> None:
        self._prior, self._tree, self._found = prior, groups.tree(prior.labels), dict[int, Array]()

    @property
    def most(self) -> int:
        """The largest set that the caps allow of secrets that can occur."""
        possible = np.asarray(self._prior.weights > 0)
        return self._tree.rank(possible, len(possible))

    def target(self, k: int) -> Array:
        """pi, largest first."""
        if k not in self._found:
            weights = self._prior.on_grid(LIMIT // k).weights
            self._found[k] = find_partition(weights, k, self._tree).target(weights)
        return self._found[k]

    def entropies(self, H: ConditionalEntropy, ks: Indices) -> Array:
        """H(pi) for each k."""
        return np.array([H(self.target(int(k))) for k in ks])


def _in_the_world(prior: Prior, k: int, groups: Groups | GroupTree | None = None) -> float:
    return design(prior, k, groups=groups).in_the_world(entropies=()).success


def least_k(
    prior: Prior | Iterable[Any],
    entropy: ConditionalEntropy | str = "min-entropy",
    *,
    leakage: float | None = None,
    success: float | None = None,
    groups: Groups | GroupTree | None = None,
    in_the_world: bool = False,
) -> int:
    """The least k whose optimal plan leaks at most `leakage` in the entropy, or leaves a guess right at most so often
    as `success` says.

    The least leakage does not grow with k, so k is found by bisection. One of the two targets is to be given. With
    `in_the_world` the success is that of an attacker who knows the truth of which the counts are a sample, as
    `Plan.in_the_world` estimates it for the stable layout; where the interval must meet it too, take a larger k.
    With `groups` sets keep their caps, and a target that no k meets under them is refused.

    >>> least_k(range(30, 0, -1), "min-entropy", leakage=0)
    16
    >>> least_k(range(30, 0, -1), success=0.1)
    10
    """
    prior = as_prior(prior)
    profile = SortedPrior(prior)
    if in_the_world and success is None:
        raise InvalidParameter("for the true population a target is success=, how often a guess may be right")
    if (leakage is None) == (success is None):
        raise InvalidParameter("give one target: leakage= or success=")
    if success is not None:
        return _least_k_for_success(prior, profile, as_success(success), groups, in_the_world=in_the_world)
    most = real(leakage, "leakage is a number from 0 on", least=0.0)
    H = as_entropy(entropy)
    before = H(profile.prior)
    source = profile if groups is None else _Capped(prior, groups)
    largest = profile.positive if isinstance(source, SortedPrior) else source.most

    def enough(k: int) -> bool:
        after = float(source.entropies(H, np.array([k]))[0])
        return difference(H, before, after) <= most * (1 + 1e-12) + 1e-12 * max(1.0, abs(before)) * (most == 0)

    if groups is not None and not enough(largest):
        raise InvalidParameter(f"no k can do that under the caps of the groups: they allow sets of up to {largest}")
    return _least(1, largest, enough)


def _least_k_for_success(
    prior: Prior, profile: SortedPrior, success: float, groups: Groups | GroupTree | None, *, in_the_world: bool
) -> int:
    """The least k that leaves a guess right at most so often: 1/k of the time, or more under the caps of groups."""
    blind, largest = float(profile.p[0]), profile.positive
    if blind > success:
        raise InvalidParameter(
            f"no k can do that: a blind guess at the likeliest secret is right with probability {blind:.6g}"
        )
    if 1 / largest > success:
        raise InvalidParameter(f"only {largest} secrets are possible: no set hides one that well")
    k = _least(1, largest, lambda k: 1 / k <= success)
    if groups is not None:
        capped = _Capped(prior, groups)
        largest, least = capped.most, float(capped.target(capped.most)[0])
        if least > success * (1 + 1e-12):
            raise InvalidParameter(
                f"no k can do that under the caps of the groups: they allow sets of up to {largest}, with which a "
                f"guess is right with probability {least:.6g}"
            )
        k = _least(k, largest, lambda k: float(capped.target(k)[0]) <= success * (1 + 1e-12))
    return _least_in_the_world(prior, k, largest, success, groups) if in_the_world else k


def as_success(success: Any) -> float:
    """How often a guess may be right at most, if it is such a probability."""
    return real(success, "success is a probability above 0 and up to 1, such as 0.05 for 5%", above=0, most=1)


def _least(low: int, high: int, enough: Callable[[int], bool]) -> int:
    """The least k that is enough, by bisection; `high` is."""
    return low + bisect_left(range(low, high), True, key=enough)


def _least_in_the_world(
    prior: Prior, low: int, high: int, success: float, groups: Groups | GroupTree | None = None
) -> int:
    """The least k from `low` on that meets the target in the true population: doubled until one does, then by
    bisection. Success does not grow with k, but estimates of it do where they are close: twice as many must do as well.
    """

    @cache
    def estimate(k: int) -> float:
        return _in_the_world(prior, k, groups)

    def enough(k: int) -> bool:
        return estimate(k) <= success and estimate(min(2 * k, high)) <= success

    k = low
    while not enough(k):
        if k == high:
            raise InvalidParameter("no k does that in the true population: collect more events, or ask for less")
        low, k = k + 1, min(2 * k, high)
    return _least(low, k, enough)
