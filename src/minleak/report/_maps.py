"""The charts of a plan with near decoys: sets on a map, distances against other layouts, and the price of stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minleak.core._extras import altair
from minleak.report._charts import coloured
from minleak.report._nearness import DRAWS, Mixture, Nearness, Spread
from minleak.report._words import number


def sets_on_a_map(facts: Nearness) -> Any:
    """Points: a few sets, every member joined to the central one, on all (or the likeliest) places in grey."""
    alt = altair()
    sets: list[dict[str, Any]] = [
        {"set": f"around {members[0].label}", "label": place.label, "x": place.x, "y": place.y}
        | {"x0": members[0].x, "y0": members[0].y}
        for members in facts.sets
        for place in members
    ]
    names = list(dict.fromkeys(point["set"] for point in sets))
    behind = [{"x": place.x, "y": place.y} for place in facts.behind]
    sphere = bool(facts.unit)
    scale = alt.Scale(zero=False, nice=False, padding=12)
    x = alt.X("x:Q", scale=scale, title="longitude" if sphere else "first coordinate", axis=alt.Axis(grid=False))
    y = alt.Y("y:Q", scale=scale, title="latitude" if sphere else "second coordinate", axis=alt.Axis(grid=False))
    ground = alt.Chart(alt.Data(values=behind)).mark_circle(size=7, opacity=0.35, color="gray").encode(x=x, y=y)
    colour = coloured("set", names, legend=alt.Legend(columns=1))
    base = alt.Chart(alt.Data(values=sets))
    joins = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(x=x, y=y, x2="x0:Q", y2="y0:Q", color=colour)
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=x, y=y, color=colour, tooltip=["label:N", "set:N", "x:Q", "y:Q"]
    )
    return (ground + joins + dots).properties(height=380)


def decoy_distances(spreads: Sequence[Spread], unit: str) -> Any:
    """Bars from the 10% to the 90% of draws, a tick at the median: how far decoys are in each layout."""
    alt = altair()
    names = [spread.layout for spread in spreads]
    parts = ("low", "quarter", "median", "upper", "high")  # at each of the SHARES
    rows: list[dict[str, Any]] = [
        {"layout": spread.layout, **dict(zip(parts, spread.distances, strict=True))} for spread in spreads
    ]
    for row in rows:
        row["said"] = f"{number(row['median'])}{unit}"
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("layout:N", sort=names, title=None, axis=alt.Axis(labelLimit=120)),
        color=coloured("layout", names, legend=None),
        tooltip=["layout:N", *(alt.Tooltip(f"{part}:Q", format=",.3~f") for part in parts)],
    )
    title = f"mean distance of decoys{',' + unit if unit else ''}"
    whole = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    half = base.mark_bar(size=16, opacity=0.45).encode(x="quarter:Q", x2="upper:Q")
    tick = base.mark_tick(thickness=4, size=26).encode(x="median:Q")
    text = base.mark_text(dy=-20, fontWeight="bold").encode(x="median:Q", text="said:N")
    return (whole + half + tick + text).properties(height=70 * len(rows))


def price_of_stability(mixtures: Sequence[Mixture], unit: str) -> Any:
    """A path from near to stable: the median distance of decoys against the attacker's success after some draws."""
    alt = altair()
    points = [{"stability": m.stability, "distance": m.distance, "success": m.success} for m in mixtures]
    places: dict[tuple[float, float], list[str]] = {}  # stabilities that come to the same have one name
    for m in mixtures:
        places.setdefault((m.distance, m.success), []).append(_called(m.stability))
    middle = max(m.distance for m in mixtures) / 2
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X(
            "distance:Q",
            title=f"median distance of decoys{',' + unit if unit else ''}",
            axis=alt.Axis(tickCount=6),
            scale=alt.Scale(zero=True),
        ),
        y=alt.Y(
            "success:Q",
            title=f"attacker's chance after {DRAWS} fresh draws",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, 1]),
        ),
        order="stability:Q",
        tooltip=["stability:Q", alt.Tooltip("distance:Q", format=",.3~f"), alt.Tooltip("success:Q", format=".1%")],
    )
    layers = [base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=70, opacity=1)]
    for (distance, success), called in places.items():  # names stand on the side where there is room
        named = [{"distance": distance, "success": success, "label": " and ".join(called)}]
        align, dx, dy = ("right", -7, -10) if distance > middle else ("left", 7, -4)  # above the falling line
        text = alt.Chart(alt.Data(values=named)).mark_text(align=align, baseline="bottom", dx=dx, dy=dy)
        layers.append(text.encode(x="distance:Q", y="success:Q", text="label:N"))
    return alt.layer(*layers).properties(height=300)


def _called(stability: float) -> str:
    return {0.0: "0, near", 1.0: "1, stable"}.get(stability, f"{stability:g}")
