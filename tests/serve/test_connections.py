"""Slow, idle and too many clients, and TLS: a worker in this process, with short times."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import subprocess

import pytest
from tests.serve.running import request

from minleak.serve._guard import RequestLimits, Terms
from minleak.serve._worker import RETIRE, STOP, Tls, Worker

SHORT = RequestLimits(request_time=0.3, idle_time=1, connections=4)


def worked(serving, table, act, tls=None, limits=SHORT, order=STOP):
    """What `act(connect)` returns, with a worker at work."""

    async def run():
        listener = socket.create_server(("127.0.0.1", 0))
        reading, writing = os.pipe()
        worker = Worker(serving, Terms(limits=limits), tls, table, 1)
        working = asyncio.create_task(worker.run(listener, reading))
        port = listener.getsockname()[1]
        await asyncio.sleep(0)
        try:
            return await act(lambda **given: asyncio.open_connection("127.0.0.1", port, **given), writing)
        finally:
            os.write(writing, order)
            await asyncio.wait_for(working, 20)
            os.close(reading)
            os.close(writing)

    return asyncio.run(run())


async def ended(reader):
    """Everything that comes until the connection ends, however that is."""
    parts = []
    try:
        while part := await asyncio.wait_for(reader.read(1 << 16), 20):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


BEGUN = {
    "nothing": b"",
    "headers": b"POST /draw HTTP/1.1\r\nhost: x\r\n",
    "a body": b"POST /draw HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
}


@pytest.mark.parametrize("begun", BEGUN.values(), ids=BEGUN)
def test_slow_requests_are_cut(serving, table, begun):
    """Also if something comes all the time, and also the second request of a connection."""

    async def act(connect, _):
        reader, writer = await connect()
        again, second = await connect()
        second.write(request("/healthz") + begun)
        writer.write(begun)
        for byte in [b"x"] * 3 if begun.endswith(b"\n") else []:
            await asyncio.sleep(0.05)
            writer.write(byte)
        found = [await ended(reader), await ended(again)]
        writer.close()
        second.close()
        return found

    first, second = worked(serving, table, act)
    assert first == b""
    assert second.count(b"HTTP/1.1 200") == second.count(b"HTTP/1.1 ") == 1
    assert table.total("connections_cut") >= 1  # half a header behind a request ends as a connection without one


def test_clients_that_do_not_read_are_cut(serving, table):
    """Whoever asks and asks and takes no answer."""

    async def act(connect, _):
        reader, writer = await connect()
        writer.transport.pause_reading()
        writer.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        while not table.total("connections_cut"):
            writer.write(request("/openapi.json") * 100)
            await asyncio.sleep(0.05)
        writer.transport.abort()
        del reader

    worked(serving, table, act)
    assert table.total("connections_cut") == 1


def test_whoever_says_no_more_is_answered(serving, table):
    """The sending half of the connection ends with the request, while the answer is still to come."""

    async def act(connect, _):
        reader, writer = await connect()
        writer.write(request("/draw", {"secret": 7, "scope": "u"}))
        writer.write_eof()
        found = await ended(reader)
        writer.close()
        return found

    assert worked(serving, table, act).startswith(b"HTTP/1.1 200")


def test_one_connection_too_many(serving, table):
    """It is told when to come again."""

    async def act(connect, _):
        opened = [await connect() for _ in range(SHORT.connections)]
        await asyncio.sleep(0.05)
        reader, writer = await connect()
        found = await ended(reader)
        for _, one in [*opened, (reader, writer)]:
            one.close()
        return found

    found = worked(serving, table, act)
    assert found.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in found
    assert b'"busy"' in found


def test_a_worker_that_retires_answers_what_is_under_way(serving, table):
    """Connections without a request end in time, and nobody new is taken."""

    async def act(connect, control):
        reader, writer = await connect()
        writer.write(request("/healthz"))
        await reader.readuntil(b"}")
        os.write(control, RETIRE)
        await asyncio.sleep(0.1)
        writer.write(request("/readyz"))
        found = await ended(reader)
        writer.close()
        return found

    found = worked(serving, table, act, order=RETIRE)
    assert found.startswith(b"HTTP/1.1 503 ")
    assert b"connection: close" in found


def test_tls(serving, table, tmp_path):
    """Requests by TLS are answered, others are not."""
    pem = [str(tmp_path / name) for name in ("cert.pem", "key.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-out", pem[0], "-keyout", pem[1]], check=True, capture_output=True)

    async def act(connect, _):
        trusted = ssl.create_default_context(cafile=pem[0])
        reader, writer = await connect(ssl=trusted, server_hostname="127.0.0.1")
        writer.write(request("/healthz"))
        status = await reader.readline()
        writer.close()
        plain, in_clear = await connect()
        in_clear.write(request("/healthz"))
        found = await ended(plain)
        in_clear.close()
        return status, found

    status, in_clear = worked(serving, table, act, Tls(*pem), RequestLimits(request_time=5, idle_time=1))
    assert status.startswith(b"HTTP/1.1 200")
    assert b"HTTP" not in in_clear
