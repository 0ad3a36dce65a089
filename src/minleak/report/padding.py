"""The chart of paddings: leakage against mean overhead for buckets, for the randomised optimum, and for policies."""

from __future__ import annotations

from typing import Any

from minleak.design.padding.curve import PaddingFrontier
from minleak.report.saving import altair

_BUCKETS, _RANDOM = "best buckets", "best randomised"


def padding_chart(curve: PaddingFrontier) -> Any:
    """Lines for the best buckets and the randomised optimum, named points for the policies.

    Buckets are a staircase: between two corners the lower budget's buckets can be had, and sometimes better ones.
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
        axis=alt.Axis(values=ticks, format=","),
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
        base.transform_filter(f"datum.of == '{name}'").mark_line(strokeWidth=2, point={"size": 30}, interpolate=way)
        for name, way in zip(names, ("step-after", "linear"), strict=False)
    ]
    if policies:
        at = alt.Chart(alt.Data(values=policies)).encode(x=x, y=y, tooltip=tooltip)
        layers.append(at.mark_point(shape="diamond", filled=True, size=70, opacity=1, color="gray"))
    for i, policy in enumerate(sorted(policies, key=lambda row: row["overhead"])):  # above and below by turns
        far = policy["overhead"] > 0.2 * ticks[-1]
        layers.append(
            alt.Chart(alt.Data(values=[policy]))
            .mark_text(
                align="right" if far else "left",
                baseline="top" if i % 2 else "bottom",
                dx=-6 if far else 6,
                dy=4 if i % 2 else -4,
            )
            .encode(x=x, y=y, text="of:N")
        )
    return alt.layer(*layers).properties(height=340)
