"""Posteriors of a joint distribution, and the hyper-distribution on them, printed as in the QIF book."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._labels import Labels
from minleak.core._reducing import divide_columns, group_columns, merge_columns
from minleak.core._result import Result
from minleak.core._text_tables import Table

# Rows and columns printed at most.
_ROWS, _COLUMNS = 20, 8


@dataclass(frozen=True)
class Posteriors(Result):
    """Column j of `matrix` is the posterior p(x given y) for y = outputs[j]; `outputs` are the observables that can
    occur, and `probabilities` is p(y) for each.

    Observables of probability zero have no posterior and are left out; `dropped` lists their labels.
    """

    matrix: Any
    probabilities: Array
    outputs: Labels
    dropped: tuple[Any, ...]


@dataclass(frozen=True)
class Hyper(Result):
    """A distribution on posteriors: `inners[:, j]` is a posterior on the `secrets`, and `outers[j]` is its probability.

    Observables with the same posterior are merged, and those that cannot occur are left out. Fractions where both the
    prior and the channel are exact.
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
        rows = [[self.secrets[x], *map(_print, part[x]), *more] for x in range(high)]
        if high < len(self.secrets):
            rows.append(["..."] * len(rows[0]))
        return [Table("", ["", *map(_print, self.outers[:wide]), *more], rows)]


def compute_posteriors(joint: Any, p_y: Array, outputs: Labels) -> Posteriors:
    """The posteriors of a dense or sparse joint matrix with column sums p_y. Its memory is reused unless read-only."""
    if p_y.min() > 0:
        return Posteriors(divide_columns(joint, p_y), p_y, outputs, ())
    seen = p_y > 0
    kept = Labels.of(outputs.at(np.flatnonzero(seen)), 0)
    dropped = tuple(outputs.at(np.flatnonzero(~seen)))
    return Posteriors(divide_columns(joint[:, seen], p_y[seen]), p_y[seen], kept, dropped)


def compute_hyper(joint: Any, secrets: Labels, p_y: Array | None = None) -> Hyper:
    """The hyper-distribution of a joint matrix, dense, sparse or of Fractions; p_y are its column sums, if known. Its
    memory is reused unless read-only.
    """
    merged = merge_columns(joint, group_columns(joint, p_y))
    outers = p_y if p_y is not None and merged is joint else np.asarray(merged.sum(axis=0))
    return Hyper(outers, divide_columns(merged, outers), secrets)


def _print(value: Any) -> str:
    return str(value) if isinstance(value, Fraction) else f"{value:.4g}"
