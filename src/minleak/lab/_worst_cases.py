"""Worst cases: the least capacity under any allowed sets, for all of Arimoto's orders at once, and the least leakage
through each single observable.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._certify.certificate import Certificate, Check
from minleak.core._channel import Channel
from minleak.core._labels import Labels
from minleak.core._matching import values_by_label
from minleak.core._parameters import as_list, real, whole
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import Infeasible, InvalidParameter, SolverFailed, quote
from minleak.lab._matroids.optimum import matroid_optimum
from minleak.lab._matroids.oracles import Matroid

Some = frozenset[int]

# Where floats are taken for fractions: denominators up to this, tried before they are rounded safely.
_DENOMINATOR = 10_000
# A set that weighs more than this above 1 is worth a column; the rounds in which columns are looked for.
_WORTH, _ROUNDS = 1e-9, 5_000
# The most cells of a table of budgets.
_CELLS = 200_000_000
# Numbers up to this are added up in 64 bits.
_NARROW = 1 << 62


class Sets(ABC):
    """A family of allowed sets of the secrets 0, ..., n-1, closed under subsets."""

    @abstractmethod
    def allows(self, some: Some) -> bool:
        """Whether the set is allowed."""

    @abstractmethod
    def heaviest(self, weights: list[int]) -> int:
        """The most that an allowed set weighs, for weights that are not negative."""


@dataclass(frozen=True)
class AtMost(Sets):
    """Sets of at most k."""

    k: int

    def allows(self, some: Some) -> bool:
        return len(some) <= self.k

    def heaviest(self, weights: list[int]) -> int:
        return sum(sorted(weights)[-self.k :])


@dataclass(frozen=True)
class Listed(Sets):
    """Subsets of the listed sets."""

    sets: tuple[Some, ...]

    def allows(self, some: Some) -> bool:
        return any(some <= whole for whole in self.sets)

    def heaviest(self, weights: list[int]) -> int:
        return max(sum(weights[x] for x in some) for some in self.sets)


@dataclass(frozen=True)
class Independent(Sets):
    """The independent sets of a matroid."""

    matroid: Matroid

    def allows(self, some: Some) -> bool:
        return bool(self.matroid.independent(some))

    def heaviest(self, weights: list[int]) -> int:
        return sum(weights[x] for x in self.matroid.base(sorted(range(len(weights)), key=lambda x: -weights[x])))


@dataclass(frozen=True)
class Within(Sets):
    """Sets whose sizes add up to at most a budget, perhaps of at most k secrets."""

    sizes: tuple[int, ...]
    budget: int
    k: int | None = None

    def allows(self, some: Some) -> bool:
        return sum(self.sizes[x] for x in some) <= self.budget and (self.k is None or len(some) <= self.k)

    def heaviest(self, weights: list[int]) -> int:
        narrow = sum(weights) < _NARROW
        return int(self._table(np.array(weights, dtype=np.int64 if narrow else object))[0].max())

    def best(self, weights: Array) -> tuple[float, Some]:
        """A set that weighs most, and its weight."""
        table, taken = self._table(weights)
        at = list(np.unravel_index(int(table.argmax()), table.shape))
        value, some = float(table[tuple(at)]), set()
        for x in reversed(range(len(self.sizes))):
            if taken[x][tuple(at)]:
                some.add(x)
                at[-1] -= self.sizes[x]
                if self.k is not None:
                    at[0] -= 1
        return value, frozenset(some)

    def _table(self, weights: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], list[npt.NDArray[np.bool_]]]:
        """By number (where it is capped) and total size at most: the most weight; and who was taken for it last."""
        shape = (self.budget + 1,) if self.k is None else (self.k + 1, self.budget + 1)
        table = np.zeros(shape, dtype=weights.dtype)
        taken = []
        for x, size in enumerate(self.sizes):
            before = table if self.k is None else table[:-1]
            with_x = before[..., : self.budget + 1 - size] + weights[x]
            after = table if self.k is None else table[1:]
            better = np.zeros(shape, dtype=bool)
            (better if self.k is None else better[1:])[..., size:] = with_x > after[..., size:]
            grown = table.copy()
            (grown if self.k is None else grown[1:])[..., size:] = np.maximum(after[..., size:], with_x)
            table = grown
            taken.append(better)
        return table, taken


@dataclass(frozen=True)
class LeastCapacity(Result):
    """The least capacity of channels with given sets, of all of Arimoto's orders at once: made by
    `minleak.lab.least_capacity`.
    """

    factor: Fraction
    """chi, the fractional cover number: the factor by which the chance of one guess rises at the worst prior."""
    least: Fraction
    """What is proved that no channel goes below; the same as `factor` wherever that is exact."""
    sets: tuple[tuple[tuple[Any, ...], Fraction], ...]
    """The sets that are shown, with what each member shows of it: the entries of the channel."""
    dual: dict[Any, Fraction]
    """What each secret weighs so that no allowed set weighs more than 1 and all weigh `least`."""
    family: Sets = field(repr=False, compare=False)
    labels: Sequence[Any] = field(repr=False, compare=False)

    reported = ("capacity",)

    @property
    def capacity(self) -> float:
        """log2 of the factor, in bits: the Shannon capacity, the maximal leakage, and all orders between and below."""
        return math.log2(self.factor)

    @property
    def exact(self) -> bool:
        """Whether the factor is proved to be the least, exactly."""
        return self.factor == self.least

    def channel(self) -> Channel:
        """The channel in Fractions, one observable for each set."""
        at = {label: x for x, label in enumerate(self.labels)}
        matrix = np.full((len(at), len(self.sets)), Fraction(0), dtype=object)
        for y, (members, share) in enumerate(self.sets):
            matrix[[at[label] for label in members], y] = share
        plain = isinstance(self.labels, range)
        return Channel(matrix, inputs=None if plain else self.labels, outputs=[members for members, _ in self.sets])

    def worst_prior(self, order: float) -> Prior:
        """A prior at which no channel with these sets leaks less than the capacity, in Arimoto's entropy of an order
        above 0: in proportion to the dual, to the power 1/order.
        """
        a = real(order, "the order is a number above 0, inf included", above=0)
        weights = [float(y) ** (1 / a) if y else 0.0 for y in self.dual.values()]
        return Prior(weights, labels=None if isinstance(self.labels, range) else list(self.labels))

    def certificate(self) -> Certificate:
        """Check in Fractions that the sets are allowed and cover all secrets, that no allowed set weighs more than 1 in
        the dual, and that both sums are the same, which proves that no channel has less capacity.
        """
        at = {label: x for x, label in enumerate(self.labels)}
        shown = [(frozenset(at[label] for label in members), share) for members, share in self.sets]
        sums = [sum((share for some, share in shown if x in some), Fraction(0)) for x in at.values()]
        weights, common = _common(list(self.dual.values()))
        heaviest = Fraction(self.family.heaviest(weights), common)
        most, least = sum(share for _, share in shown), sum(self.dual.values())
        checks = [
            Check("the sets are allowed", all(self.family.allows(some) for some, _ in shown)),
            Check("the rows add up to 1", all(total == 1 for total in sums)),
            Check("the largest entries of the columns add up to the factor", most == self.factor, str(most)),
            Check("no allowed set weighs more than 1 in the dual", heaviest <= 1, f"the heaviest weighs {heaviest}"),
            Check("the dual adds up to the factor", least == self.factor, str(least), optimality=True),
        ]
        claim = "no channel with these sets has less capacity, in any of Arimoto's orders above 0"
        return Certificate.of(claim, checks, exact=True)

    def to_parts(self) -> list[str | Table]:
        rows = [[", ".join(map(str, members)), str(share)] for members, share in self.sets]
        proved = "no channel has less" if self.exact else f"no channel has less than {float(self.least):.12g}"
        return [
            f"capacity {self.capacity:.6g} bits, a factor of {float(self.factor):.6g} at the worst prior, in every "
            f"order of Arimoto's above 0; {proved}",
            Table("the sets", ["members", "probability for each of them"], rows),
        ]


def least_capacity(
    secrets: int | Iterable[Any],
    k: int | None = None,
    *,
    allowed: Iterable[Iterable[Any]] | Matroid | None = None,
    sizes: Iterable[int] | Mapping[Any, int] | None = None,
    budget: int | None = None,
) -> LeastCapacity:
    """Return the least capacity of a channel that shows allowed sets only: what leaks at the worst prior.

    For any family of sets, closed under subsets, it is log chi in *every* one of Arimoto's orders from above 0 to inf,
    Shannon's capacity and maximal leakage among them, and one channel attains all. chi is the fractional cover number,
    the least sum of v_M >= 0 for which the v_M of the sets with x add up to at least 1, for every x; its dual weighs
    the secrets so that no allowed set weighs more than 1. Both are returned, so that anyone can check
    (docs/research/theorems.md).

    Parameters
    ----------
    secrets
        How many there are, or their labels.
    k
        At most k secrets in a set: chi = n/k, by the n sets of k neighbours on a circle.
    allowed
        The largest allowed sets, of labels; or a `Matroid`, where chi is the largest |F| / rank(F).
    sizes, budget
        Integers, and the most that those in a set may add up to: a pad of so many bytes for each answer. With k, both
        limits hold. The linear program of bin packing (Gilmore and Gomory 1961), its columns by knapsack.

    Exact: what floats find is proved in Fractions. Where they cannot be guessed, `factor` and `least` are a bracket of
    about 1e-9. Some hundred secrets take seconds.

    >>> found = least_capacity(4, sizes=[3, 3, 2, 2], budget=5)
    >>> found.factor, found.certificate().ok
    (Fraction(2, 1), True)
    >>> least_capacity(7, 2).factor
    Fraction(7, 2)
    """
    labels: Sequence[Any]
    if not isinstance(secrets, Iterable):
        labels = range(whole(secrets, "the number of secrets"))
    else:
        labels = [] if isinstance(secrets, str | bytes) else list(secrets)
        if not labels or len(set(labels)) != len(labels):
            raise InvalidParameter("secrets must be their number, or a list of different labels; name each once.")
    n = len(labels)
    cap = None if k is None else min(whole(k, "the cap k on the size of a set"), n)
    if (sizes is None) != (budget is None):
        raise InvalidParameter("sizes and budget must go together; got one of them. Pass both.")
    if sum(given is not None for given in (allowed, sizes)) + (cap is not None and sizes is None) != 1:
        raise InvalidParameter("exactly one of k, allowed, and sizes with budget must be given (sizes may take k too).")
    if isinstance(allowed, Matroid):
        return _under_matroid(labels, allowed)
    if allowed is not None:
        return _by_programme(labels, _as_listed(allowed, labels))
    if sizes is not None:
        return _by_programme(labels, _as_within(sizes, budget, cap, labels))
    k = cap or 1
    circle = [tuple(labels[(x + i) % n] for i in range(k)) for x in range(n)] if k < n else [tuple(labels)]
    each, weight = Fraction(1, k if k < n else 1), Fraction(1, k)
    return LeastCapacity(
        Fraction(n, k),
        Fraction(n, k),
        tuple((some, each) for some in circle),
        dict.fromkeys(labels, weight),
        AtMost(k),
        labels,
    )


def pml_channel(prior: Prior | Iterable[Any], k: int) -> Channel:
    """Return a channel with at most k secrets behind each observable, through none of which much leaks.

    The pointwise maximal leakage of every observable y, log max over x of C[x,y]/p(y), is at most log(n/(k-1)), for
    every prior; no channel keeps all below log(n/k), and whether log(n/k) can be had is NP-complete. Exact, with at
    most n observables, in O(n^2) operations on Fractions: the cube method of balanced sampling (Deville and Tille 2004)
    writes (k-1)/n for all as a mean of points of the cube with the same sum and the same weight; each has at most two
    entries between 0 and 1, which add up to 1, so at most k that are not 0.

    This is a different goal from least leakage on average: an optimal plan tells most about the rarest secrets.

    Parameters
    ----------
    prior
        The secrets, all of positive weight.
    k
        From 2 on.

    >>> channel = pml_channel([8, 4, 2, 1, 1], 3)
    >>> from minleak.lab import pointwise_maximal_leakage
    >>> pointwise_maximal_leakage([8, 4, 2, 1, 1], channel).largest <= math.log2(5 / 2) + 1e-12
    True
    """
    known = as_prior(prior)
    n = len(known)
    cap = whole(k, "the cap k on the size of a set", 2)
    weights = [Fraction(w) for w in known.weights.tolist()]
    if not all(weights):
        x = weights.index(Fraction(0))
        raise InvalidParameter(f"all secrets must have positive weight; got 0 at row {x}. Leave it out.")
    labels, inputs = list(known.labels), None if known.labels.is_default else known.labels
    if cap >= n:
        return Channel(np.full((n, 1), Fraction(1), dtype=object), inputs=inputs, outputs=[tuple(labels)])
    level = Fraction(cap - 1, n)
    columns: dict[tuple[Any, ...], list[Fraction]] = {}
    for share, point in _balance(weights, level):
        members = tuple(labels[x] for x in range(n) if point[x])
        entries = [share * t / level for t in point]
        before = columns.get(members)
        columns[members] = entries if before is None else [a + b for a, b in zip(before, entries, strict=True)]
    matrix = np.array(list(columns.values()), dtype=object).T
    return Channel(matrix, inputs=inputs, outputs=list(columns))


def _balance(weights: list[Fraction], level: Fraction) -> list[tuple[Fraction, list[Fraction]]]:
    """Points of the cube with entries that sum to n times the level, an integer, and the weight of the level, at most
    two of them between 0 and 1; and shares with which their mean is the level everywhere.
    """
    point = [level] * len(weights)
    left = Fraction(1)
    found: list[tuple[Fraction, list[Fraction]]] = []
    while True:
        corner = _move_to_corner(point, weights)
        away = {x: point[x] - corner[x] for x in range(len(point)) if point[x] != corner[x]}
        if not away:
            return [*found, (left, corner)]
        step = _room(point, away)
        found.append((left * step / (1 + step), corner))
        left /= 1 + step
        for x, change in away.items():
            point[x] += step * change


def _move_to_corner(point: list[Fraction], weights: list[Fraction]) -> list[Fraction]:
    """Move along directions that change neither the sum nor the weight, until at most two entries are inside (0, 1)."""
    point = list(point)
    loose = [x for x in range(len(point)) if 0 < point[x] < 1]
    while len(loose) > 1:
        some = loose[:3]
        if len(some) == 2 and weights[some[0]] != weights[some[1]]:
            break
        i, j, m = some if len(some) == 3 else (*some, some[0])
        direction = {i: weights[j] - weights[m], j: weights[m] - weights[i], m: weights[i] - weights[j]}
        if len(some) == 2 or not any(direction.values()):
            direction = {i: Fraction(1), j: Fraction(-1)}
        step = _room(point, direction)
        for x, change in direction.items():
            point[x] += step * change
        loose = [x for x in some if 0 < point[x] < 1] + loose[3:]
    return point


def _room(point: list[Fraction], direction: dict[int, Fraction]) -> Fraction:
    """How far one can go without leaving the cube."""
    return min((Fraction(change > 0) - point[x]) / change for x, change in direction.items() if change)


# -- the cover ---------------------------------------------------------------------------------------------------------


def _as_listed(allowed: Iterable[Iterable[Any]], labels: Sequence[Any]) -> Listed:
    if isinstance(allowed, str | bytes | Mapping) or not hasattr(allowed, "__iter__"):
        raise InvalidParameter(f"allowed must be a list of sets, or a Matroid; got {type(allowed).__name__}.")
    at = {label: x for x, label in enumerate(labels)}
    sets = set()
    for members in allowed:
        if isinstance(members, str | bytes) or not hasattr(members, "__iter__"):
            raise InvalidParameter(f"each of the allowed sets must be a set of secrets; got {quote(members)}.")
        strange = [label for label in members if label not in at]
        if strange:
            raise InvalidParameter(f"allowed sets must be of the secrets; got {quote(strange[0])}. Leave it out.")
        sets.add(frozenset(at[label] for label in members))
    covered = frozenset().union(*sets)
    for label, x in at.items():
        if x not in covered:
            raise Infeasible(f"every secret must be in an allowed set; got none with {quote(label)}. Allow it alone.")
    largest = [some for some in sets if not any(some < other for other in sets)]
    return Listed(tuple(sorted(largest, key=sorted)))


def _as_within(sizes: Any, budget: Any, k: int | None, labels: Sequence[Any]) -> Within:
    matched = values_by_label(sizes, Labels.of(list(labels), len(labels)), "sizes", more=True)
    given = [whole(size, "the size of a secret", 0) for size in as_list(matched, "sizes are one number a secret")]
    most = whole(budget, "the budget of a set", 0)
    if len(given) != len(labels):
        raise InvalidParameter(f"sizes must be one for each of {len(labels)} secrets; got {len(given)}.")
    for label, size in zip(labels, given, strict=True):
        if size > most:
            raise Infeasible(f"every secret must fit the budget of {most}; got {size} for {quote(label)}. Raise it.")
    unit = math.gcd(*given) or 1
    within = Within(tuple(size // unit for size in given), min(most // unit, sum(given) // unit), k)
    cells = len(given) * (within.budget + 1) * (1 if k is None else k + 1)
    if cells > _CELLS:
        raise InvalidParameter(
            f"secrets times budget must be at most {_CELLS:,} units; got {cells:,}. Round sizes up to coarser units."
        )
    return within


def _under_matroid(labels: Sequence[Any], matroid: Matroid) -> LeastCapacity:
    """The densest block of the principal partition at equal weights: its mean base, as often as its density says."""
    if matroid.n != len(labels):
        raise InvalidParameter(f"the matroid must be on {len(labels)} secrets; got one on {matroid.n}.")
    optimum = matroid_optimum([1] * matroid.n, matroid)
    densest = optimum.partition.blocks[0]
    chi = Fraction(len(densest.members), densest.rank)
    dual = {label: Fraction(x in densest.members, densest.rank) for x, label in enumerate(labels)}
    shown = [(frozenset(members), share * chi) for members, share in optimum.bases]
    return _result(labels, Independent(matroid), shown, list(dual.values()))


def _by_programme(labels: Sequence[Any], family: Listed | Within) -> LeastCapacity:
    """The cover and its dual by a linear program, with columns from a table of budgets where sets are not listed."""
    n = len(labels)
    sets = list(family.sets) if isinstance(family, Listed) else [frozenset([x]) for x in range(n)]
    for _ in range(_ROUNDS):
        cover, dual = _solve(sets, n)
        if isinstance(family, Listed):
            break
        new = _worth_a_column(np.maximum(dual, 0.0), family) - set(sets)
        if not new:
            break
        sets += sorted(new, key=sorted)
    else:
        raise SolverFailed(f"the cover was not found in {_ROUNDS:,} sets: round sizes up to coarser units")
    used = [(some, float(v)) for some, v in zip(sets, cover, strict=True) if v > 1e-12]
    return _result(labels, family, *_as_fractions(used, dual, family))


def _worth_a_column(dual: Array, family: Within) -> set[Some]:
    """The heaviest set, the heaviest of the rest, and so on, as long as they weigh more than 1."""
    found: set[Some] = set()
    while True:
        value, best = family.best(dual)
        if value <= 1 + _WORTH:
            return found
        found.add(best)
        dual = dual.copy()
        dual[list(best)] = 0.0


def _solve(sets: list[Some], n: int) -> tuple[Array, Array]:
    """The least cover of n secrets by sets, in floats, and its dual."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    members = [x for some in sets for x in some]
    columns = np.repeat(np.arange(len(sets)), [len(some) for some in sets])
    has = sp.csr_array((np.ones(len(members)), (members, columns)), shape=(n, len(sets)))
    solved = linprog(np.ones(len(sets)), A_ub=-has, b_ub=-np.ones(n), method="highs-ds")
    if solved.status != 0:
        raise SolverFailed(f"HiGHS stopped without a cover: {solved.message}")
    return np.asarray(solved.x), -np.asarray(solved.ineqlin.marginals)


def _as_fractions(
    used: list[tuple[Some, float]], dual: Array, family: Sets
) -> tuple[list[tuple[Some, Fraction]], list[Fraction]]:
    """The cover and the dual in Fractions: those of small denominators if these are feasible and agree, else those of
    the floats, scaled so far that they are feasible.
    """
    best: tuple[list[tuple[Some, Fraction]], list[Fraction]] | None = None
    for most in (_DENOMINATOR, 10**6, 10**17):
        shown = [(some, Fraction(v).limit_denominator(most)) for some, v in used]
        weights = [max(Fraction(y).limit_denominator(most), Fraction(0)) for y in dual.tolist()]
        least: Fraction = min(sum((v for some, v in shown if x in some), Fraction(0)) for x in range(len(dual)))
        if least > 0:
            integers, common = _common(weights)
            heaviest = Fraction(family.heaviest(integers), common)
            shown = [(some, v / min(least, Fraction(1))) for some, v in shown]
            weights = [y / heaviest for y in weights]
            if best is None or sum(v for _, v in shown) - sum(weights) < sum(v for _, v in best[0]) - sum(best[1]):
                best = shown, weights
            if sum(v for _, v in shown) == sum(weights):
                break
    if best is None:
        raise SolverFailed("HiGHS found a cover that leaves a secret out")
    return best


def _result(
    labels: Sequence[Any], family: Sets, shown: list[tuple[Some, Fraction]], dual: list[Fraction]
) -> LeastCapacity:
    """The cover with what is more than 1 taken away from some sets, so that its shares are the rows of a channel."""
    share: dict[Some, Fraction] = {}
    for some, v in shown:
        share[some] = share.get(some, Fraction(0)) + v
    for x in range(len(labels)):
        over = sum((v for some, v in share.items() if x in some), Fraction(0)) - 1
        for some, v in list(share.items()):
            if over > 0 and x in some:
                off = min(v, over)
                over -= off
                share[some] -= off
                share[some - {x}] = share.get(some - {x}, Fraction(0)) + off
    kept = {some: v for some, v in share.items() if v and some}
    sets = tuple(
        (tuple(labels[x] for x in sorted(some)), v) for some, v in sorted(kept.items(), key=lambda s: sorted(s[0]))
    )
    return LeastCapacity(
        sum((v for _, v in sets), Fraction(0)),
        sum(dual, Fraction(0)),
        sets,
        dict(zip(labels, dual, strict=True)),
        family,
        labels,
    )


def _common(values: list[Fraction]) -> tuple[list[int], int]:
    """Integers over one denominator."""
    common = math.lcm(*(value.denominator for value in values))
    return [int(value * common) for value in values], common
