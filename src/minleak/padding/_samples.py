"""from_samples: padding for secrets whose sizes or times vary, from rows of secret and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._frames import have_one_index
from minleak.core._labels import Labels
from minleak.core._leakage import difference, leakage
from minleak.core._parameters import real, whole
from minleak.core._prior import Prior
from minleak.core._progress import Progress
from minleak.core._result import Result
from minleak.core._simulating import generator
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter
from minleak.io._tables import as_values, encode
from minleak.padding._bucket_value import BucketValue
from minleak.padding._limits import Cap, Limits, Overheads
from minleak.padding._make import find_best, search_within
from minleak.padding._size_classes import SizeClasses, as_size_classes
from minleak.padding._size_table import SizeTable
from minleak.padding._told import tell_samples

# How many quantiles of the rows buckets may end at, so that distinct floats are not fitted one by one.
_CELLS, _MOST_CELLS = 256, 4096


@dataclass(frozen=True, repr=False)
class SamplePadding(Result):
    """A padding made from rows of secret and size: made by `minleak.padding.from_samples`.

    `table` pads any size. It was fitted to `rows` rows of `secrets` secrets and judged on `held_out` others: `leakage`
    is what the padded size leaks there about the secret, `unpadded` what the natural size leaks, in the same `measure`,
    both as counted, which overestimates. `success` is that of the best guess from the padded size, learnt on the first
    rows and tried on the others, `blind` that of the best guess without looking. `fitted` is the leakage on the fitted
    rows, and `bound` is proven: no table of these sizes within the `limits` leaks less there. `overheads` are those of
    the held-out rows.
    """

    table: SizeTable
    measure: str
    limits: Limits
    secrets: int
    rows: int
    held_out: int
    unpadded: float
    leakage: float
    fitted: float
    bound: float
    blind: float
    success: float
    overheads: Overheads

    def pad(self, size: float) -> int | float:
        """What to pad this size to."""
        return self.table.pad(size)

    def __repr__(self) -> str:
        return f"SamplePadding({len(self.table.values)} values, {self.measure} leakage={self.leakage:.6g})"

    def to_parts(self) -> list[str | Table]:
        return tell_samples(self)


def from_samples(
    secrets: Iterable[Any],
    sizes: Iterable[Any],
    *,
    budget: float | None = None,
    overhead: float | None = None,
    relative: float | None = None,
    most: Cap | None = None,
    floor: int = 1,
    entropy: ConditionalEntropy | str = "shannon",
    held_out: float = 0.5,
    cells: int = _CELLS,
    seed: int = 0,
    progress: Progress | None = None,
) -> SamplePadding:
    """Minimise H(X) - H(X|Y), what the padded size leaks about the secret, for secrets whose sizes vary: measured
    times, answers about a topic, the files of a user. Row i is one observation.

    Sizes are merged into contiguous buckets, found as in `design`, where the value of a bucket is the perspective of
    its column of counts. If every size is distinct, a bucket for each row would leak everything; so buckets may end
    only at one of `cells` quantiles of the rows, and the share `held_out` of the rows, drawn by `seed`, is kept to
    judge the result. Each secret needs a row on both sides.

    The limits and `progress` are those of `design`; `floor` is the least number of rows in a bucket. O(c^2 k) for c
    cells and k secrets, some dozen times.

    To pad times, start a clock with the request, and answer when `pad` of the time needed has passed.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> topic = rng.integers(0, 2, 4000)
    >>> times = 10 + 3 * topic + rng.exponential(1.0, 4000)
    >>> found = from_samples(topic, times, overhead=0.2)
    >>> found.unpadded > 0.8, found.leakage < 0.1, found.success < 0.6
    (True, True, True)
    """
    limits, H = Limits(budget, overhead, relative, most, floor), as_entropy(entropy)
    share = real(held_out, "the share that is held out lies between 0 and 1", above=0.0, below=1.0)
    at_most = whole(cells, "the number of cells", 2, _MOST_CELLS)
    if not have_one_index(secrets, sizes) or isinstance(sizes, Mapping):
        raise InvalidParameter(
            "secrets and sizes must be two columns of the same rows; got different indices. Bring both into one order."
        )
    codes, labels = encode(as_values(secrets, "secrets"))
    natural = as_size_classes(np.asarray(sizes) if hasattr(sizes, "__array__") else sizes, None).natural
    if len(natural) != len(codes):
        raise InvalidParameter(f"{len(natural)} sizes for {len(codes)} secrets: give one of each for each row")
    later = _hold_out(codes, labels, share, seed)
    fit, judge, x, tried = natural[~later], natural[later], codes[~later], codes[later]
    classes = as_size_classes(fit, None)
    value = BucketValue.of_joint(classes, _count_below(classes, x), H)
    search = search_within(classes, value, limits, progress)
    ends = _quantiles(classes, search.limits.reach, at_most)
    rule = np.full(len(classes.sizes) + 1, -1, dtype=np.int8)
    rule[np.append(0, ends)] = 0
    best, largest = find_best(replace(search, rule=rule), limits)
    shown = classes.sizes[best.cuts - 1].astype(natural.dtype)
    if natural.max() > shown[-1]:  # a size that only held-out rows have
        shown = np.append(shown, natural.max())
    table = SizeTable.of(np.append(fit, shown[-1]), shown, most=limits.most)
    before, padded = H(Prior(np.bincount(x))), table(judge)
    return SamplePadding(
        table=table,
        measure=H.name,
        limits=limits,
        secrets=len(labels),
        rows=len(fit),
        held_out=len(judge),
        unpadded=_measure(tried, np.searchsorted(classes.sizes[ends - 1], judge), H),
        leakage=_measure(tried, padded, H),
        fitted=_measure(x, table(fit), H),
        bound=max(0.0, difference(H, before, min(before, value.posterior_at_most(largest)))),
        blind=float((tried == np.bincount(x).argmax()).mean()),
        success=float((tried == _guess(x, table(fit), padded)).mean()),
        overheads=Overheads.of(judge, np.full(len(judge), 1 / len(judge)), padded, most=limits.most),
    )


def _hold_out(codes: Indices, labels: Labels, share: float, seed: int) -> npt.NDArray[np.bool_]:
    """Which rows are held out: the same share for each secret, at least one and not all."""
    counts = np.bincount(codes)
    if counts.min() < 2:
        raise InvalidParameter(
            f"the secret {labels[int(counts.argmin())]!r} has one sample, and each needs two: one to make the table "
            "with and one to judge it by"
        )
    shuffled = generator(seed).permutation(len(codes))
    by_secret = shuffled[np.argsort(codes[shuffled], kind="stable")]
    place = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    taken = np.clip(np.round(share * counts), 1, counts - 1)
    held = np.zeros(len(codes), dtype=bool)
    held[by_secret[place < np.repeat(taken, counts)]] = True
    return held


def _count_below(classes: SizeClasses, x: Indices) -> Array:
    """below[j, x]: how many rows of secret x have a size before class j."""
    counts = _count(x, classes.natural, classes.sizes).T
    return np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)])


def _quantiles(classes: SizeClasses, reach: Indices, cells: int) -> Indices:
    """The classes that a bucket may end before: quantiles of the rows, and more as far as caps need them."""
    m, n = len(classes.sizes), len(classes.members)
    wanted = np.searchsorted(classes.ends, np.ceil(np.arange(1, cells + 1) * n / cells), side="left")
    ends = [0]
    for end in np.unique(np.minimum(wanted, m)).tolist():
        while reach[end] > ends[-1]:
            ends.append(int(np.searchsorted(reach, ends[-1], side="right")) - 1)
        ends.append(end)
    return np.unique(ends)[1:].astype(np.int64)


def _measure(x: Indices, shown: npt.NDArray[Any], H: ConditionalEntropy) -> float:
    """The leakage of what is shown about the secret in these rows, as counted."""
    counts = _count(x, shown, np.unique(shown))
    seen = counts.sum(axis=1) > 0
    return leakage(counts[seen].sum(axis=1), counts[seen] / counts[seen].sum(axis=1, keepdims=True), H)


def _guess(x: Indices, shown: npt.NDArray[Any], tried: npt.NDArray[Any]) -> Indices:
    """The best guess of the secret for each size in `tried`, learnt from rows of secret and shown size."""
    seen, blind = np.unique(shown), int(np.bincount(x).argmax())
    best = _count(x, shown, seen).argmax(axis=0)
    at = np.minimum(np.searchsorted(seen, tried), len(seen) - 1)
    return np.where(seen[at] == tried, best[at], blind)


def _count(x: Indices, shown: npt.NDArray[Any], seen: npt.NDArray[Any]) -> Array:
    """How often each secret is shown with each size."""
    counts = np.zeros((int(x.max()) + 1, len(seen)))
    np.add.at(counts, (x, np.searchsorted(seen, shown)), 1.0)
    return counts
