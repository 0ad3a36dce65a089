"""Writing what is shown: files whole or not at all, charts as pictures, pages that need no network."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from minleak.errors import MinleakError
from minleak.extras import chart_package
from minleak.report.look import DARK, LIGHT
from minleak.writing import replacing

# Formats that a chart can be saved in.
PICTURES = ("png", "svg")


def altair() -> Any:
    """The chart library, or an error that says how to get it."""
    return chart_package("altair")


def write_whole(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file whole or not at all: under a temporary name beside it, then renamed."""
    name = os.fspath(path)
    try:
        with replacing(name) as temporary, open(temporary, "xb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        raise MinleakError(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None


def picture(chart: Any, format: str, *, scale: float = 2.0) -> bytes:
    """The chart as the bytes of a PNG or SVG."""
    convert = chart_package("vl_convert")
    spec = chart.to_json()
    if format == "svg":
        return str(convert.vegalite_to_svg(spec)).encode()
    return bytes(convert.vegalite_to_png(spec, scale=scale))


# No page may load anything from elsewhere; charts are drawn by code that the library makes on the spot.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: file: 'self'"
)


def page(title: str, body: str, charts: Sequence[tuple[str, Any]], *, style: str) -> str:
    """A page that opens without network: the charts' library and their specifications are inside.

    `charts` are (id of the element, chart); the body has an element for each. They are drawn in light or dark colours
    as the reader's system asks, and again when it changes its mind; `data-ready` on the body tells that all are drawn.
    """
    library = _library()
    specs = {name: json.loads(chart.to_json()) for name, chart in charts}
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<noscript>The charts need JavaScript; it is inside this file.</noscript>
<script type="module">{library}</script>
<script id="specs" type="application/json">{_embedded(specs)}</script>
<script id="looks" type="application/json">{_embedded({"light": LIGHT, "dark": DARK})}</script>
<script type="module">
const specs = JSON.parse(document.getElementById("specs").textContent);
const looks = JSON.parse(document.getElementById("looks").textContent);
const scheme = matchMedia("(prefers-color-scheme: dark)");
async function draw() {{
  delete document.body.dataset.ready;
  const config = scheme.matches ? looks.dark : looks.light;
  for (const [name, spec] of Object.entries(specs)) {{
    const tooltip = {{theme: scheme.matches ? "dark" : "light"}};
    await window.embed("#" + name, spec, {{actions: false, renderer: "svg", config, tooltip}});
  }}
  document.body.dataset.ready = "yes";
}}
scheme.addEventListener("change", draw);
await draw();
</script>
</body>
</html>
"""


@cache
def _library() -> str:
    """The code that draws charts, which takes a second to put together."""
    return str(chart_package("vl_convert").javascript_bundle("window.embed = vegaEmbed;"))


def _embedded(data: Any) -> str:
    """JSON that ends no script and opens no comment, whatever text is in it."""
    return json.dumps(data).replace("<", "\\u003c")
