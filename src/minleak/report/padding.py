"""The chart of paddings: leakage against mean overhead for buckets, for the randomised optimum, and for policies."""

from __future__ import annotations

from typing import Any

from minleak.design.padding.curve import PaddingFrontier
from minleak.report.saving import altair

_BUCKETS, _RANDOM = "best buckets", "best randomised"
# Pixels of the chart, and of a line of text on it.
_HEIGHT, _LINE = 340, 15


def padding_chart(curve: PaddingFrontier) -> Any:
    """Lines for the best buckets and the randomised optimum, named points for the policies.

    The line of the buckets joins corners of their hull: no buckets lie below it, and at the corners they are on it.
    Overheads are in % of the mean size, on a scale that is linear below 1% and logarithmic beyond, so that no padding
    has its place.
    """
    alt = altair()
    rows: list[dict[str, Any]] = [
        {"overhead": 100 * point.overhead / curve.mean, "leakage": point.leakage, "of": name, "seen": point.observables}
        for name, points in ((_BUCKETS, curve.buckets), (_RANDOM, curve.randomised))
        for point in points
    ]
    names = [_BUCKETS, _RANDOM] if curve.randomised else [_BUCKETS]
    policies: list[dict[str, Any]] = [
        {
            "overhead": 100 * policy.overhead / curve.mean,
            "leakage": policy.leakage[0],
            "of": policy.name,
            "seen": policy.observables,
        }
        for policy in curve.policies
    ]
    most = max(row["overhead"] for row in (*rows, *policies))
    ticks = [0, 1, *(10**e for e in range(1, 9) if 10**e < 10 * most)]
    x = alt.X(
        "overhead:Q",
        title="mean overhead, % of the mean size",
        scale=alt.Scale(type="symlog", constant=0.3, domain=[0, max(ticks[-1], 1)], nice=False),
        axis=alt.Axis(values=ticks, format=",d"),
    )
    y = alt.Y("leakage:Q", title=f"leakage in {curve.entropy}", scale=alt.Scale(zero=True))
    tooltip = [
        alt.Tooltip("of:N", title="padding"),
        alt.Tooltip("overhead:Q", format=".3g", title="% overhead"),
        alt.Tooltip("leakage:Q", format=".4g"),
        alt.Tooltip("seen:Q", format=",", title="sizes seen"),
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=x,
        y=y,
        color=alt.Color(
            "of:N", scale=alt.Scale(domain=names), sort=names, legend=alt.Legend(symbolType="stroke", symbolSize=300)
        ),
        strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(domain=names, range=[[1, 0], [6, 3]]), sort=names),
        tooltip=tooltip,
    )
    layers = [
        base.transform_filter(f"datum.of == '{name}'").mark_line(strokeWidth=2, point=len(rows) <= 60) for name in names
    ]
    if policies:
        at = alt.Chart(alt.Data(values=policies)).encode(x=x, y=y, tooltip=tooltip)
        layers.append(at.mark_point(shape="diamond", filled=True, size=70, opacity=1, color="gray"))
    highest = max(row["leakage"] for row in (*rows, *policies)) or 1.0
    taken = _HEIGHT + 2.0 * _LINE
    for policy in sorted(policies, key=lambda row: row["leakage"]):  # names go up where they would overlap
        place = _HEIGHT * (1 - policy["leakage"] / highest)
        taken = min(place, taken - _LINE)
        far = policy["overhead"] > 0.2 * ticks[-1]
        lift = 0.7 * _LINE if place > _HEIGHT - _LINE else 0.0  # off the axis
        layers.append(
            alt.Chart(alt.Data(values=[policy]))
            .mark_text(
                align="right" if far else "left",
                baseline="middle",
                dx=-9 if far else 9,
                dy=max(taken - place, -2 * _LINE) - lift,
            )
            .encode(x=x, y=y, text="of:N")
        )
    return alt.layer(*layers).properties(height=_HEIGHT)
