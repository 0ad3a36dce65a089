"""How charts look, in light and in dark: colours that the colour-blind tell apart. Pages: templates/report.css."""

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
        "mark": {"color": colours[0]},
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
            "labelLimit": 260,
        },
        "title": {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 15, "subtitleFontSize": 12},
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": ink},
        "range": {"category": colours},
    }


LIGHT: dict[str, Any] = _config("#24292f", "#d8dce1", LIGHT_COLOURS)
DARK: dict[str, Any] = _config("#e4e7eb", "#3a4149", DARK_COLOURS)
