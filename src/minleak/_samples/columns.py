"""Columns of events, whatever they come in: as numbers, where they are, or as codes of their different values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data.arrays import Array
from minleak._data.labels import Labels
from minleak._data.parameters import listed
from minleak._data.reading.table import spelled_numbers
from minleak.errors import InvalidParameter, MinleakError

Codes = npt.NDArray[np.int64]
# Larger numbers have squares and differences that no float holds.
_LARGE = 1e150


def as_column(values: Any, what: str) -> Any:
    """One column as an Arrow array, a vector, or a list."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        # a dictionary may name a value twice, not at all, or name nothing
        return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values
    if hasattr(type(values), "to_numpy") and not isinstance(values, pa.Table):  # a series of pandas or polars
        try:
            values = values.to_numpy()
        except Exception:
            raise InvalidParameter(f"{what} cannot be read as a column: give an array or a list") from None
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InvalidParameter(f"{what} are one column, not an array of {values.ndim} dimensions")
        if np.ma.is_masked(values):
            raise InvalidParameter(f"{what} have masked entries: leave those events out")
        return np.asarray(values)
    return listed(values, f"{what} are an array or a sequence")


def as_columns(observables: Any) -> list[Any]:
    """The columns of observables: of a table, of an array of two dimensions, of rows, or the only one."""
    if isinstance(observables, pa.Table | pa.RecordBatch):
        if not observables.num_columns:
            raise InvalidParameter("the observables are a table without columns: give one or more")
        return [as_column(column, "the observables") for column in observables.columns]
    if hasattr(type(observables), "__dataframe__") and hasattr(observables, "columns"):
        try:
            observables = observables.to_numpy()
        except Exception:  # of whatever it is
            raise InvalidParameter("the observables cannot be read as a table: give an array or columns") from None
    if not isinstance(observables, np.ndarray):
        observables = as_column(observables, "the observables")
    if (
        isinstance(observables, list)
        and observables
        and all(isinstance(r, list | tuple | np.ndarray) for r in observables)
    ):
        try:
            observables = np.array(observables, dtype=np.float64)
        except Exception:  # of whatever the entries are
            raise InvalidParameter("observables are rows of equally many numbers, or one value each") from None
    if np.ma.is_masked(observables):
        raise InvalidParameter("the observables have masked entries: leave those events out")
    if isinstance(observables, np.ndarray) and observables.ndim == 2 and observables.shape[1]:
        return [np.ascontiguousarray(observables[:, j]) for j in range(observables.shape[1])]
    if isinstance(observables, np.ndarray) and observables.ndim != 1:
        raise InvalidParameter(f"observables are a column or rows of numbers, not of shape {observables.shape}")
    return [observables]


@dataclass(frozen=True, eq=False)
class Column:
    """Values from outside: an Arrow array, a vector or a list. Errors say where an entry stands, never what it is."""

    values: Any
    where: Callable[[int], str]
    error: type[MinleakError]

    def numbers(self, *, told: bool) -> Array | None:
        """The column as finite floats, or None if it does not hold numbers and was not said to."""
        values = self.values
        if isinstance(values, pa.Array | pa.ChunkedArray):
            if values.null_count:
                return None  # refused as missing where it is coded
            kind = values.type
            if pa.types.is_string(kind) or pa.types.is_large_string(kind):
                return self._spelled(values, told)
            if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
                return self._none(told, f"of type {kind}, which is no number")
            values = values.cast(pa.float64()).to_numpy()
        if isinstance(values, np.ndarray) and values.dtype.kind == "O":
            values = values.tolist()
        if isinstance(values, list):
            flags = [isinstance(v, int | float | np.number) and not isinstance(v, bool | complex) for v in values]
            if not any(flags):
                if told and all(isinstance(v, str) for v in values):
                    return self._spelled(pa.array(values), told)
                return self._none(told, "no numbers")
            if not all(flags):
                raise self._mixed(flags.index(False))
            try:
                values = np.array(values, dtype=np.float64)
            except OverflowError:
                raise self.error(f"an observable is too large for a float: give numbers below {_LARGE:g}") from None
        if values.dtype.kind not in "iuf":
            return self._none(told, f"of type {values.dtype}, which is no number")
        good = np.abs(values.astype(np.float64)) < _LARGE  # NaN fails
        if not good.all():
            raise self.error(
                f"the observable of {self.where(int(np.argmin(good)))} is NaN or infinite, or beyond {_LARGE:g}: leave "
                "such events out"
            )
        return np.asarray(values, dtype=np.float64)

    def _spelled(self, texts: Any, told: bool) -> Array | None:
        """Texts that all spell numbers; where most do and some do not, something went wrong in the log."""
        import pyarrow.compute as pc

        like = pc.match_substring_regex(texts, r"^\s*[+-]?[0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?\s*$|^\s*[+-]?\.[0-9]+$")
        share = pc.mean(like).as_py() or 0.0
        if share == 0 or (not told and share < 0.5):
            return self._none(told, "text that spells no numbers")
        if share < 1:
            raise self._mixed(pc.index(like, False).as_py())
        return np.asarray(spelled_numbers(texts, "observable", self.where), dtype=np.float64)

    def _mixed(self, i: int) -> MinleakError:
        return self.error(
            f"the observable of {self.where(i)} is no number where others are: mend it, or take all as names "
            "(numeric=False, --names)"
        )

    def _none(self, told: bool, what: str) -> Array | None:
        if told:
            raise self.error(f"the observables are {what}: leave out numeric=True, or give numbers")
        return None

    def coded(self, role: str) -> tuple[Codes, Labels]:
        """Numbers from 0 for the values of a column, in the order of how they are written, and the values."""
        values = self.values
        if isinstance(values, np.ndarray) and values.dtype.kind in "iub":
            names, codes = np.unique(values, return_inverse=True)
            return _in_order(codes.astype(np.int64), Labels.of(names, 0), role)
        if isinstance(values, pa.Array | pa.ChunkedArray):
            return self._coded_by_arrow(values, role)
        values = values.tolist() if isinstance(values, np.ndarray) else values
        nothing = next((i for i, v in enumerate(values) if v is None or (isinstance(v, float) and v != v)), None)
        if nothing is not None:
            raise self._missing(nothing, role)
        positions: dict[Any, int] = {}
        try:
            codes = np.array([positions.setdefault(v, len(positions)) for v in values], dtype=np.int64)
        except Exception:  # of whatever the entries are
            raise self.error(f"{role}s are text, numbers or other things that can be compared, not lists") from None
        return _in_order(codes, Labels.of(positions, 0), role)

    def _coded_by_arrow(self, values: Any, role: str) -> tuple[Codes, Labels]:
        import pyarrow.compute as pc

        if values.null_count:
            raise self._missing(pc.index(values.is_null(), True).as_py(), role)
        try:
            coded = values.dictionary_encode()
        except pa.ArrowException:  # lists, such as the sets of a cloak
            return Column([str(v) for v in values.to_pylist()], self.where, self.error).coded(role)
        if isinstance(coded, pa.ChunkedArray):
            coded = coded.unify_dictionaries().combine_chunks()
        return _in_order(coded.indices.to_numpy().astype(np.int64), Labels.of(coded.dictionary, 0), role)

    def _missing(self, i: int, role: str) -> MinleakError:
        return self.error(f"the {role} of {self.where(i)} is missing: leave such events out")


def _in_order(codes: Codes, names: Labels, role: str) -> tuple[Codes, Labels]:
    """In the order of how they are written, so that the order of the rows does not matter."""
    try:
        written = np.array([str(name) for name in names])
    except Exception:  # of whatever they are
        raise InvalidParameter(f"some {role}s have no writing, as years past 9999: cast them") from None
    order = np.argsort(written, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], Labels(tuple(names[int(i)] for i in order))


def distinct(columns: Sequence[Any]) -> tuple[Codes, int]:
    """Codes of the distinct rows of some columns, and how many there are."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, inner = np.unique(column, return_inverse=True)
        codes = np.unique(codes * len(values) + inner, return_inverse=True)[1]
    return codes, int(codes.max()) + 1 if len(codes) else 0
