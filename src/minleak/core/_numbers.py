"""Numbers from outside: from lists, Arrow or text. Integers of any size stay exact; all else becomes floats."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.core._arrays import Array
from minleak.core._parameters import is_number
from minleak.errors import MinleakError

# How text spells a number: digits, perhaps with a sign, a point and an exponent.
_INTEGER, _NUMBER = r"^[+-]?[0-9]+$", r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"

# How text spells a fraction, of few enough digits to convert quickly.
_FRACTION = r"^[+-]?[0-9]{1,400}/0{0,400}[1-9][0-9]{0,399}$"

# A Decimal of more decimal places is not taken to be exact.
_PLACES = 400

#: Where entry i is, for a message.
Where = Callable[[int], str]


def from_list(values: list[Any], role: str, where: Where, error: type[MinleakError]) -> tuple[npt.NDArray[Any], int]:
    """Numbers as int64, object (larger integers) or float64, and the common denominator of Fractions.

    >>> from_list([1, Fraction(1, 2)], "weight", str, MinleakError)
    (array([2, 1]), 2)
    """
    kinds = set(map(type, values))
    if Decimal in kinds:
        values = exact_decimals(values)
    if kinds <= {int}:
        return _integers(values), 1
    if not kinds <= {int, float}:
        for i, value in enumerate(values):
            if not is_number(value):
                kind = type(value).__name__
                raise error(f"the {role} at {where(i)} is a {kind}: give an integer, a float or a Fraction")
        if all(isinstance(value, int | np.integer | Fraction) for value in values):
            ratios = [value if isinstance(value, Fraction) else Fraction(int(value)) for value in values]
            denominator = math.lcm(*(ratio.denominator for ratio in ratios))
            return _integers([ratio.numerator * (denominator // ratio.denominator) for ratio in ratios]), denominator
    try:
        return np.array(values, dtype=np.float64), 1
    except OverflowError:
        i = next(i for i, value in enumerate(values) if not abs(value) <= sys.float_info.max)
        raise error(
            f"the {role} at {where(i)} is too large to stand beside floats: give all as integers or Fractions"
        ) from None


def exact_decimals(values: Iterable[Any]) -> list[Any]:
    """Decimals as Fractions; those of too many digits, and all other values, unchanged."""

    def exact(value: Any) -> Any:
        plain = isinstance(value, Decimal) and value.is_finite() and -_PLACES <= value.adjusted() <= _PLACES
        return Fraction(value) if plain and value.as_tuple().exponent >= -_PLACES else value

    return [exact(value) for value in values]


def from_arrow(column: pa.Array, role: str, where: Where, error: type[MinleakError]) -> npt.NDArray[Any]:
    """The numbers in a column of a numeric type."""
    kind = column.type
    if column.null_count:
        import pyarrow.compute as pc

        raise error(f"the {role} at {where(pc.index(column.is_null(), True).as_py())} is missing")
    if pa.types.is_decimal(kind):
        whole = [int(value) if value == int(value) else float(value) for value in column.to_pylist()]
        return from_list(whole, role, where, error)[0]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = np.from_dlpack(column)
        numbers.flags.writeable = False  # a prior need not copy it
        return numbers
    raise error(f"the {role} at {where(0)} is of type {kind}, which is not a number: store integers or floats")


def spell_numbers(texts: pa.Array) -> pa.BooleanArray:
    """Which texts spell numbers, perhaps with blanks around them.

    >>> spell_numbers(pa.array([" 12 ", ".5e1", "+3.", "0x10", "nan", "1_000", ""])).to_pylist()
    [True, True, True, False, False, False, False]
    """
    import pyarrow.compute as pc

    return pc.match_substring_regex(pc.utf8_trim_whitespace(texts), _NUMBER)


def spelled_fractions(texts: pa.Array) -> list[Fraction] | None:
    """The exact values of texts that all spell fractions or numbers, if at least one is a fraction such as 1/3.

    >>> spelled_fractions(pa.array(["1/3", " 0.5"])), spelled_fractions(pa.array(["1", "0.5"]))
    ([Fraction(1, 3), Fraction(1, 2)], None)
    """
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(texts)
    fractions = pc.match_substring_regex(texts, _FRACTION)
    if not pc.any(fractions).as_py() or not pc.all(pc.or_(fractions, spell_numbers(texts))).as_py():
        return None
    exact = exact_decimals(Decimal(text) if "/" not in text else Fraction(text) for text in texts.to_pylist())
    return exact if all(isinstance(value, Fraction) for value in exact) else None


def from_text(texts: pa.Array, role: str, where: Where, error: type[MinleakError]) -> npt.NDArray[Any]:
    """The numbers that texts spell: exact if all are integers, else floats."""
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(texts)
    good = spell_numbers(texts)
    if not pc.all(good).as_py():
        i = pc.index(good, False).as_py()
        what = "is not a number" if texts[i].as_py() else "is missing"
        raise error(f"the {role} at {where(i)} {what}: write it in digits, 0 too, with a point if need be")
    if not pc.all(pc.match_substring_regex(texts, _INTEGER)).as_py():
        return from_arrow(texts.cast(pa.float64()), role, where, error)
    numbers = []
    for i, text in enumerate(texts.to_pylist()):
        try:
            numbers.append(int(text))
        except ValueError:  # beyond Python's limit of digits, which guards against texts that take minutes
            raise error(f"the {role} at {where(i)} has {len(text)} digits, more than can be read") from None
    return _integers(numbers)


def as_floats(numbers: npt.NDArray[Any] | list[Any], role: str, where: Where, error: type[MinleakError]) -> Array:
    """The numbers as finite floats."""
    try:
        floats = np.asarray(numbers, dtype=np.float64)
    except OverflowError:  # integers beyond the largest float
        floats = np.array([float(value) if abs(value) <= sys.float_info.max else math.inf for value in numbers])
    bad = ~np.isfinite(floats)
    if bad.any():
        raise error(f"the {role} at {where(int(np.argmax(bad)))} is not a finite number")
    return floats


def _integers(values: list[int]) -> npt.NDArray[Any]:
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return np.array(values, dtype=object)
