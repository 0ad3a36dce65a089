"""Least leakage against k, for all k at once, and the least k for a target."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._design import design
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import FEW, as_entropies, as_entropy, place
from minleak.core._frontier import Axes, Frontier, Row
from minleak.core._leakage import difference
from minleak.core._parameters import as_list, real, truth
from minleak.core._plain import plain
from minleak.core._plan.fields import LIMIT, cap
from minleak.core._plan.groups import Groups, GroupTree
from minleak.core._prior import Prior, as_prior
from minleak.core._progress import Progress, no_progress
from minleak.core._text_tables import Table, estimate
from minleak.errors import InvalidParameter, MinleakWarning
from minleak.groups._tiers import find_partition
from minleak.rates._profiles import SortedPrior
from minleak.rates._rates import Counts
from minleak.rates._world import Population, ShownSets, find_population


@dataclass(frozen=True)
class Sweep(Frontier):
    """The least `leakage` in each of the `entropies`, and the attacker's chance with one guess, `success`, for each of
    the `ks` asked for: in the true population that the counts are a sample of, or as counted if `on_counts`; `untold`
    is then why nothing can be said about the true population, unless it was not asked for.
    """

    ks: tuple[int, ...]
    entropies: tuple[str, ...]
    leakage: Array
    success: Array
    on_counts: bool
    untold: str | None = None

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
        """`ks` and `success` as lists, `leakage`, by entropy a list, and which population they are for."""
        leakage = dict(zip(self.entropies, self.leakage.T, strict=True))
        told: dict[str, Any] = {"ks": self.ks, "success": self.success, "leakage": leakage}
        told |= {"on_counts": self.on_counts, "untold": self.untold}
        return {name: plain(value) for name, value in told.items()}

    def to_parts(self) -> list[str | Table]:
        columns: dict[str, list[Any]] = {"k": list(self.ks), "success": self.success.tolist()}
        columns |= {name: self[name].tolist() for name in self.entropies}
        if not self.on_counts:
            columns = {name: [*map(estimate, values)] if name != "k" else values for name, values in columns.items()}
        return [say_population(self), Table("", list(columns), list(zip(*columns.values(), strict=True)))]


def say_population(found: Any) -> str:
    """Which of the two populations figures are for."""
    if not found.on_counts:
        return "in the true population, of which the counts are a sample"
    return "as counted" if found.untold is None else f"as counted only: {found.untold}"


def sweep(
    prior: Prior | Iterable[Any],
    *,
    ks: Iterable[int] | None = None,
    groups: Groups | GroupTree | None = None,
    entropies: Sequence[ConditionalEntropy | str] = FEW,
    on_counts: bool = False,
    progress: Progress | None = None,
) -> Sweep:
    """What the best countermeasure with sets of k still leaks, for many k.

    Where the weights are counts, the figures are for an attacker who knows the true frequencies, of which the counts
    are a sample: a plan is made for each k and judged as by `minleak.population`. Where they are not, where so few
    events say nothing about the true population, or with `on_counts`, they are H(X) - H(pi) for the weights as they
    are, the least that any channel with sets of k leaks. `Sweep.on_counts` tells which of the two.

    As counted all k are done at once. j* grows with k: secret j is no giant as long as k <= j - 1 + floor((w_j + ... +
    w_n) / w_j), a bound that does not fall with j, so that one sort and one search give all targets. Entropies with a
    `form` then follow from prefix sums, O(1) for each k; one's own are evaluated on pi, O(k) each. With `groups` sets
    keep their caps, and pi is found anew for each k, O(n) each. `ks` defaults to 1..min(n, 100). In the true population
    `progress` is called with the ks done, their number and the next one.

    >>> table = sweep(range(30, 0, -1), ks=[15, 20], on_counts=True)
    >>> [round(float(value), 10) for value in table["shannon"]]
    [0.7437328063, 0.3404993987]
    """
    prior = as_prior(prior)
    profile = SortedPrior(prior)
    chosen = range(1, min(profile.n, 100) + 1) if ks is None else ks
    asked = tuple(cap(k) for k in as_list(chosen, "ks are the caps to sweep over, such as range(1, 20)", some=True))
    wanted = np.array([min(k, profile.n) for k in asked], dtype=np.int64)  # no set has more members than that
    measures = as_entropies(entropies)
    names = tuple(H.name for H in measures)
    if any(not H.symmetric for H in measures):
        raise InvalidParameter("a sweep is over plain entropies; design(..., gains=...) takes gains, one k at a time")
    known = None if truth(on_counts, "on_counts") else find_population(prior)
    if isinstance(known, tuple):
        leaks, right = np.empty((len(asked), len(measures))), np.empty(len(asked))
        for i, k in enumerate(asked):
            (progress or no_progress)(i, len(asked), f"sets of {k:,}")
            shown = _show(prior, known, k, groups)
            leaks[i], right[i] = [shown.leakage(H) for H in measures], shown.success
        return Sweep(asked, names, leaks, right, on_counts=False)
    capped = None if groups is None else _Capped(prior, groups)
    table = np.empty((len(wanted), len(measures)))
    for column, H in enumerate(measures):
        before, source = H(profile.prior), profile if capped is None else capped
        table[:, column] = [difference(H, before, after) for after in source.entropies(H, wanted).tolist()]
    success = np.maximum(1.0 / wanted, float(profile.p[0]))
    if capped is not None:
        success = np.array([capped.target(int(k))[0] for k in wanted])
    return Sweep(asked, names, table, success, on_counts=True, untold=known)


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


def _show(
    prior: Prior, known: tuple[Population, Counts], k: int, groups: Groups | GroupTree | None = None
) -> ShownSets:
    """What the plan of k shows of the true population."""
    population, counts = known
    return population.show(design(prior, k, groups=groups), counts)


def least_k(
    prior: Prior | Iterable[Any],
    entropy: ConditionalEntropy | str = "min-entropy",
    *,
    leakage: float | None = None,
    success: float | None = None,
    groups: Groups | GroupTree | None = None,
    on_counts: bool = False,
) -> int:
    """The least k whose optimal plan leaks at most `leakage` in the entropy, or leaves a guess right at most so often
    as `success` says. One of the two targets is to be given.

    Where the weights are counts, the target is for an attacker who knows the true frequencies, of which the counts are
    a sample, as `minleak.population` estimates it for the stable layout; where the interval must meet it too, take a
    larger k. With `on_counts` it is for the counts as they are, and with weights that are no counts for these. A
    warning says so where counts say nothing about the true population, and the target is then for the counts.

    The least leakage does not grow with k, so k is found by bisection. With `groups` sets keep their caps, and a target
    that no k meets under them is refused.

    >>> least_k(range(30, 0, -1), "min-entropy", leakage=0, on_counts=True)
    16
    >>> least_k(range(30, 0, -1), success=0.1, on_counts=True), least_k(range(30, 0, -1), success=0.1)
    (10, 16)
    """
    prior = as_prior(prior)
    profile = SortedPrior(prior)
    if (leakage is None) == (success is None):
        raise InvalidParameter("give one target: leakage= or success=")
    known = None if truth(on_counts, "on_counts") else find_population(prior)
    if isinstance(known, str):
        if prior.events is not None:
            warnings.warn(f"as counted only: {known}", MinleakWarning, stacklevel=2)
        known = None
    if success is not None:
        return _least_k_for_success(prior, profile, as_success(success), groups, known)
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
    k = _least(1, largest, enough)
    if known is None:
        return k
    everything = largest == profile.positive  # in one set, which tells nothing

    @cache
    def leaks(k: int) -> float:
        return 0.0 if k == largest and everything else _show(prior, known, k, groups).leakage(H)

    return _least_in_the_world(k, largest, most, leaks)


def _least_k_for_success(
    prior: Prior,
    profile: SortedPrior,
    success: float,
    groups: Groups | GroupTree | None,
    known: tuple[Population, Counts] | None,
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
    if known is None:
        return k

    @cache
    def right(k: int) -> float:
        return _show(prior, known, k, groups).success

    return _least_in_the_world(k, largest, success, right)


def as_success(success: Any) -> float:
    """How often a guess may be right at most, if it is such a probability."""
    return real(success, "success is a probability above 0 and up to 1, such as 0.05 for 5%", above=0, most=1)


def _least(low: int, high: int, enough: Callable[[int], bool]) -> int:
    """The least k that is enough, by bisection; `high` is."""
    return low + bisect_left(range(low, high), True, key=enough)


def _least_in_the_world(low: int, high: int, most: float, estimate: Callable[[int], float]) -> int:
    """The least k from `low` on whose estimate in the true population is at most that."""
    k = least_by_doubling(low, high, lambda k: estimate(k) <= most)
    if k is None:
        raise InvalidParameter("no k does that in the true population: collect more events, or ask for less")
    return k


def least_by_doubling(low: int, high: int, meets: Callable[[int], bool]) -> int | None:
    """The least k from `low` to `high` that meets a target in the true population, if one does: doubled until one does,
    then by bisection. What leaks does not grow with k, but estimates of it do where they are close: twice as many must
    do as well.
    """

    def enough(k: int) -> bool:
        return meets(k) and meets(min(2 * k, high))

    k = low
    while not enough(k):
        if k == high:
            return None
        low, k = k + 1, min(2 * k, high)
    return _least(low, k, enough)
