"""Writing the report of a plan or a result, or a single chart: a page that opens without network, or pictures."""

from __future__ import annotations

import os
import re
import textwrap
from typing import Any

from minleak._data.extras import chart_package
from minleak._data.progress import Progress, no_progress
from minleak._face.result import Result
from minleak._measure.properties import Values
from minleak._plan.base import BasePlan
from minleak._plans.lineage import Lineage
from minleak._plans.rings import Plan
from minleak._report import words
from minleak._report.captions import captioned
from minleak._report.facts import ENTROPIES, STEPS, Facts, gather
from minleak._report.lineages import lineage_figures, lineage_page
from minleak._report.pages import Figure, page, page_of
from minleak._report.saving import PICTURES, check_chart, file_name, need_extras, on_white, picture, write_whole
from minleak._report.strings import strings_page
from minleak._strings.misfit import Misfit
from minleak._strings.plan import UnlistedPlan
from minleak.errors import InvalidParameter, shown


def write(
    subject: BasePlan | Result | Any,
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
    pictures into the folder `path`. Plans of rings, lineages and plans over strings have pages of their own; of other
    plans the summary is written, and of a result what it prints, with its chart.

    `success` is a requirement, how often a guess may be right at most, such as 0.05: the page of a plan says whether it
    is met in the world, by the estimate, as `least_k` means it, and where the interval ends; of a plan that was
    updated, whether it is met by the counts of the last day for an attacker who saw all versions. `title` heads the
    page, and `file` is the name of the file that the plan is kept in, to be told there. `trials` and `seed` are those
    of the simulations; `of` is a property of the secret, such as the country of a city, in the order of the plan's
    secrets or by label, of which the page tells how well it is hidden; `against` is what a plan over strings is worth
    to an attacker with other data, by its method of that name; `progress` gets the steps done, their number and the
    next one's name. Files are written whole or not at all.
    """
    name = file_name(path)
    kind = _format(name, format)
    if title is not None and not isinstance(title, str):
        raise InvalidParameter(f"the title of a report is text, not {type(title).__name__}")
    kept = None if file is None else os.path.basename(file_name(file))
    need_extras()
    if against is not None and not isinstance(subject, UnlistedPlan):
        raise InvalidParameter("against= is for a plan over strings that cannot be listed")
    if success is not None and not isinstance(subject, Plan | Lineage):
        raise InvalidParameter("this report judges no requirement: success= is for plans that draw sets of secrets")
    told = None
    if of is not None:
        if not isinstance(subject, BasePlan):
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
    elif isinstance(subject, Plan):
        facts = gather(subject, success=success, trials=trials, seed=seed, told=told, progress=progress)
        (progress or no_progress)(STEPS - 1, STEPS, "drawing")
        figures = captioned(facts)
        page = report_page(facts, title=title, file=kept) if kind == "html" else ""
    else:
        result = _as_result(subject, of)
        figures = result_figures(result)
        page = result_page(result, figures, title=title, file=kept)
    if kind == "html":
        write_whole(name, page)
        return [name]
    if not figures:
        raise InvalidParameter(f"a {type(subject).__name__} has no chart: write a page, to a name that ends in .html")
    return _pictures(name, kind, figures)


def _as_result(subject: Any, of: Values | None) -> Result:
    """A result, or the summary of a plan that has no page of its own."""
    found = subject.summary(of=of) if isinstance(subject, BasePlan) else subject
    found = found.summary() if hasattr(found, "summary") else found
    if not isinstance(found, Result):
        raise InvalidParameter(f"a report is about a plan or a result, not about {type(subject).__name__}")
    return found


def result_figures(result: Result) -> list[Figure]:
    """The chart of a result, if it has one."""
    draw = getattr(result, "chart", None)
    return [] if draw is None else [Figure("chart", _called(result), "", draw())]


def result_page(result: Result, figures: list[Figure], *, title: str | None, file: str | None) -> str:
    """The page of any result: what it prints, and its chart."""
    body = chart_package("markupsafe").Markup(result._repr_html_())
    return page_of("result.html", title or _called(result), figures, file=file, parts=body)


def _called(result: Result) -> str:
    """The name of a result's class in words."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(result).__name__).capitalize()


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
        raise InvalidParameter(f"a chart is one of altair's, not {shown(chart)}")
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
            f"what to write to {name}? End it with .html for a page, or ask for format='png' or 'svg' to have the "
            "charts in a folder of that name"
        )
    if not isinstance(format, str) or format not in ("html", *PICTURES):
        raise InvalidParameter(f"unknown format {shown(format)}: one of html, {', '.join(PICTURES)}")
    return format


def _framed(figure: Figure) -> Any:
    """The chart of a figure as it stands alone: of fixed width, with its title, on white."""
    own = figure.chart.to_dict().get("title", {}).get("text", [])
    title = {"text": figure.title, "subtitle": [*textwrap.wrap(figure.note, 95), *own], "offset": 12}
    return on_white(figure.chart.properties(width=640, title=title, padding=16))
