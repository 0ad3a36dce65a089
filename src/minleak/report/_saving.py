"""What saving needs: the packages of the extra `report`, charts as pictures, files whole or not at all."""

from __future__ import annotations

import os
from typing import Any

from minleak.core._extras import chart_package
from minleak.core._file.replacing import replace_file
from minleak.errors import InvalidParameter, MinleakError, quote
from minleak.report._look import LIGHT

# Formats of pictures, and the packages that the extra `report` brings.
PICTURES = ("png", "svg")
EXTRAS = ("altair", "vl_convert", "jinja2")


def need_extras() -> None:
    """Say what is missing before any work is done."""
    for name in EXTRAS:
        chart_package(name)


def file_name(path: str | os.PathLike[str]) -> str:
    """The path as text."""
    try:
        return os.fsdecode(path)
    except Exception:
        raise InvalidParameter(f"a path is text, not {type(path).__name__}") from None


def check_chart(path: str | os.PathLike[str]) -> str:
    """The format that a path's ending stands for."""
    name = file_name(path)
    ending = name.rpartition(".")[2].lower()
    if ending not in (*PICTURES, "html"):
        raise InvalidParameter(f"a chart is saved as .png, .svg or .html, not {quote(name)}")
    return ending


def on_white(chart: Any) -> Any:
    """The chart in the light colours, as it stands alone."""
    return chart.configure(**LIGHT | {"background": "white"})


def picture(chart: Any, format: str) -> bytes:
    """The chart as the bytes of a PNG or SVG."""
    convert = chart_package("vl_convert")
    spec = chart.to_json()
    if format == "svg":
        return str(convert.vegalite_to_svg(spec)).encode()
    return bytes(convert.vegalite_to_png(spec, scale=2.0))


def write_whole(path: str | os.PathLike[str], data: str | bytes, *, private: bool = False) -> None:
    """Write a file whole or not at all: under a temporary name beside it, then renamed. A private one can be read by
    its owner alone.
    """
    name = os.fspath(path)
    try:
        with replace_file(name, private=private) as file:
            file.write(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise MinleakError(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
