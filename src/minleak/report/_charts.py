"""Charts: one function each, from plain data to a chart without a fixed width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minleak.core._extras import altair
from minleak.rates._sweeps import Sweep
from minleak.report._facts import OURS, Drift, Giant, RivalLeakage
from minleak.report._stories import Bar
from minleak.report._thinning import RankBin
from minleak.report._words import ATTACKERS, leak_text
from minleak.rivals._alternatives import NoCloak
from minleak.rivals._exposures import Repeated

# Giants whose names fit on the chart.
NAMED = 5
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4]]
_BELIEFS = ["before", "after seeing any set"]
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross"]


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


def comparison(rows: Sequence[RivalLeakage]) -> Any:
    """Bars: what each countermeasure leaks, as a percentage of what showing the secret leaks, for each attacker: in the
    true population where that is known, and else as counted.
    """
    alt = altair()
    names = [OURS, *rows[0].rivals]
    attackers = [_called(row.entropy) for row in rows]
    points = []
    for row, attacker in zip(rows, attackers, strict=True):
        leaks = {OURS: row.plan, **{name: rival.value for name, rival in row.rivals.items()}}
        leaks |= row.worldly if leaks.keys() == row.worldly.keys() else {}
        for name, leak in leaks.items():
            told = {"share": _part(leak, leaks[NoCloak.name]), "leakage": leak_text(row.entropy, leak)}
            points.append({"attacker": attacker, "by": name, **told})
    return (
        alt.Chart(alt.Data(values=points))
        .mark_bar()
        .encode(
            y=alt.Y("attacker:N", title=None, sort=attackers, axis=alt.Axis(labelLimit=120)),
            yOffset=alt.YOffset("by:N", sort=names),
            x=alt.X("share:Q", title="leakage, % of no cloak", axis=alt.Axis(tickCount=5)),
            color=coloured("by", names, legend=alt.Legend(columns=1)),
            tooltip=["attacker:N", "by:N", "leakage:N", alt.Tooltip("share:Q", format=".1f", title="% of no cloak")],
        )
        .properties(height=360)
    )


def leakage_by_k(table: Sweep, k: int) -> Any:
    """Lines: the least leakage in each entropy against k, as a percentage of that at k = 1; the chosen k marked."""
    alt = altair()
    names = [_called(entropy) for entropy in table.entropies]
    points = [
        {"k": size, "measure": name, "share": _part(leak, row[0]), "leakage": leak_text(entropy, leak)}
        for entropy, name, row in zip(table.entropies, names, table.leakage.T.tolist(), strict=True)
        for size, leak in zip(table.ks, row, strict=True)
    ]
    curves = lines(
        alt.Data(values=points),
        "measure",
        names,
        x=alt.X("k:Q", scale=_log(1, table.ks[-1]), title="k, the size of the sets (log scale)", axis=_log_axis()),
        y=alt.Y("share:Q", title="least leakage, % of no cloak", scale=alt.Scale(domain=[0, 100])),
        tooltip=["k:Q", "measure:N", "leakage:N", alt.Tooltip("share:Q", format=".1f", title="% of no cloak")],
        point=len(table.ks) < 10,
    )
    chosen = [{"k": k, "label": f"k = {k:,}"}]
    right = k * k > table.ks[-1]
    mark = alt.Chart(alt.Data(values=chosen)).encode(x="k:Q")
    rule = mark.mark_rule(strokeWidth=2)
    side = {"align": "right", "dx": -5} if right else {"align": "left", "dx": 5}
    label = mark.mark_text(**side, y=-4, baseline="bottom", fontWeight="bold").encode(text="label:N")
    return (curves + rule + label).properties(height=320)


def prior_and_target(prior: Sequence[RankBin], target: Sequence[RankBin], giants: Sequence[Giant], hidden: int) -> Any:
    """Lines over ranks, both scales logarithmic: before and after; bins as bands from least to largest, giants named.

    `hidden` secrets of weight zero have no place on a logarithmic scale.
    """
    alt = altair()
    n, last = prior[-1].last, max(prior[-1].last, target[-1].last)
    binned = n > len(prior) or target[-1].last > len(target)
    points = [
        {
            "rank": (bin.first * bin.last) ** 0.5,
            "ranks": f"{bin.first:,}" if bin.first == bin.last else f"{bin.first:,} to {bin.last:,}",
            "of": name,
            "mean": bin.mean,
            "highest": bin.highest,
            "lowest": bin.lowest,
        }
        for name, bins in zip(_BELIEFS, (prior, target), strict=True)
        for bin in bins
    ]
    title = ["rank of the secret (log scale)"]
    if binned:
        title.append(f"{n:,} secrets in {len(prior)} bins")
    least = min(bin.lowest for bin in (*prior, *target))
    most = max(bin.highest for bin in (*prior, *target))
    style = "~%" if least > 1e-7 else "~e"
    x = alt.X("rank:Q", scale=_log(1, last), title=title, axis=_log_axis())
    legend = alt.Legend(symbolOpacity=1, symbolType="stroke", symbolStrokeWidth=2)
    colour = coloured("of", _BELIEFS, legend=legend)
    data = alt.Data(values=points)  # once, for bands and lines
    y = alt.Scale(type="log", domain=[least / 1.5, min(most * 1.5, 1.5)], nice=False)
    bands = (
        alt.Chart(data).mark_area(opacity=0.25).encode(x=x, y=alt.Y("lowest:Q", scale=y), y2="highest:Q", color=colour)
    )
    means = lines(
        data,
        "of",
        _BELIEFS,
        x=x,
        y=alt.Y("mean:Q", scale=y, title="probability (log scale)", axis=alt.Axis(format=style, tickCount=6)),
        tooltip=["of:N", "ranks:N", *_told(".3g", "mean", "highest", "lowest")],
        point=len(points) <= 60,
    ).encode(color=colour)
    layers = [bands, means] if binned else [means]
    for align, dx in (("left", 7), ("right", -7)):  # names stand on the side where there is room
        named = [g for g in giants[:NAMED] if (g.rank**2 > last) == (align == "right")]
        if named:
            rows = [{"rank": g.rank, "mean": g.probability, "label": _short(g.label)} for g in named]
            at = alt.Chart(alt.Data(values=rows)).encode(x="rank:Q", y=alt.Y("mean:Q", scale=y), tooltip=["label:N"])
            text = at.mark_text(align=align, baseline="bottom", dx=dx, dy=-2, limit=110).encode(text="label:N")
            layers += [at.mark_point(size=70, filled=True, color="gray"), text]
    chart = alt.layer(*layers).properties(height=340)
    if hidden:
        note = [f"{hidden:,} secrets of weight zero", "have no place on a log scale"]
        chart = chart.properties(title=alt.TitleParams(note, fontSize=12, fontWeight="normal"))
    return chart


def repeated(layouts: Sequence[tuple[str, Repeated]]) -> Any:
    """Lines with intervals: the attacker's success after several fresh draws of one secret, for each layout."""
    alt = altair()
    names = [f"layout {name}" for name, _ in layouts]
    points = [
        {"draws": t, "layout": name, "success": s, "low": a, "high": b, "sure": "exact" if r.exact else "99% interval"}
        for name, (_, r) in zip(names, layouts, strict=True)
        for t, s, a, b in zip(r.draws, r.success, r.low, r.high, strict=True)
    ]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X(
            "draws:Q",
            scale=_log(1, layouts[0][1].draws[-1]),
            title="fresh draws of one secret (log scale)",
            axis=alt.Axis(values=list(layouts[0][1].draws), format="d"),
        ),
        color=coloured("layout", names),
    )
    y = alt.Y("success:Q", title="attacker's chance", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    curves = base.mark_line(strokeWidth=2).encode(y=y, strokeDash=_dashed("layout", names))
    bars = base.mark_rule(strokeWidth=3).encode(y="low:Q", y2="high:Q")
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=y,
        shape=alt.Shape("layout:N", scale=alt.Scale(domain=names, range=_SHAPES[:3]), sort=names),
        tooltip=["layout:N", "draws:Q", *_told(".2%", "success", "low", "high"), "sure:N"],
    )
    return (curves + bars + dots).properties(height=300)


def wrong_prior(drift: Drift) -> Any:
    """Lines: what this plan leaks if secrets come by p^theta, beside the least that a plan made for that would leak."""
    alt = altair()
    names = ["this plan", "a plan made for it"]
    points = [
        {"theta": theta, "of": name, "leakage": leak}
        for name, leaks in zip(names, (drift.plan, drift.least), strict=True)
        for theta, leak in zip(drift.thetas, leaks, strict=True)
    ]
    _, called, unit = ATTACKERS[drift.entropy]
    most = max(*drift.plan, *drift.least)
    title = "exponent: flatter ← 1 as designed → steeper"
    curves = lines(
        alt.Data(values=points),
        "of",
        names,
        x=alt.X("theta:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5)),
        y=alt.Y("leakage:Q", title=f"{called} leakage, {unit}", scale=alt.Scale(domain=[0, most or 1.0], nice=True)),
        tooltip=["of:N", alt.Tooltip("theta:Q", title="exponent"), *_told(".4g", "leakage")],
        point=True,
    )
    designed = alt.Chart(alt.Data(values=[{"theta": 1}])).mark_rule(strokeDash=[4, 4]).encode(x="theta:Q")
    return (curves + designed).properties(height=260)


def lines(data: Any, field: str, names: Sequence[str], *, point: bool, **encoded: Any) -> Any:
    """A line for each name in a field of the data, by colour and, for those who do not see colours, by dashes."""
    chart = altair().Chart(data).mark_line(point=point, strokeWidth=2)
    return chart.encode(color=coloured(field, names), strokeDash=_dashed(field, names), **encoded)


def coloured(field: str, names: Sequence[str], **options: Any) -> Any:
    """A colour for each name, in their order."""
    return altair().Color(f"{field}:N", scale=altair().Scale(domain=names), sort=names, **options)


def _called(entropy: str) -> str:
    return ATTACKERS[entropy][1]


def _part(leak: float, whole: float) -> float:
    """Per cent of the whole, of which nothing is left where there was nothing."""
    return 100 * leak / whole if whole > 1e-12 else 0.0


def _dashed(field: str, names: Sequence[str]) -> Any:
    scale = altair().Scale(domain=names, range=_DASHES[: len(names)])
    return altair().StrokeDash(f"{field}:N", scale=scale, sort=names)


def _told(format: str, *fields: str) -> list[Any]:
    return [altair().Tooltip(f"{field}:Q", format=format) for field in fields]


def _log(least: float, most: float) -> Any:
    """A logarithmic scale that holds at least a factor of two, for curves of a single point."""
    return altair().Scale(type="log", domain=[least, max(most, 2 * least)], nice=False)


def _log_axis() -> Any:
    return altair().Axis(format="~s", tickCount=6, labelFlush=True)


def _short(label: str, most: int = 24) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"
