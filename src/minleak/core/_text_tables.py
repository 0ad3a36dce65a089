"""Table: a title, columns and rows, as text or HTML. Everything that prints a table uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from numbers import Number
from typing import Any

from minleak.core._plain import field_text, text, visible

# A float this near to zero is taken for a rounding error, and printed as 0, where nothing else is said.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Table:
    """Rows of values under the names of their columns. Title and names may be empty. Floats nearer to zero than
    `zero_below` are printed as 0.

    Columns with a number are aligned to the right, others to the left, and so are all columns without names.

    >>> print(Table("leakage", ["entropy", "bits"], [["shannon", 0.5], ["collision", 1 / 3]]))
    leakage
    entropy        bits
    shannon         0.5
    collision  0.333333
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    zero_below: float = ROUNDING

    def __str__(self) -> str:
        from rich.cells import cell_len

        cells = [
            [cell(value, self.zero_below) for value in row]
            for row in [*([self.columns] if self.columns else []), *self.rows]
        ]
        widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
        on_the_right = self._on_the_right or [False] * len(widths)
        lines = [visible(self.title)] if self.title else []
        for row in cells:
            gaps = [" " * (width - cell_len(word)) for width, word in zip(widths, row, strict=True)]
            line = [
                gap + word if right else word + gap for gap, word, right in zip(gaps, row, on_the_right, strict=True)
            ]
            lines.append("  ".join(line).rstrip())
        return "\n".join(lines)

    def to_html(self) -> str:
        """The table as HTML."""
        parts = [f"<caption>{html(self.title)}</caption>"] if self.title else []
        sides = [' style="text-align: right"' if right else ' style="text-align: left"' for right in self._on_the_right]
        if self.columns:
            heads = zip(sides or [""] * len(self.columns), self.columns, strict=True)
            parts.append(f"<thead><tr>{''.join(f'<th{side}>{html(name)}</th>' for side, name in heads)}</tr></thead>")
        rows = "".join(f"<tr>{''.join(map(self._html_cell, sides, row))}</tr>" for row in self.rows)
        return f"<table>{''.join(parts)}<tbody>{rows}</tbody></table>"

    def _html_cell(self, side: str, value: Any) -> str:
        return f"<td{side}>{escape(cell(value, self.zero_below))}</td>"

    @property
    def _on_the_right(self) -> list[bool]:
        """Whether each column is aligned to the right; empty if there are no rows."""
        return [bool(self.columns) and any(map(_is_number, values)) for values in zip(*self.rows, strict=True)]


def estimate(value: float) -> float:
    """With four digits: an estimate from a sample has no more, and further ones hang on the machine's functions."""
    return float(f"{value:.4g}")


def word(value: Any, zero_below: float = ROUNDING) -> str:
    """A value as text: floats with six digits, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "0" if abs(value) < zero_below else f"{value:.6g}"
    return text(value)


def cell(value: Any, zero_below: float = ROUNDING) -> str:
    """A value as text in a table, where every character is visible."""
    return field_text(word(value, zero_below))


def html(words: str) -> str:
    """Text as HTML: visible and escaped, with line breaks."""
    return escape(visible(words, keep="\n\t")).replace("\n", "<br>")


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)
