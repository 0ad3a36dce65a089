"""Channels in parallel that are never multiplied out: their columns are made when they are measured, and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce
from itertools import product
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.channel import Channel, as_channel
from minleak._data.columns import BLOCK, Columns
from minleak._data.matrices import as_csr
from minleak._data.parameters import listed
from minleak._data.prior import Prior
from minleak.errors import InvalidChannel


class Together(Channel):
    """Several channels on the same secret, all observed, as one that is not built.

    Entropies, vulnerabilities, leakages and the epsilons of privacy go through its columns one block at a time:
    the memory is that of the parts, the time that of their product. What needs the matrix builds it, if it fits.

    >>> once = Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> Together([once] * 10)
    Together(10 channels of 2 secrets, 1,024 observables)
    """

    def __init__(self, channels: Iterable[Channel | Any]) -> None:
        parts = listed(channels, "channels together are a sequence of some", InvalidChannel, some=True)
        given = [as_channel(channel) for channel in parts]
        first = next((channel for channel in given if not channel.inputs.is_default), given[0])
        self.parts = tuple(first.sharing(channel, "together") for channel in given)
        self.inputs, self.exact = first.inputs, None
        self.tolerance = sum(channel.tolerance for channel in self.parts)

    @cached_property
    def _built(self) -> Channel:
        return reduce(lambda done, part: done.parallel(part), self.parts)

    def __getattr__(self, name: str) -> Any:
        if name in ("matrix", "outputs"):
            return getattr(self._built, name)
        raise AttributeError(name)

    @property
    def shape(self) -> tuple[int, int]:
        """(number of secrets, number of observables, counting those that no secret can cause)."""
        return self.parts[0].shape[0], reduce(lambda many, part: many * part.shape[1], self.parts, 1)

    def columns(self, prior: Prior | Iterable[Any] | None) -> Columns:
        return Products([part.matrix for part in self.parts], None if prior is None else self.fitting(prior).p)

    def output(self, prior: Prior | Iterable[Any]) -> Array:
        return np.asarray(self._built.output(prior))

    def __repr__(self) -> str:
        n, m = self.shape
        return f"Together({len(self.parts)} channels of {n} secrets, {m:,} observables)"


class Products(Columns):
    """The columns scale * A[:,y] * B[:,z] * ... of several matrices, in blocks that are made one after the other."""

    __slots__ = ("gain", "parts")

    def __init__(self, parts: list[Any], scale: Array | None, gain: Any = None) -> None:
        super().__init__(parts[0], scale)
        self.parts, self.gain = parts, gain

    @property
    def plain(self) -> bool:
        return False

    @property
    def complete(self) -> bool:
        return self.gain is not None or self.scale is None or bool(self.scale.min() >= 0)

    def under(self, gain: Any) -> Columns:
        if gain.ndim == 1 and gain.min() >= 0:
            return Products(self.parts, gain if self.scale is None else gain * self.scale, self.gain)
        return Products(self.parts, self.scale, np.diag(gain) if gain.ndim == 1 else gain)

    def blocks(self) -> Iterator[Callable[[], Array]]:
        before, last = self._cut()
        for places in product(*(range(part.shape[1]) for part in before)):

            def make(places: tuple[int, ...] = places) -> Array:
                column = np.ones(last.shape[0]) if self.scale is None else self.scale
                for part, y in zip(before, places, strict=True):
                    column = column * _column(part, y)
                return self._block(column, last)

            yield make

    def _cut(self) -> tuple[list[Any], Any]:
        """The parts that are gone through, and the product of those at the end that fit into a block."""
        before, last = list(self.parts[:-1]), as_csr(self.parts[-1])
        while before and isinstance(before[-1], np.ndarray) and before[-1].size * last.shape[1] <= BLOCK:
            first, second = before.pop(), last.toarray()
            last = as_csr((first[:, :, None] * second[:, None, :]).reshape(len(first), -1))
        return before, last

    def _block(self, column: Array, last: Any) -> Array:
        rows = np.flatnonzero(column)
        part = last[rows]
        part = part[:, np.unique(part.indices)] if part.nnz < part.shape[0] * part.shape[1] // 8 else part
        block = column[rows, None] * part.toarray()
        if not block.size:
            return np.zeros((1, 1))
        return block if self.gain is None else np.asarray(self.gain[:, rows] @ block)


def _column(matrix: Any, y: int) -> Array:
    if isinstance(matrix, np.ndarray):
        return np.asarray(matrix[:, y])
    found = np.zeros(matrix.shape[0])
    found[matrix.indices[matrix.indptr[y] : matrix.indptr[y + 1]]] = matrix.data[
        matrix.indptr[y] : matrix.indptr[y + 1]
    ]
    return found
