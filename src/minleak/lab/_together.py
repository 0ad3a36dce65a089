"""Together: channels in parallel whose product is never built. Its columns are computed in blocks when measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._columns import BLOCK, Block, Source, blocks_of
from minleak.core._matrices import DENSE, as_csr, too_large
from minleak.core._parameters import as_list
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.lab._algebra import parallel, sharing

if TYPE_CHECKING:
    import scipy.sparse as sp


class Together(Source):
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
        self.parts = tuple(sharing(first, channel, "together") for channel in given)
        self.inputs = first.inputs

    def channel(self) -> Channel:
        """The product as a channel, without observables that no secret can cause; refused if it is too large."""
        return reduce(parallel, self.parts)

    @property
    def shape(self) -> tuple[int, int]:
        """(number of secrets, number of observables including those that no secret can cause)."""
        return self.parts[0].shape[0], math.prod(part.shape[1] for part in self.parts)

    def blocks(self, scale: Array | None = None) -> Iterator[Block]:
        """Yield the columns scale * A[:,y] * B[:,z] * ... of the product, in order and in blocks."""
        size = too_large(self.shape[1], each=DENSE)
        if size is not None:
            raise InvalidParameter(f"a number for each observable of channels together has {size}")
        before, last = _cut([part.matrix for part in self.parts])
        for places in product(*(range(part.shape[1]) for part in before)):
            column = np.ones(last.shape[0]) if scale is None else scale
            for part, y in zip(before, places, strict=True):
                column = column * _column(part, y)
            yield from blocks_of(last, column) if isinstance(last, np.ndarray) else (_scaled(last, column),)

    def __repr__(self) -> str:
        n, m = self.shape
        return f"Together({len(self.parts)} channels of {n} secrets, {m:,} observables)"


def _cut(parts: list[Any]) -> tuple[list[Any], Any]:
    """The parts to iterate over, and the product of those at the end: dense, if it fits into a block, or csr."""
    before, last = parts[:-1], parts[-1]
    if not isinstance(last, np.ndarray):
        return before, as_csr(last)
    while before and isinstance(before[-1], np.ndarray) and before[-1].size * last.shape[1] <= BLOCK:
        first = before.pop()
        last = (first[:, :, None] * last[:, None, :]).reshape(len(first), -1)
    return before, last


def _scaled(last: sp.csr_array, column: Array) -> sp.csc_array:
    """column * last, in the time of the rows that it keeps."""
    import scipy.sparse as sp

    rows = np.flatnonzero(column)
    part = last[rows]
    entries = part.data * np.repeat(column[rows], np.diff(part.indptr))
    return sp.csc_array((entries, (np.repeat(rows, np.diff(part.indptr)), part.indices)), shape=last.shape)


def _column(matrix: Any, y: int) -> Array:
    if isinstance(matrix, np.ndarray):
        return np.asarray(matrix[:, y])
    found, part = np.zeros(matrix.shape[0]), slice(matrix.indptr[y], matrix.indptr[y + 1])
    found[matrix.indices[part]] = matrix.data[part]
    return found
