"""Parameters from a caller, checked and converted: whole and real numbers, truth values, lists."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from minleak.errors import InvalidParameter, MinleakError, quote


def whole(value: Any, what: str, least: int = 1, most: float = math.inf) -> int:
    """A whole number from `least` to `most`, and not a boolean, as an int."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        upto = f"to {most:,}" if most < math.inf else "on"
        raise InvalidParameter(f"{what} is a whole number from {least} {upto}, not {quote(value)}")
    return int(value)


def is_number(value: Any) -> bool:
    """Whether it is a real number, and not a boolean."""
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
    """A real number within bounds, and not a boolean or NaN, as a float. `expected` says in messages what is allowed.

    `least` and `most` are allowed themselves, `above` and `below` are not: below=math.inf requires a finite number.
    """
    if not is_number(value):
        raise InvalidParameter(f"{expected}, not {quote(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise InvalidParameter(f"{expected}, and no larger than a float can hold") from None
    within = least <= number <= most and (above is None or number > above) and (below is None or number < below)
    if not within:  # NaN fails
        raise InvalidParameter(f"{expected}, not {quote(value)}")
    return number


def truth(value: Any, what: str) -> bool:
    """True or False, of Python or numpy, and nothing else that is truthy or falsy."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{what} is True or False, not {quote(value)}")
    return bool(value)


def as_list(
    values: object,
    what: str,
    error: type[MinleakError] = InvalidParameter,
    *,
    ordered: bool = False,
    some: bool = False,
) -> list[Any]:
    """The members of an iterable other than text. `ordered` refuses sets, and `some` refuses an empty one."""
    unfit = (str, bytes, set, frozenset) if ordered else (str, bytes)
    if isinstance(values, unfit) or not hasattr(values, "__iter__"):
        raise error(f"{what}, not {type(values).__name__}")
    found = list(values)
    if some and not found:
        raise error(f"{what}, not none")
    return found
