"""SetPlan: a plan that shows sets of secrets, whatever it is made of; its channel, its joint and its table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Array, Indices
from minleak.core._channel import Channel
from minleak.core._columns import BLOCK
from minleak.core._labels import Labels
from minleak.core._parameters import truth, whole
from minleak.core._plan.drawable import Listed
from minleak.core._plan.groups import GroupTree
from minleak.core._plan.partition import Partition
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    import scipy.sparse as sp

    from minleak.rivals._exposures import Repeated

# Entries that a channel may have unless the caller says otherwise.
ENTRIES = 50_000_000
# Rows that a table may have unless the caller says otherwise.
ROWS = 50_000_000
# Cells that are looked at together.
WIDTH = 4096

#: Cells of a plan: a row of members for each, how many places of each member lead to it, and where on the line of its
#: own places each member stands there.
Walk = Iterator[tuple[Indices, Indices, Indices]]


class SetPlan(Listed):
    """A plan whose observables are sets of at most k secrets.

    Secret x has `places(x)` places, and `cells` tells how many of them lead to which set. `fixed` are sets that their
    members always show, one after the other; set i is `fixed[begins[i]:begins[i + 1]]`.
    """

    groups: GroupTree | None
    giants: Indices
    fixed: Indices
    begins: Indices

    @abstractmethod
    def walk(self, width: int = WIDTH) -> Walk:
        """(sets, lengths, along) in blocks, giants first in each set: sets of shape (m, size), each with the number of
        places of its members that lead to it, and where in the order of its own places each member is there. Fixed sets
        aside.
        """

    @abstractmethod
    def places(self, found: Indices) -> Indices:
        """How many places each of the secrets has to choose from; 1 in a fixed set."""

    @property
    @abstractmethod
    def n_cells(self) -> int:
        """An upper bound on the number of distinct sets."""

    def cells(self, width: int = WIDTH) -> Iterator[tuple[Indices, Indices]]:
        """(sets, lengths) in blocks, giants first in each set: a member x shows it with probability length over
        places(x). Fixed sets aside.
        """
        for sets, lengths, _ in self.walk(width):
            yield sets, lengths

    @property
    def randomised(self) -> bool:
        """Whether any secret has more than one place."""
        return self.n_cells > self.n_fixed

    @property
    def n_fixed(self) -> int:
        """How many fixed sets there are."""
        return len(self.begins) - 1

    def fixed_sets(self) -> list[Indices]:
        """The fixed sets, one by one."""
        return np.split(self.fixed, self.begins[1:-1]) if len(self.fixed) else []

    @cached_property
    def all_places(self) -> Indices:
        """`places` of every secret."""
        return self.places(np.arange(len(self.prior)))

    @abstractmethod
    def locate(self, found: Indices, places: Indices) -> Indices:
        """The set at a place of each secret, a row of increasing secrets, filled up by -1 where it is smaller than
        k.
        """

    # -- what is shown ------------------------------------------------------------------------------------------------

    def weighted_sets(self) -> Iterator[tuple[Indices, int]]:
        """Every set, and how many places of each member lead to it."""
        for sets, lengths in self.cells():
            yield from zip(sets, lengths.tolist(), strict=True)
        for members in self.fixed_sets():
            yield members, 1

    def sets(self) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """(set, probability): the observables as tuples of labels in input order, one after the other.

        A set may come more than once, its probabilities then add up. Sets of secrets of weight zero have probability
        zero.
        """
        labels, weights = self.prior.labels, self.prior.weights
        total = Fraction(self.prior.total)
        for members, length in self.weighted_sets():
            order = np.sort(members)
            shares = zip(weights[order].tolist(), self.places(order).tolist(), strict=True)
            mass = sum((Fraction(w) * length / max(owned, 1) for w, owned in shares), Fraction(0))
            yield tuple(labels[i] for i in order.tolist()), mass / total

    def joint_blocks(self, p: Array) -> Iterator[sp.csc_array]:
        """The columns of the joint for the probabilities of the secrets, some at a time."""
        density = p / np.maximum(self.all_places, 1)
        for sets, lengths in self.cells(max(1, BLOCK // self.k)):
            begins = np.arange(0, sets.size + 1, sets.shape[1])
            yield columns_of(sets.ravel(), (density[sets] * lengths[:, None]).ravel(), begins, len(p))
        if len(self.fixed):
            yield columns_of(self.fixed, p[self.fixed], self.begins, len(p))

    def channel(self, *, dense: bool = False, exact: bool = False, limit: int = ENTRIES) -> Channel:
        """The explicit channel, observables labelled by their sets: C[x,M] is the places of x that lead to M over all
        places of x.

        Sparse unless `dense`; `exact` gives a dense channel of Fractions. At most `n_cells` observables. Refused when
        it would hold more than `limit` entries.
        """
        import scipy.sparse as sp

        truth(dense, "dense"), truth(exact, "exact")
        limit, n = whole(limit, "the limit on entries", 0), len(self.prior)
        entries = self.n_cells * (n if dense or exact else self.k)
        if entries > limit:
            raise InvalidParameter(
                f"the channel would hold up to {entries:,} entries ({self.n_cells:,} sets), above the limit of "
                f"{limit:,}: use plan.sets(), or raise limit="
            )
        found = self._distinct()
        rows = np.concatenate([*(members.ravel() for members, _ in found), self.fixed])
        lengths = np.concatenate([*(np.repeat(many, members.shape[1]) for members, many in found)] or [rows[:0]])
        sizes = np.concatenate([*(np.full(len(m), m.shape[1]) for m, _ in found), np.diff(self.begins)])
        over = np.concatenate([lengths, np.ones(len(self.fixed), dtype=np.int64)])
        columns, labels = np.repeat(np.arange(len(sizes)), sizes), self.prior.labels
        names = [tuple(labels.at(members.tolist())) for members in np.split(rows, np.cumsum(sizes)[:-1])]
        own = self.all_places[rows]
        if exact:
            matrix: Any = np.full((n, len(sizes)), Fraction(0), dtype=object)
            for x, y, part, whole_ in zip(rows.tolist(), columns.tolist(), over.tolist(), own.tolist(), strict=True):
                matrix[x, y] = Fraction(part, whole_)
            return Channel(matrix, inputs=labels, outputs=names)
        with np.errstate(divide="ignore"):  # of a plan that is none the channel is refused
            sparse = sp.csc_array((over / own, (rows, columns)), shape=(n, len(sizes)))
        return Channel(sparse.toarray() if dense else sparse, inputs=labels, outputs=names)

    def _distinct(self) -> list[tuple[Indices, Indices]]:
        """The distinct sets of each size, members increasing, and the total length of each; fixed sets aside."""
        by_size: dict[int, list[tuple[Indices, Indices]]] = {}
        for sets, lengths in self.cells():
            by_size.setdefault(sets.shape[1], []).append((np.sort(sets, axis=1), lengths))
        found = []
        for blocks in by_size.values():
            sets = np.concatenate([sets for sets, _ in blocks])
            distinct, which = np.unique(sets, axis=0, return_inverse=True)
            totals = np.zeros(len(distinct), dtype=np.int64)
            np.add.at(totals, which.ravel(), np.concatenate([lengths for _, lengths in blocks]))
            found.append((distinct, totals))
        return found

    def table(self, *, limit: int = ROWS) -> pa.Table:
        """Rows from which any language draws as the plan does, by secret: `secret`, `set_number`, `first`, `last`.

        A secret has a line of places, from 0 to the largest `last` of its rows. Take one of them at random, each as
        likely as the others; the row that it lies in (`first` <= place <= `last`) says which set is shown; its members
        are all secrets that have a row of that set. Up to k rows for each set; refused above `limit`.

        >>> import minleak as ml
        >>> ml.design([3, 2, 1], k=2, layout="circle").table().to_pylist()[:2]
        [{'secret': 0, 'set_number': 0, 'first': 0, 'last': 3}, {'secret': 0, 'set_number': 1, 'first': 4, 'last': 5}]
        """
        limit = whole(limit, "the limit on rows", 0)
        if self.n_cells * self.k > limit:
            raise InvalidParameter(
                f"the table would have up to {self.n_cells * self.k:,} rows ({self.n_cells:,} sets), above the limit "
                f"of {limit:,}: draw from the .cloak file instead, design blocks, or raise the limit"
            )
        names, none = column_of_secrets(self.prior.labels), np.empty(0, dtype=np.int64)
        secrets, numbers, order, units, done = [none], [none], [none], [none], 0
        for sets, lengths, along in self.walk():
            secrets.append(sets.ravel())
            numbers.append(np.repeat(done + np.arange(len(sets)), sets.shape[1]))
            order.append(along.ravel())
            units.append(lengths)
            done += len(sets)
        secrets.append(self.fixed)
        numbers.append(np.repeat(done + np.arange(self.n_fixed), np.diff(self.begins)))
        order.append(np.zeros(len(self.fixed), dtype=np.int64))
        units.append(np.ones(self.n_fixed, dtype=np.int64))
        by_place = np.argsort(np.concatenate(order), kind="stable")
        places = np.concatenate(secrets)[by_place], np.concatenate(numbers)[by_place]
        return _table_of_rows(names, *places, np.concatenate(units))

    # -- over time ----------------------------------------------------------------------------------------------------

    def repeated(
        self, draws: Sequence[int] = (1, 2, 5, 20), *, trials: int = 20_000, seed: int = 0, exact: bool | None = None
    ) -> Repeated:
        """The optimal attacker's success when one secret is drawn again and again with fresh randomness.

        Exact where the sets are few (n up to about 12), else from `trials` simulated secrets, with a 99% confidence
        interval. `exact` asks for one or the other.
        """
        from minleak.rivals._exposures import repeat_draws

        return repeat_draws(self, draws, trials=trials, seed=seed, exact=exact)


def owner_of(members: Indices, owners: Indices, n: int) -> Indices:
    """The owner of each of n secrets, -1 for those that are nobody's."""
    found = np.full(n, -1, dtype=np.int32 if len(members) < 2**31 else np.int64)
    found[members] = owners
    return np.asarray(found)


def columns_of(members: Indices, entries: Array, begins: Indices, n: int) -> sp.csc_array:
    """Columns over n secrets: column y has `entries` of `members` from begins[y] to begins[y + 1]."""
    import scipy.sparse as sp

    return sp.csc_array((entries, members, begins), shape=(n, len(begins) - 1))


def column_of_secrets(labels: Labels) -> pa.Array:
    """The labels as a column of text or whole numbers."""
    names = pa.array(np.arange(len(labels))) if labels.is_default else labels.storable()
    if names is None:
        raise InvalidParameter("a table holds labels that are text or 64-bit integers: rename the secrets first")
    return names


def _table_of_rows(names: pa.Array, secrets: Indices, numbers: Indices, units: Indices) -> pa.Table:
    """The table of rows (secret, set) that are in order for each secret, with the places of each set."""
    by_secret = Partition.by_codes(secrets)
    secrets, numbers = secrets[by_secret.members], numbers[by_secret.members]
    owned = units[numbers]
    ends = np.cumsum(owned)
    base = np.repeat((ends - owned)[by_secret.begins[:-1]], by_secret.sizes)
    columns = {"set_number": numbers, "first": ends - owned - base, "last": ends - 1 - base}
    return pa.table({"secret": names.take(pa.array(secrets)), **{name: pa.array(c) for name, c in columns.items()}})
