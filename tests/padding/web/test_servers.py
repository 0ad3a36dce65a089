"""Behind real servers: what is seen on the wire is in the table, and clients read what the application wrote."""

from __future__ import annotations

import gzip
import http.client
import json
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.padding.web.applications import BODIES, DATA, FRAMES, PAGE, PICTURE, SIZES
from tests.padding.web.wire import Wire, serving
from tests.report.browser import NAMES, Browser, find_chromium

RECORD = 17  # what TLS 1.3 adds to the content of a record


def get(port: int, path: str, *, method: str = "GET", context: Any = None, gzip: bool = True) -> tuple[Any, bytes]:
    """A response and its body, as they came."""
    if context is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    else:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context)
    connection.request(method, path, headers={"Accept-Encoding": "gzip"} if gzip else {})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def read(response: Any, body: bytes) -> bytes:
    """The content, as a client decodes it."""
    return gzip.decompress(body) if response.headers["content-encoding"] == "gzip" else body


def expected_events(words: int) -> list[str]:
    return [f"{'x' * (i * 7 % 31)}{i}" for i in range(words)] + ["[DONE]"]


def events_in(body: bytes) -> list[str]:
    """What a client of server-sent events makes of a body: comments and empty lines are nothing."""
    lines = body.decode().splitlines()
    return [line.removeprefix("data: ") for line in lines if line and not line.startswith(":")]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("tls")
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    key, file = str(folder / "key.pem"), str(folder / "certificate.pem")
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    subprocess.run([*made, "-subj", "/CN=localhost", "-keyout", key, "-out", file], check=True, capture_output=True)
    return file, key


@pytest.fixture(scope="module")
def tls_wire(certificate: tuple[str, str]) -> Iterator[Wire]:
    with serving("uvicorn", *certificate) as port, Wire(port) as wire:
        yield wire


def after_handshake(records: list[int], head: int) -> list[int]:
    """The records from the head of the response on, and a newcomer to tickets and certificates finds it by its size."""
    return records[records.index(head) :]


def test_an_observer_of_records_sees_sizes_of_the_table(tls_wire: Wire) -> None:
    """Head and body are apart on the wire, and both are padded; an error looks like a page of the same size."""
    context = ssl._create_unverified_context()
    shapes = {}
    for path in (*BODIES, "/gzip", "/failure", "/unchanged"):
        get(tls_wire.port, path, context=context)
        shapes[path] = after_handshake(tls_wire.records(-1), 512 + 71)  # uvicorn adds date and server, TLS a tag
    assert shapes["/page"] == shapes["/data"] == shapes["/gzip"] == shapes["/failure"] == [583, 1000 + RECORD]
    assert shapes["/picture"] == [583, 4000 + RECORD]
    assert sum(shapes["/long"][1:]) - RECORD * len(shapes["/long"][1:]) == 131_072  # beyond the largest
    assert shapes["/unchanged"] == [583]


def test_an_observer_of_events_sees_equal_frames_up_to_a_total(tls_wire: Wire) -> None:
    """Streams of different lengths, contents and ends, one cut by an error, differ in their total and nothing else."""
    context = ssl._create_unverified_context()
    frame = FRAMES.frame + len("c8\r\n\r\n")
    seen = {}
    for path, words in {"/events/0": 0, "/events/4": 4, "/events/60": 60, "/broken": None}.items():
        _, body = get(tls_wire.port, path, context=context)
        seen[path] = after_handshake(tls_wire.records(-1), 611)[1:]
        if words is not None:
            assert events_in(body) == expected_events(words)
    assert events_in(body) == ["0"]  # the half event is dropped
    assert seen["/events/0"] == seen["/events/4"] == seen["/broken"]
    for shape, total in ((seen["/events/0"], 8), (seen["/events/60"], 48)):
        contents = [size - RECORD for size in shape]
        assert contents[: total - 1] == [frame] * (total - 1)
        assert sum(contents) == total * frame + len("0\r\n\r\n")  # alone, or with the last frame


@pytest.mark.parametrize("server", ["hypercorn", "gunicorn"])
def test_other_servers(server: str) -> None:
    with serving(server) as port, Wire(port) as wire:
        for path, (_, content) in BODIES.items():
            for coded in (True, False):
                response, body = get(wire.port, path, gzip=coded)
                found = read(response, body)
                assert found.startswith(content)
                if path == "/data":
                    assert json.loads(found) == json.loads(DATA)
                if coded:
                    assert len(body) in SIZES or len(body) == 131_072
        assert get(wire.port, "/failure")[0].status == 500
        if server == "hypercorn":
            _, body = get(wire.port, "/events/5")
            assert len(body) == FRAMES.total(1) * FRAMES.frame
            assert events_in(body) == expected_events(5)


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with serving("uvicorn") as port, Wire(port) as found:
        yield found


def test_heads_ranges_and_unchanged_pages(wire: Wire) -> None:
    response, body = get(wire.port, "/page", method="HEAD")
    assert (response.status, body) == (200, b"")
    response, body = get(wire.port, "/range")
    assert (response.status, body) == (206, PICTURE[10:60])
    assert sum(size for _, size in wire.times[-1]) == 512 + 54 + 1000  # the sum is padded by the head
    response, _ = get(wire.port, "/unchanged")
    assert (response.status, response.headers["etag"]) == (304, '"1"')
    response, _ = get(wire.port, "/page")
    assert response.headers["etag"] == 'W/"1"'
    assert "accept-ranges" not in response.headers


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_what_was_sent(wire: Wire) -> None:
    def curl(path: str) -> bytes:
        address = f"http://127.0.0.1:{wire.port}{path}"
        done = subprocess.run(["curl", "-sN", "--compressed", "-m", "20", address], capture_output=True, check=True)
        return done.stdout

    assert curl("/picture") == PICTURE
    assert curl("/gzip") == PAGE
    assert json.loads(curl("/data")) == json.loads(DATA)
    assert events_in(curl("/events/5")) == expected_events(5)


@pytest.mark.skipif(
    find_chromium() is None, reason=f"no browser: none of {', '.join(NAMES)} is on the path, and $CHROMIUM names none"
)
def test_a_browser_reads_events_and_pages(wire: Wire, tmp_path: Path) -> None:
    """EventSource gets every event and no other; fetch decodes the padded picture byte for byte."""
    script = """
    (async () => {
        const events = await new Promise(resolve => {
            const got = [], source = new EventSource("/events/12");
            source.onmessage = event => {
                got.push(event.data);
                if (event.data === "[DONE]") { source.close(); resolve(got); }
            };
        });
        const bytes = new Uint8Array(await (await fetch("/picture")).arrayBuffer());
        const page = new DOMParser().parseFromString(await (await fetch("/page")).text(), "text/html");
        return JSON.stringify([events, Array.from(bytes), page.body.textContent, await (await fetch("/data")).json()]);
    })()
    """
    with Browser(find_chromium() or "", tmp_path) as browser:
        browser.call("Page.navigate", url=f"http://127.0.0.1:{wire.port}/data")
        found = browser.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
    events, picture, text, data = json.loads(found["result"]["value"])
    assert events == expected_events(12)
    assert bytes(picture) == PICTURE
    assert text == "one"
    assert data == json.loads(DATA)
