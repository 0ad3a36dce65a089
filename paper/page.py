"""The page of the paper: verdicts first, then each part with its claims, figures and tables; and tables as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from minleak.report import page
from paper.claims import Part, Table

TITLE = "The paper, reproduced"
PAPER = (
    "M. H. R. Khouzani and P. Malacaria, Generalised Entropies and Metric-Invariant Optimal Countermeasures for "
    "Information Leakage under Symmetric Constraints, IEEE Transactions on Information Theory"
)
# Tables longer than this are folded.
SHORT = 16
TEMPLATES = Path(__file__).parent / "templates"


def as_csv(table: Table) -> str:
    """The table as CSV, numbers to twelve digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([f"{cell:.12g}" if isinstance(cell, float) else cell for cell in row] for row in table.rows)
    return out.getvalue()


def all_claims(parts: Sequence[Part]) -> Table:
    """Every claim, for claims.csv."""
    rows = tuple((part.title, c.what, c.printed, c.ours, c.verdict) for part in parts for c in part.claims)
    return Table("claims", "Every claim.", ("part", "claim", "printed", "ours", "verdict"), rows)


def as_page(parts: Sequence[Part]) -> str:
    """The whole page, which opens without network."""
    charts = [
        (f"chart-{figure.name}", figure.chart.properties(width="container", background="transparent"))
        for part in parts
        for figure in part.figures
    ]
    return page(TITLE, body(parts), charts, style=(TEMPLATES / "paper.css").read_text())


def body(parts: Sequence[Part]) -> Markup:
    """What is on the page."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"anchor": _anchor, "cell": _cell, "colour": _colour, "numeric": _numeric}
    claims = [claim for part in parts for claim in part.claims]
    made = templates.get_template("paper.html").render(
        title=TITLE,
        source=PAPER,
        parts=parts,
        claims=claims,
        failed=sum(not claim.ok for claim in claims),
        counts=Counter(claim.verdict.partition(": erratum")[0] for claim in claims),
        short=SHORT,
    )
    return Markup(made)


def _numeric(table: Table) -> list[bool]:
    """Which columns hold numbers only."""
    return [all(isinstance(row[i], int | float) for row in table.rows) for i in range(len(table.columns))]


def _cell(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.1e}" if 0 < abs(cell) < 1e-6 else f"{cell:.8g}"
    # the minus of an exponent is kept on its line
    return re.sub(r"(?<=\de)-(?=\d)", "\N{NON-BREAKING HYPHEN}", str(cell))


def _colour(verdict: str) -> str:
    if verdict.startswith("does not"):
        return "bad"
    return "note" if verdict.startswith("the print") else "good"


def _anchor(part: Part) -> str:
    return part.title.lower().replace(" ", "-")
