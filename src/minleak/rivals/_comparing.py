"""compare: what a scheme of buckets leaks, beside the best blocks and the optimal plan of the same size."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._design import design
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropies
from minleak.core._entropy.standard import STANDARD
from minleak.core._leakage import difference
from minleak.core._matching import values_by_label
from minleak.core._parameters import as_list, truth
from minleak.core._plan.partition import Partition, cut
from minleak.core._plan.rows_read import RowsRead, as_rows, cut_within, read_by_blocks
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._text_tables import Table, estimate
from minleak.errors import InvalidParameter, quote
from minleak.rates._profiles import SortedPrior
from minleak.rates._rates import Counts
from minleak.rates._sweeps import least_by_doubling, say_population
from minleak.rates._world import Population, find_population
from minleak.rivals._visits import VisitRow, Visits

# Rates that are drawn in all, and populations at most, to measure blocks in.
_RATES, _MOST = 1 << 18, 1 << 10
_WHAT = "a scheme has the bucket of each secret, in the order of the prior or by label"


@runtime_checkable
class Scheme(Protocol):
    """What puts names into buckets by itself: `Buckets`, a selector, or an object of one's own."""

    @property
    def name(self) -> str:
        """What it is called in a table."""

    def buckets(self, names: Any) -> Any:
        """The bucket of each name."""


@dataclass(frozen=True)
class ComparisonRow(Result):
    """A countermeasure by `name` with sets of at most `k`: `success` is how often one guess is right, `leakage` what
    leaks, by entropy; `read` how many rows of a table a query for a set reads, where that was asked.
    """

    name: str
    k: int
    success: float
    leakage: dict[str, float]
    read: RowsRead | None = None


@dataclass(frozen=True)
class Comparison(Result):
    """A scheme of some `buckets` for some `secrets`, beside the best blocks and the optimal plan.

    `success` is how often one guess is right that sees the bucket; `blocks` and `plan` the same for the best blocks and
    the optimal plan of k = `average`, the members of a bucket on average, rounded. `rows` has these and those of
    k = `largest`, the members of the largest bucket, with leakages in each of the entropies. `same_blocks` and
    `same_plan` are the least k at which blocks and plan leave a guess right no more often than the scheme does.
    `beside` has the schemes that were to be compared, too. `visits` has what a visit tells under each of these, and
    under blocks, where it was said which names are asked for together. Where rows are counted, the last of `rows` are
    blocks that read no more of them than the scheme, on the mean and at worst.

    Successes and leakages are for the true population that the counts are a sample of, or as counted if `on_counts`;
    `untold` is then why nothing can be said about the true population, unless it was not asked for.
    """

    secrets: int
    buckets: int
    average: int
    largest: int
    success: float
    blocks: float
    plan: float
    same_blocks: int
    same_plan: int
    rows: tuple[ComparisonRow, ...]
    beside: tuple[ComparisonRow, ...]
    on_counts: bool
    untold: str | None = None
    visits: tuple[VisitRow, ...] = ()

    reported = ("verdict", "replacement", "advice")

    def to_parts(self) -> list[str | Table]:
        counted = self.rows[0].read is not None
        say = float if self.on_counts else estimate
        rows = [
            [
                row.name,
                row.k,
                say(row.success),
                *(_cells(row.read) if counted else ()),
                *(say(bits) for bits in row.leakage.values()),
            ]
            for row in (self.rows[0], *self.beside, *self.rows[1:])
        ]
        columns = ["", "k", "one guess", *(["rows, mean", "rows, worst"] if counted else []), *self.rows[0].leakage]
        legend = "k: members of the largest set; one guess: how often it is right; the others: leakage, lower is better"
        told: list[str | Table] = [
            Table("", columns, rows),
            say_population(self),
            legend,
            self.verdict,
            f"advice: {self.advice}",
        ]
        if not self.visits:
            return told
        cells = [
            [row.name, *map(estimate, (row.success, row.asked_once, row.names, row.buckets, row.answers))]
            for row in self.visits
        ]
        heads = ["a visit, all requests seen", "one guess", "each bucket once", "names", "buckets", "names in answers"]
        return [*told, Table("names that are asked for together", heads, cells)]

    @property
    def verdict(self) -> str:
        """In one line, the smallest sets that hide as well as the buckets."""
        return (
            f"{self.secrets:,} secrets in {self.buckets:,} buckets of {self.average} on average; blocks of "
            f"{self.same_blocks} or an optimal plan of {self.same_plan} already hide as well against one guess"
        )

    @property
    def replacement(self) -> str:
        """The options of `minleak design` that make the better table: blocks of the same average size or, where rows
        are counted, blocks that read no more of them; empty where no better one was found.
        """
        read, best = self.rows[0].read, self.rows[1] if self.rows[0].read is None else self.rows[-1]
        if best.success >= self.success * (1 - 1e-9):
            return ""
        if read is None:
            return f"-k {self.average} --layout blocks"
        return f"--layout blocks --mean-rows {math.ceil(read.mean)} --worst-rows {math.ceil(read.worst or 0)}"

    @property
    def advice(self) -> str:
        """What to do, in one sentence, the same in print and on the page."""
        table, best = f"blocks of {self.average}", self.rows[1]
        none = f"{table} do no better"
        if self.rows[0].read is not None:
            table, best = "blocks that read no more rows", self.rows[-1]
            none = "no better cut of the sorted secrets was found that reads as few rows"
        if not self.replacement:
            return f"keep the buckets: {none}"
        return (
            f"replace the buckets with {table}: a guess is then right {100 * best.success:.3g}% of the time instead of "
            f"{100 * self.success:.3g}%"
        )


def compare(
    prior: Prior | Iterable[Any],
    scheme: Scheme | Iterable[Any] | Mapping[Any, Any],
    *,
    beside: Sequence[Scheme] = (),
    visits: Mapping[Any, Iterable[Any]] | None = None,
    roots: Prior | Iterable[Any] | None = None,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD,
    rows: Any = None,
    on_counts: bool = False,
) -> Comparison:
    """What a deterministic scheme leaks, where every secret always shows the bucket that it is in, such as the first
    bits of its hash; beside the best that sets of the same sizes can do.

    Where the weights are counts, all is measured for an attacker who knows the true frequencies, of which the counts
    are a sample (see `minleak.population`); where they are not, where so few events say nothing about the true
    population, or with `on_counts`, for the weights as they are. `Comparison.on_counts` tells which of the two.

    `scheme` is `Buckets("sha256:8")`, a selector, or the bucket of each secret, in the order of the prior or by label
    in a mapping or a Series. Buckets are named by text, whole numbers or any hashable objects but floats. `rows` says
    how many rows of a table hold each secret, in the order of the prior or by label (`prior.weights` where the counts
    are those of the table): each row of the comparison then has what a query for a set reads, and there is one more:
    blocks of different sizes that read no more than the scheme, see `Blocks`. `beside` are further schemes, such as
    selectors.

    `visits` maps a name to those that are asked for with it, such as a package to all that it depends on, all of them
    in the prior. `roots` says how often a visit begins with each name, if not as the prior says. A visit shows the
    buckets of all its names, and tells far more than one lookup: what it tells is measured on the weights as they are.
    O(n log n).

    >>> found = compare([8, 4, 2, 1, 1], ["a", "b", "b", "a", "c"], on_counts=True)
    >>> found.success, found.blocks, found.plan
    (0.8125, 0.6875, 0.5)
    """
    prior = as_prior(prior)
    measures = as_entropies(entropies)
    partition = Partition.by_codes(_codes(_buckets_of(scheme, prior), len(prior)))
    buckets, largest = len(partition.begins) - 1, int(partition.sizes.max())
    average = max(1, math.floor(len(prior) / buckets + 0.5))
    held = None if rows is None else as_rows(prior, rows)
    population = None if truth(on_counts, "on_counts") else find_population(prior)
    judge = _TruePopulation(prior, *population) if isinstance(population, tuple) else _AsCounted(prior)

    def measure(name: str, k: int, cells: Partition) -> ComparisonRow:
        read = None if held is None else read_by_blocks(cells, prior, held)
        return ComparisonRow(name, k, judge.success(cells), judge.leakages(cells, measures), read)

    others = [
        (other.name, Partition.by_codes(_codes(_buckets_of(other, prior), len(prior)))) for other in _schemes(beside)
    ]
    found = [measure("these buckets", largest, partition)]
    for k in dict.fromkeys([average, largest]):
        found.append(measure("blocks", k, cut(prior.weights, k)))
        read = None if held is None else _read_by_plan(prior, held, k)
        found.append(ComparisonRow("optimal plan", k, judge.plan_success(k), judge.plan_leakages(k, measures), read))
    success = found[0].success
    if held is not None and found[0].read is not None:
        most = found[0].read
        best = cut_within(prior, held, len(prior), mean=most.mean, worst=most.worst)
        found.append(measure("blocks, no more rows", int(best.sizes.max()), best))
    return Comparison(
        secrets=len(prior),
        buckets=buckets,
        average=average,
        largest=largest,
        success=success,
        blocks=found[1].success,
        plan=found[2].success,
        same_blocks=judge.least(success, lambda k: judge.success(cut(prior.weights, k))),
        same_plan=judge.least(success, judge.plan_success),
        rows=tuple(found),
        beside=tuple(measure(name, int(cells.sizes.max()), cells) for name, cells in others),
        on_counts=not isinstance(population, tuple),
        untold=population if isinstance(population, str) else None,
        visits=()
        if visits is None
        else _measure_visits(
            Visits.of(visits, prior.labels, prior if roots is None else as_prior(roots)),
            [
                ("these buckets", partition),
                *others,
                *((f"blocks of {k}", cut(prior.weights, k)) for k in dict.fromkeys([average, largest])),
            ],
        ),
    )


def _measure_visits(visits: Visits, schemes: Iterable[tuple[str, Partition]]) -> tuple[VisitRow, ...]:
    """What a visit tells under each scheme, on the weights as they are."""
    return tuple(visits.under(name, cells.block_of().astype(np.int64)) for name, cells in schemes)


class _AsCounted:
    """Blocks and plans for the weights as they are."""

    def __init__(self, prior: Prior) -> None:
        self._prior, self._profile = prior, SortedPrior(prior)

    def success(self, cells: Partition) -> float:
        """How often a guess is right that sees the block."""
        return cells.success(self._prior)

    def leakages(self, cells: Partition, measures: Sequence[ConditionalEntropy]) -> dict[str, float]:
        """What blocks leak, by the names of the entropies."""
        return cells.leakages(self._prior, measures)

    def plan_success(self, k: int) -> float:
        """How often a guess is right that sees a set of the optimal plan."""
        return max(1 / k, float(self._profile.p[0]))

    def plan_leakages(self, k: int, measures: Sequence[ConditionalEntropy]) -> dict[str, float]:
        """What the optimal plan leaks, by the names of the entropies."""
        after = {H: float(self._profile.entropies(H, np.array([k]))[0]) for H in measures}
        return {H.name: difference(H, H(self._prior), after[H]) for H in measures}

    def least(self, success: float, at: Callable[[int], float]) -> int:
        """The least k at which the success, which does not grow with k, is no more than that."""
        return 1 + bisect_left(range(1, self._profile.n), True, key=lambda k: at(k) <= success * (1 + 1e-12))


class _TruePopulation:
    """The same in the true population. Blocks are measured in several populations with rates as the counts allow, side
    by side as one joint, the plan by its sampled sets as in `minleak.population`.
    """

    def __init__(self, prior: Prior, population: Population, counts: Counts) -> None:
        n, self._prior = len(prior), prior
        self._show = cache(lambda k: population.show(design(prior, k), counts))
        self._times = max(1, min(_RATES // n, _MOST))
        rates = population.draw_rates(counts, self._times)
        self._known = Prior(rates.ravel(), counts=False)
        self._whole = self._tile(Partition(np.arange(n), np.array([0, n])))

    def _tile(self, cells: Partition) -> Partition:
        """The blocks in each of the populations."""
        moved = len(self._prior) * np.arange(self._times)[:, None]
        return Partition(
            (moved + cells.members).ravel(), np.append((moved + cells.begins[:-1]).ravel(), len(self._known))
        )

    def success(self, cells: Partition) -> float:
        """How often a guess is right that sees the block."""
        return self._tile(cells).success(self._known)

    def leakages(self, cells: Partition, measures: Sequence[ConditionalEntropy]) -> dict[str, float]:
        """What blocks leak, by the names of the entropies."""
        before = self._whole.entropies(self._known, measures)
        after = self._tile(cells).entropies(self._known, measures)
        return {H.name: difference(H, *both) for H, *both in zip(measures, before, after, strict=True)}

    def plan_success(self, k: int) -> float:
        """How often a guess is right that sees a set of the optimal plan."""
        return self._show(k).success

    def plan_leakages(self, k: int, measures: Sequence[ConditionalEntropy]) -> dict[str, float]:
        """What the optimal plan leaks, by the names of the entropies."""
        return {H.name: self._show(k).leakage(H) for H in measures}

    def least(self, success: float, at: Callable[[int], float]) -> int:
        """The least k at which the success is no more than that; all secrets in one set tell nothing."""
        n = len(self._prior)
        return least_by_doubling(1, n, lambda k: k == n or at(k) <= success * (1 + 1e-12)) or n


def _read_by_plan(prior: Prior, held: Array, k: int) -> RowsRead:
    """What drawn sets of k cost on the mean: x is in the set that is shown with probability p(x)/pi(x), which is 1 for
    giants and u p(x)/s for others.
    """
    giants = int(SortedPrior(prior).giants(np.array([k]))[0])
    order = np.argsort(-prior.p, kind="stable")
    p, rows = prior.p[order], held[order]
    rest = float(p[giants:].sum())
    mean = rows[:giants].sum() + (min(k, len(p)) - giants) * (rows[giants:] @ p[giants:]) / rest if rest > 0 else 0.0
    return RowsRead(float(mean), None)


def _cells(read: RowsRead | None) -> list[Any]:
    return ["", ""] if read is None else [read.mean, "" if read.worst is None else read.worst]


def _schemes(given: Any) -> list[Scheme]:
    """Schemes with a name."""
    schemes = as_list(given, "beside must be a list of schemes, such as [selector]")
    for scheme in schemes:
        if not isinstance(scheme, Scheme):
            raise InvalidParameter(
                f"beside must hold schemes such as Buckets or selectors; got {type(scheme).__name__}. Make one."
            )
    return schemes


def _buckets_of(scheme: Any, prior: Prior) -> Any:
    """The bucket of each secret: as a scheme such as `Buckets` or a selector computes it from the labels, or given."""
    if isinstance(scheme, Scheme):
        return scheme.buckets(prior.labels)
    return values_by_label(scheme, prior.labels, "a scheme")


def _codes(scheme: Any, n: int) -> Indices:
    """Buckets as whole numbers from 0 on."""
    if isinstance(scheme, set | frozenset):
        raise InvalidParameter(f"{_WHAT}, not a {type(scheme).__name__}")
    if hasattr(scheme, "__array__") and not isinstance(scheme, pa.Array | pa.ChunkedArray):
        scheme = np.asarray(scheme)
    if isinstance(scheme, np.ndarray):
        scheme = pa.array(scheme) if scheme.ndim == 1 and scheme.dtype.kind in "iub" else scheme.tolist()
    if isinstance(scheme, pa.ChunkedArray):
        scheme = scheme.combine_chunks()
    if not isinstance(scheme, pa.Array):
        scheme = as_list(scheme, _WHAT)
    elif scheme.null_count or pa.types.is_floating(scheme.type) or pa.types.is_nested(scheme.type):
        scheme = scheme.to_pylist()
    if len(scheme) != n:
        raise InvalidParameter(f"{len(scheme):,} buckets for {n:,} secrets: give one for each")
    if isinstance(scheme, pa.Array):
        coded = scheme if pa.types.is_dictionary(scheme.type) else scheme.dictionary_encode()
        return np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    for i, bucket in enumerate(scheme):
        if isinstance(bucket, float | np.floating) or bucket is None:
            what = "missing" if bucket is None else f"{quote(bucket)}, a float"
            raise InvalidParameter(f"the bucket of secret {i} is {what}: name buckets by text or whole numbers")
    try:
        known: dict[Any, int] = {}
        return np.array([known.setdefault(bucket, len(known)) for bucket in scheme], dtype=np.int64)
    except TypeError:
        raise InvalidParameter("a bucket cannot be looked up: name buckets by text or whole numbers") from None
