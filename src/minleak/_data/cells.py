"""Cells: the secrets and observables of tidy rows as rows and columns of a matrix, each cell once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import numpy as np


class Cells:
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
