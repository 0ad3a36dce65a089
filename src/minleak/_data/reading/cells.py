"""Cells: the secrets and observables of tidy rows as rows and columns of a matrix, each cell once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from minleak._data.labels import Labels
from minleak._data.reading.table import Table
from minleak.errors import InvalidParameter, UnreadableFile


class Cells:
    """The cell (x[i], y[i]) of each row i of a file, and the labels of both sides.

    Observables are in order of appearance; so are secrets, unless `inputs` says their order.
    """

    def __init__(self, table: Table, secrets: Any, observables: Any, inputs: Iterable[Hashable] | None) -> None:
        x_at: dict[Hashable, int] = {}
        if inputs is not None:
            names = Labels.of(inputs, 0)
            twice = names.first_duplicate()
            if twice is not None:
                raise InvalidParameter(f"inputs {twice[0]} and {twice[1]} are the same: name each secret once")
            x_at = {name: x for x, name in enumerate(names)}
        y_at: dict[Hashable, int] = {}
        seen: set[tuple[int, int]] = set()
        self.x, self.y = np.empty((2, len(secrets)), dtype=np.int64)
        for i, (secret, observable) in enumerate(zip(Labels.of(secrets, 0), Labels.of(observables, 0), strict=True)):
            if inputs is not None and secret not in x_at:
                raise UnreadableFile(f"{table.where(i)} names a secret that the prior does not have")
            cell = x_at.setdefault(secret, len(x_at)), y_at.setdefault(observable, len(y_at))
            if cell in seen:
                raise UnreadableFile(f"{table.where(i)} lists a secret and an observable for the second time: keep one")
            seen.add(cell)
            self.x[i], self.y[i] = cell
        self.inputs, self.outputs = Labels.of(list(x_at), 0), Labels.of(list(y_at), 0)

    @property
    def shape(self) -> tuple[int, int]:
        """(number of secrets, number of observables)."""
        return len(self.inputs), len(self.outputs)
