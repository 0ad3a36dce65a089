"""What a channel makes of a prior: posteriors, and the hyper-distribution on them, printed as the book prints it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.labels import Labels
from minleak._data.reducing import divided, groups, merged
from minleak._face.result import Result
from minleak._face.tables import Table

# What is printed of a large one.
_ROWS, _COLUMNS = 20, 8


@dataclass(frozen=True)
class Posteriors(Result):
    """What an observer believes: column j of `matrix` is p(x given y) for the j-th of the `outputs` that can occur,
    `probabilities` how likely these are.

    Observables of probability zero have no posterior and are left out; `dropped` lists their labels.
    """

    matrix: Any
    probabilities: Array
    outputs: Labels
    dropped: tuple[Any, ...]


@dataclass(frozen=True)
class Hyper(Result):
    """A distribution on posteriors: `inners[:, j]` is one of them, on the `secrets`, and `outers[j]` how likely it is
    to be the attacker's.

    Observables that lead to the same posterior are one, and those that cannot occur are none. Fractions where both
    the prior and the channel are exact.
    """

    outers: Any
    inners: Any
    secrets: Labels

    def __len__(self) -> int:
        return len(self.outers)

    def to_parts(self) -> list[str | Table]:
        wide, high = min(len(self.outers), _COLUMNS), min(len(self.secrets), _ROWS)
        part = self.inners[:high, :wide]
        part = part if isinstance(part, np.ndarray) else part.toarray()
        more = ["..."] if wide < len(self.outers) else []
        rows = [[self.secrets[x], *(_shown(v) for v in part[x]), *more] for x in range(high)]
        if high < len(self.secrets):
            rows.append(["..."] * len(rows[0]))
        return [Table("", ["", *(_shown(v) for v in self.outers[:wide]), *more], rows)]


def posteriors(joint: Any, p_y: Array, outputs: Labels) -> Posteriors:
    """The posteriors of a joint matrix of column sums p_y, dense or sparse, whose memory they take over unless it is
    read-only.
    """
    if p_y.min() > 0:
        return Posteriors(divided(joint, p_y), p_y, outputs, ())
    seen = p_y > 0
    kept = Labels.of(outputs.at(np.flatnonzero(seen)), 0)
    dropped = tuple(outputs.at(np.flatnonzero(~seen)))
    return Posteriors(divided(joint[:, seen], p_y[seen]), p_y[seen], kept, dropped)


def hyper(joint: Any, secrets: Labels, p_y: Array | None = None) -> Hyper:
    """The hyper-distribution of a joint matrix, dense, sparse or of Fractions, whose memory it takes over unless it is
    read-only; p_y are its column sums, where they are known.
    """
    together = merged(joint, groups(joint, p_y))
    outers = p_y if p_y is not None and together is joint else np.asarray(together.sum(axis=0))
    return Hyper(outers, divided(together, outers), secrets)


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Fraction) else f"{value:.4g}"
