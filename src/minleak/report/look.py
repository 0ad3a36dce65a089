"""How pages and charts look: colours that the colour-blind tell apart, in light and in dark, and the page's style."""

from __future__ import annotations

from typing import Any

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

# After Okabe and Ito: told apart in every common colour-blindness, and with a contrast of 3 or more on their grounds.
LIGHT_COLOURS = ["#0072b2", "#d55e00", "#00825f", "#a64d8f", "#6b6b6b"]
DARK_COLOURS = ["#56b4e9", "#f09a4a", "#2fc49c", "#e29ac8", "#bdbdbd"]


def _config(ink: str, faint: str, colours: list[str]) -> dict[str, Any]:
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "gridColor": faint,
            "domainColor": faint,
            "tickColor": faint,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "labelOverlap": True,
        },
        "legend": {
            "labelColor": ink,
            "titleColor": ink,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "orient": "top",
            "direction": "horizontal",
            "columns": 2,
            "title": None,
            "symbolSize": 90,
        },
        "title": {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 15, "subtitleFontSize": 12},
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": ink},
        "range": {"category": colours},
    }


LIGHT: dict[str, Any] = _config("#24292f", "#d8dce1", LIGHT_COLOURS)
DARK: dict[str, Any] = _config("#e4e7eb", "#3a4149", DARK_COLOURS)

STYLE = f"""
:root {{ color-scheme: light dark; --ground: #ffffff; --panel: #f5f6f8; --ink: #1c2126; --quiet: #57606a;
  --line: #d8dce1; --accent: #0072b2; --good: #00704f; --bad: #b3261e; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ground: #14181c; --panel: #1d2329; --ink: #e4e7eb;
  --quiet: #a5adb6; --line: #3a4149; --accent: #56b4e9; --good: #3fcf9f; --bad: #ff8a80; }} }}
* {{ box-sizing: border-box; }}
html {{ -webkit-text-size-adjust: 100%; }}
body {{ margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 68rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 {FONT}; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.6rem; line-height: 1.25; margin: 0 0 .4rem; }}
h2 {{ font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .3rem; }}
h3 {{ font-size: 1rem; margin: 1.5rem 0 .2rem; }}
p {{ margin: .4rem 0; max-width: 46rem; }}
.quiet, figcaption, small {{ color: var(--quiet); }}
.badge {{ font-weight: 600; color: var(--good); }}
.badge.bad {{ color: var(--bad); }}
.tiles {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem; margin: 1rem 0; }}
.tile {{ background: var(--panel); border-radius: .5rem; padding: .8rem 1rem; }}
.tile b {{ display: block; font-size: 1.9rem; line-height: 1.2; font-variant-numeric: tabular-nums; }}
.tile.ours {{ outline: 2px solid var(--accent); }}
figure {{ margin: 1rem 0 2rem; }}
figcaption {{ font-size: .9rem; max-width: 46rem; }}
.chart {{ width: 100%; min-height: 16rem; margin-top: .6rem; }}
.chart svg {{ max-width: 100%; }}
table {{ border-collapse: collapse; width: 100%; margin: .8rem 0; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: .5rem .6rem; border-bottom: 1px solid var(--line); }}
thead th {{ font-size: .85rem; color: var(--quiet); font-weight: 600; }}
tbody th {{ font-weight: 400; }}
table.cards thead th:first-child {{ width: 36%; }}
td > span {{ white-space: nowrap; }}
td small {{ white-space: normal; }}
td small, th small {{ display: block; font-size: .8rem; line-height: 1.35; }}
td.ours {{ font-weight: 600; color: var(--accent); }}
ul.checks {{ list-style: none; padding: 0; }}
ul.checks li {{ padding: .2rem 0 .2rem 1.6rem; text-indent: -1.6rem; }}
.yes {{ color: var(--good); display: inline-block; width: 1.6rem; text-indent: 0; }}
.no {{ color: var(--bad); display: inline-block; width: 1.6rem; text-indent: 0; font-weight: 700; }}
@media (max-width: 48rem) {{
  table.cards thead {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
  table.cards, table.cards tbody, table.cards tr, table.cards th, table.cards td {{ display: block; }}
  table.cards tr {{ border-bottom: 1px solid var(--line); padding: .6rem 0; }}
  table.cards th, table.cards td {{ border: 0; padding: .15rem 0; }}
  table.cards td {{ display: flex; justify-content: space-between; gap: 1rem; }}
  table.cards td::before {{ content: attr(data-label); font-weight: 400; color: var(--quiet); }}
  table.cards td > span {{ text-align: right; }}
}}
@media print {{ figure, tr {{ break-inside: avoid; }} }}
"""
