"""The page of the paper: verdicts first, then each part with its claims, figures and tables; and tables as CSV."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Sequence
from typing import Any

from minleak.report.paper.claims import Claim, Figure, Part, Table
from minleak.report.saving import page

TITLE = "The paper, reproduced"
PAPER = (
    "M. H. R. Khouzani and P. Malacaria, Generalised Entropies and Metric-Invariant Optimal Countermeasures for "
    "Information Leakage under Symmetric Constraints, IEEE Transactions on Information Theory"
)
# Tables longer than this are folded.
SHORT = 16

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d5dae0; --paper: #fff; --shade: #f4f6f8;
  --good: #14713d; --note: #8a5200; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --soft: #a0aab4; --line: #3a424b; --paper: #15191e;
  --shade: #1d2329; --good: #5fca8d; --note: #e5ac55; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 3rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .4rem 0; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .4rem; padding-top: .8rem; border-top: 1px solid var(--line); }
p { max-width: 46rem; }
a { color: inherit; }
.soft, figcaption, caption { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .2rem 0; }
th, td { text-align: left; padding: .28rem .8rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
td.number { text-align: right; white-space: nowrap; }
th.number { text-align: right; }
.claims td { min-width: 9rem; }
.good { color: var(--good); } .note { color: var(--note); } .bad { color: var(--bad); font-weight: 600; }
figure { margin: 1rem 0; }
.figures { display: grid; gap: .5rem 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
.chart { width: 100%; min-width: 0; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
@media (max-width: 640px) {
  .claims, .claims tbody, .claims tr, .claims td { display: block; }
  .claims thead { display: none; }
  .claims tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .claims td { border: 0; padding: .05rem 0; min-width: 0; }
  .claims td[data-of]::before { content: attr(data-of) ": "; color: var(--soft); }
  .claims td:first-child { font-weight: 600; }
}
"""


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
    claims = [claim for part in parts for claim in part.claims]
    charts = [
        (f"chart-{figure.name}", figure.chart.properties(width="container", background="transparent"))
        for part in parts
        for figure in part.figures
    ]
    return page(TITLE, _head(parts, claims) + "".join(map(_section, parts)), charts, style=STYLE)


def _head(parts: Sequence[Part], claims: Sequence[Claim]) -> str:
    failed = [claim for claim in claims if not claim.ok]
    counts: dict[str, int] = {}
    for claim in claims:
        kind = claim.verdict.partition(": erratum")[0]
        counts[kind] = counts.get(kind, 0) + 1
    items = "".join(
        f'<tr><td class="number">{count}</td><td class="{_colour(kind)}">{html.escape(kind)}</td></tr>'
        for kind, count in counts.items()
    )
    summary = (
        f"{len(failed)} of {len(claims)} claims do not agree."
        if failed
        else f"{len(claims)} claims checked, none fails."
    )
    links = " · ".join(f'<a href="#{_anchor(part)}">{html.escape(part.title)}</a>' for part in parts)
    return (
        f'<h1>{TITLE}</h1><p class="soft">{html.escape(PAPER)}. Every table and figure again, computed by minleak, '
        f"with what is printed beside what we find.</p><p><strong>{summary}</strong></p>"
        f'<div class="wide"><table>{items}</table></div><p class="soft">{links}</p>'
    )


def _section(part: Part) -> str:
    text = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in part.text)
    figures = "".join(map(_figure, part.figures))
    tables = "".join(map(_table, part.tables))
    grid = f'<div class="figures">{figures}</div>' if len(part.figures) > 1 else figures
    return (
        f'<section id="{_anchor(part)}"><h2>{html.escape(part.title)}</h2>{text}{_claims(part)}{grid}{tables}</section>'
    )


def _claims(part: Part) -> str:
    rows = "".join(
        f'<tr><td>{_text(c.what)}</td><td data-of="printed">{_text(c.printed)}</td>'
        f'<td data-of="ours">{_text(c.ours)}</td><td class="{_colour(c.verdict)}">{_text(c.verdict)}</td></tr>'
        for c in part.claims
    )
    head = "<thead><tr><th>claim</th><th>printed</th><th>ours</th><th>verdict</th></tr></thead>"
    return f'<div class="wide"><table class="claims">{head}<tbody>{rows}</tbody></table></div>'


def _figure(figure: Figure) -> str:
    caption = html.escape(figure.caption)
    return f'<figure><div class="chart" id="chart-{figure.name}"></div><figcaption>{caption}</figcaption></figure>'


def _table(table: Table) -> str:
    numeric = [all(isinstance(row[i], int | float) for row in table.rows) for i in range(len(table.columns))]
    head = "".join(f"<th{_number(n)}>{html.escape(c)}</th>" for c, n in zip(table.columns, numeric, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{_number(n)}>{_cell(c)}</td>" for c, n in zip(row, numeric, strict=True)) + "</tr>"
        for row in table.rows
    )
    caption = html.escape(table.caption)
    whole = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    open_ = " open" if len(table.rows) <= SHORT else ""
    return f"<details{open_}><summary>{caption} ({table.name}.csv)</summary>{whole}</details>"


def _number(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _cell(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.1e}" if 0 < abs(cell) < 1e-6 else f"{cell:.8g}"
    return _text(str(cell))


def _text(text: str) -> str:
    """Escaped, with the minus of an exponent kept on its line."""
    return html.escape(re.sub(r"(?<=\de)-(?=\d)", "\N{NON-BREAKING HYPHEN}", text))


def _colour(verdict: str) -> str:
    if verdict.startswith("does not"):
        return "bad"
    return "note" if verdict.startswith("the print") else "good"


def _anchor(part: Part) -> str:
    return part.title.lower().replace(" ", "-")
