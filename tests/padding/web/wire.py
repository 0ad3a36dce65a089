"""Real servers on loopback, and a proxy between them and a client that writes down what an observer sees."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[3]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def serving(server: str, *files: str) -> Iterator[int]:
    """The server with the applications of the tests; its port."""
    port = free_port()
    command = [sys.executable, "-m", "tests.padding.web.applications", server, str(port), *files]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            end = time.monotonic() + 60
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                assert time.monotonic() < end, "the server does not listen"
                time.sleep(0.05)
            assert process.poll() is None, "the server ended"
            yield port
        finally:
            process.terminate()
            process.wait(timeout=20)


@dataclass
class Wire:
    """A proxy to a port: `seen` are the bytes that the server sent, `times` when they came, by connection."""

    target: int
    seen: list[bytearray] = field(default_factory=list)
    times: list[list[tuple[float, int]]] = field(default_factory=list)

    def __enter__(self) -> Wire:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                seen, times = bytearray(), []
                self.seen.append(seen)
                self.times.append(times)
                threading.Thread(target=_pump, args=(client, server, None, None), daemon=True).start()
                threading.Thread(target=_pump, args=(server, client, seen, times), daemon=True).start()

    def records(self, connection: int) -> list[int]:
        """The sizes of the TLS records of application data, as everybody on the way can read them."""
        seen, at, sizes = self.seen[connection], 0, []
        while at + 5 <= len(seen):
            size = int.from_bytes(seen[at + 3 : at + 5])
            if seen[at] == 23:
                sizes.append(size)
            at += 5 + size
        return sizes


def _pump(source: socket.socket, target: socket.socket, seen: bytearray | None, times: list | None) -> None:
    with contextlib.suppress(OSError):
        while part := source.recv(1 << 16):
            if seen is not None and times is not None:
                seen += part
                times.append((time.monotonic(), len(part)))
            target.sendall(part)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
