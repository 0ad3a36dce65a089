"""Frontier: leakage against what it costs, as rows of plain numbers and as the chart that they make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from minleak.core._extras import altair
from minleak.core._plain import plain
from minleak.core._result import Result
from minleak.core._text_tables import Table

Row = dict[str, Any]

# Pixels of the chart, and of a line of text on it.
_HEIGHT, _LINE = 340, 15
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]


@dataclass(frozen=True)
class Axes:
    """How rows are drawn: the field to the right, its title and scale, and the title of the leakage.

    `named` are series to be shown as points with their name, all others are lines. `below` are words for the region
    below the line, which is shaded.
    """

    across: str
    title: str
    leakage: str
    scale: Literal["linear", "log", "symlog"] = "linear"
    named: tuple[str, ...] = ()
    below: str | None = None


class Frontier(Result, ABC):
    """Leakage against what it costs. `rows` has the points, `chart` draws them."""

    @property
    @abstractmethod
    def axes(self) -> Axes:
        """How the rows are drawn."""

    @abstractmethod
    def rows(self) -> list[Row]:
        """A row for each point: its `series`, the number to the right, its `leakage`, and what else is known of it."""

    def __iter__(self) -> Iterator[Row]:
        """The rows, so that `pandas.DataFrame(frontier)` and `polars.DataFrame(frontier)` are its table."""
        return iter(self.rows())

    def to_parts(self) -> list[str | Table]:
        rows = self.rows()
        return [Table("", [name.replace("_", " ") for name in rows[0]], [list(row.values()) for row in rows])]

    def chart(self) -> Any:
        """The frontier as an altair chart without a fixed width (needs the extra `report`)."""
        alt = altair()
        axes, rows = self.axes, self.rows()
        lines = [row for row in rows if row["series"] not in axes.named]
        named = [row for row in rows if row["series"] in axes.named]
        most = max(row["leakage"] for row in rows) or 1.0
        ends = _ends(axes.scale, [row[axes.across] for row in rows])
        x = _across(alt, axes, ends)
        y = alt.Y("leakage:Q", title=axes.leakage, scale=alt.Scale(domain=[0, most], nice=True))
        base = alt.Chart(alt.Data(values=plain(lines))).encode(x=x, y=y)
        layers = [_lines(alt, base, lines)]
        if axes.below is not None:
            layers = [base.mark_area(opacity=0.15).encode(y2=alt.datum(0.0)), *layers]
            # Where the curve leaves the most room below it, so that the words stand clear of the line.
            at = lines[len(lines) // 4]
            if at["leakage"] > 0.3 * most:
                place = [{axes.across: at[axes.across], "leakage": 0.25 * at["leakage"]}]
                text = alt.Chart(alt.Data(values=place)).mark_text(text=axes.below, align="left", dx=4)
                layers.append(text.encode(x=x, y=y))
        if named:
            at_points = alt.Chart(alt.Data(values=plain(named))).encode(x=x, y=y, tooltip=_tooltips(alt, named))
            layers.append(at_points.mark_point(shape="diamond", filled=True, size=70, opacity=1, color="gray"))
            layers += [text.encode(x=x, y=y) for text in _names(alt, axes, named, ends[1], most)]
        return alt.layer(*layers).properties(height=_HEIGHT)


def _ends(scale: str, values: Sequence[float]) -> tuple[float, float]:
    """From where to where the axis goes, also where there is only one value."""
    least, most = min(values), max(values)
    if scale == "symlog":
        return 0, next((10**e for e in range(9) if most <= 10**e), most)
    if scale == "log":
        return least, max(most, 2 * least)
    return least, most if most > least else least + 1


def _across(alt: Any, axes: Axes, ends: tuple[float, float]) -> Any:
    axis, constant = alt.Axis(tickCount=6, labelFlush=True), alt.Undefined
    if axes.scale == "symlog":  # linear below 1 and logarithmic beyond, so that nothing at all has its place
        axis, constant = alt.Axis(values=[0, *(10**e for e in range(9) if 10**e <= ends[1])], format=",d"), 0.3
    elif axes.scale == "log":
        axis = alt.Axis(format="~s", tickCount=6, labelFlush=True)
    scale = alt.Scale(type=axes.scale, constant=constant, domain=list(ends), nice=False)
    return alt.X(f"{axes.across}:Q", title=axes.title, scale=scale, axis=axis)


def _lines(alt: Any, base: Any, rows: list[Row]) -> Any:
    names = list(dict.fromkeys(row["series"] for row in rows))
    base = base.encode(tooltip=_tooltips(alt, rows)).mark_line(strokeWidth=2, point=len(rows) <= 60)
    if len(names) == 1:
        return base
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=300)
    dashes = alt.Scale(domain=names, range=[_DASHES[i % len(_DASHES)] for i in range(len(names))])
    return base.encode(
        color=alt.Color("series:N", scale=alt.Scale(domain=names), sort=names, legend=legend),
        strokeDash=alt.StrokeDash("series:N", scale=dashes, sort=names, legend=legend),
    )


def _names(alt: Any, axes: Axes, named: list[Row], end: float, most: float) -> list[Any]:
    """A text for each named point; they go up where they would overlap."""
    texts = []
    taken = _HEIGHT + 2.0 * _LINE
    for row in sorted(named, key=lambda row: row["leakage"]):
        place = _HEIGHT * (1 - row["leakage"] / most)
        taken = min(place, taken - _LINE)
        far = row[axes.across] > 0.2 * end
        lift = 0.7 * _LINE if place > _HEIGHT - _LINE else 0.0  # off the axis
        chart = alt.Chart(alt.Data(values=plain([row])))
        text = chart.mark_text(
            text=row["series"],
            align="right" if far else "left",
            baseline="middle",
            dx=-9 if far else 9,
            dy=max(taken - place, -2 * _LINE) - lift,
        )
        texts.append(text)
    return texts


def _tooltips(alt: Any, rows: list[Row]) -> list[Any]:
    return [
        alt.Tooltip(f"{field}:N", title=field.replace("_", " "))
        if isinstance(value, str) or any(isinstance(plain(row[field]), str) for row in rows)
        else alt.Tooltip(f"{field}:Q", title=field.replace("_", " "), format=".6~g")
        for field, value in rows[0].items()
    ]
