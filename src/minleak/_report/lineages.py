"""The page about a plan that was updated: what leaks by the last counts to someone who saw all versions."""

from __future__ import annotations

from typing import Any

from minleak._certify.lineages import certify_lineage
from minleak._data.extras import altair
from minleak._lineage.today import Today
from minleak._measure.leakages import leakage_table
from minleak._plan.summaries import PartWorth
from minleak._plans.lineage import Lineage
from minleak._plans.lineage_worth import parts_worth
from minleak._report.charts import coloured
from minleak._report.facts import ENTROPIES
from minleak._report.pages import Figure, page_of
from minleak._report.words import ATTACKERS, leak_text, often, percent
from minleak._report.worldly import Requirement, as_requirement, judged
from minleak.errors import InvalidParameter

# Parts that have a row in the table: the first, and the newest.
_ROWS = 50


def lineage_page(plan: Lineage, *, success: float | None, title: str | None, file: str | None) -> str:
    """The page; `success` is a requirement, how often a guess may be right at most."""
    most = as_requirement(plan.parts[0], success)
    parts, ledger = parts_worth(plan), plan.ledger
    right, blind = plan.success, float(plan.prior.p.max())
    today = _today(plan)
    worst = right if today is None else today.high
    requirement = None if most is None else judged(most, worst, None)
    waiting = float(ledger.counts[ledger.listed :].sum()) / max(int(ledger.counts.sum()), 1)
    return page_of(
        "lineages.html",
        title or "What this plan leaks after its updates",
        lineage_figures(plan, parts),
        file=file,
        plan=plan,
        verdict=_verdict(plan, right, blind),
        requirement=requirement,
        demanded="" if requirement is None else _demanded(requirement, worst),
        today=today,
        right=right,
        blind=blind,
        waiting=waiting,
        known=(1 - waiting) * right + waiting,
        unseen=int((ledger.counts[: ledger.listed] == 0).sum()),
        leakages=_leakages(plan),
        parts=parts if len(parts) <= _ROWS else [parts[0], *parts[1 - _ROWS :]],
        certificate=certify_lineage(plan, None, k=None, gains=None, entropies=()),
    )


def lineage_figures(plan: Lineage, parts: list[PartWorth] | None = None) -> list[Figure]:
    """The charts of the page."""
    note = (
        "How often a guess at a secret of the part is right that sees its set: by the counts that the part was made "
        "for, which is certified, and by those of the last day. The sets stay as they are while popularity moves "
        "on, so that the second is larger. Part 0 is the plan that was designed; "
        "parts of which nothing was counted on the last day have one point."
    )
    shown = parts_worth(plan) if parts is None else parts
    return [Figure("parts", "Each part, when it was made and now", note, _chart(shown))]


def _verdict(plan: Lineage, right: float, blind: float) -> str:
    seen = (
        f"By the counts of the last day, an attacker who saw the sets of all {plan.version:,} versions of this plan "
        f"and guesses once is right {often(right)}"
    )
    if right <= blind * (1 + 1e-12) or percent(right) == percent(blind):
        return f"{seen}: no more often than without seeing anything."
    return f"{seen}, against {often(blind)} without seeing anything."


def _demanded(asked: Requirement, right: float) -> str:
    met = "met" if asked.met else "not met"
    return f"Requirement: a guess is right at most {often(asked.most)}: {met} ({percent(right)} at the most today)"


def _today(plan: Lineage) -> Today | None:
    """What leaks today; None where the counts tell nothing about it."""
    try:
        return plan.in_the_world()
    except InvalidParameter:
        return None


def _leakages(plan: Lineage) -> list[tuple[str, str, str, str]]:
    """(what the attacker does, the measure, what leaks by the last counts, what the secret itself would leak)."""
    rows = leakage_table(plan.prior, plan.channel(), ENTROPIES).rows
    bare = leakage_table(plan.prior, _identity(plan), ENTROPIES).rows
    return [
        (*ATTACKERS[row.entropy][:2], leak_text(row.entropy, row.leakage), leak_text(row.entropy, other.leakage))
        for row, other in zip(rows, bare, strict=True)
    ]


def _identity(plan: Lineage) -> Any:
    """The channel that shows the secret itself."""
    import scipy.sparse as sp

    from minleak._data.channel import Channel

    labels = plan.prior.labels
    return Channel(sp.eye_array(len(labels), format="csc"), inputs=None if labels.is_default else labels)


def _chart(parts: list[PartWorth]) -> Any:
    """Two points for each part, joined: success as it was made and by the last counts."""
    alt = altair()
    names = ["as it was made", "by the last counts"]
    points = [
        {"part": part.number, "of": name, "success": success, "secrets": part.secrets, "share": part.share}
        for part in parts
        for name, success in zip(names, (part.made, part.success), strict=True)
        if success is not None
    ]
    joined = [{"part": part.number, "made": part.made, "success": part.success} for part in parts]
    joined = [row for row in joined if None not in row.values()]
    last = max(parts[-1].number, 1)
    x = alt.X("part:Q", title="part", scale=alt.Scale(domain=[-0.3, last + 0.3], nice=False), axis=_whole_numbers(last))
    y = alt.Y("success:Q", title="a guess is right", axis=alt.Axis(format="~%"), scale=alt.Scale(domainMin=0))
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


def _whole_numbers(last: int) -> Any:
    step = -(-last // 10)
    return altair().Axis(values=list(range(0, last + 1, step)), format="d")
