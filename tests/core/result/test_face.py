"""One printer: plain values, tables as text and as HTML, and the documentation of fields."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import minleak as ml
from minleak.core._plain import field_text, plain, record, visible
from minleak.core._result import Result, by_first, fields_of
from minleak.core._text_tables import Table

HOSTILE = [
    "<b>",
    "\x1b[31m",
    "a\nb",
    "tab\there",
    "\u202e",
    "back\\slash",
    "</table><script>alert(1)</script>",
    "&amp;",
]


@dataclass(frozen=True)
class Row(Result):
    """A row of the example: `label` and `value`."""

    label: object
    value: float


@dataclass(frozen=True)
class Example(Result):
    """An example. `rate` is a number; `hidden` is not told."""

    rate: float
    names: tuple[object, ...]
    """The names,
    on two lines."""
    rows: tuple[Row, ...]
    hidden: str = field(repr=False, default="do not print this")

    reported = ("doubled",)

    @property
    def doubled(self) -> float:
        """Twice the rate."""
        return 2 * self.rate


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1.0, np.inf]]), [[1.0, "inf"]]),
        (sp.csr_array(np.eye(2)), [[1.0, 0.0], [0.0, 1.0]]),
        (Fraction(1, 4), 0.25),
        (b"\x00\xff", "00ff"),
        (date(2026, 11, 17), "2026-11-17"),
        ({b"\x01": (1, None), 2: range(2)}, {"01": [1, None], "2": [0, 1]}),
        (frozenset([7]), [7]),
        (np.array(["a", Fraction(1, 2)], dtype=object), ["a", 0.5]),
    ],
)
def test_plain_values(value, expected):
    """JSON's types and nothing else."""
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    json.dumps(found, allow_nan=False)


def test_a_result_in_plain_values():
    """Fields that are not printed are left out; reported properties are there."""
    found = Example(math.inf, ("a", b"b"), (Row("x", 1.0),))
    expected = {"rate": "inf", "names": ["a", "62"], "rows": [{"label": "x", "value": 1.0}], "doubled": "inf"}
    assert found.to_dict() == expected
    assert by_first(found.rows) == {"x": {"value": 1.0}}


def test_a_result_in_print():
    """Without words of its own a result is a table of its fields; rows are a table after it."""
    text = str(Example(0.25, tuple(range(10)), (Row("x", 1.0), Row("longer", 1e-15))))
    assert text == (
        "rate     0.25\n"
        "names    0, 1, 2, 3, 4, 5, 6, 7, ... (10)\n"
        "doubled  0.5\n"
        "\n"
        "rows\n"
        "label   value\n"
        "x           1\n"
        "longer      0"
    )
    assert "do not print" not in text


def test_columns_of_numbers_stand_on_the_right():
    """Columns of text stand on the left; None is nothing, and wide characters are counted as they are shown."""
    table = Table("title", ["name", "n", "note"], [["猫", 5, "a"], ["cats", None, "bc"]])
    assert str(table) == "title\nname  n  note\n猫    5  a\ncats     bc"
    right, left = 'style="text-align: right"', 'style="text-align: left"'
    assert f"<th {left}>name</th><th {right}>n</th><th {left}>note</th>" in table.to_html()
    assert f"<td {left}>cats</td><td {right}></td><td {left}>bc</td>" in table.to_html()
    assert str(Table("", ["name"], [])) == "name"
    assert "<th>name</th>" in Table("", ["name"], []).to_html()
    assert str(Table("", (), [["a", True]])) == "a  yes"


@given(st.text(), st.text(), st.text())
def test_nothing_in_a_label_steers_a_terminal_or_a_page(name, title, words):
    """What is printed can be seen, and each label is on one line of its table."""
    table = Table(title, ["label", "value"], [[name, 1.0]])
    assert all(line.isprintable() for line in str(table).split("\n"))
    assert len(str(table).split("\n")) == 2 + bool(title)
    assert visible(words).isprintable()
    assert field_text(name).replace("\\\\", "").count("\\") <= len(name)


@pytest.mark.parametrize("label", HOSTILE)
def test_labels_in_html(label):
    """Labels are text, never markup."""
    shown = Example(1.0, (label,), (Row(label, 1.0),))._repr_html_()
    assert not any(raw in shown for raw in ("<b>", "<script", "\x1b", "\u202e"))
    assert str(Example(1.0, (label,), (Row(label, 1.0),))).count("\n") == 6


def test_records():
    """Labels on one line with tabs between them, which can be read back."""
    assert record(["a\tb", "c\\", b"\x01"]) == "a\\tb\tc\\\\\t01"


def test_fields_are_documented_by_their_source():
    """The string below a field, a sentence of the class or the docstring of a property."""
    assert fields_of(Example) == [
        ("rate", "float", "`rate` is a number;"),
        ("names", "tuple[object, ...]", "The names, on two lines."),
        ("rows", "tuple[Row, ...]", ""),
        ("doubled", "float", "Twice the rate."),
    ]


def test_a_table_is_a_frame_of_its_rows():
    """pandas and polars make a frame of what yields dictionaries."""
    import pandas as pd

    table = ml.leakage_table([2, 1, 1], [[1, 0], [0, 1], [0, 1]], ["shannon", "min-entropy"])
    frame = pd.DataFrame(table)
    assert list(frame.columns) == ["entropy", "before", "after", "leakage"]
    assert frame.leakage.tolist() == [row.leakage for row in table.rows]
    swept = ml.sweep([3, 2, 1, 1], ks=[1, 2], entropies=["shannon"])
    assert pd.DataFrame(swept).to_dict("records") == swept.rows()
    traded = ml.lab.tradeoff([1, 1], cost=[[0, 1], [1, 0]], entropy="guess-error:1", points=3)
    assert pd.DataFrame(traded).budget.tolist() == [point.budget for point in traded.points]
