"""Matrix cells: the secrets and observables of tidy rows as rows and columns of a matrix, each cell once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.parameters import is_number, listed
from minleak.errors import InvalidChannel, shown


class MatrixCells:
    """The cell (x[i], y[i]) of each row i, and the names of both sides.

    Observables are in order of appearance; so are secrets, unless `inputs` says their order. `unknown` makes the
    refusal of row i for a secret that is not among them, `again` that of a cell that a row before it has.
    """

    def __init__(
        self,
        rows: Iterable[tuple[Hashable, Hashable]],
        inputs: Iterable[Hashable] | None,
        *,
        unknown: Callable[[int], Exception],
        again: Callable[[int], Exception],
    ) -> None:
        x_at = {} if inputs is None else {name: x for x, name in enumerate(inputs)}
        y_at: dict[Hashable, int] = {}
        cells: dict[tuple[int, int], None] = {}
        for i, (secret, observable) in enumerate(rows):
            if inputs is not None and secret not in x_at:
                raise unknown(i)
            cell = x_at.setdefault(secret, len(x_at)), y_at.setdefault(observable, len(y_at))
            if cell in cells:
                raise again(i)
            cells[cell] = None
        self.x, self.y = np.array(list(cells), dtype=np.int64).reshape(-1, 2).T
        self.inputs, self.outputs = list(x_at), list(y_at)
        self.shape = len(x_at), len(y_at)


def from_triples(rows: Iterable[Any], inputs: Iterable[Hashable] | None) -> tuple[MatrixCells, Array]:
    """The cells of rows (secret, observable, probability), and their probabilities."""
    triples = [_triple(i, row) for i, row in enumerate(listed(rows, "rows are a sequence of triples", InvalidChannel))]
    if not triples:
        raise InvalidChannel("there are no rows: a channel needs at least one secret and one observable")

    def unknown(i: int) -> InvalidChannel:
        name = shown(triples[i][0])
        return InvalidChannel(f"row {i} has the secret {name}, which is not among the inputs: add it there")

    def again(i: int) -> InvalidChannel:
        x, y, _ = triples[i]
        return InvalidChannel(f"row {i} gives p({shown(y)} given {shown(x)}) a second time: add the two up")

    cells = MatrixCells(((x, y) for x, y, _ in triples), inputs, unknown=unknown, again=again)
    return cells, np.array([probability for _, _, probability in triples])


def _triple(i: int, row: Any) -> tuple[Hashable, Hashable, float]:
    """Row i as (secret, observable, probability)."""
    try:
        x, y, probability = row
    except Exception:
        raise InvalidChannel(f"row {i} is not a triple (secret, observable, probability)") from None
    try:
        hash((x, y))
    except Exception:
        raise InvalidChannel(f"row {i} names by a list or the like: give text, numbers or tuples of them") from None
    if not is_number(probability):
        raise InvalidChannel(f"the probability of row {i} is {shown(probability)}, not a number")
    try:
        return x, y, float(probability)
    except OverflowError:
        raise InvalidChannel(f"the probability of row {i} is far above 1") from None
