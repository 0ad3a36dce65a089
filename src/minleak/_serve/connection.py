"""Connection: uvicorn's HTTP/1.1 connection with a deadline for every request, and with refusals in JSON."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from minleak._serve.guard import RequestLimits
from minleak._serve.messages import write_json
from minleak._serve.metrics import Row
from minleak._serve.problems import RequestProblem


class _Gathering:
    """A transport that sends what is written in one turn of the loop at once: uvicorn writes the head and the body of
    an answer apart, and each costs a system call.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._parts:
            self._loop.call_soon(self.flush)
        self._parts.append(data)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def flush(self) -> None:
        """Send it now."""
        if self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(H11Protocol):
    """A request has so much time from its first byte (or the connection's beginning) to the last byte of its answer.

    uvicorn has a time-out for connections without a request alone: one that sends its headers byte by byte, or does not
    read its answer, would stay for ever.
    """

    limits: RequestLimits
    row: Row

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        #: When the request that is under way began; None without one.
        self.since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, _Gathering(transport, self.loop)))
        if len(self.connections) > self.limits.connections:
            self.row.count("connections_cut")
            self._refuse(RequestProblem("busy"), [(b"retry-after", b"1")])
        else:
            self.since = self.loop.time()

    def data_received(self, data: bytes) -> None:
        if self.since is None:
            self.since = self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        self.since = None
        super().on_response_complete()
        if self.cycle is not None and not self.cycle.response_complete:
            self.since = self.loop.time()  # of a request that came together with the last one

    def eof_received(self) -> bool:  # type: ignore[override]
        """A client that has sent its whole request and says no more still gets the answer."""
        cast(_Gathering, self.transport).flush()
        under_way = self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body)
        if under_way:
            self.cycle.keep_alive = False
        return under_way

    def connection_lost(self, exc: Exception | None) -> None:
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def cut_if_late(self, now: float) -> None:
        """End a connection whose request has had its time."""
        if self.since is not None and now - self.since > self.limits.request_time:
            self.since = None
            self.row.count("connections_cut")
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        del msg
        self._refuse(RequestProblem("bad_request", "this is no HTTP/1.1 request"))

    def _refuse(self, problem: RequestProblem, headers: list[tuple[bytes, bytes]] | None = None) -> None:
        """Answer outside of a request, and end."""
        body = write_json(problem.to_dict())
        given = [
            *(headers or ()),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            for event in (
                h11.Response(status_code=problem.status, headers=given),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
