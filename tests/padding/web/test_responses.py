"""Responses: bodies in the table, heads in multiples, and content that a reader gets back."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import minleak as ml
from minleak.errors import InvalidParameter
from minleak.padding import asgi, wsgi
from minleak.padding._responses import BLOCK, head_size

SIZES = [500, 3000, 20_000]


def serve(app: Any, *, method: str = "GET", accept: bytes = b"gzip") -> tuple[int, dict, bytes, list]:
    """What a server is sent: status, headers, body, and all messages."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": method, "headers": [(b"accept-encoding", accept)] if accept else []}
    asyncio.run(app(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start"] + ["http.response.body"] * (len(sent) - 1)
    assert [message["more_body"] for message in sent[1:]] == [True] * (len(sent) - 2) + [False]
    head = sent[0]
    return head["status"], dict(head["headers"]), b"".join(message["body"] for message in sent[1:]), sent


def answering(body: bytes, *headers: tuple[bytes, bytes], status: int = 200, pieces: int = 1) -> Any:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})
        step = max(1, -(-len(body) // pieces))
        for at in range(0, len(body), step):
            await send({"type": "http.response.body", "body": body[at : at + step], "more_body": True})
        await send({"type": "http.response.body"})

    return app


HTML, JSON, OTHER = (
    (b"content-type", b"text/html"),
    (b"content-type", b"application/json"),
    (b"content-type", b"image/x"),
)


@given(
    st.binary(max_size=4000),
    st.sampled_from([HTML, OTHER]),
    st.integers(1, 5),
    st.booleans(),
    st.sampled_from([b"gzip", b"br, gzip;q=0.5"]),
)
def test_bodies_are_in_the_table_and_come_back(body, kind, pieces, compressed, accept):
    """For every body: its size is one of the table, its head a multiple, and a reader has the content."""
    headers = [kind, *([(b"content-encoding", b"gzip")] if compressed else [])]
    app = answering(gzip.compress(body, mtime=0) if compressed else body, *headers, pieces=pieces)
    _, found, sent, messages = serve(asgi.PadResponses(app, SIZES), accept=accept)
    assert len(sent) in SIZES
    assert int(found[b"content-length"]) == len(sent)
    assert head_size(200, messages[0]["headers"]) % 512 == 0
    content = gzip.decompress(sent) if found.get(b"content-encoding") == b"gzip" else sent
    assert content == body if kind == OTHER or compressed else content.startswith(body)


def test_fillers_are_ignored_by_readers():
    """JSON parses to the same, HTML has a comment, and gzip's comment is skipped by zlib's own header parser."""
    body = json.dumps({"a": 1}).encode()
    assert json.loads(serve(asgi.PadResponses(answering(body, JSON), SIZES))[2]) == {"a": 1}
    sent = serve(asgi.PadResponses(answering(b"<p>", HTML), SIZES))[2]
    assert sent.startswith(b"<p><!--x")
    assert sent.endswith(b"x-->")
    coded = serve(asgi.PadResponses(answering(b"abc", OTHER), SIZES))[2]
    assert zlib.decompress(coded, wbits=31) == b"abc"


def test_a_long_body_of_unknown_length_passes_in_blocks():
    """Beyond `memory` HTML is filled at its end; what cannot be filled is counted."""
    body = b"a" * 70_000
    middleware = asgi.PadResponses(answering(body, HTML, pieces=9), SIZES, memory=BLOCK)
    _, found, sent, messages = serve(middleware)
    assert len(sent) == 131_072  # beyond the largest
    assert b"content-length" not in found
    assert {len(message["body"]) for message in messages[1:-1]} == {BLOCK}
    assert middleware.shown == 0
    middleware = asgi.PadResponses(answering(body, OTHER, pieces=9), SIZES, memory=BLOCK)
    assert serve(middleware, accept=b"")[2] == body
    assert middleware.shown == 1


def test_what_may_not_change_is_padded_by_its_head():
    """Ranges, digests and other codings: the body is the same, and the sum is in the table."""
    body = b"x" * 700
    length = (b"content-length", b"700")
    for headers, status in (
        ([(b"content-range", b"bytes 0-699/900")], 206),
        ([HTML, (b"content-digest", b"sha-256=:x:")], 200),
        ([HTML, (b"content-encoding", b"br")], 200),
    ):
        for known in ([length], []):
            app = asgi.PadResponses(answering(body, *headers, *known, status=status, pieces=3), SIZES)
            _, _, sent, messages = serve(app)
            assert sent == body
            assert (head_size(status, messages[0]["headers"]) - (3000 - 700)) % 512 == 0


def serve_plainly(body: bytes, *headers: tuple[bytes, bytes], status: int, pieces: int, accept: bytes, **given: Any):
    """The same application as WSGI: headers, body, and how many showed their size."""
    started: list[Any] = []

    def app(_environ: Any, start_response: Any) -> Any:
        start_response(f"{status} OK", [(name.decode(), value.decode()) for name, value in headers])
        step = max(1, -(-len(body) // pieces))
        return [body[at : at + step] for at in range(0, len(body), step)]

    middleware = wsgi.PadResponses(app, **given)
    blocks = list(
        middleware({"REQUEST_METHOD": "GET", "HTTP_ACCEPT_ENCODING": accept.decode()}, lambda *a: started.append(a))
    )
    return [(name.encode(), value.encode()) for name, value in started[0][1]], b"".join(blocks), middleware.shown


@pytest.mark.parametrize("door", ["asgi", "wsgi"])
@pytest.mark.parametrize("kind", ["brotli", "no gzip", "range"])
@pytest.mark.parametrize("known", [True, False])
def test_a_body_that_cannot_be_filled_enough_is_counted(door, kind, known):
    """No head is longer than clients accept; the sum is in the table, or the body is counted among the shown."""
    headers = {"brotli": [HTML, (b"content-encoding", b"br")], "no gzip": [OTHER], "range": [(b"content-range", b"x")]}
    status, accept = 206 if kind == "range" else 200, b"" if kind == "no gzip" else b"gzip"
    for size, is_shown in ((100_000, 1), (300_000, 1), (985_000, 1), (995_000, 0), (1_000_000, 0)):
        body, sizes = bytes(size), [1_000_000]
        given = [*headers[kind], *([(b"content-length", b"%d" % size)] if known else [])]
        if door == "asgi":
            middleware = asgi.PadResponses(answering(body, *given, status=status, pieces=9), sizes)
            _, _, sent, messages = serve(middleware, accept=accept)
            head, shown = messages[0]["headers"], middleware.shown
        else:
            head, sent, shown = serve_plainly(body, *given, status=status, pieces=9, accept=accept, sizes=sizes)
        assert sent == body
        assert shown == is_shown
        assert head_size(status, head) <= 12_288
        assert (head_size(status, head) + (size - 1_000_000) * (not is_shown)) % 512 == 0


@pytest.mark.parametrize("door", ["asgi", "wsgi"])
@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("pieces", [7, 40])
def test_long_files_of_known_length_are_padded_by_gzip_at_the_start(door, coded, pieces):
    """Above `memory`, in chunks, as servers send files: one size of the table, in whole blocks, and the content."""
    for size in (1_200_000, 1_900_000, 3_000_000):
        content = bytes(range(250)) * (size // 250)
        body = gzip.compress(content, compresslevel=0, mtime=0) if coded else content
        given = [OTHER, (b"content-length", b"%d" % len(body)), *([(b"content-encoding", b"gzip")] if coded else [])]
        if door == "asgi":
            middleware = asgi.PadResponses(answering(body, *given, pieces=pieces), [4_000_000])
            _, _, sent, messages = serve(middleware)
            head, shown = messages[0]["headers"], middleware.shown
            assert {len(message["body"]) for message in messages[1:-2]} == {BLOCK}
        else:
            head, sent, shown = serve_plainly(
                body, *given, status=200, pieces=pieces, accept=b"gzip", sizes=[4_000_000]
            )
        found = dict(head)
        assert (len(sent), shown, found[b"content-length"]) == (4_000_000, 0, b"4000000")
        assert found[b"content-encoding"] == b"gzip"
        assert head_size(200, head) == 512
        assert zlib.decompress(sent, wbits=31) == content


@given(st.integers(0, 5 * BLOCK), st.integers(1, 4), st.sampled_from([HTML, JSON, OTHER]), st.booleans())
def test_every_block_but_the_last_is_full(size, pieces, kind, known):
    """Blocks are records on the wire: a shorter one would show where the filler begins."""
    length = [(b"content-length", b"%d" % size)] if known else []
    app = asgi.PadResponses(answering(b" " * size, kind, *length, pieces=pieces), [150_000], memory=BLOCK)
    _, _, sent, messages = serve(app)
    assert app.shown == (kind == OTHER and not known and size > BLOCK)
    assert len(sent) == 150_000 or app.shown
    assert {len(message["body"]) for message in messages[1:-2]} <= {BLOCK}


def test_filler_takes_no_memory():
    """A body of two megabytes is padded to a gigabyte by one block that is sent many times."""
    length = (b"content-length", b"2000000")
    middleware = asgi.PadResponses(answering(b"x" * 2_000_000, OTHER, length), [1 << 30])
    blocks: dict[int, int] = {}
    total = 0

    async def send(message: Any) -> None:
        nonlocal total
        total += len(message.get("body", b""))
        blocks[id(message.get("body"))] = len(message.get("body", b""))

    asyncio.run(middleware({"type": "http", "method": "GET", "headers": [(b"accept-encoding", b"gzip")]}, None, send))
    assert total == 1 << 30
    assert sum(blocks.values()) < 1 << 24


def test_without_a_body():
    """HEAD, 204 and 304 have none, and no length that tells of one that was padded."""
    for method, status in (("HEAD", 200), ("GET", 204), ("GET", 304)):
        app = asgi.PadResponses(answering(b"", HTML, (b"content-length", b"700"), status=status), SIZES)
        _, found, sent, messages = serve(app, method=method)
        assert sent == b""
        assert b"content-length" not in found
        assert head_size(status, messages[0]["headers"]) % 512 == 0


def test_a_failure_is_padded_and_logged(caplog):
    async def failing(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [HTML]})
        raise RuntimeError("on purpose")

    status, _, sent, _ = serve(asgi.PadResponses(failing, SIZES))
    assert (status, len(sent)) == (500, 500)
    assert "on purpose" in caplog.text


def test_tables_are_paddings_sequences_or_policies():
    padding = ml.padding.design([100, 900, 950], budget=100)
    for sizes, size in ((padding, 950), (ml.padding.to_power_of_two, 1024), ([1000, 2000], 1000)):
        assert len(serve(asgi.PadResponses(answering(b"x" * 930, HTML), sizes))[2]) == size
    for wrong in ([], [3, 2], [0], [1.5], "abc", 7):
        with pytest.raises((InvalidParameter, TypeError)):
            asgi.PadResponses(answering(b""), wrong)
    with pytest.raises(InvalidParameter, match="smaller size"):
        asgi.PadResponses(answering(b""), lambda sizes: sizes - 1)


def test_other_protocols_pass():
    seen = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["type"])

    for kind in ("lifespan", "websocket"):
        asyncio.run(asgi.PadResponses(app, SIZES)({"type": kind}, None, None))
        asyncio.run(asgi.FrameEvents(app, ml.padding.Frames(64, 5, (2,)))({"type": kind}, None, None))
    assert seen == ["lifespan", "lifespan", "websocket", "websocket"]


@pytest.mark.parametrize("written", [False, True])
def test_wsgi_closes_and_writes(written):
    """The iterable is closed, write() is heard, and the body is padded; a failure in the middle is a padded 500."""
    closed, started = [], []

    class Body(list):
        def close(self) -> None:
            closed.append(True)

    def app(_environ: Any, start_response: Any) -> Any:
        write = start_response("200 OK", [("Content-Type", "application/json")])
        if written:
            write(b"[1,")
            return Body([b"2]"])
        return Body([b"[1", b",2]"])

    def start(status: str, headers: Any, exc_info: Any = None) -> Any:
        started.append((status, dict(headers)))

    environ = {"REQUEST_METHOD": "GET"}
    body = b"".join(wsgi.PadResponses(app, SIZES)(environ, start))
    assert json.loads(body) == [1, 2]
    assert (len(body), closed) == (500, [True])
    assert started[0][1]["content-length"] == "500"


@pytest.mark.parametrize("body", [b"", b"x", b"x" * 500])
def test_a_head_is_sent_once_where_the_first_piece_is_empty(body):
    async def app(scope, receive, send):
        headers = [(b"content-type", b"image/png"), (b"content-digest", b"x"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        await send({"type": "http.response.body", "body": body})

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "headers": []}
    asyncio.run(asgi.PadResponses(app, [100, 1000])(scope, None, send))
    assert [message["type"] for message in sent].count("http.response.start") == 1
    assert b"".join(message.get("body", b"") for message in sent) == body
    assert [message["more_body"] for message in sent[1:]].count(False) == 1
