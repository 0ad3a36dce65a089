"""Charts as a picture or a page: of a sweep, or any other."""

from __future__ import annotations

from typing import Any

from minleak.design.sweep import Sweep
from minleak.errors import InvalidParameter
from minleak.report.look import LIGHT
from minleak.report.saving import PICTURES, altair, page, picture, write_whole


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


def save_sweep(swept: Sweep, path: str) -> None:
    """Save least leakage against k to a .png, .svg or .html file."""
    alt = altair()
    ending = check_chart(path)
    values = [
        {"k": k, "leakage": float(swept[name][i]), "entropy": name}
        for name in swept.entropies
        for i, k in enumerate(swept.ks)
    ]
    chart = (
        alt.Chart(alt.Data(values=values), title="Least leakage against the size of the sets")
        .mark_line(point=True)
        .encode(
            x=alt.X("k:Q", title="size k of the sets", scale=alt.Scale(type="log")),
            y=alt.Y("leakage:Q", title="least leakage, in the unit of each entropy"),
            color=alt.Color("entropy:N", title="entropy"),
        )
        .properties(width="container" if ending == "html" else 560, height=320)
    )
    if ending == "html":
        body = '<div id="sweep" style="width:100%"></div>'
        write_whole(path, page("Least leakage against k", body, [("sweep", chart)], style="body{margin:1rem}"))
    else:
        write_whole(path, picture(chart, ending))
