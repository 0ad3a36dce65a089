"""The clock under pressure: slow clients, quick applications, clients that go, applications that fail."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from minleak.errors import InvalidParameter
from minleak.padding import Frames, asgi

FRAMES = Frames(frame=32, tick_ms=5, totals=(4, 10))
STREAM = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"content-length", b"9")]


class Server:
    """A server's side of one request: keeps what it is sent, and is slow or left by its client when told."""

    def __init__(
        self, *, gone_after: int = 10**9, pause: float = 0.0, listens: bool = True, request: tuple[bytes, ...] = (b"",)
    ) -> None:
        self.sent: list[Any] = []
        self._request = list(request)
        self._gone_after, self._pause, self._listens = gone_after, pause, listens
        self._gone = asyncio.Event()

    async def receive(self) -> Any:
        if self._request:
            return {"type": "http.request", "body": self._request.pop(0), "more_body": bool(self._request)}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if len(self.sent) > self._gone_after:
            if self._listens:
                self._gone.set()
            else:
                raise OSError("closed")
        await asyncio.sleep(self._pause)
        self.sent.append(message)

    @property
    def frames(self) -> list[bytes]:
        return [message["body"] for message in self.sent[1:]]


def run(app: Any, frames: Frames = FRAMES, **given: Any) -> tuple[Server, asgi.FrameEvents]:
    memory, method = given.pop("memory", 1 << 16), given.pop("method", "GET")

    async def main() -> tuple[Server, asgi.FrameEvents]:
        server, middleware = Server(**given), asgi.FrameEvents(app, frames, memory=memory)
        scope = {"type": "http", "method": method, "headers": []}
        before = asyncio.all_tasks()
        try:
            await middleware(scope, server.receive, server.send)
        finally:
            await asyncio.sleep(0)
            assert asyncio.all_tasks() == before, "a task was left behind"
        return server, middleware

    return asyncio.run(asyncio.wait_for(main(), 30))


def sending(*parts: bytes, fails: bool = False, after: Any = None) -> Any:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": STREAM})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        if fails:
            raise RuntimeError("in the middle")
        if after is not None:
            await after(receive, send)
        await send({"type": "http.response.body"})

    return app


def test_short_streams_end_at_the_first_total():
    for parts in ((), (b"data: 1\n\n",), (b"data: 1\n\n" * 5,)):
        server, _ = run(sending(*parts))
        assert [len(frame) for frame in server.frames] == [32] * 4
        assert [message["more_body"] for message in server.sent[1:]] == [True] * 3 + [False]
        assert b"content-length" not in dict(server.sent[0]["headers"])


def test_streams_beyond_the_table_are_counted():
    server, middleware = run(sending(b"data: 1\n\n" * 50))
    assert len(server.frames) == 20
    assert middleware.beyond == 1


def test_an_error_ends_like_any_other_stream(caplog):
    server, _ = run(sending(b"data: 1\n\ndata: ha", fails=True))
    assert [len(frame) for frame in server.frames] == [32] * 4
    assert b"ha" not in b"".join(server.frames)
    assert "in the middle" in caplog.text


def test_a_quick_application_waits():
    """Back-pressure: the application is never further ahead of the frames than `memory`, and all arrives in order."""
    ahead = []
    server: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        server.append(send.__self__._client.send.__self__)
        await send({"type": "http.response.start", "status": 200, "headers": STREAM})
        for i in range(60):
            await send({"type": "http.response.body", "body": b"data: %03d\n\n" % i, "more_body": True})
            ahead.append(11 * (i + 1) - 64 * len(server[0].frames))

    found, _ = run(app, Frames(frame=64, tick_ms=1, totals=(30,)), memory=256)
    lines = [line for line in b"".join(found.frames).splitlines() if line.startswith(b"data")]
    assert lines == [b"data: %03d" % i for i in range(60)]
    assert 200 < max(ahead) <= 256 + 64


@pytest.mark.parametrize("listens", [True, False])
@pytest.mark.parametrize("request_of", [("GET", (b"",)), ("POST", (b"{}",)), ("POST", (b"a" * 200, b"b"))])
def test_a_client_that_goes_ends_the_stream(listens, request_of):
    """By a disconnect that is received, or by an OSError from the server: the application, which has not read the
    request, is told, and nothing is left.
    """
    told = []

    async def endless(_receive: Any, send: Any) -> None:
        try:
            while True:
                await send({"type": "http.response.body", "body": b"data: " + b"x" * 60 + b"\n\n", "more_body": True})
        except OSError as error:
            told.append(str(error))
            raise

    method, parts = request_of
    given = {"gone_after": 3, "listens": listens, "method": method, "request": parts}
    server, _ = run(sending(after=endless), memory=256, **given)
    assert told == ["the client has gone"]
    assert len(server.frames) <= 5


def test_a_request_that_is_read_late_comes_whole_and_in_order():
    """While nobody reads it little of it is kept, and the rest is taken from the server when the application reads."""
    parts, heard, left = tuple(b"%04d" % i * 25 for i in range(40)), [], []

    async def read(receive: Any, _send: Any) -> None:
        await asyncio.sleep(0.02)
        left.append(len(receive.__self__._heard))
        more = True
        while more:
            message = await receive()
            heard.append(message["body"])
            more = message["more_body"]

    run(sending(after=read), method="POST", request=parts, memory=256)
    assert tuple(heard) == parts
    assert left == [3]


def test_an_application_that_listens_hears_that_the_client_went():
    heard = []

    async def listen(receive: Any, _send: Any) -> None:
        while (message := await receive())["type"] != "http.disconnect":
            heard.append(message["type"])
        heard.append("gone")

    run(sending(after=listen), gone_after=2)
    assert heard == ["http.request", "gone"]


def test_a_slow_client_gets_the_same_frames():
    """Nothing is made up for after a stall: frames come as they can be taken."""
    server, _ = run(sending(b"data: 1\n\n" * 12), pause=0.01)
    assert [len(frame) for frame in server.frames] == [32] * 4 or [len(frame) for frame in server.frames] == [32] * 10


def test_other_responses_pass_as_they_are():
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b"no"})

    server, _ = run(app)
    assert server.sent[1] == {"type": "http.response.body", "body": b"no"}

    async def failing(_scope: Any, _receive: Any, _send: Any) -> None:
        raise RuntimeError("before anything")

    with pytest.raises(RuntimeError, match="before anything"):
        run(failing)


def test_compressed_events_are_refused(caplog):
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        headers = [*STREAM, (b"content-encoding", b"gzip")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    with pytest.raises(InvalidParameter, match="do not compress"):
        run(app)
    with pytest.raises(InvalidParameter, match="memory"):
        asgi.FrameEvents(app, FRAMES, memory=3)
