"""Parameters as they come from a caller: whole and real numbers, yes or no, lists; as plain values, or refused."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from minleak.errors import InvalidParameter, MinleakError, shown


def whole(value: Any, what: str, least: int = 1, most: float = math.inf) -> int:
    """A whole number (booleans are none) from `least` on, and up to `most`, as an int."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        upto = f"to {most:,}" if most < math.inf else "on"
        raise InvalidParameter(f"{what} is a whole number from {least} {upto}, not {shown(value)}")
    return int(value)


def is_number(value: Any) -> bool:
    """True for a real number that is no boolean."""
    return isinstance(value, Real) and not isinstance(value, bool)


def real(
    value: Any,
    expected: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float | None = None,
    below: float | None = None,
) -> float:
    """A real number (booleans, text and NaN are none) within bounds, as a float; one of too many digits is refused.

    `least` and `most` are allowed themselves, `above` and `below` are not: below=math.inf asks for a finite one.
    """
    if not is_number(value):
        raise InvalidParameter(f"{expected}, not {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise InvalidParameter(f"{expected}, and no larger than a float can hold") from None
    within = least <= number <= most and (above is None or number > above) and (below is None or number < below)
    if not within:  # NaN fails
        raise InvalidParameter(f"{expected}, not {shown(value)}")
    return number


def truth(value: Any, what: str) -> bool:
    """True or False, numpy's too, and nothing else that stands for one of them."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{what} is True or False, not {shown(value)}")
    return bool(value)


def listed(
    values: object,
    what: str,
    error: type[MinleakError] = InvalidParameter,
    *,
    ordered: bool = False,
    some: bool = False,
) -> list[Any]:
    """The members of a sequence; text is no sequence, and a set is in no order. `some` refuses one that is empty."""
    unfit = (str, bytes, set, frozenset) if ordered else (str, bytes)
    if isinstance(values, unfit) or not hasattr(values, "__iter__"):
        raise error(f"{what}, not {type(values).__name__}")
    found = list(values)
    if some and not found:
        raise error(f"{what}, not none")
    return found
