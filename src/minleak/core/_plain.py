"""Plain values: conversion to JSON's types, and text in which every character is visible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any


def plain(value: Any) -> Any:
    """The value in JSON's types: infinities as text, bytes in hexadecimal, fractions as numbers, and anything else as
    text.

    >>> plain({"rate": float("inf"), "id": b"\\x00\\xff", "share": (Fraction(1, 4), None, True)})
    {'rate': 'inf', 'id': '00ff', 'share': [0.25, None, True]}
    """
    if value is None or isinstance(value, str | bool | int):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {text(key): plain(item) for key, item in value.items()}
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.repr}
    if hasattr(value, "toarray"):
        return plain(value.toarray())
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Fraction):
        return plain(value.numerator / value.denominator)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return [plain(item) for item in value]
    return text(value)


def text(label: Any) -> str:
    """A label as text: bytes in hexadecimal."""
    return label.hex() if isinstance(label, bytes | bytearray) else str(label)


def visible(words: str, *, keep: str = "") -> str:
    r"""Text with unprintable characters escaped as in Python, such as \n, \x1b and \u202e."""
    if words.isprintable():
        return words
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in words)


def field_text(label: Any) -> str:
    r"""A label in a table or a record: visible, and a backslash is doubled, so that it can be read back."""
    return visible(text(label).replace("\\", "\\\\"))


def record(labels: Iterable[Any]) -> str:
    """Labels on one line, separated by tabs, which are escaped in labels."""
    return "\t".join(map(field_text, labels))
