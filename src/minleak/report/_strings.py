"""The page about a plan over strings that cannot be listed."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from minleak.core._certify.certifying import certify
from minleak.core._extras import altair
from minleak.report._charts import lines
from minleak.report._pages import Figure, page_of
from minleak.report._words import percent
from minleak.strings._misfit import Misfit
from minleak.strings._plan import UnlistedPlan
from minleak.strings._summary import summary_of_strings


def strings_page(plan: UnlistedPlan, misfit: Misfit | None, *, title: str | None, file: str | None) -> str:
    """The page; `misfit` is what the plan is worth to an attacker with other data."""
    summary = summary_of_strings(plan, ())
    worth, knows = (plan.success, "knows the model") if misfit is None else (misfit.success, "has other data")
    wrong = (
        "Give other data (--held-out) to see how wrong the model is."
        if misfit is None
        else "Where the line by other data lies above it, the model is wrong in a way that shows."
    )
    note = (
        "How often the secret is among the first members that an attacker tries, likeliest first. A flat set gives a "
        f"straight line. {wrong}"
    )
    return page_of(
        "strings.html",
        title or "What this plan over all strings leaks",
        [Figure("flatness", "How flat the sets are", note, _flatness(plan, misfit))],
        file=file,
        plan=plan,
        policy=summary.policy,
        verdict=f"An attacker who sees a set and {knows} guesses the secret {percent(worth)} of the time.",
        misfit=misfit,
        example=summary.example,
        certificate=certify(plan),
    )


def _flatness(plan: UnlistedPlan, misfit: Misfit | None) -> Any:
    """Lines: how often the secret is among the first guesses, as claimed and by other data."""
    alt = altair()
    curves = {"as claimed": list(accumulate(map(float, plan.exact_target)))}
    if misfit is not None:
        curves["by other data"] = list(misfit.curve)
    points = [
        {"guesses": guesses, "right": min(share, 1.0), "by": name}
        for name, curve in curves.items()
        for guesses, share in enumerate(curve, 1)
    ]
    return lines(
        alt.Data(values=points),
        "by",
        list(curves),
        x=alt.X("guesses:Q", title="guesses", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("right:Q", title="right", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
        tooltip=["by:N", "guesses:Q", alt.Tooltip("right:Q", format=".1%")],
        point=True,
    ).properties(height=280)
