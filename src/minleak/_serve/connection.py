"""Connection: uvicorn's HTTP/1.1 connection with a deadline for every request, and with refusals in JSON."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from minleak._serve.guard import Limits
from minleak._serve.messages import write_json
from minleak._serve.metrics import Row
from minleak._serve.problems import Problem


class Connection(H11Protocol):
    """A request has so much time from its first byte (or the connection's beginning) to the last byte of its answer.

    uvicorn has a time-out for connections without a request alone: one that sends its headers byte by byte, or does not
    read its answer, would stay for ever.
    """

    limits: Limits
    row: Row

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self.row.count("connections_cut")
            self._refuse(Problem("busy"), [(b"retry-after", b"1")])
        else:
            self._set_deadline()

    def data_received(self, data: bytes) -> None:
        if self._deadline is None:
            self._set_deadline()
        super().data_received(data)

    def on_response_complete(self) -> None:
        self._clear_deadline()
        super().on_response_complete()
        if self.cycle is not None and not self.cycle.response_complete and not self.transport.is_closing():
            self._set_deadline()  # of a request that came together with the last one

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        del msg
        self._refuse(Problem("bad_request", "this is no HTTP/1.1 request"))

    def close_when_idle(self) -> None:
        """Nothing more is asked by this connection: it ends now if it has no request, else with its answer."""
        if not self.transport.is_closing():
            self.shutdown()

    def _refuse(self, problem: Problem, headers: list[tuple[bytes, bytes]] | None = None) -> None:
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

    def _set_deadline(self) -> None:
        self._deadline = self.loop.call_later(self.limits.request_time, self._cut)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self) -> None:
        self._deadline = None
        self.row.count("connections_cut")
        self.transport.abort()
