"""compare: what a scheme of buckets leaks, beside the best blocks and the optimal plan of the same size."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from minleak._attack.profiles import SortedPrior
from minleak._data.arrays import Array, Indices
from minleak._data.matching import values_by_label
from minleak._data.parameters import as_list
from minleak._data.prior import Prior, as_prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies
from minleak._entropy.standard import STANDARD
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._measure.leakages import difference
from minleak._plan.partition import Partition, cut
from minleak._plan.rows_read import RowsRead, as_rows, cut_within, read_by_blocks
from minleak.errors import InvalidParameter, quote

_WHAT = "a scheme has the bucket of each secret, in the order of the prior or by label"


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
    Where rows are counted, the last of `rows` are blocks that read no more of them than the scheme, on the mean and at
    worst.
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

    reported = ("verdict",)

    def to_parts(self) -> list[str | Table]:
        counted = self.rows[0].read is not None
        rows = [
            [row.name, row.k, row.success, *(_cells(row.read) if counted else ()), *row.leakage.values()]
            for row in self.rows
        ]
        columns = ["", "k", "one guess", *(["rows, mean", "rows, worst"] if counted else []), *self.rows[0].leakage]
        legend = "k: members of the largest set; one guess: how often it is right; the others: leakage, lower is better"
        return [Table("", columns, rows), legend, self.verdict]

    @property
    def verdict(self) -> str:
        """In one line, the smallest sets that hide as well as the buckets."""
        return (
            f"{self.secrets:,} secrets in {self.buckets:,} buckets of {self.average} on average; blocks of "
            f"{self.same_blocks} or an optimal plan of {self.same_plan} already hide as well against one guess"
        )


def compare(
    prior: Prior | Iterable[Any],
    scheme: Iterable[Any] | Mapping[Any, Any],
    *,
    entropies: Sequence[ConditionalEntropy | str] = STANDARD,
    rows: Any = None,
) -> Comparison:
    """What a deterministic scheme leaks, where every secret always shows the bucket that it is in, such as the first
    bits of its hash; beside the best that sets of the same sizes can do.

    `scheme` has the bucket of each secret, in the order of the prior or by label in a mapping or a Series. Buckets are
    named by text, whole numbers or any hashable objects but floats. `rows` says how many rows of a table
    hold each secret, in the order of the prior or by label (`prior.weights` where the counts are those of the table):
    each row of the comparison then has what a query for a set reads, and there is one more: blocks of different
    sizes that read no more than the scheme, see `Blocks`. O(n log n).

    >>> found = compare([8, 4, 2, 1, 1], ["a", "b", "b", "a", "c"])
    >>> found.success, found.blocks, found.plan
    (0.8125, 0.6875, 0.5)
    """
    prior = as_prior(prior)
    measures = as_entropies(entropies)
    partition = Partition.by_codes(_codes(values_by_label(scheme, prior.labels, "a scheme"), len(prior)))
    buckets, largest = len(partition.begins) - 1, int(partition.sizes.max())
    average = max(1, math.floor(len(prior) / buckets + 0.5))
    profile = SortedPrior(prior)
    held = None if rows is None else as_rows(prior, rows)

    def measure(name: str, k: int, cells: Partition) -> ComparisonRow:
        read = None if held is None else read_by_blocks(cells, prior, held)
        return ComparisonRow(name, k, cells.success(prior), cells.leakages(prior, measures), read)

    found = [measure("these buckets", largest, partition)]
    for k in dict.fromkeys([average, largest]):
        found.append(measure("blocks", k, cut(prior, k)))
        after = {H.name: float(profile.entropies(H, np.array([k]))[0]) for H in measures}
        leaked = {H.name: difference(H, H(prior), after[H.name]) for H in measures}
        read = None if held is None else _read_by_plan(prior, held, k, int(profile.giants(np.array([k]))[0]))
        found.append(ComparisonRow("optimal plan", k, max(1 / k, float(profile.p[0])), leaked, read))
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
        same_blocks=_least(profile, success, lambda k: float(profile.p[::k].sum())),
        same_plan=_least(profile, success, lambda k: max(1 / k, float(profile.p[0]))),
        rows=tuple(found),
    )


def _read_by_plan(prior: Prior, held: Array, k: int, giants: int) -> RowsRead:
    """What drawn sets of k cost on the mean: x is in the set that is shown with probability p(x)/pi(x), which is 1 for
    giants and u p(x)/s for others.
    """
    order = np.argsort(-prior.p, kind="stable")
    p, rows = prior.p[order], held[order]
    rest = float(p[giants:].sum())
    mean = rows[:giants].sum() + (min(k, len(p)) - giants) * (rows[giants:] @ p[giants:]) / rest if rest > 0 else 0.0
    return RowsRead(float(mean), None)


def _cells(read: RowsRead | None) -> list[Any]:
    return ["", ""] if read is None else [read.mean, "" if read.worst is None else read.worst]


def _least(profile: SortedPrior, success: float, at: Any) -> int:
    """The least k at which the success, which does not grow with k, is no more than that."""
    return 1 + bisect_left(range(1, profile.n), True, key=lambda k: at(k) <= success * (1 + 1e-12))


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
