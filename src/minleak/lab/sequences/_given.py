"""The arguments of a chain, checked: initial weights, transitions by rows, back-off and marginal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Prior
from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels, locator, match
from minleak.core._matching import columns_by_label, values_by_label
from minleak.core._matrices import is_sparse
from minleak.core._plan.fields import LIMIT
from minleak.errors import InvalidParameter, InvalidPrior, quote

# The counts of a row add up to less than this, so that their products can be put right in 64 bits.
ROW_LIMIT = 1 << 50
# Rows of probabilities become integers of this total, or less if there are many rows.
_ROW = 1 << 48


@dataclass(frozen=True, eq=False)
class TransitionRows:
    """Positive integer counts by rows, columns increasing; `scales` is what a weight of 1 became in each row."""

    indptr: Indices
    indices: Indices
    counts: Indices
    scales: Array


def proportional(counts: Indices, part: int, total: int) -> Indices:
    """Integers of sum `total` in proportion to counts of sum `part` (below 2^50), by rounding their running sums down;
    positive ones stay so if total >= part.

    >>> proportional(np.array([1, 2, 1]), 4, 10).tolist()
    [2, 5, 3]
    """
    whole, rest = divmod(total, part)
    running = np.cumsum(counts)
    quotients = np.floor(rest * running.astype(np.float64) / part).astype(np.int64)  # off by one at most
    remainders = rest * running - quotients * part  # small, so that it is right though the products pass 64 bits
    quotients += (remainders >= part).astype(np.int64) - (remainders < 0)
    return np.asarray(whole * counts + np.diff(quotients, prepend=0))


def as_prior_of(initial: Any, labels: Any) -> Prior:
    """The first state's weights, in the order of the labels if these are given."""
    if isinstance(initial, Prior):
        if labels is None:
            return initial
        names = Labels.of(labels, 0)
        match(initial.labels, names, ("initial", "state"), ("labels=", "name"), InvalidPrior)
        return Prior(initial.weights, labels=names)
    if not isinstance(initial, Mapping):  # a Series is brought into the order of the labels
        return Prior(initial, labels=labels)
    if labels is None:
        return Prior.from_counts(initial)
    names = Labels.of(labels, 0)
    known = set(names)
    strange = sum(name not in known for name in initial)
    if strange:
        raise InvalidPrior(f"initial has {strange:,} states that are not among the labels: name them there")
    return Prior([initial.get(name, 0) for name in names], labels=names)


def as_marginal(marginal: Any, labels: Labels) -> Prior:
    """Weights of the states, one for each."""
    if not isinstance(marginal, Prior | Mapping):
        marginal = values_by_label(marginal, labels, "the marginal", error=InvalidPrior)
    found = as_prior_of(marginal, labels if isinstance(marginal, Mapping) else None)
    match(found.labels, labels, ("the marginal", "state"), ("the chain", "state"), InvalidPrior)
    return found


def visits(rows: TransitionRows, initial: Prior) -> Prior:
    """How often each state is visited: at first, and by each transition; in exact integers unless they are floats."""
    n = len(initial)
    if initial.exact and (rows.scales == 1).all():
        sums = np.zeros(n, dtype=np.int64)
        np.add.at(sums, rows.indices, rows.counts)  # the sum of all is below 2^62
        return Prior(sums.astype(object) + initial.weights)
    owner = np.repeat(np.arange(n), np.diff(rows.indptr))
    sums = np.bincount(rows.indices, weights=rows.counts / rows.scales[owner], minlength=n)
    return Prior(sums + initial.weights.astype(np.float64))


def as_backoff(backoff: Any, scales: Array, sums: Indices, labels: Labels) -> Indices:
    """Back-off as whole numbers of transitions, one for each row."""
    what = "backoff is a number of transitions from 0 on, or one for each state"
    backoff = values_by_label(backoff, labels, "backoff")
    try:
        array = np.asarray(backoff)
    except ValueError:  # rows of several lengths
        array = np.array("")
    if array.dtype.kind not in "iuf" or array.shape not in ((), (1,), sums.shape):
        raise InvalidParameter(f"{what}, not {quote(backoff)}")
    given = np.broadcast_to(array, sums.shape)
    good = (given >= 0) & (given < LIMIT)
    if not good.all():
        raise InvalidParameter(f"{what}, not {quote(given[np.argmin(good)])}")
    scaled = given if (scales == 1).all() else np.rint(given * scales)
    if scaled.dtype.kind == "f" and (scaled != np.rint(scaled)).any():
        raise InvalidParameter(f"{what}: whole numbers beside counts, so that rows stay exact; scale counts for halves")
    if not (sums.astype(np.float64) + scaled < ROW_LIMIT).all():
        raise InvalidParameter("the counts of a row and its back-off pass 2^50: divide all counts by the same number")
    return scaled.astype(np.int64)


def as_rows(transitions: Any, labels: Labels) -> TransitionRows:
    """Transitions by rows; rows of floats are put on a grid, a positive entry getting at least one unit."""
    import scipy.sparse as sp

    n, where = len(labels), locator(labels, "state")
    if isinstance(transitions, Mapping):
        transitions = _from_mapping(transitions, labels)
    if not is_sparse(transitions):
        transitions = values_by_label(transitions, labels, "the rows of transitions", error=InvalidPrior)
        transitions = columns_by_label(transitions, labels, "the columns of transitions", error=InvalidPrior)
        try:
            transitions = np.asarray(transitions)
            if transitions.dtype.kind == "O":
                transitions = transitions.astype(np.float64)
        except (TypeError, ValueError):
            raise InvalidPrior("transitions are a matrix of numbers, or a mapping {a: {b: count}}") from None
    if transitions.dtype.kind not in "iuf":
        raise InvalidPrior(f"transitions are a matrix of numbers, not of {transitions.dtype}")
    if transitions.shape != (n, n):
        raise InvalidPrior(f"{n} states need transitions of shape {(n, n)}, not {transitions.shape}")
    found = sp.csr_array(transitions)
    found.sum_duplicates()
    found.sort_indices()
    data, owner = found.data, np.repeat(np.arange(n), np.diff(found.indptr))
    good = (data >= 0) & (data < LIMIT)  # NaN fails both
    if not good.all():
        at = int(np.argmin(good))
        raise InvalidPrior(
            f"the transition from {where(int(owner[at]))} to {where(int(found.indices[at]))} is {quote(data[at])}: "
            "counts are finite, not negative, and below 2^62"
        )
    scales = np.ones(n)
    if data.dtype.kind == "f":
        sums = np.bincount(owner, weights=data, minlength=n)
        scales = min(_ROW, LIMIT // (2 * n)) / np.where(sums > 0, sums, 1)
        data = np.maximum(np.rint(data * scales[owner]), data > 0)
    if not data.sum(dtype=np.float64) < LIMIT:
        raise InvalidPrior("all counts add up to 2^62 or more: divide all of them by the same number")
    keep = data > 0
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner[keep], minlength=n))]).astype(np.int64)
    return TransitionRows(indptr, found.indices[keep].astype(np.int64), data[keep].astype(np.int64), scales)


def _from_mapping(transitions: Mapping[Any, Any], labels: Labels) -> Any:
    import scipy.sparse as sp

    known = {name: i for i, name in enumerate(labels)}
    owners, others, counts = [], [], []
    for a, row in transitions.items():
        if not isinstance(row, Mapping):
            raise InvalidPrior(f"the transitions from a state are a mapping to counts, not {type(row).__name__}")
        strange = sum(name not in known for name in (a, *row))
        if strange:
            raise InvalidPrior(f"transitions have {strange:,} states that are not among the labels: name them there")
        for b, count in row.items():
            number = isinstance(count, int | float | np.integer | np.floating) and not isinstance(count, bool)
            if not (number and 0 <= count < LIMIT):  # NaN fails
                raise InvalidPrior(
                    f"a transition is {quote(count)}: counts are finite numbers, not negative, and below 2^62"
                )
            owners.append(known[a])
            others.append(known[b])
            counts.append(count)
    places = (owners or [0], others or [0])
    return sp.coo_array((np.array(counts or [0]), places), shape=(len(labels), len(labels)))
