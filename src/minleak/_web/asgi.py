"""Middleware for ASGI: responses of few sizes, and server-sent events in frames on a clock."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from minleak._data.parameters import whole
from minleak._streams.result import Frames
from minleak._web.events import EventFrames
from minleak._web.responses import FAILED, FAILED_BODY, FAILED_HEADERS, Padder, Response, is_event_stream
from minleak.errors import InvalidParameter

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

# Ways to send a body past whoever looks at it.
_BYPASSES = frozenset(f"http.response.{name}" for name in ("pathsend", "zerocopysend", "trailers", "push"))
# Seconds within which streams that are due are woken together: a timer for each of 1,000 costs as much as their frames.
_GRAIN = 0.004
_LOG = logging.getLogger("minleak.padding")


class PadResponses:
    """Pad each response of an ASGI application: its body to a size of a table, its head to a multiple of some bytes.

    Put it outside everything that compresses. Bodies are padded by a comment (HTML), spaces (JSON, CSS, JavaScript) or
    the comment of a gzip header (bodies coded with gzip, and any others where the client accepts gzip), which readers
    ignore; ranges, digests and other codings leave the body as it is and pad the sum with a header. A body is kept
    until it is whole, up to `memory` bytes. Server-sent events pass: see `FrameEvents`. An error before the response
    began is logged to minleak.padding and answered by a padded response: a server would close the connection.

    Parameters
    ----------
    app
        The application.
    sizes
        A `Padding` or another table with `pad`, sizes to pad to, or a function such as `minleak.padding.padme`; beyond
        the largest size the next power of two.
    head
        Heads are multiples of so many bytes.
    memory
        Bytes of a body that are kept at most. A longer one whose length is not known is filled at its end, if it is
        HTML or JSON; else its size shows, and `shown` counts it.
    """

    def __init__(self, app: Application, sizes: Any, *, head: int = 512, memory: int = 1 << 20) -> None:
        self._app, self._padder = app, Padder.of(sizes, head, memory)
        #: How many responses show their own size.
        self.shown = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        accepted = b",".join([value for name, value in scope["headers"] if name == b"accept-encoding"])
        response: Response | None = None
        start: Message = {}
        begun = False

        async def pad(message: Message) -> None:
            nonlocal response, start, begun
            kind = message["type"]
            if kind == "http.response.start":
                headers = message.get("headers", ())
                start, response = message, self._padder.begin(scope["method"], accepted, message["status"], headers)
                if response.head.is_event_stream:
                    begun = True
                    await send({**message, "headers": response.head_alone()})
                return
            if kind != "http.response.body" or response is None or response.head.is_event_stream:
                await send(message)
                return
            body, more = bytes(message.get("body", b"")), message.get("more_body", False)
            head, blocks = response.feed(body) if more else response.end(body)
            if head is not None:
                begun = True
                await send({**start, "headers": head})
            if not more:
                self.shown += response.shows
                blocks = blocks or [b""]
            last = len(blocks) - 1
            for i, block in enumerate(blocks):
                await send({"type": "http.response.body", "body": block, "more_body": more or i < last})

        try:
            await self._app(_without_bypasses(scope), receive, pad)
        except Exception:
            if begun:
                raise
            _LOG.exception(FAILED)
            await pad({"type": "http.response.start", "status": 500, "headers": FAILED_HEADERS})
            await pad({"type": "http.response.body", "body": FAILED_BODY})


class FrameEvents:
    """Send server-sent events of an ASGI application as frames of one size on a clock, up to a total from a table.

    Whatever the application does, a frame goes out with every tick once the response began: events that are whole by
    then, in their order, filled up by a comment, which every client of server-sent events ignores. When the application
    ends, also by an error, frames go on to the next total. All that an observer sees is when the response began and its
    total; each frame has `frame` bytes, and servers frame each in the same way.

    A stream keeps at most `memory` bytes: an application that is quicker waits in `send`, and so does the clock for a
    client that does not read; it goes on with the next tick and makes up for nothing. When the client goes away the
    application is told, by `http.disconnect` and by an OSError from `send`. Errors of the application are logged to
    minleak.padding. Other responses pass unchanged. Events must not be compressed on the way.

    Parameters
    ----------
    app
        The application.
    frames
        What `minleak.padding.frames` found, or `Frames.load` read.
    memory
        Bytes that are kept of a stream at most, and so of one event.
    """

    def __init__(self, app: Application, frames: Frames, *, memory: int = 1 << 16) -> None:
        self._app, self._frames = app, frames
        self._memory = whole(memory, "memory, in bytes,", 256)
        self._alarms = _Alarms()
        #: How many streams needed more frames than the largest total.
        self.beyond = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = _Client(receive, send, method=scope["method"])
        stream = _FramedStream(self._frames, self._memory, client, self._alarms)
        failure: Exception | None = None
        try:
            try:
                await self._app(_without_bypasses(scope), client.receive, stream.send)
            except Exception as error:
                failure = error
            stream.finish(whole=failure is None)
            await stream.join()  # an error looks like an end
        finally:
            stream.cancel()
            client.stop()
        self.beyond += stream.needed > self._frames.totals[-1]
        if failure is not None and not (client.gone and isinstance(failure, OSError)):
            if not stream.framed:
                raise failure
            _LOG.error(FAILED, exc_info=failure)


class _Signal:
    """Wakes all who wait: an event of asyncio that is never set, and that takes less memory while nobody waits."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    async def wait(self) -> None:
        """Until the next `wake`."""
        self._waiting.append(asyncio.get_running_loop().create_future())
        await self._waiting[-1]

    def wake(self) -> None:
        """Wake all who wait."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)


class _Client:
    """Who is served: knows when they have gone, by listening once the request has come whole."""

    def __init__(self, receive: Receive, send: Send, *, method: str) -> None:
        self._receive, self.send = receive, send
        self._whole = method in ("GET", "HEAD")
        self._listener: asyncio.Task[None] | None = None
        self._heard: list[Message] = []
        self._asking = _Signal()
        self.gone = False

    def listen(self) -> None:
        """Begin to listen, if hardly more than the end can come."""
        if self._whole:
            self._listener = asyncio.ensure_future(self._listen())

    async def receive(self) -> Message:
        """What the application receives."""
        if self._listener is None:
            return await self._receive_one()
        while not self._heard:
            if self.gone:
                return {"type": "http.disconnect"}
            await self._asking.wait()
        return self._heard.pop(0)

    async def _listen(self) -> None:
        while not self.gone:
            self._heard.append(await self._receive_one())
            self._asking.wake()

    async def _receive_one(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.gone = True
        elif not message.get("more_body", False):
            self._whole = True
        return message

    def stop(self) -> None:
        """Listen no more."""
        if self._listener is not None:
            self._listener.cancel()


class _Alarms:
    """Wakes many streams with few timers: those that are due within the same few milliseconds together."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], _Signal] = {}

    async def wait_until(self, due: float) -> None:
        """Return at this time of the loop, up to a grain later."""
        loop = asyncio.get_running_loop()
        key = id(loop), math.ceil(due / _GRAIN)
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = _Signal()
            loop.call_at(key[1] * _GRAIN, self._wake, key)
        await waiting.wait()

    def _wake(self, key: tuple[int, int]) -> None:
        self._waiting.pop(key).wake()


class _FramedStream:
    """A response: passed on as it is, or as frames if it is a stream of events."""

    def __init__(self, frames: Frames, memory: int, client: _Client, alarms: _Alarms) -> None:
        self._frames, self._client, self._alarms = frames, client, alarms
        self._events = EventFrames(frames.frame, memory)
        self._clock: asyncio.Task[None] | None = None
        self._room = _Signal()
        self._ended = False
        #: How many frames the content took.
        self.needed = 0

    async def send(self, message: Message) -> None:
        """What the application sends."""
        if message["type"] == "http.response.start":
            headers = [(bytes(name).lower(), bytes(value)) for name, value in message.get("headers", ())]
            if message["status"] == 200 and is_event_stream(dict(headers).get(b"content-type", b"")):
                if dict(headers).get(b"content-encoding", b"identity") != b"identity":
                    raise InvalidParameter(
                        "events are compressed, and frames of them cannot be filled: do not compress"
                    )
                kept = [h for h in headers if h[0] != b"content-length"]
                kept += [(b"cache-control", b"no-transform"), (b"x-accel-buffering", b"no")]
                self._clock = asyncio.ensure_future(self._run({**message, "headers": kept}))
                self._client.listen()
                return
        if self._clock is None or message["type"] != "http.response.body":
            await self._client.send(message)
            return
        data = bytes(message.get("body", b""))
        while data:
            if self._client.gone or self._clock.done():
                raise OSError("the client has gone")
            data = data[self._events.write(data) :]
            if data:
                await self._room.wait()
        if not message.get("more_body", False):
            self.finish(whole=True)

    @property
    def framed(self) -> bool:
        """Whether it is a stream of events."""
        return self._clock is not None

    def finish(self, *, whole: bool) -> None:
        """The application ended, well or by an error."""
        if not self._ended:
            self._ended = True
            self._events.close(whole=whole)

    async def join(self) -> None:
        """Wait for the last frame."""
        if self._clock is not None:
            await self._clock

    def cancel(self) -> None:
        """Send no more."""
        if self._clock is not None:
            self._clock.cancel()

    async def _run(self, start: Message) -> None:
        """Frame k goes out at k ticks, or as soon after as the client lets it."""
        try:
            await self._send_frames(start)
        except OSError:
            self._client.gone = True
        finally:
            self._room.wake()

    async def _send_frames(self, start: Message) -> None:
        client, tick, now = self._client, self._frames.tick_ms / 1000, asyncio.get_running_loop().time
        await client.send(start)
        due, sent, total = now(), 0, 0
        while not client.gone:
            due += tick * max(1, math.ceil((now() - due) / tick))  # nothing is made up for, and the phase stays
            await self._alarms.wait_until(due)
            if client.gone:
                return
            frame, sent = self._events.next(), sent + 1
            self._room.wake()
            if not total and self._ended and self._events.empty:
                self.needed = sent
                total = self._frames.total(sent)
            await client.send({"type": "http.response.body", "body": frame, "more_body": sent != total})
            if sent == total:
                return


def _without_bypasses(scope: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    extensions = scope.get("extensions") or {}
    if _BYPASSES.isdisjoint(extensions):
        return scope
    return {**scope, "extensions": {name: said for name, said in extensions.items() if name not in _BYPASSES}}
