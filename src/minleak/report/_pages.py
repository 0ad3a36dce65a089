"""Pages that open without network, made from `templates/`: what is put into them is text, never markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from minleak.core._extras import chart_package
from minleak.errors import InvalidParameter
from minleak.report._look import DARK, FONT, LIGHT
from minleak.report._saving import need_extras
from minleak.report._words import number, percent


@dataclass(frozen=True)
class Figure:
    """An altair chart with a name for its file, a title and a sentence on how to read it. It has no fixed width."""

    name: str
    title: str
    note: str
    chart: Any


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
    return _rendered(
        "page.html",
        title=title,
        body=body,
        style=_rendered("report.css", font=FONT) if style is None else style,
        library=_library(),
        specs=specs,
        looks={"light": LIGHT, "dark": DARK},
    )


def page_of(template: str, title: str, figures: Sequence[Figure], *, file: str | None = None, **facts: Any) -> str:
    """The page that a template makes of facts: it has the figures by name, and says when and by what it was made;
    `file` is the name of the file that it is about.
    """
    from minleak import __version__

    made = [f"{datetime.now(UTC):%d %B %Y}".lstrip("0"), f"minleak {__version__}", *([file] if file else [])]
    body = _rendered(template, title=title, made=made, figures={figure.name: figure for figure in figures}, **facts)
    charts = [(figure.name, figure.chart.properties(width="container")) for figure in figures]
    return page(f"minleak: {title}", chart_package("markupsafe").Markup(body), charts)


def _rendered(template: str, **facts: Any) -> str:
    return str(_environment().get_template(template).render(facts))


@cache
def _environment() -> Any:
    jinja2 = chart_package("jinja2")
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("minleak.report"),
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
