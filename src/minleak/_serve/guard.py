"""Guard: what every request passes before it is answered: who may ask, how large and how many at a time; and after it:
when the answer leaves, and what is counted and logged.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from minleak._serve.application import JSON, Application, Endpoint
from minleak._serve.messages import write_json
from minleak._serve.metrics import Row
from minleak._serve.problems import RequestProblem

#: The path that answers to unknown ones are counted under.
OTHER = "other"
# The types of ASGI.
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_CLOSE = (b"connection", b"close")
# What some refusals say besides: after so many seconds one that was too many may ask again.
_MORE = {"busy": [(b"retry-after", b"1")], "unauthorized": [(b"www-authenticate", b"Bearer")]}


@dataclass(frozen=True)
class RequestLimits:
    """How much a process takes at a time."""

    body: int = 1 << 20
    requests: int = 64
    connections: int = 1000
    #: Seconds for a whole request and its answer, and for a connection without one.
    request_time: float = 10.0
    idle_time: float = 30.0


@dataclass(frozen=True)
class Terms:
    """Who may ask, and how answers leave."""

    #: SHA-256 of the bearer token, if one is needed.
    token: bytes | None = None
    #: The names that a request may give this machine, if not any.
    hosts: frozenset[bytes] | None = None
    #: Answers leave at multiples of so many seconds, if not at once.
    every: float = 0.0
    access_log: bool = False
    limits: RequestLimits = RequestLimits()


def hash_token(token: bytes) -> bytes:
    """What a token is compared by, in a time that does not depend on it."""
    return hashlib.sha256(token).digest()


class Guard:
    """The application behind its guard, as an ASGI application."""

    def __init__(self, application: Application, terms: Terms, row: Row) -> None:
        self._application, self._terms, self._row = application, terms, row
        self._endpoints = {one.path: one for one in application.endpoints()}
        self._asked = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = time.perf_counter()
        path = scope["path"] if scope["path"] in self._endpoints else OTHER
        self._asked += 1
        try:
            status, headers, body = await self._answer(scope, receive)
            if self._terms.every:
                await self._until_tick()
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})
        finally:
            self._asked -= 1
        taken = time.perf_counter() - begun
        self._row.answered(path, status, taken)
        if self._terms.access_log:
            method = scope["method"] if path != OTHER else "-"
            print(f"{time.time():.3f} {method} {path} {status} {1e3 * taken:.1f}ms", file=sys.stderr, flush=True)

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Status, headers and body of the answer, whatever happens."""
        status, read, media_type = 200, False, JSON
        more: list[tuple[bytes, bytes]] = []
        try:
            endpoint = self._check(scope)
            sent = await _read_body(receive, self._terms.limits.body) if endpoint.request is not None else b""
            read = True
            body = await self._application.answer(endpoint, sent)
            media_type = endpoint.media_type
        except RequestProblem as problem:
            status, body, more = problem.status, write_json(problem.to_dict()), _MORE.get(problem.code, [])
        except Exception:
            # Whatever it says may be a secret, and so may what it was called with: it is counted and not told.
            self._row.count("internal_errors")
            status, body = 500, write_json(RequestProblem("internal").to_dict())
        headers = [(b"content-type", media_type), (b"content-length", str(len(body)).encode()), *more]
        if self._application.retiring or not read:
            headers.append(_CLOSE)
        return status, headers, body

    def _check(self, scope: Scope) -> Endpoint:
        """The endpoint that is asked. Refuse what is not to be answered, before its body is read."""
        terms, headers = self._terms, _Headers(scope["headers"])
        if self._asked > terms.limits.requests:
            raise RequestProblem("busy")
        if terms.hosts is not None and headers.once(b"host").lower() not in terms.hosts:
            raise RequestProblem("wrong_host")
        endpoint = self._endpoints.get(scope["path"])
        if terms.token is not None and (endpoint is None or not endpoint.open):
            scheme, _, token = headers.once(b"authorization").partition(b" ")
            same = hmac.compare_digest(hash_token(token.strip()), terms.token)
            if scheme.lower() != b"bearer" or not same:
                raise RequestProblem("unauthorized")
        if endpoint is None or scope["raw_path"] != scope["path"].encode():
            raise RequestProblem("not_found")
        if scope["method"] != endpoint.method:
            raise RequestProblem("method_not_allowed", f"{endpoint.path} takes {endpoint.method}")
        if scope["query_string"]:
            raise RequestProblem("bad_request", "no path takes a query: it would stand in the logs of others")
        if headers.has(b"transfer-encoding"):
            raise RequestProblem("length_required")
        if endpoint.request is not None:
            if not headers.has(b"content-length"):
                raise RequestProblem("length_required")
            if headers.once(b"content-type").split(b";")[0].strip().lower() != JSON:
                raise RequestProblem("not_json")
        if int(headers.once(b"content-length") or 0) > (terms.limits.body if endpoint.request is not None else 0):
            raise RequestProblem("too_large", f"a body has at most {terms.limits.body:,} bytes")
        return endpoint

    async def _until_tick(self) -> None:
        """Wait for the next multiple of `every` seconds."""
        loop, every = asyncio.get_running_loop(), self._terms.every
        done: asyncio.Future[None] = loop.create_future()
        loop.call_at((loop.time() // every + 1) * every, _settle, done)
        await done


def _settle(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


class _Headers:
    """Those of a request, whose names are small letters."""

    def __init__(self, pairs: list[tuple[bytes, bytes]]) -> None:
        self._found = dict(pairs)
        self._twice = len(self._found) < len(pairs) and {name for name, _ in pairs if _count(pairs, name) > 1}

    def has(self, name: bytes) -> bool:
        return name in self._found

    def once(self, name: bytes) -> bytes:
        """A header that has one value: two of them would be read in two ways."""
        if self._twice and name in self._twice:
            raise RequestProblem("bad_request", "a header stands there twice")
        return self._found.get(name, b"")


def _count(pairs: list[tuple[bytes, bytes]], name: bytes) -> int:
    return sum(one == name for one, _ in pairs)


async def _read_body(receive: Receive, most: int) -> bytes:
    """The whole body."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise RequestProblem("bad_request", "the connection ended before the body did")
        parts.append(message["body"])
        size += len(parts[-1])
        if size > most:
            raise RequestProblem("too_large")
        if not message["more_body"]:
            return b"".join(parts)
