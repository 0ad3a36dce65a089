"""A worker: one process that answers requests from a socket shared with other workers, until it is told to end."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from dataclasses import dataclass

from uvicorn.config import Config
from uvicorn.server import ServerState

from minleak.serve._application import Application, Serving
from minleak.serve._connection import Connection
from minleak.serve._guard import Guard, Terms
from minleak.serve._metrics import MetricTable

#: Orders on a worker's control pipe: take no more connections and end when those there are have ended, or end at once.
#: The pipe's end, which comes when the supervisor dies, is an order to stop.
RETIRE, STOP = b"r", b"s"
#: How many connections may wait to be accepted.
BACKLOG = 128
# Seconds that a worker told to stop waits for answers under way.
_GRACE = 10.0
# How long a connection that was just taken has to begin, in seconds.
_BEGIN = 0.05


@dataclass(frozen=True)
class Tls:
    """The files of a certificate and its key."""

    certificate: str
    key: str


def run_worker(
    listener: socket.socket, control: int, serving: Serving, terms: Terms, tls: Tls | None, table: MetricTable, row: int
) -> None:
    """Answer until the control pipe says otherwise."""
    logging.disable()  # uvicorn and asyncio would log the text of errors, which may hold a secret
    asyncio.run(Worker(serving, terms, tls, table, row).run(listener, control))


class Worker:
    """The server of one process."""

    def __init__(self, serving: Serving, terms: Terms, tls: Tls | None, table: MetricTable, row: int) -> None:
        self._terms, self._state = terms, ServerState()
        counts = table.row(row)
        self._application = Application(serving, table, counts)
        guard = Guard(self._application, terms, counts)
        self._config = Config(
            guard,
            http=type("Connection", (Connection,), {"limits": terms.limits, "row": counts}),
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=int(terms.limits.idle_time),
            ssl_certfile=None if tls is None else tls.certificate,
            ssl_keyfile=None if tls is None else tls.key,
        )
        self._config.load()
        self._ordered = asyncio.Event()
        self._stopped = asyncio.Event()

    async def run(self, listener: socket.socket, control: int) -> None:
        """Serve, and obey the control pipe."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_report_error)
        loop.add_reader(control, self._obey, control)
        server = await loop.create_server(
            lambda: self._config.http_protocol_class(self._config, self._state, {}),  # type: ignore[call-arg]
            sock=listener,
            ssl=self._config.ssl,
            backlog=BACKLOG,
            ssl_handshake_timeout=None if self._config.ssl is None else self._terms.limits.request_time,
        )
        sweeping = asyncio.create_task(self._sweep())
        await self._ordered.wait()
        self._application.retiring = True
        # A server that is closed drops connections that it has just taken: take no more, and let those begin first.
        loop.remove_reader(listener.fileno())
        await asyncio.sleep(_BEGIN)
        server.close()
        if not self._stopped.is_set():
            # Idle connections end by themselves or with their next answer: a client that is just sending a request is
            # answered by the plan that was served when the connection began.
            await self._wait_until_empty(self._terms.limits.idle_time + self._terms.limits.request_time)
        for connection in list(self._state.connections):
            connection.shutdown()
        self._stopped.clear()
        await self._wait_until_empty(_GRACE)
        sweeping.cancel()

    async def _sweep(self) -> None:
        """Cut late requests, all at once now and then: a timer for each would cost more than the request."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self._terms.limits.request_time / 10)
            for connection in list(self._state.connections):
                connection.cut_if_late(loop.time())  # type: ignore[union-attr] # they are all ours

    async def _wait_until_empty(self, seconds: float) -> None:
        """Wait until no connection is left, the time is over, or the worker is told to stop."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while self._state.connections and not self._stopped.is_set() and loop.time() < end:
            await asyncio.sleep(0.02)

    def _obey(self, control: int) -> None:
        order = os.read(control, 1)
        if order != RETIRE:
            asyncio.get_running_loop().remove_reader(control)
            self._stopped.set()
        self._ordered.set()


def _report_error(_loop: asyncio.AbstractEventLoop, _context: object) -> None:
    """Say that an error occurred outside of a request, and nothing more about it."""
    print("minleak: an error outside of a request", file=sys.stderr, flush=True)
