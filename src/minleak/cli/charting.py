"""The chart of a sweep, as a picture or a page."""

from __future__ import annotations

from minleak.design.sweep import Sweep
from minleak.errors import InvalidParameter
from minleak.report.saving import PICTURES, altair, page, picture, write_whole


def save_sweep(swept: Sweep, path: str) -> None:
    """Save least leakage against k to a .png, .svg or .html file."""
    alt = altair()
    ending = path.rpartition(".")[2].lower()
    if ending not in (*PICTURES, "html"):
        raise InvalidParameter(f"a chart is saved as .png, .svg or .html, not {path!r}")
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
