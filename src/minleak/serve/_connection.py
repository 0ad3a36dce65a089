"""Connection: uvicorn's HTTP/1.1 connection with a deadline for every request, and refusals in JSON."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from minleak.serve._guard import RequestLimits
from minleak.serve._messages import write_json
from minleak.serve._metrics import Row
from minleak.serve._problems import RequestProblem


class _BufferedTransport:
    """Sends all that is written in one turn of the event loop by one system call: uvicorn writes the head and the body
    of an answer separately.
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
        """Send what was written."""
        if self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(H11Protocol):
    """Limits the time from a request's first byte (or the connection's beginning) to the last byte of its answer.

    uvicorn only times out idle connections: a client that sends its headers byte by byte, or does not read its answer,
    could stay for ever.
    """

    limits: RequestLimits
    row: Row

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        #: When the current request began; None without one.
        self.since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, _BufferedTransport(transport, self.loop)))
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
            self.since = self.loop.time()  # a pipelined request

    def eof_received(self) -> bool:  # type: ignore[override]
        """Still answer a client that has sent its whole request and closed its side."""
        cast(_BufferedTransport, self.transport).flush()
        under_way = self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body)
        if under_way:
            self.cycle.keep_alive = False
        return under_way

    def connection_lost(self, exc: Exception | None) -> None:
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def cut_if_late(self, now: float) -> None:
        """End a connection whose request has passed its deadline."""
        if self.since is not None and now - self.since > self.limits.request_time:
            self.since = None
            self.row.count("connections_cut")
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        del msg
        self._refuse(RequestProblem("bad_request", "this is no HTTP/1.1 request"))

    def _refuse(self, problem: RequestProblem, headers: list[tuple[bytes, bytes]] | None = None) -> None:
        """Answer outside of a request, and close."""
        body = write_json(problem.to_dict())
        given = [
            *(headers or ()),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            response = h11.Response(status_code=problem.status, headers=given)
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
