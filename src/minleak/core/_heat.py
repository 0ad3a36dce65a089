"""Heat maps: a small HTML table of probabilities for notebooks; likelier cells are darker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minleak.core._text_tables import html

# Rows and columns shown at most.
SHOWN = 12


def heat_map(title: str, rows: Sequence[Any], columns: Sequence[Any], shares: Any, more: str = "") -> str:
    """A table of shares between 0 and 1, with names of rows and columns; `more` says what is left out.

    >>> heat_map("", ["flu"], ["p"], [[0.5]]).count("<td")
    1
    """
    head = "".join(f"<th>{html(str(name)[:24])}</th>" for name in ["", *columns])
    body = "".join(
        f"<tr><th>{html(str(name)[:24])}</th>{''.join(map(_cell, values))}</tr>"
        for name, values in zip(rows, shares, strict=True)
    )
    told = f"<p>{html(more)}</p>" if more else ""
    caption = f"<caption>{html(title)}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{told}"


def _cell(share: float) -> str:
    shade = f"background-color: rgba(0, 114, 178, {0.6 * min(max(float(share), 0.0), 1.0):.3f})"
    return f'<td style="text-align: right; {shade}">{html(f"{float(share):.4g}")}</td>'
