"""Bars: how often a guess is right, for a few things beside one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from minleak._face.extras import altair


@dataclass(frozen=True)
class Bar:
    """A chance by name, from `low` to `high` where it is an estimate; `ours` is what the page is about."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    ours: bool = False


def chances(bars: Sequence[Bar]) -> Any:
    """Horizontal bars with their values, and lines from the least to the most where they are estimates."""
    alt = altair()
    kinds = ["what the page is about", "beside it"]
    points = [
        {"name": bar.name, "value": bar.value, "low": bar.low, "high": bar.high, "kind": kinds[not bar.ours]}
        for bar in bars
    ]
    most = max(bar.high or bar.value for bar in bars)
    scale = alt.Scale(domain=[0, min(1.0, most * 1.3)], nice=False)
    y = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=170))
    base = alt.Chart(alt.Data(values=points)).encode(y=y)
    tip = ["name:N", *(alt.Tooltip(f"{name}:Q", format=".3%") for name in ("value", "low", "high"))]
    filled = base.mark_bar(height={"band": 0.6}).encode(
        x=alt.X("value:Q", title="a guess is right", axis=alt.Axis(format="~%", tickCount=5), scale=scale),
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds), legend=None),
        tooltip=tip,
    )
    ends = any(bar.low is not None or bar.high is not None for bar in bars)
    shift = {"dy": -7, "baseline": "bottom"} if ends else {"baseline": "middle"}
    text = base.mark_text(align="left", dx=6, **shift).encode(x="value:Q", text=alt.Text("value:Q", format=".3~p"))
    layers = [filled, text]
    if ends:
        known = base.transform_filter("isValid(datum.low)").transform_calculate(
            upto="isValid(datum.high) ? datum.high : datum.value"
        )
        layers.insert(1, known.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="upto:Q"))
    return alt.layer(*layers).properties(height=max(110, 52 * len(bars)))
