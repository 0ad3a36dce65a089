"""The labels along the axes of frames: of pandas, polars, xarray and Arrow, none of which is imported here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minleak.errors import MinleakError

_BARE = (list, tuple, np.ndarray)


def axes(given: Any) -> tuple[Sequence[Any] | None, Sequence[Any] | None]:
    """The labels of the rows and of the columns; None if there are none, or if they are the default 0, 1, ...

    >>> axes([1, 2])
    (None, None)
    """
    rows, columns = ([None if index is None else _names(index) for index in _indices(given)] + [None, None])[:2]
    return rows, columns


def numbered(given: Any) -> tuple[bool, bool]:
    """Whether the rows and the columns have the labels 0, 1, ... by default: numbers, where others are numbered too.

    >>> numbered([1, 2])
    (False, False)
    """
    rows, columns = ([index is not None and _names(index) is None for index in _indices(given)] + [False, False])[:2]
    return rows, columns


def pick(given: Any, order: Any, axis: int = 0) -> Any:
    """The rows, or the columns for axis 1, at these positions: of a list, an array or a frame."""
    if isinstance(given, list | tuple):
        if axis == 0:
            return [given[i] for i in order]
        given = np.asarray(given, dtype=object)
    if hasattr(given, "iloc"):
        return given.iloc[order] if axis == 0 else given.iloc[:, order]
    if hasattr(given, "dims") and hasattr(given, "coords"):
        return given[order] if axis == 0 else given[:, order]
    if not isinstance(given, np.ndarray) and not hasattr(given, "tocsr"):
        given = np.asarray(given)
    return given[order] if axis == 0 else given[:, order]


def _indices(given: Any) -> list[Any]:
    """What labels the rows and the columns, as far as there is something."""
    if isinstance(given, _BARE):
        return []
    found: list[Any] = []
    if hasattr(given, "iloc"):  # pandas
        found = [given.index, getattr(given, "columns", None)]
    elif hasattr(given, "dims") and hasattr(given, "coords"):  # xarray
        found = [given.coords[axis].values if axis in given.coords else None for axis in given.dims]
    elif hasattr(given, "column_names"):  # Arrow
        found = [None, given.column_names]
    elif hasattr(given, "get_columns"):  # polars, whose rows have no labels
        found = [None, given.columns]
    return found


def have_one_index(first: Any, second: Any) -> bool:
    """Whether two pandas objects have the same index; True if one of them has none. pandas would align them by it."""
    if not (hasattr(type(first), "iloc") and hasattr(type(second), "iloc")):
        return True
    return list(first.index) == list(second.index)


def refuse_names(given: Any, what: str, error: type[MinleakError]) -> None:
    """Refuse a frame with labels where only the order of entries counts."""
    if any(names is not None for names in axes(given)):
        raise error(
            f"{what} are taken in the order of the secrets, and the {type(given).__name__} has names of its own: bring "
            "it into that order and give its .to_numpy()"
        )


def _names(index: Any) -> list[Any] | None:
    if getattr(index, "step", None) == 1 and getattr(index, "start", None) == 0:  # the default range
        return None
    names = list(index.tolist() if hasattr(index, "tolist") else index)
    return None if names == list(range(len(names))) else names
