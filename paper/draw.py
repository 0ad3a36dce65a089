"""How the paper's charts are drawn: colours that hold on white and on black, and a second mark for every series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

COLOURS = ("#2f7fc1", "#e07b1a", "#2a9d78")
DASHES = ((1, 0), (7, 3), (2, 3))
HEIGHT = 280
WIDTH = 560


def lines(
    rows: Sequence[dict[str, Any]],
    *,
    x: str,
    y: str,
    series: str,
    order: Sequence[str],
    axes: tuple[str, str],
    whole: bool = True,
    zero: bool = True,
    points: bool = True,
) -> Any:
    """One line for each series against x; `whole` if x counts something."""
    across = alt.Axis(tickMinStep=1, format="d", grid=False) if whole else alt.Axis(grid=False)
    across_scale = alt.Scale(nice=False, zero=False, padding=8)
    legend = alt.Legend(
        title=None,
        orient="top",
        direction="vertical",
        columns=1,
        labelLimit=0,
        symbolType="stroke",
        symbolSize=500,
        symbolStrokeWidth=2.5,
    )
    chart = (
        alt.Chart(alt.InlineData(values=list(rows)), width=WIDTH, height=HEIGHT)
        .mark_line(point={"size": 22} if points else False, strokeWidth=2)
        .encode(
            x=alt.X(f"{x}:Q", title=axes[0], axis=across, scale=across_scale),
            y=alt.Y(f"{y}:Q", title=axes[1], scale=alt.Scale(zero=zero)),
            color=alt.Color(f"{series}:N", sort=None, scale=_scale(order, COLOURS), legend=legend),
            strokeDash=alt.StrokeDash(f"{series}:N", scale=_scale(order, DASHES), legend=legend),
            tooltip=[f"{series}:N", f"{x}:Q", alt.Tooltip(f"{y}:Q", format=".6f")],
        )
    )
    return _styled(chart)


def bars(rows: Sequence[dict[str, Any]], *, x: str, y: str, series: str, order: Sequence[str], axis: str) -> Any:
    """Bars side by side for each place."""
    chart = (
        alt.Chart(alt.InlineData(values=list(rows)), width=300, height=220)
        .mark_bar()
        .encode(
            x=alt.X(f"{x}:O", title=axis, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset(f"{series}:N", sort=list(order)),
            y=alt.Y(f"{y}:Q", scale=alt.Scale(domain=[0, 0.42]), axis=alt.Axis(tickCount=5)),
            color=alt.Color(
                f"{series}:N",
                scale=_scale(order, COLOURS),
                legend=alt.Legend(title=None, orient="top", direction="horizontal"),
            ),
            tooltip=[f"{series}:N", f"{x}:O", alt.Tooltip(f"{y}:Q", format=".4f")],
        )
    )
    return _styled(chart)


def _styled(chart: Any) -> Any:
    """Text of a readable size, and grid lines that recede on either background."""
    return (
        chart.configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridOpacity=0.6)
        .configure_legend(labelFontSize=12)
        .configure_view(stroke=None)
    )


def _scale(order: Sequence[str], values: Sequence[Any]) -> Any:
    chosen = [list(value) if isinstance(value, tuple) else value for value in values[: len(order)]]
    return alt.Scale(domain=list(order), range=chosen)
