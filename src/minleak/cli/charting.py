"""Charts as a picture or a page."""

from __future__ import annotations

from typing import Any

from minleak.errors import InvalidParameter
from minleak.report.look import LIGHT
from minleak.report.saving import PICTURES, page, picture, write_whole


def check_chart(path: str) -> str:
    """The format that a path's ending stands for."""
    ending = path.rpartition(".")[2].lower()
    if ending not in (*PICTURES, "html"):
        raise InvalidParameter(f"a chart is saved as .png, .svg or .html, not {path!r}")
    return ending


def save_chart(chart: Any, path: str, *, title: str) -> None:
    """Save a chart without a fixed width to a .png, .svg or .html file."""
    ending = check_chart(path)
    if ending == "html":
        body = '<div id="chart" style="width:100%"></div>'
        shown = chart.properties(width="container", title=title)
        write_whole(path, page(title, body, [("chart", shown)], style="body{margin:1rem}"))
    else:
        shown = chart.properties(width=560, title=title).configure(**LIGHT | {"background": "white"})
        write_whole(path, picture(shown, ending))
