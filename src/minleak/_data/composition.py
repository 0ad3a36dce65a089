"""Putting channels together: one after the other, side by side, on independent secrets, and again and again."""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import reduce
from typing import Any

import numpy as np

from minleak._data.channel import SUM_TOLERANCE, Channel
from minleak._data.labels import Labels, first_difference
from minleak._data.matrices import DENSE, MOST, SPARSE, as_csr, row_products, too_large
from minleak._data.matrices import product as matrix_product
from minleak.errors import InvalidChannel, shown


def cascade(first: Channel, second: Channel) -> Channel:
    """X -> Y -> Z."""
    if first.shape[1] != second.shape[0]:
        raise InvalidChannel(
            f"cannot cascade: the first channel has {first.shape[1]} observables, the second {second.shape[0]} inputs"
        )
    y = first_difference(first.outputs, second.inputs)
    if y is not None:
        raise InvalidChannel(
            f"cannot cascade: output {y} of the first channel is {shown(first.outputs[y])} but input {y} of the second "
            f"is {shown(second.inputs[y])}: bring both into one order"
        )
    entries = first.shape[0] * second.shape[1]
    if not (first.is_dense or second.is_dense):
        # each non-zero of a column of the first meets those of the row of the second
        met = np.diff(first.matrix.indptr).astype(np.int64) @ np.diff(as_csr(second.matrix).indptr).astype(np.int64)
        entries = min(entries, int(met))
    _check_size("the cascade", entries, dense=first.is_dense or second.is_dense)
    return Channel(
        matrix_product(first.matrix, second.matrix),
        inputs=_names(first.inputs),
        outputs=_names(second.outputs),
        tolerance=_both(first, second),
    )


def parallel(first: Channel, second: Channel) -> Channel:
    """Both on the same secret."""
    if first.shape[0] != second.shape[0]:
        raise InvalidChannel(
            f"channels in parallel share their secrets: {first.shape[0]} rows against {second.shape[0]}"
        )
    x = first_difference(first.inputs, second.inputs)
    if x is not None:
        raise InvalidChannel(
            f"channels in parallel share their secrets, but row {x} is {shown(first.inputs[x])} in the first and "
            f"{shown(second.inputs[x])} in the second: bring both into one order"
        )
    width = first.shape[1] * second.shape[1]
    if first.is_dense and second.is_dense:
        _check_size("both in parallel", first.shape[0] * width, labels=width, dense=True)
        matrix: Any = (first.matrix[:, :, None] * second.matrix[:, None, :]).reshape(first.shape[0], -1)
        pairs = np.flatnonzero(matrix.any(axis=0))
        matrix = matrix[:, pairs]
    else:
        a, b = as_csr(first.matrix), as_csr(second.matrix)
        entries = int(np.diff(a.indptr).astype(np.int64) @ np.diff(b.indptr).astype(np.int64))
        _check_size("both in parallel", entries, labels=min(entries, width))
        matrix, pairs = row_products(a, b)
    ys, zs = list(first.outputs), list(second.outputs)
    return Channel(
        matrix,
        inputs=_names(first.inputs) or _names(second.inputs),
        outputs=[(ys[pair // len(zs)], zs[pair % len(zs)]) for pair in pairs.tolist()],
        tolerance=_both(first, second),
    )


def product(first: Channel, second: Channel) -> Channel:
    """Each on a secret of its own."""
    import scipy.sparse as sp

    labels = first.shape[0] * second.shape[0] + first.shape[1] * second.shape[1]
    if first.is_dense and second.is_dense:
        _check_size("the product", first.matrix.size * second.matrix.size, labels=labels, dense=True)
        matrix: Any = np.kron(first.matrix, second.matrix)
    else:
        a, b = as_csr(first.matrix), as_csr(second.matrix)
        _check_size("the product", a.nnz * b.nnz, labels=labels)
        matrix = sp.kron(a, b, format="csc")
    return Channel(
        matrix,
        inputs=[(x, z) for x in first.inputs for z in second.inputs],
        outputs=[(y, z) for y in first.outputs for z in second.outputs],
        tolerance=_both(first, second),
    )


def repeated(channel: Channel, times: int, *, ordered: bool) -> Channel:
    """The same channel on the same secret, `times` times."""
    _check_times(channel, times, ordered=ordered)
    single = _renamed(channel, [(y,) for y in range(channel.shape[1])])

    def step(done: Channel, _: int) -> Channel:
        both = parallel(done, single)
        joined = [first + second for first, second in both.outputs]
        return _renamed(both, joined) if ordered else _merged(both, [tuple(sorted(seen)) for seen in joined])

    result = reduce(step, range(times - 1), single)
    names = list(channel.outputs)
    return _renamed(result, [tuple(names[y] for y in seen) for seen in result.outputs])


def _check_size(what: str, entries: int, *, labels: int = 0, dense: bool = False) -> None:
    """Refuse what would not fit into memory before it is asked for."""
    size = too_large(entries, each=DENSE if dense else SPARSE, labels=labels)
    if size is not None:
        raise InvalidChannel(f"{what} would have up to {size}: merge observables or secrets first")


def _check_times(channel: Channel, times: int, *, ordered: bool) -> None:
    """Refuse so many uses that the labels of what the most undecided secret can show would not fit into memory."""
    shows = int(np.diff(as_csr(channel.matrix).indptr).max())
    if times * 8 <= MOST:
        lists = math.log(shows) * times
        sets = math.lgamma(shows + times) - math.lgamma(times + 1) - math.lgamma(shows)
        if (lists if ordered else sets) + math.log(8 * times) <= math.log(MOST):
            return
    raise InvalidChannel(
        f"used {shown(times)} times, one secret alone shows more than {MOST >> 30} GiB of different observations: use "
        "the channel less often, or merge observables first"
    )


def _renamed(channel: Channel, outputs: list[Any]) -> Channel:
    return Channel(channel.matrix, inputs=_names(channel.inputs), outputs=outputs, tolerance=channel.tolerance)


def _merged(channel: Channel, names: list[Hashable]) -> Channel:
    """Observables of the same name become one."""
    import scipy.sparse as sp

    at: dict[Hashable, int] = {}
    column = [at.setdefault(name, len(at)) for name in names]
    merge = sp.csc_array((np.ones(len(names)), (np.arange(len(names)), column)), shape=(len(names), len(at)))
    return Channel(
        matrix_product(channel.matrix, merge),
        inputs=_names(channel.inputs),
        outputs=list(at),
        tolerance=channel.tolerance,
    )


def _names(labels: Labels) -> Labels | None:
    return None if labels.is_default else labels


def _both(first: Channel, second: Channel) -> float:
    """How far the rows of a composed channel may sum from one: the product of two sums that are off by that much."""
    return max(SUM_TOLERANCE, (1 + first.tolerance) * (1 + second.tolerance) - 1)
