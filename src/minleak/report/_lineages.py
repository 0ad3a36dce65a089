"""The page about a plan that was updated: what leaks by the last counts to someone who saw all versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minleak.core._certify.certifying import certify
from minleak.core._channel import Channel
from minleak.core._extras import altair
from minleak.core._leakage import leakage_table
from minleak.core._property_leakage import PropertyLeakage
from minleak.lineage._lineage import Lineage
from minleak.lineage._summary import LineageSummary, PartWorth, measure_parts, summary_of_lineage
from minleak.rates._today import Today
from minleak.report._charts import coloured
from minleak.report._facts import ENTROPIES
from minleak.report._pages import Figure, page_of
from minleak.report._words import ATTACKERS, leak_text, often, percent, percents, property_told
from minleak.report._worldly import Requirement, as_requirement, judged

# Parts that have a row in the table: the first, and the newest.
_ROWS = 50
_LIFE = (
    "How often an attacker who knew the true rates of a day and had seen all versions was right that day, as estimated "
    "then, with its 95% interval; beside it a blind guess, and a plan made that day for new subjects. Once this plan "
    "is clearly worse than that one, make a new plan for new subjects."
)


def lineage_page(
    plan: Lineage, *, success: float | None, title: str | None, file: str | None, told: PropertyLeakage | None = None
) -> str:
    """The page; `success` is a requirement, how often a guess may be right at most, and `told` what sets tell about a
    property of the secret.
    """
    most = as_requirement(plan.parts[0], success)
    summary = summary_of_lineage(plan, ENTROPIES)
    parts, waiting = summary.each_part, summary.pending_mass
    worst = summary.success if summary.today is None else summary.today.high
    requirement = None if most is None else judged(most, worst, None)
    return page_of(
        "lineages.html",
        title or "What this plan leaks after its updates",
        lineage_figures(plan, parts),
        file=file,
        plan=plan,
        summary=summary,
        verdict=_verdict(summary),
        told="" if told is None else property_told(told),
        requirement=requirement,
        demanded="" if requirement is None else _demanded(requirement, worst),
        known=(1 - waiting) * summary.success + waiting,
        leakages=_leakages(plan, summary),
        parts=parts if len(parts) <= _ROWS else [parts[0], *parts[1 - _ROWS :]],
        certificate=certify(plan, entropies=()),
    )


def lineage_figures(plan: Lineage, parts: Sequence[PartWorth] | None = None) -> list[Figure]:
    """The charts of the page."""
    note = (
        "How often a guess that sees a set of the part is right: by the counts that the part was designed for "
        "(certified), and by the counts of the last day. Sets stay while popularity changes, so the second figure is "
        "usually larger. Part 0 is the original plan. Parts without counts on the last day have one point."
    )
    shown = measure_parts(plan) if parts is None else parts
    figures = [Figure("parts", "Each part, when it was made and now", note, _chart(shown))]
    if len(plan.life) > 1:
        figures.append(Figure("life", "The life of this plan, day by day", _LIFE, _life_chart(plan.life)))
    return figures


def _verdict(summary: LineageSummary) -> str:
    today, saw = summary.today, f"saw the sets of all {summary.version:,} versions of this plan and guesses once"
    if today is None:
        right, blind = summary.success, summary.success_blind
        seen = f"By the counts of the last day, an attacker who {saw} is right {often(right)}"
    else:
        right, blind = today.success, today.blind
        seen = f"Today, an attacker who knows how often secrets really occur, {saw} is right {often(right)}"
    if right <= blind * (1 + 1e-12) or percent(right) == percent(blind):
        return f"{seen}: no more often than without seeing anything."
    return f"{seen}, against {often(blind)} without seeing anything."


def _demanded(asked: Requirement, right: float) -> str:
    met = "met" if asked.met else "not met"
    _, today = percents(asked.most, right)
    return f"Requirement: a guess is right at most {often(asked.most)}: {met} ({today} at the most today)"


def _leakages(plan: Lineage, summary: LineageSummary) -> list[tuple[str, str, str, str]]:
    """(what the attacker does, the measure, what leaks by the last counts, what the secret itself would leak)."""
    labels = plan.prior.labels
    shown = Channel.deterministic(range(len(labels)), inputs=None if labels.is_default else labels)
    bare = leakage_table(plan.prior, shown, ENTROPIES)
    rows = []
    for row in summary.leakage:
        who, called, _ = ATTACKERS[row.entropy]
        ours, theirs = (leak_text(row.entropy, leak or 0.0) for leak in (row.leakage, bare[row.entropy].leakage))
        rows.append((who, called, ours, theirs))
    return rows


def _life_chart(life: Sequence[Today]) -> Any:
    """Success by day with its interval, blind guesses, and plans made on the day."""
    alt = altair()
    names = {"success": "this plan", "least": "a plan made that day", "blind": "blind guess"}
    points = [{"day": one.day, "of": of, "chance": getattr(one, name)} for one in life for name, of in names.items()]
    bands = [{"day": one.day, "low": one.low, "high": one.high} for one in life]
    x = alt.X("day:Q", title="day", axis=alt.Axis(format="d", tickMinStep=1), scale=alt.Scale(nice=False))
    y = alt.Y("chance:Q", title="a guess is right", axis=alt.Axis(format="~%"), scale=alt.Scale(domainMin=0))
    band = alt.Chart(alt.Data(values=bands)).mark_area(opacity=0.15).encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    tooltip = ["of:N", "day:Q", alt.Tooltip("chance:Q", format=".3%")]
    lines = alt.Chart(alt.Data(values=points)).mark_line(strokeWidth=2, point=len(life) <= 60)
    lines = lines.encode(x=x, y=y, color=coloured("of", list(names.values())), tooltip=tooltip)
    return (band + lines).properties(height=280)


def _chart(parts: Sequence[PartWorth]) -> Any:
    """Two points for each part, joined: success as it was made and by the last counts."""
    alt = altair()
    names = ["as it was made", "by the last counts"]
    points: list[dict[str, Any]] = [
        {"part": part.number, "of": name, "success": success, "secrets": part.secrets, "share": part.share}
        for part in parts
        for name, success in zip(names, (part.made, part.success), strict=True)
        if success is not None
    ]
    joined = [{"part": part.number, "made": part.made, "success": part.success} for part in parts]
    joined = [row for row in joined if None not in row.values()]
    last = parts[-1].number
    ticks = alt.Axis(values=list(range(0, last + 1, max(1, -(-last // 10)))), format="d")
    x = alt.X("part:Q", title="part", scale=alt.Scale(domain=[-0.5, last + 0.5], nice=False), axis=ticks)
    most = max((point["success"] for point in points), default=1.0)
    y = alt.Y(
        "success:Q",
        title="a guess is right",
        axis=alt.Axis(format="~%"),
        scale=alt.Scale(domain=[0, min(1.0, 1.15 * most)], nice=True),
    )
    rules = alt.Chart(alt.Data(values=joined)).mark_rule().encode(x=x, y=y, y2="made:Q")
    dots = (
        alt.Chart(alt.Data(values=points))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=x,
            y=y,
            color=coloured("of", names),
            shape=alt.Shape("of:N", scale=alt.Scale(domain=names, range=["circle", "square"]), sort=names),
            tooltip=[
                "of:N",
                "part:Q",
                alt.Tooltip("secrets:Q", format=","),
                alt.Tooltip("share:Q", format=".3%", title="share of the last counts"),
                alt.Tooltip("success:Q", format=".3%"),
            ],
        )
    )
    return (rules + dots).properties(height=280)
