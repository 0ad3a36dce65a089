"""A service in processes of its own, raw requests to it, and the same requests without a process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time

COMMAND = [sys.executable, "-m", "minleak.cli._app", "serve"]
JSON = "content-type: application/json"
PATIENCE = 120


@contextlib.contextmanager
def service(*arguments, cwd, **environment):
    """A running `minleak serve`, and what it printed."""
    process = subprocess.Popen(
        [*COMMAND, *map(os.fspath, arguments), "--json"],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        text=True,
    )
    try:
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
        line = process.stdout.readline() if ready else ""
        assert line, process.stderr.read() if process.poll() is not None else "no word of the service"
        process.said = json.loads(line)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        _, process.errors = process.communicate(timeout=PATIENCE)


def connect(path):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(PATIENCE)
    one.connect(str(path))
    return one


def request(target, body=None, *headers, method=None):
    """The bytes of a request."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"{method or ('GET' if body is None else 'POST')} {target} HTTP/1.1", "host: localhost", *headers]
    lines += [] if body is None else [f"content-length: {len(data)}", *([] if headers else [JSON])]
    return "\r\n".join([*lines, "", ""]).encode() + data


def answer(connection):
    """Status, headers and body of the next answer."""
    file = connection.makefile("rb")
    status = int(file.readline().split()[1])
    headers = {}
    for line in iter(file.readline, b"\r\n"):
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    return status, headers, file.read(int(headers["content-length"]))


def ask(path, target, body=None, *headers):
    """The status and the JSON of an answer."""
    with connect(path) as connection:
        connection.sendall(request(target, body, *headers))
        status, _, text = answer(connection)
    return status, json.loads(text)


def metric(path, name, *headers):
    """The value of a metric, by how its line begins."""
    with connect(path) as connection:
        connection.sendall(request("/metrics", None, *headers))
        lines = answer(connection)[2].decode().splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(name))


def wait_for(true, seconds=PATIENCE):
    """Until something is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def call(guard, target, body=None, *, method=None, headers=(), pieces=None):
    """The status, headers and body that an ASGI application answers."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    path, _, query = target.partition("?")
    given = [(b"host", b"localhost"), *headers]
    if body is not None and not headers:
        given += [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    scope = {
        "type": "http",
        "method": method or ("GET" if body is None else "POST"),
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": given,
    }
    parts = list(pieces or [data])
    sent = []

    async def receive():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]
