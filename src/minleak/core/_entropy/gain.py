"""Gain: an entropy seen by an attacker who values guesses differently, H_g(X|Y) = eta(sum over y of Fhat(G J[:,y]))."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._columns import BLOCK, Block
from minleak.core._entropy.base import Entropy
from minleak.core._entropy.names import as_entropy
from minleak.core._frames import refuse_names
from minleak.core._labels import Labels
from minleak.core._matching import columns_by_label, values_by_label
from minleak.core._matrices import is_sparse
from minleak.errors import InvalidParameter


class Gain(Entropy):
    """The gain-based form of an entropy.

    Parameters
    ----------
    entropy
        Any entropy of the paper's form, or its name.
    gain
        G[w,x] >= 0, the attacker's gain from guess w when the secret is x, guesses as rows: a matrix (dense or
        sparse) or a vector gamma for diag(gamma). Diagonal matrices are recognised.

    With MinEntropy this is the g-entropy, -log of the g-vulnerability. H_g is in general neither symmetric nor
    expansible, but its leakage is never negative. In Renyi's families the value has no limit at order 1 unless the
    gains of every secret add up to 1: at order 1 itself it is Shannon's form of G p, another measure.

    >>> Gain("min-entropy", [1, 2])([1, 1])
    0.0
    """

    symmetric = False

    def __init__(self, entropy: Entropy | str, gain: Any) -> None:
        H = as_entropy(entropy)
        if not isinstance(H, Entropy):
            raise InvalidParameter(f"gains go with an entropy of the form eta(sum Fhat), not {H!r}")
        self.entropy = H
        self.gain = gain_matrix(gain).copy()
        entries = self.gain if isinstance(self.gain, np.ndarray) else self.gain.data
        if not entries.min(initial=0.0) >= 0:
            raise InvalidParameter("gains must not be negative; vulnerabilities take gains of any sign")
        if not entries.max(initial=0.0) > 0:
            raise InvalidParameter("all gains are zero: at least one guess must be worth something")
        totals = self.gain if self.gain.ndim == 1 else np.asarray(self.gain.sum(axis=0))
        off = float(np.abs(totals - 1).max())
        # Then G p is a distribution, and the entropy's own way to the value keeps its digits (near order 1, say).
        self._distributes = off <= 1e-16 * max(self.gain.shape) and H.symmetric

    @property
    def name(self) -> str:
        return f"gain({self.entropy.name})"

    @property
    def increasing(self) -> bool:
        return self.entropy.increasing

    @property
    def combine(self) -> Any:
        return self.entropy.combine

    def eta(self, z: float) -> float:
        return self.entropy.eta(z)

    def _perspective(self, v: Array) -> Array:
        return self.entropy._perspective(self.gain[:, None] * v if self.gain.ndim == 1 else self.gain @ v)

    def seen(self, block: Block) -> Iterator[Block]:
        return under_gain(self.gain, [block])

    def summary(self, v: Array) -> Array:
        return self.entropy.summary(v) if self._distributes else self.entropy._perspective(v)[None, :]

    def value(self, summary: Array) -> float:
        return self.entropy.value(summary) if self._distributes else super().value(summary)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


def gain_matrix(gain: Any, secrets: Labels | None = None) -> Any:
    """Gains as a float vector (diagonal), a float matrix, or a csr_array; all finite.

    Labelled ones are brought into the order of the secrets, and refused where these are not known.
    """
    if secrets is not None and not isinstance(gain, np.ndarray | list | tuple):
        if isinstance(gain, Mapping) or getattr(gain, "ndim", 1) == 1:
            gain = values_by_label(gain, secrets, "gains")
        else:
            gain = columns_by_label(gain, secrets, "gains")
        gain = gain if is_sparse(gain) else np.asarray(gain)
    sparse = is_sparse(gain)
    if sparse and gain.ndim == 1:
        gain, sparse = gain.toarray(), False  # a vector stands for a diagonal, however it is stored
    if sparse:
        import scipy.sparse as sp

        matrix: Any = sp.csr_array(gain, dtype=np.float64)
        entries = matrix.data
    else:
        matrix = gain if type(gain) is np.ndarray else _as_array(gain)
        if matrix.dtype.kind not in "iuf":
            raise InvalidParameter(f"gains are numbers, not {matrix.dtype}")
        matrix = matrix.astype(np.float64, copy=False)
        entries = matrix
    if matrix.ndim not in (1, 2) or 0 in matrix.shape:
        raise InvalidParameter(f"gains are a vector or a matrix with guesses as rows, not of shape {matrix.shape}")
    if not _finite(entries):
        raise InvalidParameter("gains must be finite numbers")
    if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and not _beside_the_diagonal(matrix):
        diagonal = matrix.diagonal()
        nonzeros = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.count_nonzero()
        if nonzeros == np.count_nonzero(diagonal):
            return np.array(diagonal)
    return matrix


def _as_array(gain: Any) -> npt.NDArray[Any]:
    refuse_names(gain, "gains", InvalidParameter)
    try:
        return np.asarray(gain)
    except ValueError:
        raise InvalidParameter("gains are a matrix of numbers, its rows of one length") from None


def _finite(entries: Array) -> bool:
    """A sum of squares that is finite has finite terms; one that is not may have passed the largest float."""
    return math.isfinite(np.vdot(entries, entries)) or bool(np.isfinite(entries).all())


def _beside_the_diagonal(matrix: Any) -> bool:
    """Whether the first row says already that the matrix is not diagonal."""
    return isinstance(matrix, np.ndarray) and bool(np.count_nonzero(matrix[0, 1:]))


def under_gain(gain: npt.NDArray[Any], blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the columns G J[:,y] in order and in blocks, from blocks of J with as many secrets. A vector gamma stands
    for diag(gamma), which keeps the columns sparse.
    """
    for block in blocks:
        n, of = block.shape[0], gain.shape[-1]
        if n != of:
            raise InvalidParameter(
                f"the gains are for {of} secrets, and there are {n}: G has one column for each secret"
            )
        if gain.ndim == 1:
            yield gain[:, None] * block if isinstance(block, np.ndarray) else _scaled(gain, block)
        else:
            yield from _products(gain, block)


def _scaled(gain: Array, block: Any) -> Block:
    scaled = block.copy()
    scaled.data *= gain[block.indices]
    return scaled


def _products(gain: Any, block: Block) -> Iterator[Block]:
    width = max(1, BLOCK // len(gain)) if isinstance(gain, np.ndarray) else block.shape[1]
    for start in range(0, block.shape[1], width):
        product = gain @ block[:, start : start + width]
        yield product if isinstance(product, np.ndarray) else _in_columns(product)


def _in_columns(matrix: Any) -> Block:
    """A sparse matrix as csc, the rows of each column in order."""
    columns = matrix.tocsc()
    columns.sort_indices()
    return columns
