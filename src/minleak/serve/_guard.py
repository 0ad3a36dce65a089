"""Guard: checks every request before the application answers it (host, token, form, size, number at a time), and sends,
counts and logs the answer.
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

from minleak.serve._application import JSON, Application, Endpoint
from minleak.serve._messages import write_json
from minleak.serve._metrics import Row
from minleak.serve._problems import RequestProblem

#: The route under which unknown paths are counted.
OTHER = "other"
# ASGI types.
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

# Headers that some refusals add.
_MORE = {"busy": [(b"retry-after", b"1")], "unauthorized": [(b"www-authenticate", b"Bearer")]}


@dataclass(frozen=True)
class RequestLimits:
    """How much a process accepts at a time."""

    body: int = 1 << 20
    requests: int = 64
    connections: int = 1000
    #: Seconds for a whole request with its answer, and for an idle connection.
    request_time: float = 10.0
    idle_time: float = 30.0


@dataclass(frozen=True)
class Terms:
    """Who may ask, and when answers are sent."""

    #: SHA-256 of the bearer token, if one is required.
    token: bytes | None = None
    #: The accepted values of Host; None accepts any.
    hosts: frozenset[bytes] | None = None
    #: Answers are sent at multiples of this many seconds; 0 sends them at once.
    every: float = 0.0
    access_log: bool = False
    limits: RequestLimits = RequestLimits()


def hash_token(token: bytes) -> bytes:
    """The hash that tokens are compared by, so that the time taken does not depend on the token."""
    return hashlib.sha256(token).digest()


class Guard:
    """The guarded application, as an ASGI application."""

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
            if every := self._terms.every:
                now = asyncio.get_running_loop().time()
                await asyncio.sleep((now // every + 1) * every - now)
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})
        finally:
            self._asked -= 1
        taken = time.perf_counter() - begun
        self._row.count_answer(path, status, taken)
        if self._terms.access_log:
            method = scope["method"] if path != OTHER else "-"
            print(f"{time.time():.3f} {method} {path} {status} {1e3 * taken:.1f}ms", file=sys.stderr, flush=True)

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[int, Headers, bytes]:
        """Status, headers and body of the answer. Never raises."""
        status, read, media_type = 200, False, JSON
        more: Headers = []
        try:
            endpoint = self._check(scope)
            sent = await _read_body(receive, self._terms.limits.body) if endpoint.request is not None else b""
            read = True
            body = await self._application.answer(endpoint, sent)
            media_type = endpoint.media_type
        except RequestProblem as problem:
            status, body, more = problem.status, write_json(problem.to_dict()), _MORE.get(problem.code, [])
        except Exception:
            # The error and its arguments may hold a secret: count it, and say nothing of it.
            self._row.count("internal_errors")
            status, body = 500, write_json(RequestProblem("internal").to_dict())
        headers = [(b"content-type", media_type), (b"content-length", b"%d" % len(body)), *more]
        if self._application.retiring or not read:
            headers.append((b"connection", b"close"))
        return status, headers, body

    def _check(self, scope: Scope) -> Endpoint:
        """The endpoint asked for. What is not to be answered is refused before its body is read."""
        terms, headers = self._terms, scope["headers"]
        if self._asked > terms.limits.requests:
            raise RequestProblem("busy")
        if terms.hosts is not None and _header(headers, b"host").lower() not in terms.hosts:
            raise RequestProblem("wrong_host")
        endpoint = self._endpoints.get(scope["path"])
        if terms.token is not None and (endpoint is None or not endpoint.open):
            scheme, _, token = _header(headers, b"authorization").partition(b" ")
            same = hmac.compare_digest(hash_token(token.strip()), terms.token)
            if scheme.lower() != b"bearer" or not same:
                raise RequestProblem("unauthorized")
        if endpoint is None or scope["raw_path"] != scope["path"].encode():
            raise RequestProblem("not_found")
        if scope["method"] != endpoint.method:
            raise RequestProblem("method_not_allowed", f"{endpoint.path} takes {endpoint.method}")
        if scope["query_string"]:
            raise RequestProblem("bad_request", "no path takes a query: it would end up in the logs of others")
        length = _header(headers, b"content-length")
        if any(name == b"transfer-encoding" for name, _ in headers) or (endpoint.request is not None and not length):
            raise RequestProblem("length_required")
        media_type = _header(headers, b"content-type").split(b";")[0].strip().lower()
        if endpoint.request is not None and media_type != JSON:
            raise RequestProblem("not_json")
        if int(length or 0) > (terms.limits.body if endpoint.request is not None else 0):
            raise RequestProblem("too_large", f"a body has at most {terms.limits.body:,} bytes")
        return endpoint


def _header(headers: Headers, name: bytes) -> bytes:
    """The value of a header that may occur once: a repeated one could be read in two ways. Empty if absent."""
    values = [value for given, value in headers if given == name]
    if len(values) > 1:
        raise RequestProblem("bad_request", "a header occurs twice")
    return values[0] if values else b""


async def _read_body(receive: Receive, most: int) -> bytes:
    """The whole body."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise RequestProblem("bad_request", "the connection ended before the body did")
        body += message["body"]
        if len(body) > most:
            raise RequestProblem("too_large")
        if not message["more_body"]:
            return bytes(body)
