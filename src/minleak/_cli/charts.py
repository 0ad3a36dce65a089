"""--chart: a picture or a page of what was found."""

from __future__ import annotations

from typing import Any

import typer

from minleak._cli.options import option
from minleak._cli.output import Answer
from minleak._report.saving import check_chart
from minleak._report.writing import save_chart
from minleak.errors import InvalidParameter


def chart_of(what: str) -> Any:
    """The option of a chart's file, which is refused before any work is done if its ending is none of a chart."""
    return option(f"Save {what}: a .png, .svg or .html file.", parser=_chart_file)


def add_chart(answer: Answer, chart: Any, path: str, *, title: str, key: str = "chart") -> None:
    """Save the chart, and say so."""
    save_chart(chart, path, title=title)
    answer.wrote(path, f"chart written to {path}", key=key)


def _chart_file(path: str) -> str:
    try:
        check_chart(path)
    except InvalidParameter as error:
        raise typer.BadParameter(str(error)) from None
    return path
