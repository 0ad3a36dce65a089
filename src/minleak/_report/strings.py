"""The page about a plan over strings that cannot be listed."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from minleak._data.extras import altair, chart_package
from minleak._design.certificate import certify
from minleak._design.unlisted.misfit import Misfit
from minleak._design.unlisted.plan import UnlistedPlan
from minleak._report.pages import page, rendered
from minleak._report.words import percent


def strings_page(plan: UnlistedPlan, misfit: Misfit | None, *, title: str | None, file: str | None) -> str:
    """The page; `misfit` is what the plan is worth to an attacker with other data."""
    from minleak import __version__

    model = plan.joint.model
    made_up = model.at(random.Random(0).randrange(model.total))  # of nobody's
    title = title or "What this plan over all strings leaks"
    worth = plan.success if misfit is None else misfit.success
    knows = "knows the model" if misfit is None else "has other data"
    body = rendered(
        "strings.html",
        title=title,
        made=[f"{datetime.now(UTC):%d %B %Y}".lstrip("0"), f"minleak {__version__}", *([file] if file else [])],
        digest=plan.digest.hex(),
        verdict=f"An attacker who sees a set and {knows} guesses the secret {percent(worth)} of the time.",
        success=plan.success,
        k=plan.k,
        misfit=misfit,
        unlisted=plan.unlisted,
        counted=len(plan.joint.counted),
        example=plan.members(made_up, 0),
        giants=[string for string, _ in plan.giants],
        certificate=certify(plan, plan.prior),
    )
    chart = flatness(plan, misfit).properties(width="container")
    return page(f"minleak: {title}", chart_package("markupsafe").Markup(body), [("flatness", chart)])


def flatness(plan: UnlistedPlan, misfit: Misfit | None) -> Any:
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
    return (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=True)
        .encode(
            x=alt.X("guesses:Q", title="guesses", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("right:Q", title="right", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            color=alt.Color("by:N", sort=list(curves)),
            tooltip=["by:N", "guesses:Q", alt.Tooltip("right:Q", format=".1%")],
        )
        .properties(height=280)
    )
