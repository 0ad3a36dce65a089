"""A worker: one process that answers requests from a socket that it shares with others, until it is told to end."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from dataclasses import dataclass

from uvicorn.config import Config
from uvicorn.server import ServerState

from minleak._serve.application import Application, Serving
from minleak._serve.connection import Connection
from minleak._serve.guard import Guard, Terms
from minleak._serve.metrics import MetricTable

#: What is written to the control pipe of a worker: take no more connections and end those that are idle in time, or at
#: once. The end of the pipe, which comes when its supervisor dies, is an order to stop.
RETIRE, STOP = b"r", b"s"
#: How many connections may wait to be taken.
BACKLOG = 128
# How long a worker that was told to stop waits for the answers that are under way, in seconds.
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
    logging.disable()  # what uvicorn and asyncio tell of an error holds what it says
    asyncio.run(_Worker(serving, terms, tls, table, row).run(listener, control))


class _Worker:
    def __init__(self, serving: Serving, terms: Terms, tls: Tls | None, table: MetricTable, row: int) -> None:
        self._terms, self._state = terms, ServerState()
        counts = table.row(row)
        self._application = Application(serving, table, counts)
        guard = Guard(self._application, terms, counts)
        given = {"limits": terms.limits, "row": counts}
        self._config = Config(
            guard,
            http=type("Connection", (Connection,), given),
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
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_count_quietly)
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
            # Connections without a request end by themselves, or with the next answer: whoever just sends a request
            # is answered, by the plan that was served when the connection began.
            await self._emptied(self._terms.limits.idle_time + self._terms.limits.request_time)
        for connection in list(self._state.connections):
            connection.shutdown()
        self._stopped.clear()
        await self._emptied(_GRACE)
        sweeping.cancel()

    async def _sweep(self) -> None:
        """Look for late requests, all of them now and then: a timer for each would cost more than it."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self._terms.limits.request_time / 10)
            for connection in list(self._state.connections):
                connection.cut_if_late(loop.time())  # type: ignore[union-attr] # they are all ours

    async def _emptied(self, seconds: float) -> None:
        """Until no connection is left, or the time is over, or the worker is told to stop."""
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


def _count_quietly(loop: asyncio.AbstractEventLoop, context: object) -> None:
    """An error outside of a request, of which nothing is told but that it was there."""
    del loop, context
    print("minleak: an error outside of a request", file=sys.stderr, flush=True)
