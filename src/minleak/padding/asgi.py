"""asgi: middleware that pads responses and sends server-sent events in frames on a clock."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from minleak.core._parameters import whole
from minleak.errors import InvalidParameter
from minleak.padding._events import EventFrames
from minleak.padding._frames import Frames
from minleak.padding._responses import FAILED, FAILED_BODY, FAILED_HEADERS, Padder, Response, is_event_stream

__all__ = ["FrameEvents", "PadResponses"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

# Extensions that send a body past the middleware.
_BYPASSES = frozenset(f"http.response.{name}" for name in ("pathsend", "zerocopysend", "trailers", "push"))
# Streams due within this many seconds are woken together: 1,000 timers would cost as much as the frames.
_GRAIN = 0.004
_LOG = logging.getLogger("minleak.padding")


class PadResponses:
    """Pad each response of an ASGI application: its body to a size of a table, its head to a multiple of some bytes.

    Put it outside everything that compresses. Bodies are padded by what their readers ignore: a comment (HTML), spaces
    (JSON, CSS, JavaScript) or the comment of a gzip header (gzip bodies, and all others if the client accepts gzip).
    With ranges, digests and other encodings the body stays as it is, and a header pads the sum, up to a head of 12,288
    bytes, since many clients refuse longer ones: a body that lacks more shows its size, and `shown` counts it. A body
    is kept until it is whole, up to `memory` bytes. Server-sent events pass: see `FrameEvents`. An error before the
    response began is logged to minleak.padding and answered by a padded response, where a server would close the
    connection.

    Parameters
    ----------
    app
        The application.
    sizes
        A `Padding` or another table with `pad`, sizes to pad to, or a function such as `minleak.padding.padme`. Larger
        bodies are padded to the next power of two.
    head
        Heads are padded to multiples of this many bytes, at most 8,192.
    memory
        The most bytes of a body to keep. A longer one is filled at its end if it is HTML, JSON, CSS or JavaScript, else
        in the header of gzip if its length is known and the client accepts gzip; else it shows its size, and `shown`
        counts it.
    """

    def __init__(self, app: Application, sizes: Any, *, head: int = 512, memory: int = 1 << 20) -> None:
        self._app, self._padder = app, Padder.of(sizes, head, memory)
        #: How many responses showed their own size.
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
                self.shown += response.shows
                await send({**start, "headers": head})
            if not more:
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

    Once the response began, a frame goes out at every tick, whatever the application does: the events that are whole by
    then, in their order, filled up by a comment, which every client ignores. When the application ends, normally or by
    an error, frames go on to the next total. An observer sees only when the response began and its total.

    A stream keeps at most `memory` bytes: a faster application waits in `send`. The clock waits for a client that does
    not read, goes on with the next tick, and does not catch up. When the client goes away the application is told by
    `http.disconnect` and by an OSError from `send`, whether it has read the request or not; only while more than
    `memory` bytes of the request are unread is it told later, when it reads them. Errors of the application are logged
    to minleak.padding. Other responses pass unchanged. Events must not be compressed on the way.

    Parameters
    ----------
    app
        The application.
    frames
        What `minleak.padding.frames` found, or `Frames.load` read.
    memory
        The most bytes of a stream to keep, and so the largest event; and the most of an unread request.
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
        client = _Client(receive, send, self._memory)
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


class _Signal(asyncio.Event):
    """An event that is never set."""

    def wake(self) -> None:
        """Wake all tasks that wait."""
        self.set()
        self.clear()


class _Client:
    """The client of a request. It listens while the response is sent, to notice that they have gone, and keeps what it
    hears of the request for the application: up to `memory` bytes, then it waits for the application to take some.
    """

    def __init__(self, receive: Receive, send: Send, memory: int) -> None:
        self._receive, self.send, self._memory = receive, send, memory
        self._listener: asyncio.Task[None] | None = None
        self._heard: deque[Message] = deque()
        self._held = 0
        self._turn = asyncio.Lock()  # messages stay in their order
        self._taken = _Signal()
        self.gone = False

    def listen(self) -> None:
        """Start to listen."""
        self._listener = asyncio.ensure_future(self._listen())

    async def receive(self) -> Message:
        """What the application receives."""
        while not self._heard:
            if self.gone:
                return {"type": "http.disconnect"}
            await self._hear(wanted=True)
        message = self._heard.popleft()
        self._held -= len(message.get("body", b""))
        self._taken.wake()
        return message

    async def _listen(self) -> None:
        while not self.gone:
            if self._held > self._memory:
                await self._taken.wait()
            else:
                await self._hear(wanted=False)

    async def _hear(self, *, wanted: bool) -> None:
        """Hear one message, unless it is for an application that has one by now, or the client has gone."""
        async with self._turn:
            if self.gone or (wanted and self._heard):
                return
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.gone = True
            else:
                self._heard.append(message)
                self._held += len(message.get("body", b""))

    def stop(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.cancel()


class _Alarms:
    """Wakes many streams with few timers: those due within the same few milliseconds together."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], asyncio.Event] = {}

    async def wait_until(self, due: float) -> None:
        """Return at this time of the loop, up to a grain later."""
        loop = asyncio.get_running_loop()
        key = id(loop), math.ceil(due / _GRAIN)
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = asyncio.Event()
            loop.call_at(key[1] * _GRAIN, lambda: self._waiting.pop(key).set())
        await waiting.wait()


class _FramedStream:
    """A response, passed on as frames if it is a stream of events, else as it is."""

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
                    raise InvalidParameter("compressed events cannot be filled up: do not compress them")
                kept = [h for h in headers if h[0] != b"content-length"]
                kept += [(b"cache-control", b"no-transform"), (b"x-accel-buffering", b"no")]
                self._clock = asyncio.ensure_future(self._run({**message, "headers": kept}))
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
        """Send frame k at tick k, or as soon after as the client reads."""
        try:
            await self._send_frames(start)
        except OSError:
            self._client.gone = True
        finally:
            self._room.wake()

    async def _send_frames(self, start: Message) -> None:
        client, tick, now = self._client, self._frames.tick_ms / 1000, asyncio.get_running_loop().time
        await client.send(start)
        client.listen()
        due, sent, total = now(), 0, 0
        while not client.gone:
            due += tick * max(1, math.ceil((now() - due) / tick))  # no catching up, and the phase stays
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
