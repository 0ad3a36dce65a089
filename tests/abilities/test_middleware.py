"""Middleware that pads responses and sends events in frames, for ASGI and WSGI."""

import asyncio

from tests.abilities.names import AsgiFrames, AsgiPadding, Frames, WsgiPadding

PAGE = b"<!doctype html><p>one</p>"
SIZES = [1000, 4000]


def ask(application):
    """The headers and the body that an ASGI application sends for a GET, and how many messages."""
    sent = []

    requests = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive():
        return requests.pop() if requests else await asyncio.Event().wait()  # the client stays

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}
    asyncio.run(application(scope, receive, send))
    return dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:])


def serving(kind, *parts):
    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return application


def test_asgi():
    for times, padded in ((1, 1000), (100, 4000)):
        headers, body = ask(AsgiPadding(serving(b"text/html", PAGE * times), SIZES))
        assert (len(body), body.startswith(PAGE * times), headers[b"content-length"]) == (padded, True, b"%d" % padded)


def test_events_in_frames():
    events = AsgiFrames(serving(b"text/event-stream", b"data: one\n\n", b"data: two\n\n"), Frames(200, 5, (4,)))
    _, body = ask(events)
    assert len(body) == 4 * 200
    assert [line for line in body.split(b"\n") if line.startswith(b"data")] == [b"data: one", b"data: two"]


def test_wsgi():
    def application(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/html")])
        return [PAGE]

    started = []
    body = b"".join(WsgiPadding(application, SIZES)({"REQUEST_METHOD": "GET"}, lambda *given: started.append(given)))
    assert (len(body), body.startswith(PAGE)) == (1000, True)
    assert dict(started[0][1])["content-length"] == "1000"
