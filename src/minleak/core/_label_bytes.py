"""Canonical bytes of labels: equal labels have equal bytes, in every process and language."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import numpy as np

from minleak.errors import InvalidParameter

# The first byte of a text; integers of more bits than this are not written in decimals.
TEXT, _DECIMAL = b"s", 10_000


def normal(label: Any) -> Any:
    """The normal form that a label is found and hashed by. Labels that are equal in Python are one: 1, 1.0, True and
    numpy's 1, 0.0 and -0.0, a half as a float and as a Fraction; alone or within tuples and frozensets.

    >>> [normal(label) for label in (1.0, True, -0.0, 2.5, "1", (1.0, "a"))]
    [1, 1, 0, 2.5, '1', (1, 'a')]
    """
    kind = type(label)
    if kind is str or kind is int:
        return label
    if isinstance(label, np.generic):
        label = to_python(label)
        kind = type(label)
    if kind is bool or (kind is float and label.is_integer()):
        return int(label)
    if kind is Fraction:
        return _simplify(label)
    return kind(map(normal, label)) if kind is tuple or kind is frozenset else label


def to_python(label: Any) -> Any:
    """A numpy scalar as the Python value, also within tuples."""
    if isinstance(label, np.generic) and label.dtype.kind in "biufSU":
        return label.item()
    return tuple(map(to_python, label)) if type(label) is tuple else label


def _simplify(ratio: Fraction) -> int | float | Fraction:
    """The integer or float that equals the ratio, if there is one."""
    if ratio.denominator == 1:
        return ratio.numerator
    try:
        return float(ratio) if float(ratio) == ratio else ratio
    except OverflowError:
        return ratio


def labels_in_bytes(labels: Iterable[Any]) -> list[bytes]:
    """The canonical bytes of each label: equal for equal labels, distinct otherwise, the same in every process."""
    parts = []
    for i, name in enumerate(labels):
        try:
            parts.append(_canonical(name))
        except (TypeError, RecursionError):
            raise InvalidParameter(
                f"label {i} ({type(name).__name__}) has no form that outlasts this process, and other sets would be "
                "drawn after a restart: sticky draws and set ids need labels that are text, numbers, bytes, truth "
                "values, None, dates without a zone, or tuples and frozensets of these"
            ) from None
    return parts


def _canonical(label: Any) -> bytes:
    """The normal form of the label in bytes: 1, 1.0 and True are the same, "1" and b"1" are not. Text and integers are
    written as in runtimes/spec.md, for every language; other labels exist only in Python.
    """
    label = normal(label)
    kind = type(label)
    if kind is str:  # first, as the most frequent
        text: bytes = label.encode("utf-8", "surrogatepass")
        return TEXT + text
    if kind is int and label.bit_length() < _DECIMAL:
        return b"i" + str(label).encode()
    if kind not in _FORMS or label != label or getattr(label, "tzinfo", None) is not None:
        raise TypeError
    return b"x" + prefix_length_8(kind.__name__.encode()) + _FORMS[kind](label)


def _join(labels: Iterable[Any]) -> bytes:
    return b"".join(prefix_length_8(_canonical(label)) for label in labels)


_FORMS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"",
    int: lambda number: number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True),
    float: struct.Struct("<d").pack,
    bytes: bytes,
    Fraction: lambda ratio: _join([ratio.numerator, ratio.denominator]),
    date: lambda day: day.isoformat().encode(),
    datetime: lambda time: time.isoformat().encode(),
    tuple: _join,
    frozenset: lambda members: b"".join(sorted(prefix_length_8(_canonical(member)) for member in members)),
}


def prefix_length_8(part: bytes) -> bytes:
    """The part after its length in eight bytes, so that a concatenation of parts is unambiguous."""
    return len(part).to_bytes(8, "little") + part
