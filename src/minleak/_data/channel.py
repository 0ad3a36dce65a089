"""Channel: the matrix C[x,y] = p(y given x), dense or sparse, validated once, and how channels are put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.columns import Columns
from minleak._data.labels import Labels, first_difference, named
from minleak._data.matrices import DENSE, as_csc, as_dense, is_number, is_sparse, too_large
from minleak._data.prior import Prior, as_prior
from minleak.errors import InvalidChannel, InvalidParameter, shown

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
        How far a row of floats may sum from one. What is composed of channels tolerates what its parts may add up to.

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
        _where: Callable[[int], str] | None = None,
    ) -> None:
        self.exact: npt.NDArray[Any] | None = None
        if not (is_number(tolerance) and 0 <= tolerance <= 1e300):
            raise InvalidParameter(f"the tolerance of a row's sum is a number from 0 on, not {shown(tolerance)}")
        self.tolerance = float(tolerance)
        if is_sparse(matrix):
            self.matrix: Any = as_csc(matrix)
        else:
            self.matrix, self.exact = as_dense(matrix)
        n, m = self.matrix.shape
        self.inputs = _labels(inputs, n, "inputs", "rows")
        self.outputs = _labels(outputs, m, "outputs", "columns")
        self._check(_where or named(self.inputs))
        for array in (self.matrix,) if self.is_dense else (self.matrix.data, self.matrix.indices, self.matrix.indptr):
            array.flags.writeable = False

    def _check(self, where: Callable[[int], str]) -> None:
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
                f"the entry at {where(x)}, {named(self.outputs, 'column')(y)} is {entries.flat[at]}: "
                "probabilities must be finite and not negative"
            )
        sums: Any
        if self.exact is not None:
            sums, limit = [sum(row) for row in self.exact.tolist()], 0.0
            worst = max(range(len(sums)), key=lambda x: abs(sums[x] - 1))
        else:
            with np.errstate(over="ignore"):  # a sum of infinity is the worst of all
                sums, limit = np.asarray(self.matrix.sum(axis=1)), self.tolerance
            worst = int(np.argmax(np.abs(sums - 1.0)))
        if not abs(sums[worst] - 1) <= limit:
            raise InvalidChannel(
                f"{where(worst)} sums to {shown(sums[worst])}, not to 1 (the worst of {len(sums)} rows; {limit:g} is "
                "tolerated): rows are secrets and hold p(y given x), so divide counts by their row's sum"
            )

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

        secret_at: dict[Hashable, int] = {}
        if inputs is not None:
            names = Labels.of(inputs, 0)
            secret_at = {x: i for i, x in enumerate(_labels(names, len(names), "inputs", "rows"))}
        fixed = inputs is not None
        observable_at: dict[Hashable, int] = {}
        entries: dict[tuple[int, int], float] = {}
        for number, row in enumerate(_several(rows, "rows of a channel")):
            try:
                x, y, probability = row
            except (TypeError, ValueError):
                raise InvalidChannel(f"row {number} is not a triple (secret, observable, probability)") from None
            if not (_is_hashable(x) and _is_hashable(y)):
                raise InvalidChannel(f"row {number} names by a list or the like: give text, numbers or tuples of them")
            if fixed and x not in secret_at:
                raise InvalidChannel(
                    f"row {number} has the secret {shown(x)}, which is not among the inputs: add it there"
                )
            place = secret_at.setdefault(x, len(secret_at)), observable_at.setdefault(y, len(observable_at))
            if place in entries:
                raise InvalidChannel(f"row {number} gives p({shown(y)} given {shown(x)}) a second time: add the two up")
            if not is_number(probability):
                raise InvalidChannel(f"the probability of row {number} is {shown(probability)}, not a number")
            try:
                entries[place] = float(probability)
            except OverflowError:
                raise InvalidChannel(f"the probability of row {number} is far above 1") from None
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
        function = cls.from_rows((i, y, 1.0) for i, y in enumerate(_several(observables, "observables")))
        return cls(function.matrix, inputs=inputs, outputs=function.outputs)

    @classmethod
    def random(
        cls, n: int, m: int, *, seed: int | np.random.Generator | None = None, cap: int | None = None
    ) -> Channel:
        """A random dense channel, for experiments: rows uniform on the simplex.

        With `cap`, every observable has at most that many secrets that can cause it (needs m * cap >= n).
        """
        for what, value in (("n", n), ("m", m), ("cap", 1 if cap is None else cap)):
            _check_count(value, what)
        size = too_large(n * m, each=DENSE)
        if size is not None:
            raise InvalidParameter(f"a channel of so many secrets and observables has {size}")
        try:
            if not isinstance(seed, int | np.integer | np.random.Generator | None):
                raise TypeError  # numpy looks into lists, and crashes on one that holds itself
            rng = np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise InvalidParameter(
                f"a seed is a whole number from 0 on, or a numpy Generator, not {shown(seed)}"
            ) from None
        matrix = rng.exponential(size=(n, m))
        if cap is not None:
            if m * cap < n:
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
        size = None if self.is_dense else too_large(math.prod(self.shape), each=8)
        if size is not None:
            raise InvalidChannel(f"as a dense array the channel has {size}: work on its sparse `matrix`")
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
        x = first_difference(prior.labels, self.inputs)
        if x is not None:
            raise InvalidChannel(
                f"the prior's secret {x} is {shown(prior.labels[x])} but the channel's row {x} is "
                f"{shown(self.inputs[x])}: bring both into one order"
            )
        return prior

    # -- putting channels together ----------------------------------------------------------------------------------

    def __matmul__(self, other: Channel | Any) -> Channel:
        """The cascade X -> Y -> Z: what is left when the observable is processed further by `other`.

        >>> (Channel([[1, 0], [0, 1]]) @ Channel([[0.5, 0.5], [0.5, 0.5]])).toarray()
        array([[0.5, 0.5],
               [0.5, 0.5]])
        """
        from minleak._data.composition import cascade

        return cascade(self, as_channel(other))

    def parallel(self, other: Channel | Any) -> Channel:
        """Two channels on the same secret, both observed: C[x,(y,z)] = C1[x,y] C2[x,z], outputs labelled by pairs.

        Pairs that no secret can cause are left out, so that the cost is that of the non-zeros.

        >>> both = Channel([[1, 0], [0.5, 0.5]]).parallel(Channel([[1, 0], [0, 1]], outputs=["a", "b"]))
        >>> list(both.outputs)
        [(0, 'a'), (0, 'b'), (1, 'b')]
        """
        from minleak._data.composition import parallel

        return parallel(self, as_channel(other))

    def product(self, other: Channel | Any) -> Channel:
        """Two channels on independent secrets: the Kronecker product, inputs and outputs labelled by pairs."""
        from minleak._data.composition import product

        return product(self, as_channel(other))

    def repeated(self, times: int, *, ordered: bool = False) -> Channel:
        """The same secret sent `times` times, independently, all observables seen.

        The order of the observations says nothing about the secret, so by default an output is a multiset of
        observables, labelled by a tuple in the order of this channel's outputs: C(m+t-1, t) outputs at most, instead
        of m^t. `ordered=True` keeps all sequences. Those that no secret can cause are left out.
        """
        from minleak._data.composition import repeated

        _check_count(times, "times")
        return repeated(self, times, ordered=ordered)


def as_channel(channel: Any) -> Channel:
    """The channel itself, or the one that a matrix stands for."""
    return channel if isinstance(channel, Channel) else Channel(channel)


def _labels(names: Iterable[Hashable] | None, count: int, what: str, of: str) -> Labels:
    labels = Labels.of(names, count)
    if len(labels) != count:
        raise InvalidChannel(f"{len(labels)} {what} for a matrix of {count} {of}: give one label for each")
    twice = labels.first_duplicate()
    if twice is not None:
        raise InvalidChannel(f"{what} {twice[0]} and {twice[1]} are both {shown(labels[twice[0]])}: labels must differ")
    return labels


def _several(given: Any, what: str) -> Iterator[Any]:
    try:
        return iter(given)
    except TypeError:
        raise InvalidChannel(f"{what} are a sequence, not {type(given).__name__}") from None


def _is_hashable(name: Any) -> bool:
    try:
        hash(name)
    except Exception:
        return False
    return True


def _check_count(value: Any, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidParameter(f"{what} must be a whole number from 1 on, not {shown(value)}")
