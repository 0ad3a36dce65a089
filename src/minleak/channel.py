"""Channel: the matrix C[x,y] = p(y given x), dense or sparse, validated once, and how channels are put together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak.columns import Columns
from minleak.errors import InvalidChannel, InvalidParameter
from minleak.labels import Labels, named
from minleak.prior import Prior, as_prior

if TYPE_CHECKING:
    import scipy.sparse as sp

Array = npt.NDArray[np.float64]

# Rows of floats must sum to one within this; rows of Fractions exactly.
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Posteriors:
    """What an observer believes: column j is p(x given y) for the j-th observable that can occur.

    Observables of probability zero have no posterior and are left out; `dropped` lists their labels.
    """

    matrix: Any
    probabilities: Array
    outputs: Labels
    dropped: tuple[Any, ...]


class Channel:
    """A channel from n secrets (rows) to m observables (columns), C[x,y] = p(y given x).

    Parameters
    ----------
    matrix
        A dense array-like, or a scipy.sparse matrix or array. Fractions are checked exactly and kept beside their
        floats as `exact`. The matrix is copied; it is never rescaled.
    inputs, outputs
        Distinct labels of the rows and the columns; numbers from 0 if not given.
    tolerance
        How far a row of floats may sum from one.

    Raises
    ------
    InvalidChannel
        Naming the row and column of a negative, NaN or infinite entry, or the row whose sum is worst.

    Examples
    --------
    >>> channel = Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]])
    >>> channel.preimage_sizes
    array([1, 2, 1])
    >>> channel
    Channel(2 secrets, 3 observables, dense)
    """

    def __init__(
        self,
        matrix: Any,
        *,
        inputs: Iterable[Hashable] | None = None,
        outputs: Iterable[Hashable] | None = None,
        tolerance: float = SUM_TOLERANCE,
    ) -> None:
        self.exact: npt.NDArray[Any] | None = None
        if _is_sparse(matrix):
            self.matrix: Any = _as_csc(matrix)
        else:
            self.matrix, self.exact = _as_dense(matrix)
        n, m = self.matrix.shape
        self.inputs = _labels(inputs, n, "inputs", "rows")
        self.outputs = _labels(outputs, m, "outputs", "columns")
        self._check(tolerance)
        for array in (self.matrix,) if self.is_dense else (self.matrix.data, self.matrix.indices, self.matrix.indptr):
            array.flags.writeable = False

    def _check(self, tolerance: float) -> None:
        entries = self.matrix if self.is_dense else self.matrix.data
        if not (entries.min(initial=0.0) >= 0 and entries.max(initial=0.0) < math.inf):  # NaN fails
            at = int(np.argmin((entries >= 0) & (entries < math.inf)))
            if self.is_dense:
                x, y = divmod(at, self.matrix.shape[1])
            else:
                x, y = (
                    int(self.matrix.indices[at]),
                    int(np.searchsorted(self.matrix.indptr, at, side="right") - 1),
                )
            raise InvalidChannel(
                f"the entry at {self._row(x)}, column {y} is {entries.flat[at]}: "
                "probabilities must be finite and not negative"
            )
        if self.exact is not None:
            off = np.array([abs(sum(row) - 1) for row in self.exact.tolist()], dtype=object)
            worst, limit = max(range(len(off)), key=off.__getitem__), 0.0
        else:
            off = np.abs(np.asarray(self.matrix.sum(axis=1)) - 1.0)
            worst, limit = int(np.argmax(off)), tolerance
        if not off[worst] <= limit:
            total = sum(self.exact[worst]) if self.exact is not None else float(self.matrix[[worst], :].sum())
            raise InvalidChannel(
                f"{self._row(worst)} sums to {total}, not to 1 (the worst of {len(off)} rows; "
                f"{limit:g} is tolerated): rows are secrets and hold p(y given x)"
            )

    def _row(self, x: int) -> str:
        return named(self.inputs)(x)

    # -- other ways to make one -------------------------------------------------------------------------------------

    @classmethod
    def from_rows(
        cls, rows: Iterable[tuple[Hashable, Hashable, Any]], *, inputs: Iterable[Hashable] | None = None
    ) -> Channel:
        """A sparse channel from tidy rows (secret, observable, probability), labels in order of appearance.

        `inputs` fixes the order of the secrets, for instance to that of a prior's labels. Rows with the same secret
        and observable are refused.

        >>> channel = Channel.from_rows([("flu", "hot", 0.9), ("flu", "cold", 0.1), ("gout", "cold", 1)])
        >>> channel.outputs[0], channel.toarray()[0]
        ('hot', array([0.9, 0.1]))
        """
        import scipy.sparse as sp

        secret_at: dict[Hashable, int] = {} if inputs is None else {x: i for i, x in enumerate(inputs)}
        fixed = inputs is not None
        observable_at: dict[Hashable, int] = {}
        entries: dict[tuple[int, int], float] = {}
        for number, row in enumerate(rows):
            try:
                x, y, probability = row
            except (TypeError, ValueError):
                raise InvalidChannel(f"row {number} is not a triple (secret, observable, probability)") from None
            if fixed and x not in secret_at:
                raise InvalidChannel(f"row {number} has the secret {x!r}, which is not among the inputs")
            place = secret_at.setdefault(x, len(secret_at)), observable_at.setdefault(y, len(observable_at))
            if place in entries:
                raise InvalidChannel(f"row {number} gives p({y!r} given {x!r}) a second time")
            try:
                entries[place] = float(probability)
            except (TypeError, ValueError):
                raise InvalidChannel(f"the probability of row {number} is {probability!r}, not a number") from None
        if not entries:
            raise InvalidChannel("there are no rows: a channel needs at least one secret and one observable")
        at = np.array(list(entries), dtype=np.int64)
        matrix = sp.coo_array(
            (np.fromiter(entries.values(), np.float64, len(entries)), (at[:, 0], at[:, 1])),
            shape=(len(secret_at), len(observable_at)),
        )
        return cls(matrix, inputs=list(secret_at), outputs=list(observable_at))

    @classmethod
    def deterministic(cls, observables: Iterable[Hashable], *, inputs: Iterable[Hashable] | None = None) -> Channel:
        """The channel of a function: observables[x] is what secret x always shows.

        >>> Channel.deterministic(["long", "short", "long"]).preimage_sizes
        array([2, 1])
        """
        observables = list(observables)
        names = list(range(len(observables))) if inputs is None else list(inputs)
        if len(names) != len(observables):
            raise InvalidChannel(f"{len(observables)} observables but {len(names)} inputs: give one for each secret")
        channel = cls.from_rows((i, y, 1.0) for i, y in enumerate(observables))
        return channel if inputs is None else cls(channel.matrix, inputs=names, outputs=channel.outputs)

    @classmethod
    def random(
        cls, n: int, m: int, *, seed: int | np.random.Generator | None = None, cap: int | None = None
    ) -> Channel:
        """A random dense channel, for experiments: rows uniform on the simplex.

        With `cap`, every observable has at most that many secrets that can cause it (needs m * cap >= n).
        """
        rng = np.random.default_rng(seed)
        matrix = rng.exponential(size=(n, m))
        if cap is not None:
            if not cap >= 1 or m * cap < n:
                raise InvalidParameter(f"{m} observables with pre-images of at most {cap} cannot serve {n} secrets")
            allowed = np.zeros((n, m), dtype=bool)
            places = np.repeat(np.arange(m), min(cap, n))
            home = rng.permutation(m * min(cap, n))[:n] if cap < n else rng.integers(0, m * n, n)
            allowed[np.arange(n), places[home]] = True
            for y in range(m):
                free = np.flatnonzero(~allowed[:, y])
                allowed[rng.permutation(free)[: cap - int(allowed[:, y].sum())], y] = True
            matrix *= allowed
        return cls(matrix / matrix.sum(axis=1, keepdims=True))

    # -- what it is -------------------------------------------------------------------------------------------------

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
    def preimage_sizes(self) -> npt.NDArray[np.int64]:
        """For each observable, how many secrets can cause it: |{x : C[x,y] > 0}|."""
        sizes = np.count_nonzero(self.matrix, axis=0) if self.is_dense else np.diff(self.matrix.indptr)
        return np.asarray(sizes, dtype=np.int64)

    def preimages(self) -> Iterator[npt.NDArray[np.int64]]:
        """For each observable, the secrets that can cause it, as increasing positions."""
        for y in range(self.shape[1]):
            if self.is_dense:
                yield np.flatnonzero(self.matrix[:, y]).astype(np.int64)
            else:
                yield self.matrix.indices[self.matrix.indptr[y] : self.matrix.indptr[y + 1]].astype(np.int64)

    def toarray(self) -> Array:
        """The matrix as a dense array (a read-only view if it is dense)."""
        return np.asarray(self.matrix if self.is_dense else self.matrix.toarray())

    def __repr__(self) -> str:
        n, m = self.shape
        kind = "dense" if self.is_dense else f"sparse with {self.matrix.nnz} non-zeros"
        return f"Channel({n} secrets, {m} observables, {kind})"

    # -- under a prior ----------------------------------------------------------------------------------------------

    def columns(self, prior: Prior | Iterable[Any]) -> Columns:
        """The columns of the joint p(x) C[x,y], in blocks; what every measure is computed from."""
        return Columns(self.matrix, self._fitting(prior).p)

    def joint(self, prior: Prior | Iterable[Any]) -> Any:
        """The joint distribution J[x,y] = p(x) C[x,y]: dense for a dense channel, sparse for a sparse one.

        >>> Channel([[1, 0], [0.5, 0.5]]).joint([1, 1])
        array([[0.5 , 0.  ],
               [0.25, 0.25]])
        """
        p = self._fitting(prior).p
        if self.is_dense:
            return p[:, None] * self.matrix
        joint = self.matrix.copy()
        joint.data = joint.data * p[joint.indices]
        return joint

    def output(self, prior: Prior | Iterable[Any]) -> Array:
        """The distribution of the observable, p(y) = sum over x of p(x) C[x,y]."""
        p = self._fitting(prior).p
        return np.asarray(self.matrix.T @ p)

    def posteriors(self, prior: Prior | Iterable[Any]) -> Posteriors:
        """p(x given y) for every observable of positive probability; the others are dropped, and named."""
        joint = self.joint(prior)
        p_y = np.asarray(joint.sum(axis=0))
        kept = np.flatnonzero(p_y > 0)
        if self.is_dense:
            matrix: Any = joint[:, kept] / p_y[kept]
        else:
            matrix = joint[:, kept]
            matrix.data = matrix.data / np.repeat(p_y[kept], np.diff(matrix.indptr))
        dropped = [self.outputs[int(y)] for y in np.flatnonzero(~(p_y > 0))]
        if not dropped:
            return Posteriors(matrix, p_y, self.outputs, ())
        return Posteriors(matrix, p_y[kept], Labels.of([self.outputs[int(y)] for y in kept], len(kept)), tuple(dropped))

    def _fitting(self, prior: Prior | Iterable[Any]) -> Prior:
        """The prior, if its secrets are this channel's inputs."""
        prior = as_prior(prior)
        n = self.shape[0]
        if len(prior) != n:
            raise InvalidChannel(f"the prior has {len(prior)} secrets and the channel {n} rows: they must be the same")
        if not (prior.labels.is_default or self.inputs.is_default) and prior.labels != self.inputs:
            x = next(i for i in range(n) if prior.labels[i] != self.inputs[i])
            raise InvalidChannel(
                f"the prior's secret {x} is {prior.labels[x]!r} but the channel's row {x} is {self.inputs[x]!r}: "
                "bring both into one order"
            )
        return prior

    # -- putting channels together ----------------------------------------------------------------------------------

    def __matmul__(self, other: Channel) -> Channel:
        """The cascade X -> Y -> Z: what is left when the observable is processed further by `other`.

        >>> (Channel([[1, 0], [0, 1]]) @ Channel([[0.5, 0.5], [0.5, 0.5]])).toarray()
        array([[0.5, 0.5],
               [0.5, 0.5]])
        """
        if not isinstance(other, Channel):
            return NotImplemented
        if self.shape[1] != other.shape[0]:
            raise InvalidChannel(
                f"cannot cascade: the first channel has {self.shape[1]} observables, the second {other.shape[0]} inputs"
            )
        if not (self.outputs.is_default or other.inputs.is_default) and self.outputs != other.inputs:
            raise InvalidChannel(
                "cannot cascade: the first channel's outputs are not the second one's inputs, in order"
            )
        return Channel(_product(self.matrix, other.matrix), inputs=self._named_inputs(), outputs=_names(other.outputs))

    def parallel(self, other: Channel) -> Channel:
        """Two channels on the same secret, both observed: C[x,(y,z)] = C1[x,y] C2[x,z], outputs labelled by pairs."""
        if self.shape[0] != other.shape[0]:
            raise InvalidChannel(
                f"channels in parallel share their secrets: {self.shape[0]} rows against {other.shape[0]}"
            )
        outputs = [(y, z) for y in self.outputs for z in other.outputs]
        n = self.shape[0]
        if self.is_dense and other.is_dense:
            matrix: Any = (self.matrix[:, :, None] * other.matrix[:, None, :]).reshape(n, -1)
        else:
            matrix = _row_products(_as_csr(self.matrix), _as_csr(other.matrix))
        return Channel(matrix, inputs=self._named_inputs(), outputs=outputs)

    def product(self, other: Channel) -> Channel:
        """Two channels on independent secrets: the Kronecker product, inputs and outputs labelled by pairs."""
        import scipy.sparse as sp

        if self.is_dense and other.is_dense:
            matrix: Any = np.kron(self.matrix, other.matrix)
        else:
            matrix = sp.kron(_as_csr(self.matrix), _as_csr(other.matrix), format="csc")
        return Channel(
            matrix,
            inputs=[(x, z) for x in self.inputs for z in other.inputs],
            outputs=[(y, z) for y in self.outputs for z in other.outputs],
        )

    def repeated(self, times: int, *, ordered: bool = False) -> Channel:
        """The same secret sent `times` times, independently, all observables seen.

        The order of the observations says nothing about the secret, so by default an output is a multiset of
        observables, labelled by a tuple in the order of this channel's outputs: C(m+t-1, t) outputs instead of m^t.
        `ordered=True` keeps all sequences.
        """
        if isinstance(times, bool) or not isinstance(times, int) or times < 1:
            raise InvalidParameter(f"times must be a whole number from 1 on, not {times!r}")
        m = self.shape[1]
        single = Channel(self.matrix, inputs=self._named_inputs(), outputs=[(y,) for y in range(m)])

        def step(done: Channel, _: int) -> Channel:
            both = done.parallel(single)
            joined = [first + second for first, second in both.outputs]
            if ordered:
                return Channel(both.matrix, inputs=both._named_inputs(), outputs=joined)
            return both._merged([tuple(sorted(seen)) for seen in joined])

        result = reduce(step, range(times - 1), single)
        names = [tuple(self.outputs[y] for y in seen) for seen in result.outputs]
        return Channel(result.matrix, inputs=self._named_inputs(), outputs=names)

    def _merged(self, names: list[Hashable]) -> Channel:
        """Observables of the same name become one."""
        import scipy.sparse as sp

        at: dict[Hashable, int] = {}
        column = [at.setdefault(name, len(at)) for name in names]
        merge = sp.csc_array((np.ones(len(names)), (np.arange(len(names)), column)), shape=(len(names), len(at)))
        return Channel(_product(self.matrix, merge), inputs=self._named_inputs(), outputs=list(at))

    def _named_inputs(self) -> Labels | None:
        return _names(self.inputs)


def as_channel(channel: Any) -> Channel:
    """The channel itself, or the one that a matrix stands for."""
    return channel if isinstance(channel, Channel) else Channel(channel)


def _names(labels: Labels) -> Labels | None:
    return None if labels.is_default else labels


def _labels(names: Iterable[Hashable] | None, count: int, what: str, of: str) -> Labels:
    labels = Labels.of(names, count)
    if len(labels) != count:
        raise InvalidChannel(f"{len(labels)} {what} for a matrix of {count} {of}: give one label for each")
    twice = labels.first_duplicate()
    if twice is not None:
        raise InvalidChannel(f"{what} {twice[0]} and {twice[1]} are both {labels[twice[0]]!r}: labels must differ")
    return labels


def _is_sparse(matrix: Any) -> bool:
    if isinstance(matrix, np.ndarray | list | tuple):
        return False
    import scipy.sparse as sp

    return bool(sp.issparse(matrix))


def _as_csc(matrix: Any) -> sp.csc_array:
    import scipy.sparse as sp

    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidChannel(f"a channel has rows and columns, not shape {matrix.shape}")
    if matrix.dtype.kind not in "iuf":
        raise InvalidChannel(f"a sparse channel holds numbers, not {matrix.dtype}")
    csc = sp.csc_array(matrix, dtype=np.float64, copy=True)
    csc.sum_duplicates()
    csc.eliminate_zeros()
    return csc


def _as_csr(matrix: Any) -> sp.csr_array:
    import scipy.sparse as sp

    return sp.csr_array(matrix)


def _as_dense(matrix: Any) -> tuple[Array, npt.NDArray[Any] | None]:
    """float64 entries, and the same as exact Fractions if they came so."""
    try:
        given = np.asarray(matrix)
    except ValueError:
        raise InvalidChannel("the rows of the matrix are not of one length") from None
    if given.ndim != 2 or 0 in given.shape:
        raise InvalidChannel(f"a channel has rows and columns, not shape {given.shape}")
    if given.dtype.kind == "O" and all(isinstance(v, int | Fraction) and not isinstance(v, bool) for v in given.flat):
        return given.astype(np.float64), np.vectorize(Fraction, otypes=[object])(given)
    if given.dtype.kind not in "iuf":
        raise InvalidChannel(f"a channel holds numbers, not {given.dtype}: give floats, integers or Fractions")
    return np.array(given, dtype=np.float64, order="C"), None


def _product(a: Any, b: Any) -> Any:
    """a @ b, sparse only if both are."""
    product = a @ b
    return product if isinstance(product, np.ndarray) else product.tocsc()


def _row_products(a: sp.csr_array, b: sp.csr_array) -> sp.csr_array:
    """Row by row, all products of an entry of a with one of b, at a cost proportional to the result's non-zeros."""
    import scipy.sparse as sp

    n, width = a.shape[0], b.shape[1]
    of_a, of_b = np.diff(a.indptr).astype(np.int64), np.diff(b.indptr).astype(np.int64)
    per_entry = np.repeat(of_b, of_a)  # how many partners each entry of a has
    left = np.repeat(np.arange(a.nnz), per_entry)
    first = np.cumsum(per_entry) - per_entry
    row = np.repeat(np.arange(n), of_a)
    right = np.arange(len(left)) - first[left] + b.indptr[:-1].astype(np.int64)[row[left]]
    column = a.indices[left].astype(np.int64) * width + b.indices[right]
    indptr = np.concatenate([[0], np.cumsum(of_a * of_b)])
    return sp.csr_array((a.data[left] * b.data[right], column, indptr), shape=(n, a.shape[1] * width))
