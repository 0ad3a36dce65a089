"""Charts as a picture or a page: of a sweep, or any other."""

from __future__ import annotations

from minleak.design.sweep import Sweep
from minleak.report.saving import altair, check_chart
from minleak.report.writing import save_chart

__all__ = ["check_chart", "save_chart", "save_sweep"]


def save_sweep(swept: Sweep, path: str) -> None:
    """Save least leakage against k to a .png, .svg or .html file."""
    alt = altair()
    values = [
        {"k": k, "leakage": float(swept[name][i]), "entropy": name}
        for name in swept.entropies
        for i, k in enumerate(swept.ks)
    ]
    chart = (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=alt.X("k:Q", title="size k of the sets", scale=alt.Scale(type="log")),
            y=alt.Y("leakage:Q", title="least leakage, in the unit of each entropy"),
            color=alt.Color("entropy:N", title="entropy"),
        )
        .properties(height=320)
    )
    save_chart(chart, path, title="Least leakage against the size of the sets")
