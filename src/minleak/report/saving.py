"""Writing what is shown: files whole or not at all, charts as pictures, pages that need no network."""

from __future__ import annotations

import contextlib
import html
import json
import os
import secrets
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from minleak.errors import MinleakError

# Formats that a chart can be saved in.
PICTURES = ("png", "svg")


def altair() -> Any:
    """The chart library, or an error that says how to get it."""
    return _extra("altair")


def _extra(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MinleakError(f"charts need the package {name}: pip install 'minleak[report]'") from None


def write_whole(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file whole or not at all: under a temporary name beside it, then renamed."""
    name = os.fspath(path)
    folder = os.path.dirname(os.path.abspath(name))
    temporary = os.path.join(folder, f".{os.path.basename(name)}.{secrets.token_hex(6)}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        os.replace(temporary, name)
    except OSError as error:
        raise MinleakError(f"cannot write {name}: {error.strerror or 'the file system refused'}") from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def picture(chart: Any, format: str, *, scale: float = 2.0) -> bytes:
    """The chart as the bytes of a PNG or SVG."""
    convert = _extra("vl_convert")
    spec = chart.to_json()
    if format == "svg":
        return str(convert.vegalite_to_svg(spec)).encode()
    return bytes(convert.vegalite_to_png(spec, scale=scale))


def page(title: str, body: str, charts: Sequence[tuple[str, Any]], *, style: str) -> str:
    """A page that opens without network: the charts' library and their specifications are inside.

    `charts` are (id of the element, chart); the body has an element for each.
    """
    library = _extra("vl_convert").javascript_bundle("window.embed = vegaEmbed;")
    specs = {name: json.loads(chart.to_json()) for name, chart in charts}
    data = json.dumps(specs).replace("</", "<\\/")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script type="module">{library}</script>
<script id="specs" type="application/json">{data}</script>
<script type="module">
const specs = JSON.parse(document.getElementById("specs").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
for (const [name, spec] of Object.entries(specs)) {{
  const options = {{actions: false, renderer: "svg", theme: dark ? "dark" : undefined}};
  await window.embed("#" + name, spec, options);
}}
document.body.dataset.ready = "yes";
</script>
</body>
</html>
"""
