"""wsgi: middleware that pads responses."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minleak.padding._responses import FAILED_BODY, FAILED_HEADERS, Headers, Padder, Response

__all__ = ["PadResponses"]

Environ = dict[str, Any]
StartResponse = Callable[..., Callable[[bytes], object]]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class PadResponses:
    """Pad each response of a WSGI application: its body to a size of a table, its head to a multiple of some bytes.

    Parameters, padding and `shown` are those of `minleak.padding.asgi.PadResponses`.
    """

    def __init__(self, app: Application, sizes: Any, *, head: int = 512, memory: int = 1 << 20) -> None:
        self._app, self._padder = app, Padder.of(sizes, head, memory)
        #: How many responses showed their own size.
        self.shown = 0

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Serve a request."""
        return _Exchange(self, environ, start_response).run()


class _Exchange:
    """A request and its response."""

    def __init__(self, middleware: PadResponses, environ: Environ, start_response: StartResponse) -> None:
        self._middleware, self._environ, self._start = middleware, environ, start_response
        self._response: Response | None = None
        self._status = ""
        self._begun = False
        self._written: list[bytes] = []

    def run(self) -> Iterator[bytes]:
        """The blocks of the padded response."""
        body: Iterable[bytes] = ()
        try:
            body = self._middleware._app(self._environ, self._begin)
            for part in body:
                yield from self._feed([*self._written, part])
                self._written.clear()
            yield from self._feed(self._written)
            yield from self._end()
        except Exception:
            if self._begun:
                raise
            traceback.print_exc(file=self._environ["wsgi.errors"])  # the server does not see the failure
            self._response, self._status = self._new_response(500, FAILED_HEADERS), "500 Internal Server Error"
            yield from self._end(FAILED_BODY)
        finally:
            if hasattr(body, "close"):
                body.close()

    def _begin(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        if exc_info is not None and self._begun:
            try:
                raise exc_info[1].with_traceback(exc_info[2])
            finally:
                exc_info = None  # no cycle of frames
        self._status = status
        coded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self._response = self._new_response(int(status.split(" ", 1)[0]), coded)
        return self._written.append

    def _new_response(self, status: int, headers: Headers) -> Response:
        accepted = str(self._environ.get("HTTP_ACCEPT_ENCODING", "")).encode("latin-1", "replace")
        method = str(self._environ.get("REQUEST_METHOD", "GET"))
        return self._middleware._padder.begin(method, accepted, status, headers)

    def _feed(self, parts: list[bytes]) -> Iterator[bytes]:
        if self._response is None:
            raise AssertionError("the application sent a body before it called start_response")
        for part in parts:
            yield from self._forward(*self._response.feed(part))

    def _end(self, last: bytes = b"") -> Iterator[bytes]:
        if self._response is None:
            raise AssertionError("the application did not call start_response")
        yield from self._forward(*self._response.end(last))

    def _forward(self, headers: Headers | None, blocks: list[bytes]) -> Iterator[bytes]:
        if headers is not None and self._response is not None:
            self._begun = True
            self._middleware.shown += self._response.shows
            self._start(self._status, [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers])
        yield from blocks
