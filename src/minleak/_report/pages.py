"""Pages that open without network, made from `templates/`: what is put into them is text, never markup."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from minleak._data.extras import chart_package
from minleak._report.captions import captioned
from minleak._report.facts import Facts
from minleak._report.look import DARK, FONT, LIGHT
from minleak._report.saving import need_extras
from minleak._report.words import (
    ATTACKERS,
    amount,
    beside,
    demanded,
    interval,
    meaning,
    number,
    percent,
    provenance,
    verdict,
)
from minleak.errors import InvalidParameter


def page(title: str, body: str, charts: Sequence[tuple[str, Any]], *, style: str | None = None) -> str:
    """A page around altair charts that opens without network: their library and their data are inside.

    `charts` are (id, chart), and the body has an element of each id. The body is markup only if it is a
    `markupsafe.Markup`, and text otherwise. `style` is CSS in place of the report's. Charts are drawn in light or dark
    as the reader's system asks, and again when that changes; `data-ready` on the body tells that all are drawn.
    """
    need_extras()
    for text, what in ((title, "title"), (body, "body"), ("" if style is None else style, "style")):
        if not isinstance(text, str):
            raise InvalidParameter(f"the {what} of a page is text, not {type(text).__name__}")
    try:
        specs = {name: chart.to_dict() for name, chart in charts}
    except Exception:
        raise InvalidParameter("the charts of a page are pairs of an id and one of altair's charts") from None
    return rendered(
        "page.html",
        title=title,
        body=body,
        style=rendered("report.css", font=FONT) if style is None else style,
        library=_library(),
        specs=specs,
        looks={"light": LIGHT, "dark": DARK},
    )


def report_page(facts: Facts, *, title: str | None = None, file: str | None = None) -> str:
    """The report of a plan as a page; `file` is the name of the plan's file."""
    from minleak import __version__

    title = title or "What this plan leaks"
    figures = {figure.name: figure for figure in captioned(facts)}
    body = rendered(
        "report.html",
        title=title,
        made=[f"{datetime.now(UTC):%d %B %Y}".lstrip("0"), f"minleak {__version__}", *([file] if file else [])],
        facts=facts,
        figures=figures,
        verdict=verdict(facts),
        provenance=provenance(facts),
        demanded=demanded(facts),
        beside=beside(facts),
        interval=interval,
        attackers=ATTACKERS,
        meaning=meaning,
        amount=amount,
    )
    sized = [(name, figure.chart.properties(width="container")) for name, figure in figures.items()]
    return page(f"minleak: {title}", chart_package("markupsafe").Markup(body), sized)


def rendered(template: str, **facts: Any) -> str:
    """A template filled in: what is put into it is text, never markup."""
    return str(_environment().get_template(template).render(facts))


@cache
def _environment() -> Any:
    jinja2 = chart_package("jinja2")
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("minleak._report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "percent": percent, "grouped": "{:,}".format}
    made.policies["json.dumps_kwargs"] = {}  # keep the order of charts
    return made


@cache
def _library() -> str:
    """The code that draws charts, which takes a second to put together."""
    return str(chart_package("vl_convert").javascript_bundle("window.embed = vegaEmbed;"))
