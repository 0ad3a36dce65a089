"""LineageSampler: draws from the parts of a lineage as from one plan."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._labels import Labels
from minleak.core._plan.base import ListedSampler, show_rows
from minleak.core._plan.tiers import as_integers

if TYPE_CHECKING:
    from minleak.lineage._lineage import Lineage


@dataclass(frozen=True, eq=False)
class LineageSampler(ListedSampler):
    """Draws from the part of each secret. Secrets are numbered in the order of the parts."""

    plan: Lineage
    parts: tuple[Any, ...]

    @cached_property
    def _later(self) -> Labels:
        """The labels of all but the first part, which has an index of its own, and after them those that wait."""
        return Labels(tuple(self.plan.ledger.labels[int(self.plan.begins[1]) :]))

    def extent(self) -> str:
        """Their number."""
        return f"n={self.plan.ledger.listed}"

    def find(self, secret: Hashable) -> int | None:
        """The number of a secret."""
        number = self._find_counted(secret)
        return None if number is None or number >= self.plan.ledger.listed else number

    def is_pending(self, secret: Hashable) -> bool:
        """Whether it stands behind those that are listed."""
        number = self._find_counted(secret)
        return number is not None and number >= self.plan.ledger.listed

    def _find_counted(self, secret: Hashable) -> int | None:
        """Where a secret stands among all that were counted."""
        found = self.parts[0].find(secret)
        if found is not None:
            return int(found)
        found = self._later.position(secret)
        return None if found is None else int(self.plan.begins[1]) + found

    def _by_part(self, secrets: Indices) -> Iterator[tuple[Any, int, Any, Indices]]:
        """(part, where its secrets begin, rows, numbers within the part) of those parts that are asked for."""
        begins = self.plan.begins
        which = np.searchsorted(begins, secrets, side="right") - 1
        if len(which) and (which == which[0]).all():  # as a single draw
            part, begin = int(which[0]), int(begins[which[0]])
            yield self.parts[part], begin, slice(None), secrets - begin
            return
        order = np.argsort(which, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(which[order])) + 1) if len(order) else ():
            part = int(which[rows[0]])
            yield self.parts[part], int(begins[part]), rows, secrets[rows] - begins[part]

    @cached_property
    def _places_are_large(self) -> bool:
        """Whether a part has several tiers, and so numbers of places of any size."""
        return any(getattr(part, "lower", ()) for part in self.plan.parts)

    def owned(self, secrets: Indices) -> Indices:
        """As the parts say."""
        owned = np.zeros(len(secrets), dtype=object if self._places_are_large else np.int64)
        for part, _, rows, numbers in self._by_part(secrets):
            owned[rows] = part.owned(numbers)
        return owned

    def locate(self, secrets: Indices, places: Indices) -> Indices:
        """The set at each place of the secret's own part."""
        out = np.full((len(secrets), self.plan.k), -1, dtype=np.int64)
        given = places if isinstance(places, np.ndarray) else as_integers(places)
        for part, begin, rows, numbers in self._by_part(secrets):
            own = given[rows] if getattr(part.plan, "lower", ()) else given[rows].astype(np.int64, copy=False)
            shown = part.locate(numbers, own)
            out[rows, : shown.shape[1]] = np.where(shown >= 0, shown + begin, -1)
        return out

    def show(self, located: Indices) -> list[tuple[Any, ...]]:
        """The labels of each row."""
        names = self.plan.prior.labels  # which need no index here
        return show_rows(names, located)

    def find_shown(self, label: Hashable) -> int | None:
        """The number of what is shown."""
        return self.find(label)
