"""Together: channels in parallel whose product is never built. Its columns are computed in blocks when measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._columns import BLOCK, Block, Columns
from minleak.core._matrices import DENSE, as_csr, too_large
from minleak.core._parameters import as_list
from minleak.errors import InvalidChannel, InvalidParameter


class Together:
    """Several channels on the same secret, all observed, as one whose matrix is not built.

    Entropies, vulnerabilities, leakages, attackers and the epsilons of privacy take it for a channel and read its
    columns block by block, in the memory of the parts and the time of their product. Observables are numbered in the
    order of `itertools.product`, including those that no secret can cause. Functions that need the matrix take
    `channel()`, if it fits into memory.

    >>> once = Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> Together([once] * 10)
    Together(10 channels of 2 secrets, 1,024 observables)
    """

    def __init__(self, channels: Iterable[Channel | Any]) -> None:
        parts = as_list(channels, "channels together are a sequence of some", InvalidChannel, some=True)
        given = [as_channel(channel) for channel in parts]
        first = next((channel for channel in given if not channel.inputs.is_default), given[0])
        self.parts = tuple(first.sharing(channel, "together") for channel in given)
        self.inputs = first.inputs

    def channel(self) -> Channel:
        """The product as a channel, without observables that no secret can cause; refused if it is too large."""
        return reduce(lambda done, part: done.parallel(part), self.parts)

    @property
    def shape(self) -> tuple[int, int]:
        """(number of secrets, number of observables including those that no secret can cause)."""
        return self.parts[0].shape[0], math.prod(part.shape[1] for part in self.parts)

    def columns(self, scale: Array | None) -> Columns:
        """The columns of the product times the scale, in blocks."""
        return Products([part.matrix for part in self.parts], scale)

    def __repr__(self) -> str:
        n, m = self.shape
        return f"Together({len(self.parts)} channels of {n} secrets, {m:,} observables)"


class Products(Columns):
    """The columns scale * A[:,y] * B[:,z] * ... of several matrices, in blocks."""

    def __init__(self, parts: list[Any], scale: Array | None, gain: Any = None) -> None:
        super().__init__(parts[0], scale)
        self.parts, self.gain = parts, gain

    few = None

    def whole(self) -> None:
        return None

    def tops(self) -> Array:
        return np.concatenate(self.map(lambda v: v.max(axis=0)))

    @property
    def plain(self) -> bool:
        return False

    @property
    def complete(self) -> bool:
        return self.gain is not None or self.scale is None or bool(self.scale.min() >= 0)

    @property
    def rows(self) -> int:
        return int((self.parts[0] if self.gain is None else self.gain).shape[0])

    @property
    def many(self) -> int:
        many = math.prod(int(part.shape[1]) for part in self.parts)
        size = too_large(many, each=DENSE)
        if size is not None:
            raise InvalidParameter(f"a number for each observable of channels together has {size}")
        return many

    def under(self, gain: Any) -> Columns:
        if gain.ndim == 1 and gain.min() >= 0 and self.gain is None:
            return Products(self.parts, gain if self.scale is None else gain * self.scale)
        matrix = np.diag(gain) if gain.ndim == 1 else gain
        return Products(self.parts, self.scale, matrix if self.gain is None else matrix @ self.gain)

    def sums(self) -> Array:
        found = np.zeros(self.many)
        for columns, sums in self.map_placed(lambda block: (block.columns, block.entries.sum(axis=0))):
            found[columns] = sums
        return found

    def placed(self) -> Iterator[Callable[[], Block]]:
        before, last = self._cut()
        for number, places in enumerate(product(*(range(part.shape[1]) for part in before))):

            def make(number: int = number, places: tuple[int, ...] = places) -> Block:
                column = np.ones(last.shape[0]) if self.scale is None else self.scale
                for part, y in zip(before, places, strict=True):
                    column = column * _column(part, y)
                return self._block(column, last, number * last.shape[1])

            yield make

    def _cut(self) -> tuple[list[Any], Any]:
        """The parts to iterate over, and the product of those at the end that fit into a block."""
        before, last = list(self.parts[:-1]), as_csr(self.parts[-1])
        while before and isinstance(before[-1], np.ndarray) and before[-1].size * last.shape[1] <= BLOCK:
            first, second = before.pop(), last.toarray()
            last = as_csr((first[:, :, None] * second[:, None, :]).reshape(len(first), -1))
        return before, last

    def _block(self, column: Array, last: Any, before: int) -> Block:
        """The products of a column with the columns of the last part, which are numbered from `before` on."""
        rows = np.flatnonzero(column)
        part, there = last[rows], np.arange(last.shape[1] if len(rows) else 0)
        if part.nnz < part.shape[0] * part.shape[1] // 8:
            there = np.unique(part.indices)
            part = part[:, there]
        entries = column[rows, None] * part.toarray()[:, : len(there)]
        if self.gain is not None:
            entries, rows = np.asarray(self.gain[:, rows] @ entries), np.arange(self.gain.shape[0])
        return Block(entries, rows[:, None], before + there)


def _column(matrix: Any, y: int) -> Array:
    if isinstance(matrix, np.ndarray):
        return np.asarray(matrix[:, y])
    found, part = np.zeros(matrix.shape[0]), slice(matrix.indptr[y], matrix.indptr[y + 1])
    found[matrix.indices[part]] = matrix.data[part]
    return found
