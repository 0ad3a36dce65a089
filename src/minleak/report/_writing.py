"""Writing the report of a plan or a result, or a single chart: a page that opens without network, or pictures."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from typing import Any

from minleak.core._extras import chart_package
from minleak.core._plan.drawable import Drawable, Listed
from minleak.core._plan.plan import Plan
from minleak.core._progress import Progress, no_progress
from minleak.core._property_leakage import Values
from minleak.core._result import Result
from minleak.errors import InvalidParameter, quote
from minleak.lineage._lineage import Lineage
from minleak.rates._summaries import summary as summary_of
from minleak.rates._sweeps import as_success
from minleak.report import _words as words
from minleak.report._captions import captioned
from minleak.report._charts import chances
from minleak.report._facts import ENTROPIES, STEPS, Facts, gather
from minleak.report._lineages import lineage_figures, lineage_page
from minleak.report._pages import Figure, page, page_of
from minleak.report._saving import PICTURES, check_chart, file_name, need_extras, on_white, picture, write_whole
from minleak.report._stories import Story, judge, parts_of, repair_story, story
from minleak.report._strings import strings_page
from minleak.samples._result import Audit
from minleak.strings._misfit import Misfit
from minleak.strings._plan import UnlistedPlan

_BARS = "By one guess at the secret. Shorter is better."


def write(
    subject: Drawable | Result | Sequence[Audit] | Any,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    success: float | None = None,
    title: str | None = None,
    file: str | os.PathLike[str] | None = None,
    against: Misfit | None = None,
    of: Values | None = None,
    trials: int = 20_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[str]:
    """Write the report of a plan or of any result and return the files written. Needs the extra `report`.

    The ending .html (or format="html") gives one page with everything inside; format="png" or "svg" the charts as
    pictures into the folder `path`. Plans that draw their sets, lineages and plans over strings have pages of their
    own. That of any other plan or result begins with one number, what it means and what to do, and then has its charts
    and what it prints; that of two audits, `[before, after]`, is about a repair.

    `success` is a requirement: the largest probability, such as 0.05, with which a guess may be right. The page of a
    plan says whether the estimate for the true population meets it, as in `least_k`, and where the interval ends; the
    page of an updated plan judges by the counts of the last day and an attacker who saw all versions; that of a result
    by its success. `title` heads the page, and `file` names the plan's file on it. `trials` and `seed` are those of
    simulations. `of` is a property of the secret, such as the country of a city, in the order of the plan's secrets or
    by label: the page says how well it is hidden. `against` is what `plan.against` of a plan over strings returned.
    `progress` is called with the steps done, their number and the name of the next. A file is written whole or not at
    all.
    """
    name = file_name(path)
    kind = _format(name, format)
    if title is not None and not isinstance(title, str):
        raise InvalidParameter(f"the title of a report is text, not {type(title).__name__}")
    kept = None if file is None else os.path.basename(file_name(file))
    need_extras()
    if against is not None and not isinstance(subject, UnlistedPlan):
        raise InvalidParameter("against= is for a plan over strings that cannot be listed")
    drawn = subject if isinstance(subject, Plan) and len(subject.target) else None
    results = [] if drawn is not None or isinstance(subject, Lineage | UnlistedPlan) else _as_results(subject, of)
    told_story = _story_of(results) if results else Story("")
    if success is not None and drawn is None and not isinstance(subject, Lineage):
        success = as_success(success)
        if told_story.success is None:
            raise InvalidParameter(
                "this report judges no requirement: success= is for what tells how often a guess is right"
            )
    told = None
    if of is not None:
        if not isinstance(subject, Listed | UnlistedPlan):
            raise InvalidParameter("of= is a property of a plan's secrets, and this is no plan")
        told = subject.property_leakage(of, ENTROPIES)
    figures: list[Figure] = []
    page = ""
    if isinstance(subject, UnlistedPlan):
        if kind != "html":
            raise InvalidParameter("the report of a plan over strings is a page")
        page = strings_page(subject, against, title=title, file=kept)
    elif isinstance(subject, Lineage):
        figures = [] if kind == "html" else lineage_figures(subject)
        page = lineage_page(subject, success=success, title=title, file=kept, told=told) if kind == "html" else ""
    elif drawn is not None:
        facts = gather(drawn, success=success, trials=trials, seed=seed, told=told, progress=progress)
        (progress or no_progress)(STEPS - 1, STEPS, "drawing")
        figures = captioned(facts)
        page = report_page(facts, title=title, file=kept) if kind == "html" else ""
    else:
        figures = result_figures(told_story, results)
        page = result_page(told_story, results, figures, success, title=title, file=kept)
    if kind == "html":
        write_whole(name, page)
        return [name]
    if not figures:
        raise InvalidParameter(f"a {type(subject).__name__} has no chart: write a page, to a name that ends in .html")
    return _pictures(name, kind, figures)


def _as_results(subject: Any, of: Values | None) -> list[Result]:
    """The result that a page is about, or two audits, before and after."""
    if not isinstance(subject, list | tuple):
        return [_as_result(subject, of)]
    if len(subject) != 2 or not all(isinstance(one, Audit) for one in subject):
        raise InvalidParameter("a report is about one result, or about two audits, before and after a repair")
    return list(subject)


def _story_of(results: Sequence[Any]) -> Story:
    return story(results[0]) if len(results) == 1 else repair_story(*results)


def _as_result(subject: Any, of: Values | None) -> Result:
    """A result, or the summary of a plan that has no page of its own."""
    found = summary_of(subject, of=of) if isinstance(subject, Drawable) else subject
    found = found.summary() if hasattr(found, "summary") else found
    if not isinstance(found, Result):
        raise InvalidParameter(f"a report is about a plan or a result, not about {type(subject).__name__}")
    return found


def result_figures(told: Story, results: Sequence[Result]) -> list[Figure]:
    """The bars of a story, and the charts of the results that have some."""
    found = [] if not told.bars else [Figure("chances", "How often a guess is right", _BARS, chances(told.bars))]
    for place, (name, result) in enumerate(parts_of(results), start=1):
        draw = getattr(result, "chart", None)
        if draw is not None:
            title = f"{name}: {result.charted}" if name else result.charted
            found.append(Figure("chart" if not name else f"chart_{place}", title.capitalize(), "", draw()))
    return found


def result_page(
    told: Story, results: Sequence[Result], figures: list[Figure], most: float | None, **about: str | None
) -> str:
    """The page of any result, or of two audits: its story, its charts, and what it prints."""
    markup = chart_package("markupsafe").Markup
    judged, badge = judge(told, most)
    return page_of(
        "result.html",
        about["title"] or told.title,
        figures,
        file=about["file"],
        story=told,
        judged=judged,
        badge=badge,
        parts=[(name, markup(result._repr_html_())) for name, result in parts_of(results)],
    )


def _pictures(name: str, kind: str, figures: list[Figure]) -> list[str]:
    """Write each chart into the folder."""
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        raise InvalidParameter(f"cannot make the folder {name}: {error.strerror or 'refused'}") from None
    written = []
    for figure in figures:
        file = os.path.join(name, f"{figure.name}.{kind}")
        write_whole(file, picture(_framed(figure), kind))
        written.append(file)
    return written


def report_page(facts: Facts, *, title: str | None = None, file: str | None = None) -> str:
    """The report of a plan as a page; `file` is the name of the plan's file."""
    title = title or "What this plan leaks"
    return page_of("report.html", title, captioned(facts), file=file, facts=facts, words=words)


def figures(plan: Plan | Lineage, *, trials: int = 20_000, seed: int = 0) -> list[Figure]:
    """The charts of a plan's report as altair charts, each with its title and how to read it, for a notebook.

    >>> import minleak as ml
    >>> [figure.name for figure in figures(ml.design([5, 3, 2], 2), trials=50)][:2]
    ['comparison', 'leakage_by_k']
    """
    need_extras()
    if isinstance(plan, Lineage):
        return lineage_figures(plan)
    return captioned(gather(plan, trials=trials, seed=seed))


def save_chart(chart: Any, path: str | os.PathLike[str], *, title: str) -> None:
    """Save an altair chart without a fixed width to a .png, .svg or .html file, whole or not at all.

    Needs the extra `report`. A page opens without network.
    """
    ending = check_chart(path)
    if not callable(getattr(type(chart), "properties", None)):
        raise InvalidParameter(f"a chart is one of altair's, not {quote(chart)}")
    if ending == "html":
        body = chart_package("markupsafe").Markup('<div class="chart" id="chart"></div>')
        write_whole(path, page(title, body, [("chart", chart.properties(width="container", title=title))]))
    else:
        write_whole(path, picture(on_white(chart.properties(width=560, title=title)), ending))


def _format(name: str, format: str | None) -> str:
    if format is None and name.lower().endswith((".html", ".htm")):
        return "html"
    if format is None:
        raise InvalidParameter(
            f"what to write to {name}? End it with .html for a page, or ask for format='png' or format='svg' to "
            "have the charts in a folder of that name"
        )
    if not isinstance(format, str) or format not in ("html", *PICTURES):
        raise InvalidParameter(f"unknown format {quote(format)}: one of html, {', '.join(PICTURES)}")
    return format


def _framed(figure: Figure) -> Any:
    """The chart of a figure as it stands alone: of fixed width, with its title, on white."""
    own = figure.chart.to_dict().get("title", {}).get("text", [])
    title = {"text": figure.title, "subtitle": [*textwrap.wrap(figure.note, 95), *own], "offset": 12}
    return on_white(figure.chart.properties(width=640, title=title, padding=16))
