"""Numbers of a column: integers exactly, of any size, else floats; by their type, or as text spells them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.errors import UnreadableFile

_INTEGER, _NUMBER = r"^[+-]?[0-9]+$", r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def stored_numbers(column: pa.ChunkedArray, role: str, where: Callable[[int], str]) -> Any:
    """The numbers of a column without nulls, of a numeric type, as a vector or a list; other types are refused."""
    kind = column.type
    if pa.types.is_decimal(kind):
        return [int(value) if value == int(value) else float(value) for value in column.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _taken(column)
    raise UnreadableFile(f"the {role} at {where(0)} is of type {kind}, which is not a number: store integers or floats")


def spelled_numbers(column: pa.ChunkedArray, role: str, where: Callable[[int], str]) -> Any:
    """The numbers that texts spell: all integers, exactly, or else all as floats."""
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(column)
    good = pc.match_substring_regex(texts, _NUMBER)
    if not pc.all(good).as_py():
        i = pc.index(good, False).as_py()
        what = "is not a number" if texts[i].as_py() else "is missing"
        raise UnreadableFile(f"the {role} at {where(i)} {what}: write it in digits, 0 too, with a point if need be")
    if not pc.all(pc.match_substring_regex(texts, _INTEGER)).as_py():
        return _taken(texts.cast(pa.float64()))
    numbers = []
    for i, text in enumerate(texts.to_pylist()):
        try:
            numbers.append(int(text))
        except ValueError:  # Python's limit, some thousands of digits, against texts that take minutes to convert
            raise UnreadableFile(f"the {role} at {where(i)} has {len(text)} digits, more than can be read") from None
    return numbers


def _taken(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """The numbers of a column as a vector that nobody else will write to, which a prior keeps without copying."""
    numbers = np.concatenate([np.from_dlpack(chunk) for chunk in column.chunks])
    numbers.flags.writeable = False
    return numbers


def finite(numbers: Any, role: str, where: Callable[[int], str]) -> npt.NDArray[np.float64]:
    """The numbers as floats; one that is infinite or NaN is refused."""
    try:
        floats = np.asarray(numbers, dtype=np.float64)
    except OverflowError:  # integers beyond all floats
        floats = np.array([float(value) if abs(value) <= sys.float_info.max else math.inf for value in numbers])
    bad = ~np.isfinite(floats)
    if bad.any():
        raise UnreadableFile(f"the {role} at {where(int(np.argmax(bad)))} is not a finite number")
    return floats
