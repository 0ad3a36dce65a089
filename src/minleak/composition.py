"""Putting channels together: one after the other, side by side, on independent secrets, and again and again."""

from __future__ import annotations

from collections.abc import Hashable
from functools import reduce
from typing import Any

import numpy as np

from minleak.channel import SUM_TOLERANCE, Channel
from minleak.errors import InvalidChannel
from minleak.labels import Labels, first_difference
from minleak.matrices import as_csr, row_products
from minleak.matrices import product as matrix_product


def cascade(first: Channel, second: Channel) -> Channel:
    """X -> Y -> Z."""
    if first.shape[1] != second.shape[0]:
        raise InvalidChannel(
            f"cannot cascade: the first channel has {first.shape[1]} observables, the second {second.shape[0]} inputs"
        )
    y = first_difference(first.outputs, second.inputs)
    if y is not None:
        raise InvalidChannel(
            f"cannot cascade: output {y} of the first channel is {first.outputs[y]!r} but input {y} of the second "
            f"is {second.inputs[y]!r}: bring both into one order"
        )
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
            f"channels in parallel share their secrets, but row {x} is {first.inputs[x]!r} in the first and "
            f"{second.inputs[x]!r} in the second: bring both into one order"
        )
    if first.is_dense and second.is_dense:
        matrix: Any = (first.matrix[:, :, None] * second.matrix[:, None, :]).reshape(first.shape[0], -1)
        pairs = np.flatnonzero(matrix.any(axis=0))
        matrix = matrix[:, pairs]
    else:
        matrix, pairs = row_products(as_csr(first.matrix), as_csr(second.matrix))
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

    if first.is_dense and second.is_dense:
        matrix: Any = np.kron(first.matrix, second.matrix)
    else:
        matrix = sp.kron(as_csr(first.matrix), as_csr(second.matrix), format="csc")
    return Channel(
        matrix,
        inputs=[(x, z) for x in first.inputs for z in second.inputs],
        outputs=[(y, z) for y in first.outputs for z in second.outputs],
        tolerance=_both(first, second),
    )


def repeated(channel: Channel, times: int, *, ordered: bool) -> Channel:
    """The same channel on the same secret, `times` times."""
    single = _renamed(channel, [(y,) for y in range(channel.shape[1])])

    def step(done: Channel, _: int) -> Channel:
        both = parallel(done, single)
        joined = [first + second for first, second in both.outputs]
        return _renamed(both, joined) if ordered else _merged(both, [tuple(sorted(seen)) for seen in joined])

    result = reduce(step, range(times - 1), single)
    names = list(channel.outputs)
    return _renamed(result, [tuple(names[y] for y in seen) for seen in result.outputs])


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
