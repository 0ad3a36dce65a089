"""Channel: the matrix C[x,y] = p(y given x), dense or sparse, checked once, with labels for its rows and columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array, Indices
from minleak.core._columns import Block, Source, blocks_of
from minleak.core._frames import axes
from minleak.core._heat import SHOWN, heat_map
from minleak.core._labels import Labels, check_labels, locator, match
from minleak.core._matching import rename
from minleak.core._matrices import (
    DENSE,
    as_csc,
    as_csr,
    as_dense,
    check_entries,
    check_size,
    check_sums,
    is_sparse,
    random_support,
    too_large,
)
from minleak.core._parameters import as_list, real, whole
from minleak.core._plain import plain
from minleak.core._simulating import generator
from minleak.errors import InvalidChannel, InvalidParameter, quote
from minleak.io._tables import Column, as_values, encode, matrix_cells

# Rows of floats must sum to one within this, rows of Fractions exactly.
SUM_TOLERANCE = 1e-9
# The same for 32-bit floats, whose relative rounding error is up to 6e-8 each.
SINGLE_TOLERANCE = 1e-6


class Channel(Source):
    """A channel from n secrets (rows) to m observables (columns), C[x,y] = p(y given x).

    Parameters
    ----------
    matrix
        A dense array-like, a scipy.sparse matrix or array, or another channel. Fractions and Decimals are checked
        exactly and kept beside their floats as `exact`. The matrix is copied and never rescaled.
    inputs, outputs
        Distinct labels of the rows and the columns. By default those of a frame (pandas, polars, xarray, Arrow), or
        numbers from 0. Where a frame has the same ones in another order, these say the order.
    tolerance
        How far the sum of a row of floats may be from one. By default 1e-9, and 1e-6 for 32-bit floats. A composed
        channel has the tolerance that follows from its parts.

    Raises
    ------
    InvalidChannel
        For a negative, NaN or infinite entry, by row and column, or for the row whose sum is farthest from one.

    Examples
    --------
    >>> channel = Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]])
    >>> channel.preimage_sizes
    array([1, 2, 1])
    >>> channel
    Channel(2 secrets, 3 observables, dense)
    """

    matrix: Any
    exact: npt.NDArray[Any] | None
    outputs: Labels
    tolerance: float

    def __init__(
        self,
        matrix: Any,
        *,
        inputs: Iterable[Hashable] | None = None,
        outputs: Iterable[Hashable] | None = None,
        tolerance: float | None = None,
        _where: Callable[[int], str] | None = None,
    ) -> None:
        rows, columns = axes(matrix)
        if isinstance(matrix, Channel):
            rows, columns = (None if names.is_default else names for names in (matrix.inputs, matrix.outputs))
            tolerance = matrix.tolerance if tolerance is None else tolerance
            matrix = matrix.matrix if matrix.exact is None else matrix.exact
        if tolerance is None:
            tolerance = SINGLE_TOLERANCE if getattr(matrix, "dtype", None) == np.float32 else SUM_TOLERANCE
        matrix, inputs = rename(matrix, rows, inputs, "the rows", InvalidChannel)
        matrix, outputs = rename(matrix, columns, outputs, "the columns", InvalidChannel, axis=1)
        self.matrix, self.exact = (as_csc(matrix), None) if is_sparse(matrix) else as_dense(matrix)
        n, m = self.matrix.shape
        self.inputs = check_labels(inputs, n, "inputs", "rows", InvalidChannel)
        self.outputs = check_labels(outputs, m, "outputs", "columns", InvalidChannel)
        self.tolerance = real(tolerance, "the tolerance of a row's sum is a number from 0 on", least=0, below=math.inf)
        row = _where or locator(self.inputs)
        check_entries(self.matrix, row, locator(self.outputs, "column"))
        check_sums(self.matrix if self.exact is None else self.exact, self.tolerance, row)
        stored = (self.matrix,) if self.is_dense else (self.matrix.data, self.matrix.indices, self.matrix.indptr)
        for array in stored:
            array.flags.writeable = False

    # -- other ways to make one -------------------------------------------------------------------------------------

    @classmethod
    def from_rows(
        cls, rows: Iterable[tuple[Hashable, Hashable, Any]], *, inputs: Iterable[Hashable] | None = None
    ) -> Channel:
        """A sparse channel from tidy rows (secret, observable, probability), labels in order of appearance.

        `inputs` sets the order of the secrets, for instance to `prior.labels`. Two rows with the same secret and
        observable are refused.

        >>> channel = Channel.from_rows([("flu", "hot", 0.9), ("flu", "cold", 0.1), ("gout", "cold", 1)])
        >>> channel.outputs[0], channel.toarray()[0]
        ('hot', array([0.9, 0.1]))
        """
        import scipy.sparse as sp

        triples = as_list(rows, "rows are a sequence of triples", InvalidChannel, some=True)
        for i, row in enumerate(triples):
            if not isinstance(row, tuple | list) or len(row) != 3:
                raise InvalidChannel(f"row {i} is not a triple (secret, observable, probability)")
        roles = ("secret", "observable", "probability")
        secret, observable, probability = (
            Column(as_values(list(values), f"the {role}s"), role, "row {}".format, InvalidChannel)
            for role, values in zip(roles, zip(*triples, strict=True), strict=True)
        )
        x, y, names, outputs = matrix_cells(secret, observable, inputs)
        matrix = sp.coo_array((probability.floats(), (x, y)), shape=(len(names), len(outputs)))
        return cls(matrix, inputs=names, outputs=outputs)

    @classmethod
    def deterministic(
        cls, observables: Iterable[Hashable] | Mapping[Any, Hashable], *, inputs: Iterable[Hashable] | None = None
    ) -> Channel:
        """The channel of a function: secret x always shows observables[x]; a mapping or a Series brings the labels of
        its secrets.

        >>> Channel.deterministic(["long", "short", "long"]).preimage_sizes
        array([2, 1])
        """
        import scipy.sparse as sp

        if isinstance(observables, Mapping):
            observables, inputs = rename(
                list(observables.values()), list(observables), inputs, "the observables", InvalidChannel
            )
        else:
            observables, inputs = rename(observables, axes(observables)[0], inputs, "the observables", InvalidChannel)
        y, outputs = encode(as_values(observables, "the observables"))
        function = sp.coo_array((np.ones(len(y)), (np.arange(len(y)), y)), shape=(len(y), len(outputs)))
        return cls(function, inputs=inputs, outputs=outputs)

    @classmethod
    def random(
        cls, n: int, m: int, *, seed: int | np.random.Generator | None = None, cap: int | None = None
    ) -> Channel:
        """A random dense channel whose rows are uniform on the simplex.

        With `cap`, at most that many secrets can cause each observable (requires m * cap >= n).
        """
        for what, value in (("n", n), ("m", m), ("cap", 1 if cap is None else cap)):
            whole(value, what)
        size = too_large(n * m, each=DENSE)
        if size is not None:
            raise InvalidParameter(f"a channel of so many secrets and observables has {size}")
        rng = np.random.default_rng(seed) if isinstance(seed, np.random.Generator | None) else generator(seed)
        matrix = rng.exponential(size=(n, m))
        if cap is not None:
            if m * cap < n:
                raise InvalidParameter(f"{m} observables with pre-images of at most {cap} cannot serve {n} secrets")
            matrix *= random_support(n, m, cap, rng)
        return cls(matrix / matrix.sum(axis=1, keepdims=True))

    # -- its entries ------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(number of secrets, number of observables)."""
        n, m = self.matrix.shape
        return int(n), int(m)

    @property
    def is_dense(self) -> bool:
        """True for a numpy matrix, False for a scipy.sparse one."""
        return isinstance(self.matrix, np.ndarray)

    @cached_property
    def preimage_sizes(self) -> Indices:
        """The number of secrets that can cause each observable: |{x : C[x,y] > 0}|."""
        sizes = np.count_nonzero(self.matrix, axis=0) if self.is_dense else np.diff(self.matrix.indptr)
        return np.asarray(sizes, dtype=np.int64)

    def preimages(self) -> Iterator[Indices]:
        """The increasing positions of the secrets that can cause each observable."""
        if self.is_dense:
            return (np.flatnonzero(column) for column in self.matrix.T)
        ends = pairwise(self.matrix.indptr.tolist())
        return (self.matrix.indices[begin:end].astype(np.int64) for begin, end in ends)

    def toarray(self) -> Array:
        """The matrix as a dense array (a read-only view if it is dense)."""
        size = None if self.is_dense else too_large(math.prod(self.shape), each=8)
        if size is not None:
            raise InvalidChannel(f"as a dense array the channel has {size}: work on its sparse `matrix`")
        return np.asarray(self.matrix if self.is_dense else self.matrix.toarray())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The dense matrix, for numpy."""
        return np.array(self.toarray(), dtype=dtype, copy=copy)

    def __getitem__(self, pair: tuple[Hashable, Hashable]) -> float:
        """channel[x, y] is p(y given x), by the labels of both, which are numbers by default."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidParameter("a channel takes two labels, channel[secret, observable]; toarray() has its rows")
        return float(self.matrix[_place(self.inputs, pair[0], "secret"), _place(self.outputs, pair[1], "observable")])

    __iter__: ClassVar[None] = None  # Python would iterate over channel[0], channel[1], ..., which are labels here

    def __len__(self) -> int:
        return self.shape[0]

    def __eq__(self, other: object) -> bool:
        """Whether all labels and probabilities are equal."""
        if not isinstance(other, Channel):
            return NotImplemented
        if self.shape != other.shape or self.inputs != other.inputs or self.outputs != other.outputs:
            return False
        first, second = entries_of(self, other)
        if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
            return bool(np.array_equal(first, second))
        return bool(abs(self.matrix - other.matrix).max() == 0)

    def __hash__(self) -> int:
        return hash(self.shape)

    def to_dict(self) -> dict[str, Any]:
        """The labels of both sides and the rows, for JSON."""
        return {"inputs": plain(self.inputs), "outputs": plain(self.outputs), "matrix": plain(self.toarray())}

    def __repr__(self) -> str:
        n, m = self.shape
        kind = "dense" if self.is_dense else f"sparse with {self.matrix.nnz} non-zeros"
        return f"Channel({n} secrets, {m} observables, {kind})"

    def _repr_html_(self) -> str:
        """The first rows and columns of the matrix as a heat map, for notebooks."""
        n, m = min(self.shape[0], SHOWN), min(self.shape[1], SHOWN)
        part = self.matrix[:n] if self.is_dense else self.matrix.tocsr()[:n].toarray()
        more = f"the first {n} of {self.shape[0]:,} secrets and {m} of {self.shape[1]:,} observables"
        return heat_map(
            repr(self), self.inputs[:n], self.outputs[:m], part[:, :m], more if (n, m) != self.shape else ""
        )

    # -- its columns, and what follows them ----------------------------------------------------------------------

    def blocks(self, scale: Array | None = None) -> Iterator[Block]:
        """Yield the columns of the matrix, or of it times the scale, in order and in blocks."""
        return blocks_of(self.matrix, scale)

    def __matmul__(self, other: Channel | Any) -> Channel:
        """The cascade X -> Y -> Z: the observable is processed further by `other`. Exact if both channels are.

        >>> (Channel([[1, 0], [0, 1]]) @ Channel([[0.5, 0.5], [0.5, 0.5]])).toarray()
        array([[0.5, 0.5],
               [0.5, 0.5]])
        """
        other = as_channel(other)
        first, second = ("the first channel", "output"), ("the second", "input")
        match(self.outputs, other.inputs, first, second, InvalidChannel, rule="cannot cascade: ")
        return Channel(
            _multiply(*entries_of(self, other)),
            inputs=self.inputs,
            outputs=other.outputs,
            tolerance=add_tolerances(self.tolerance, other.tolerance),
        )


def as_channel(channel: Any) -> Channel:
    """The channel itself, or that of a matrix."""
    if isinstance(channel, Channel):
        return channel
    if callable(getattr(type(channel), "channel", None)):
        raise InvalidChannel(f"a {type(channel).__name__} is not a channel: give its .channel()")
    return Channel(channel)


def _place(labels: Labels, name: Hashable, what: str) -> int:
    at = labels.position(name)
    if at is None:
        raise InvalidParameter(f"{quote(name)} is no {what} of the channel")
    return at


def entries_of(a: Channel, b: Channel) -> tuple[Any, Any]:
    """Both matrices, as Fractions if both are exact."""
    return (a.matrix, b.matrix) if a.exact is None or b.exact is None else (a.exact, b.exact)


def add_tolerances(first: float, second: float) -> float:
    """The tolerance of a composed channel, whose row sums are products of two that are off by this much."""
    return max(SUM_TOLERANCE, (1 + first) * (1 + second) - 1)


def _multiply(a: Any, b: Any) -> Any:
    """a @ b, sparse only if both are; refused if it would not fit into memory."""
    dense = isinstance(a, np.ndarray) or isinstance(b, np.ndarray)
    entries = a.shape[0] * b.shape[1]
    if not dense:  # each non-zero in column y of a meets those in row y of b
        entries = min(entries, int(np.diff(a.indptr).astype(np.int64) @ np.diff(as_csr(b).indptr)))
    check_size("the cascade", entries, dense=dense)
    return a @ b
