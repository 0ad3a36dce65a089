"""Cores of guessing attackers: piecewise linear, so their design problems are linear programmes."""

from __future__ import annotations

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.lab._optimise.cores.base import AttackerPart, Linear, Polyhedron
from minleak.lab._optimise.cores.grouped import Grouped


class GuessCore(Linear):
    """U(v) = |v|_1 - (the sum of the l largest): the chance that l guesses are all wrong."""

    def __init__(self, l: int) -> None:
        self.l = l
        self.one_guess = l == 1

    def level(self, j: Indices) -> Array:
        return np.asarray(np.maximum(j - self.l, 0) / j)

    def values(self, v: Array, by: Grouped) -> Array:
        ascending, place = by.ascending(v)
        return by.sum(np.where(place <= by.sizes[by.of] - self.l, ascending, 0.0))

    def polyhedron(self, by: Grouped) -> Polyhedron:
        """The l largest sum to the least of l t + (the sum of v - t where v > t); for one guess t is the largest."""
        import scipy.sparse as sp

        entries, columns = by.n_entries, len(by)
        if self.l == 1:
            return Polyhedron(np.ones(entries), -np.ones(columns), sp.eye_array(entries, format="csr"), -by.selection)
        return Polyhedron(
            np.ones(entries),
            np.concatenate([np.full(columns, -float(self.l)), -np.ones(entries)]),
            sp.eye_array(entries, format="csr"),
            sp.hstack([-by.selection, -sp.eye_array(entries)], format="csr"),
        )

    def attacker(self, plane: Array, bound: float) -> AttackerPart:
        return AttackerPart("the chance that x is guessed at y", np.clip(1 - plane, 0.0, 1.0), 1 - bound)


class GuessworkCore(Linear):
    """U(v) = sum of i v_[i] = |v|_1 + the sum over all pairs of the lesser: the expected number of guesses."""

    def level(self, j: Indices) -> Array:
        return np.asarray((j + 1) / 2)

    def values(self, v: Array, by: Grouped) -> Array:
        ascending, place = by.ascending(v)
        return by.sum(ascending * (by.sizes[by.of] + 1 - place))

    def polyhedron(self, by: Grouped) -> Polyhedron:
        """One variable and two rows for each pair of entries in a column, n^2 m / 2 in all."""
        import scipy.sparse as sp

        pairs = [np.stack(np.triu_indices(size, 1)) + start for start, size in zip(by.starts, by.sizes, strict=True)]
        first, second = np.concatenate(pairs, axis=1)
        count = len(first)
        at = np.arange(count)
        ones = np.ones(count)
        rows_v = sp.csr_array(
            (np.concatenate([-ones, -ones]), (np.arange(2 * count), np.concatenate([first, second]))),
            shape=(2 * count, by.n_entries),
        )
        rows_aux = sp.csr_array(
            (np.concatenate([ones, ones]), (np.arange(2 * count), np.concatenate([at, at]))), shape=(2 * count, count)
        )
        return Polyhedron(np.ones(by.n_entries), ones, rows_v, rows_aux)

    def attacker(self, plane: Array, bound: float) -> AttackerPart:
        return AttackerPart("guesses needed for x at y", plane, bound)
