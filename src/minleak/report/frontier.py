"""The chart of a frontier: least leakage against the budget, and how steep it is."""

from __future__ import annotations

from typing import Any

from minleak.design.constrained.tradeoff import Tradeoff
from minleak.report.saving import altair


def frontier(tradeoff: Tradeoff) -> Any:
    """A line with points: least leakage against the cap on the expected cost; below it no channel can be.

    Tooltips have the gap of each point and its shadow price, by how much the leakage falls for one more unit.
    """
    alt = altair()
    rows: list[dict[str, Any]] = [
        {
            "budget": point.budget,
            "leakage": point.leakage,
            "gap": point.gap,
            "price": f"{point.shadow_price:.4g}",  # text, since it may be infinite, which JSON has not
            "impossible": 0.0,
        }
        for point in tradeoff.points
    ]
    lowest, highest = rows[0]["budget"], rows[-1]["budget"]
    most = max(row["leakage"] for row in rows) or 1.0
    x = alt.X(
        "budget:Q",
        title="budget: the cap on the expected cost",
        scale=alt.Scale(domain=[lowest, highest if highest > lowest else lowest + 1], nice=False),
        axis=alt.Axis(tickCount=6, labelFlush=True),
    )
    scale = alt.Scale(domain=[0, most], nice=True)
    base = alt.Chart(alt.Data(values=rows))
    area = base.mark_area(opacity=0.15).encode(x=x, y=alt.Y("leakage:Q", scale=scale), y2="impossible:Q")
    line = base.mark_line(strokeWidth=2, point=len(rows) <= 60).encode(
        x=x,
        y=alt.Y("leakage:Q", title=f"least leakage in {tradeoff.entropy}", scale=scale),
        tooltip=[
            alt.Tooltip("budget:Q", format=".4g"),
            alt.Tooltip("leakage:Q", format=".6g"),
            alt.Tooltip("gap:Q", format=".1e", title="certified gap"),
            alt.Tooltip("price:N", title="shadow price"),
        ],
    )
    # Where the curve leaves the most room below it, so that the words stand clear of the line.
    middle = rows[len(rows) // 4]
    words = (
        alt.Chart(alt.Data(values=[{"budget": middle["budget"], "leakage": 0.25 * middle["leakage"]}]))
        .mark_text(text="no channel leaks so little at this cost", align="left", dx=4)
        .encode(x=x, y=alt.Y("leakage:Q", scale=scale))
    )
    layers = [area, line, words] if middle["leakage"] > 0.3 * most else [area, line]
    return alt.layer(*layers).properties(height=320)
