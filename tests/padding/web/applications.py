"""Applications that servers run in tests: python -m tests.padding.web.applications SERVER PORT [certificate key]."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import sys
from typing import Any

from minleak.padding import Frames, asgi, wsgi

SIZES = [1000, 4000, 16_000, 64_000]
FRAMES = Frames(frame=200, tick_ms=20, totals=(8, 24))
PAGE, DATA, PICTURE = b"<!doctype html><p>one</p>", json.dumps({"a": [1, 2]}).encode(), bytes(range(256)) * 8

BODIES = {
    "/page": (b"text/html; charset=utf-8", PAGE),
    "/long": (b"text/html", PAGE * 4000),
    "/data": (b"application/json", DATA),
    "/picture": (b"image/png", PICTURE),
}


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Pages, events and failures."""
    if scope["type"] != "http":
        return
    path = scope["path"]

    async def start(*headers: tuple[bytes, bytes], status: int = 200) -> None:
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})

    async def body(part: bytes, *, more: bool = False) -> None:
        await send({"type": "http.response.body", "body": part, "more_body": more})

    if path in BODIES:
        kind, content = BODIES[path]
        parts = [content[i : i + 7001] for i in range(0, len(content), 7001)]  # in pieces, of unknown length
        await start((b"content-type", kind), (b"etag", b'"1"'), (b"accept-ranges", b"bytes"))
        for part in parts:
            await body(part, more=True)
        await body(b"")
    elif path == "/gzip":
        coded = gzip.compress(PAGE)
        await start(
            (b"content-type", b"text/html"), (b"content-encoding", b"gzip"), (b"content-length", b"%d" % len(coded))
        )
        await body(coded)
    elif path == "/range":
        part = PICTURE[10:60]
        await start((b"content-range", b"bytes 10-59/2048"), (b"content-length", b"50"), status=206)
        await body(part)
    elif path == "/unchanged":
        await start((b"etag", b'"1"'), status=304)
        await body(b"")
    elif path == "/failure":
        raise RuntimeError("on purpose")
    elif path.startswith("/events"):
        words = int(path.removeprefix("/events/"))
        await start((b"content-type", b"text/event-stream"))
        for i in range(words):
            await asyncio.sleep(0.003 if i % 5 else 0.03)
            text = f"data: {'x' * (i * 7 % 31)}{i}\n\n".encode()
            await body(text[:3], more=True)  # an event in two pieces
            await body(text[3:], more=True)
        await body(b"data: [DONE]\n\n")
    elif path == "/broken":
        await start((b"content-type", b"text/event-stream"))
        await body(b"data: 0\n\ndata: half of an ev", more=True)
        raise RuntimeError("in the middle")
    else:
        await start(status=404)
        await body(b"")


def plain_application(environ: Any, start_response: Any) -> Any:
    """The pages for WSGI."""
    path = environ["PATH_INFO"]
    if path == "/failure":
        raise RuntimeError("on purpose")
    if path == "/unchanged":
        start_response("304 Not Modified", [("ETag", '"1"')])
        return []
    kind, content = BODIES[path]
    start_response("200 OK", [("Content-Type", kind.decode())])
    return (content[i : i + 7001] for i in range(0, len(content), 7001))


padded = asgi.PadResponses(asgi.FrameEvents(application, FRAMES), SIZES)
padded_plain = wsgi.PadResponses(plain_application, SIZES)


def main(server: str, port: str, *files: str) -> None:
    """Become the server."""
    here, bind = "tests.padding.web.applications", f"127.0.0.1:{port}"
    bin = os.path.dirname(sys.executable)
    tls = ["--ssl-certfile", files[0], "--ssl-keyfile", files[1]] if files else []
    command = {
        "uvicorn": ["uvicorn", f"{here}:padded", "--host", "127.0.0.1", "--port", port, "--lifespan", "off", *tls],
        "hypercorn": ["hypercorn", f"{here}:padded", "--bind", bind],
        "gunicorn": ["gunicorn", f"{here}:padded_plain", "--bind", bind, "--threads", "4"],
    }[server]
    os.execv(os.path.join(bin, command[0]), command)


if __name__ == "__main__":
    main(*sys.argv[1:])
