"""What a plan tells about a property of the secret, such as the country of a city: by its cells, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._data.columns import BLOCK, Columns
from minleak._data.prior import Prior
from minleak._data.properties import Property, as_property
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies
from minleak._entropy.renyi import Hayashi, MinEntropy
from minleak._face.result import Result, table_of
from minleak._face.tables import Table
from minleak._measure.leakages import LeakageRow, difference

if TYPE_CHECKING:
    import scipy.sparse as sp

    from minleak._plans.rings import Plan

#: How a property is given: the values of f in the order of the secrets, or by label.
Values = Property | Mapping[Any, Any] | Iterable[Any]


@dataclass(frozen=True)
class PropertyLeakage(Result):
    """What an observable tells about a property f(X) of the secret."""

    values: int
    """How many values the property has."""
    blind: float
    """How often the property is guessed without an observable: the probability of its likeliest value."""
    success: float
    """How often it is guessed after an observable was seen."""
    worst: float
    """The same for the one observable that tells most about it."""
    rows: tuple[LeakageRow, ...]
    """By entropy H(f(X)), H(f(X)|Y) and the difference."""

    def to_parts(self) -> list[str | Table]:
        return [
            f"the property, one of {self.values:,} values, is guessed with probability {self.success:.6g} seeing what "
            f"is shown, {self.blind:.6g} without; {self.worst:.6g} where what is shown tells most",
            table_of(LeakageRow, self.rows, title="leakage about the property"),
        ]


def property_leakage(
    blocks: Callable[[Array], Iterator[sp.csc_array]],
    prior: Prior,
    of: Values,
    entropies: Sequence[ConditionalEntropy | str],
) -> PropertyLeakage:
    """H(f(X)), H(f(X)|Y) in each entropy, and how often f(X) is guessed.

    `blocks` gives the columns of the joint of X and Y for the probabilities of the secrets, some at a time. f(X) -> X
    -> Y is a Markov chain, so the entries of a column whose secrets have one value of f add up. Cost: that of the
    entries, which are the members of all sets.
    """
    chosen = as_property(of, prior.labels)
    values = chosen.prior(prior)
    measures = [MinEntropy(), Hayashi(np.inf), *as_entropies(entropies)]
    found = [
        [np.concatenate(H.prepare(columns).map(H.summary), axis=1) for H in measures]
        for columns in (add_up(block, chosen) for block in blocks(prior.p))
    ]
    after = [H.value(np.concatenate(each, axis=1)) for H, each in zip(measures, zip(*found, strict=True), strict=True)]
    rows = [(H.name, H(values), left) for H, left in zip(measures, after, strict=True)]
    told = [LeakageRow(name, b, a, difference(H, b, a)) for H, (name, b, a) in zip(measures, rows, strict=True)]
    return PropertyLeakage(
        values=len(chosen.values),
        blind=float(values.p.max()),
        success=2.0 ** -after[0],
        worst=2.0 ** -after[1],
        rows=tuple(told[2:]),
    )


def add_up(block: sp.csc_array, chosen: Property) -> Columns:
    """The columns of the joint of f(X) and Y from columns of that of X and Y."""
    import scipy.sparse as sp

    index = block.indptr.dtype
    codes = chosen.codes[block.indices].astype(index, copy=False)
    told = sp.csc_array((block.data, codes, block.indptr), shape=(len(chosen.values), block.shape[1]))
    told.sum_duplicates()
    return Columns(told)


# -- the joint of a plan, some columns at a time ---------------------------------------------------------------------


def ring_density(plan: Plan, worth: Array) -> Array:
    """worth(x) over the units that x owns: what each unit of a cell holds of the joint. For p(x) of the plan itself it
    is 1/u or, for a giant, p(x)/s.
    """
    owned = (plan.u * plan.weights).astype(np.float64)
    owned[plan.giants] = plan.rest_weight
    return np.asarray(worth / np.where(owned > 0, owned, 1.0))


def ring_blocks(plan: Plan, worth: Array) -> Iterator[sp.csc_array]:
    """The columns of the joint of a plan of rings, for the probability of each secret."""
    density = ring_density(plan, worth)
    for sets, lengths in plan.cells(max(1, BLOCK // plan.k)):
        giants = np.broadcast_to(plan.giants, (len(sets), plan.n_giants))
        members = np.concatenate([giants, sets], axis=1)
        yield columns_of(members, density[members] * lengths[:, None], len(worth))
    line, begins = plan.zero_weight_line()
    if len(line):
        yield _ragged(line, worth[line], np.append(begins, len(line)), len(worth))


def partition_blocks(members: Indices, begins: Indices, worth: Array) -> Iterator[sp.csc_array]:
    """The columns of the joint of blocks that never change."""
    yield _ragged(members, worth[members], begins, len(worth))


def columns_of(members: Indices, entries: Array, n: int) -> sp.csc_array:
    """A column for each row of members, all equally many, of n secrets."""
    m, size = members.shape
    return _ragged(members.ravel(), entries.ravel(), np.arange(0, m * size + 1, size), n)


def _ragged(members: Indices, entries: Array, begins: Indices, n: int) -> sp.csc_array:
    import scipy.sparse as sp

    return sp.csc_array((entries, members, begins), shape=(n, len(begins) - 1))
