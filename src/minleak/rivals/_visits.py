"""Names asked for together: what all requests of one visit tell, where each request alone tells little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.errors import InvalidParameter

Words = npt.NDArray[np.uint64]
# Sums of numbers of so many words tell sets apart: two sets have one sum with probability 2^-128.
_WORDS = 2


@dataclass(frozen=True)
class VisitRow(Result):
    """What one visit under a scheme by `name` tells an observer of all its requests, one for each name: the name that
    it began with is guessed with probability `success`, or `asked_once` where a client asks for each bucket only once.
    A visit has `names` names, in `buckets` buckets, whose answers hold `answers` names, all on average.
    """

    name: str
    success: float
    asked_once: float
    names: float
    buckets: float
    answers: float


@dataclass(frozen=True, eq=False)
class Visits:
    """Pairs of positions: each `name` is asked for with the `root` that a visit begins with, itself among them. A visit
    begins with the root at a position with probability p.
    """

    root: Indices
    name: Indices
    p: Array

    @classmethod
    def of(cls, closures: Mapping[Any, Iterable[Any]], labels: Labels, roots: Prior) -> Visits:
        """From what is asked for with each name, by label, and how often a visit begins with each root; a name that is
        not in the mapping is asked for alone.
        """
        if not isinstance(closures, Mapping):
            raise InvalidParameter(
                f"visits must map each name to those asked for with it; got {type(closures).__name__}. Use a dict."
            )
        position = {label: at for at, label in enumerate(labels)}
        root, name = list(range(len(labels))), list(range(len(labels)))
        missing = sum(label not in position for label in roots.labels)
        for first, members in closures.items():
            if isinstance(members, str) or not isinstance(members, Iterable):
                raise InvalidParameter(
                    f"a visit must be a list of names; got {type(members).__name__}. Make it a list."
                )
            places = [position.get(member, -1) for member in (first, *members)]
            missing += places.count(-1)
            root += [places[0]] * len(places)
            name += places
        if missing:
            raise InvalidParameter(
                f"names and roots of visits must be among the counts; got {missing:,} that are not. List them with a "
                "count of 0."
            )
        n, p = len(labels), np.zeros(len(labels))
        p[[position[label] for label in roots.labels]] = roots.p
        pairs = np.unique(np.array(root, np.int64) * n + np.array(name, np.int64))
        return cls(pairs // n, pairs % n, p)

    def under(self, name: str, buckets: Indices) -> VisitRow:
        """What a visit tells where each name shows its bucket, and a visit how many names it has in each."""
        count = int(buckets.max()) + 1
        pairs, times = np.unique(self.root * count + buckets[self.name], return_counts=True)
        root, bucket = pairs // count, pairs % count
        words = np.random.default_rng(0).integers(0, 1 << 63, (count, _WORDS), dtype=np.uint64)
        begins = np.searchsorted(root, np.arange(len(self.p)))
        asked = np.diff(np.append(begins, len(root)))
        sizes = np.bincount(buckets, minlength=count).astype(np.float64)
        return VisitRow(
            name,
            self._success(np.add.reduceat(words[bucket] * times[:, None].astype(np.uint64), begins, axis=0)),
            self._success(np.add.reduceat(words[bucket], begins, axis=0)),
            float(self.p @ np.bincount(self.root, minlength=len(self.p))),
            float(self.p @ asked),
            float(self.p @ np.add.reduceat(sizes[bucket], begins)),
        )

    def _success(self, seen: Words) -> float:
        """How often a guess at the root is right that sees a sum of words."""
        alike = np.unique(seen, axis=0, return_inverse=True)[1].ravel()
        best = np.zeros(int(alike.max()) + 1)
        np.maximum.at(best, alike, self.p)
        return float(best.sum())
