"""Odd numbers and texts, as data may hold them."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

NUMBERS = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**53 + 1, 2**63 - 1, 2**64, -(2**70), 10**400, -(10**5000)),
    *(0.0, -0.0, -0.5, 0.5, 1.0, 1.5, 1e308, 5e-324, math.nan, math.inf, -math.inf, 1j, complex(math.nan, 1)),
    *(Fraction(1, 3), Fraction(10**400, 3), Fraction(-1, 7), decimal.Decimal("NaN"), decimal.Decimal("sNaN")),
    *(decimal.Decimal("1E+999999"), decimal.Decimal(1), np.int8(1), np.uint64(2**64 - 1), np.float32("nan")),
    *(np.float16(6e4), np.longdouble(1) / 3, np.bool_(True), np.ma.masked, pa.scalar(1), pa.scalar(None, pa.int64())),
]
TEXTS = [
    *("", " ", "x", "a", "flu", "shannon", "arimoto:2", "tsallis:nan", "guess-error:" + "9" * 400, "stable", "a\0b"),
    *("\ud800", "\udc80", "\ufeff", "\n", "a\nb", "\x1b[2J", "é" * 300, "{}", "%s", "-", "none.csv", "x" * 10**5),
    *(b"", b"x", b"\xff", bytearray(b"ab"), memoryview(b"ab"), memoryview(np.eye(3)), np.str_("a"), np.bytes_(b"a")),
]


def any_of(values):
    """One of them, by its place: Hypothesis would print or hash the values, which not all of them stand."""

    def picked(i):
        return values[i]

    return st.integers(0, len(values) - 1).map(picked)
