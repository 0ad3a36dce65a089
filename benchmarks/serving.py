"""Serving: `minleak serve` beside a bare starlette endpoint, under load while plans change and workers die, under
malformed requests, timed by an attacker, and its memory with ten million secrets. All on a socket of this machine.

    python -m benchmarks serving
    python -m benchmarks.serving --minutes 10 --only load
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

import minleak as ml
from benchmarks.designing import weights_of

KEY = ml.Key(bytes(range(32)))
N, K = 20_000, 10

_ECHO = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def echo(request):
    return Response(await request.body(), media_type="application/json")
app = Starlette(routes=[Route("/draw", echo, methods=["POST"])])
uvicorn.run(app, uds=sys.argv[1], http="h11", loop="asyncio", log_level="critical", access_log=False)
"""


def main(arguments: tuple[str, ...] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving")
    parser.add_argument("--minutes", type=float, default=2.0, help="of mixed load")
    parser.add_argument("--timed", type=int, default=100_000, help="requests that the attacker times")
    parser.add_argument("--malformed", type=int, default=100_000)
    parser.add_argument("--n", type=int, default=10_000_000, help="secrets of the plan whose memory is measured")
    parser.add_argument("--only", choices=["throughput", "load", "malformed", "timing", "memory"])
    given = parser.parse_args(list(arguments))
    parts: dict[str, Callable[[Path], None]] = {
        "throughput": throughput,
        "load": lambda folder: load(folder, given.minutes),
        "malformed": lambda folder: malformed(folder, given.malformed),
        "timing": lambda folder: timing(folder, given.timed),
        "memory": lambda folder: memory(folder, given.n),
    }
    for name, part in parts.items():
        if given.only in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                part(Path(folder))


# -- a service and its clients ---------------------------------------------------------------------------------------


def make_plan(folder: Path, n: int = N) -> Any:
    plan = ml.design(ml.Prior(weights_of(n), labels=pa.array([f"item-{i}" for i in range(n)])), K)
    plan.save(folder / "plan.cloak")
    KEY.save(folder / "key")
    return plan


@contextlib.contextmanager
def serve(folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A service of the folder's plan at the socket `s`; its stderr is in `err`."""
    command = [sys.executable, "-m", "minleak.cli._app", "serve", "plan.cloak", "--key", "key", "--socket", "s"]
    with open(folder / "err", "wb") as errors:
        process = subprocess.Popen([*command, *options], cwd=folder, stdout=subprocess.PIPE, stderr=errors)
        try:
            assert process.stdout is not None
            assert process.stdout.readline(), (folder / "err").read_text()
            yield process
        finally:
            process.terminate()
            process.wait(60)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def processor_time(pids: list[int]) -> float:
    """Seconds that these processes have used."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")


def request(target: str, body: Any = None) -> bytes:
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    method, more = ("GET", "") if body is None else ("POST", "content-type: application/json\r\n")
    return f"{method} {target} HTTP/1.1\r\nhost: x\r\n{more}content-length: {len(data)}\r\n\r\n".encode() + data


class Connection:
    """A blocking connection that is opened again when it ends."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._open()

    def _open(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(self._path)

    def reopen(self) -> None:
        self.socket.close()
        self._open()

    def receive(self) -> tuple[int, bytes]:
        """Status and body of an answer; a ConnectionError where it does not come whole."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        while len(body) < int(fields[b"content-length"]):
            body += self._more()
        if fields.get(b"connection") == b"close":
            self.reopen()
        return int(head.split(b" ", 2)[1]), body

    def _more(self) -> bytes:
        part = self.socket.recv(1 << 18)
        if not part:
            raise ConnectionError
        return part


def hammer(path: Path, body: bytes, count: int, connections: int = 8) -> tuple[float, list[float]]:
    """Requests a second, and the latencies, of so many requests by connections that each wait for their answer."""
    waiting, times = selectors.DefaultSelector(), []
    sent: dict[Connection, float] = {}
    begun = time.perf_counter()
    for _ in range(connections):
        one = Connection(path)
        waiting.register(one.socket, selectors.EVENT_READ, one)
        sent[one] = time.perf_counter()
        one.socket.sendall(body)
    left = count - connections
    while len(times) < count:
        for ready, _ in waiting.select():
            one = ready.data
            status, _ = one.receive()
            assert status == 200
            now = time.perf_counter()
            times.append(now - sent[one])
            if left > 0:
                left -= 1
                sent[one] = now
                one.socket.sendall(body)
    for one in sent:
        one.socket.close()
    return count / (time.perf_counter() - begun), sorted(times)


# -- what is measured ------------------------------------------------------------------------------------------------


def throughput(folder: Path, count: int = 2000, rounds: int = 7) -> None:
    """One worker against a bare endpoint that echoes the same body, in turn."""
    make_plan(folder)
    body = request("/draw", {"secret": "item-77", "scope": "user-17"})
    with serve(folder) as ours, subprocess.Popen([sys.executable, "-c", _ECHO, str(folder / "e")]) as bare:
        try:
            while not (folder / "e").exists():
                time.sleep(0.1)
            servers = {"bare": (folder / "e", [bare.pid]), "serve": (folder / "s", children(ours.pid))}
            rates: dict[str, list[float]] = {"bare": [], "serve": []}
            tails: dict[str, list[float]] = {"bare": [], "serve": []}
            used = dict.fromkeys(servers, 0.0)
            for path, _ in servers.values():
                hammer(path, body, 500)
            for _ in range(rounds):
                for name, (path, pids) in servers.items():
                    before = processor_time(pids)
                    rate, times = hammer(path, body, count)
                    used[name] += processor_time(pids) - before
                    rates[name].append(rate)
                    tails[name].append(times[int(0.99 * len(times))])
        finally:
            bare.terminate()
    print(f"\n{rounds} rounds of {count:,} draws each, n = {N:,}, k = {K}, 8 connections, one process")
    for name in servers:
        each = 1e6 * used[name] / (rounds * count)
        print(f"{name:<8} {max(rates[name]):>7,.0f} a second  p99 {1e3 * min(tails[name]):.1f} ms  {each:.0f} us each")
    print(
        f"throughput {max(rates['serve']) / max(rates['bare']):.2f} of the bare endpoint's, by processor time "
        f"{used['bare'] / used['serve']:.2f} (bar 0.70)"
    )


def load(folder: Path, minutes: float) -> None:
    """Mixed requests while the plan is updated every 10 s and a worker is killed every 30 s."""
    plan = make_plan(folder, 2000)
    cloak, rng = ml.Cloak(plan, key=KEY), random.Random(0)
    cases = [(f"item-{rng.randrange(2000)}", f"user-{i % 50}") for i in range(500)]
    expected = [list(cloak.draw(secret, scope=scope)) for secret, scope in cases]
    statuses: Counter[str] = Counter()
    wrong = cut = updates = kills = 0
    counts = {f"item-{i}": int(w) for i, w in enumerate(weights_of(2000))}
    with serve(folder, "--workers", "2") as process:
        path = folder / "s"
        connections = [Connection(path) for _ in range(4)]
        end = time.monotonic() + 60 * minutes
        next_update, next_kill = time.monotonic() + 10, time.monotonic() + 30
        while (now := time.monotonic()) < end:
            if now > next_update:
                plan = ml.update(plan, counts | {f"new-{updates}-{i}": 5 for i in range(20)})
                plan.save(folder / "plan.cloak")
                updates, next_update = updates + 1, now + 10
            if now > next_kill:
                os.kill(rng.choice(children(process.pid)), signal.SIGKILL)
                kills, next_kill = kills + 1, now + 30
            for one in connections:
                some = rng.sample(range(len(cases)), 10)
                asked = [{"secret": cases[i][0], "scope": cases[i][1]} for i in some]
                kind = rng.choice(["draw", "draw", "draws", "plan", "unknown"])
                sent = {
                    "draw": request("/draw", asked[0]),
                    "draws": request("/draws", {"draws": asked}),
                    "plan": request("/plan"),
                    "unknown": request("/draw", {"secret": "nobody", "scope": "u"}),
                }[kind]
                try:
                    one.socket.sendall(sent)
                    status, body = one.receive()
                except OSError:  # its worker was killed, or had just ended an idle connection
                    cut += 1
                    one.reopen()
                    continue
                statuses[f"{kind} {status}"] += 1
                if status == 200 and kind in ("draw", "draws"):
                    found = json.loads(body)
                    sets = found["sets"] if kind == "draws" else [found]
                    wrong += [shown["members"] for shown in sets] != [expected[i] for i in some[: len(sets)]]
        last = Connection(path)
        last.socket.sendall(request("/plan"))
        version = json.loads(last.receive()[1])["plans"][0]["version"]
    bad = {kind: number for kind, number in statuses.items() if kind[-3] == "5" and not kind.endswith("503")}
    print(f"\n{minutes:g} minutes of mixed load, two workers, {updates} updates, {kills} workers killed")
    print(f"{sum(statuses.values()):,} answers: {dict(sorted(statuses.items()))}; {cut} connections ended")
    print(f"wrong sets {wrong} (bar 0); 5xx but 503: {bad or 0} (bar 0); version served in the end {version}")
    print(f"on stderr: {(folder / 'err').read_text().strip() or 'nothing'}")
    assert not wrong
    assert not bad
    assert version == updates + 1


def malformed(folder: Path, count: int) -> None:
    """Requests that are none, or none that can be answered: no traceback, and no growth of memory."""
    make_plan(folder, 2000)
    statuses: Counter[int] = Counter()
    resident: list[float] = []
    with serve(folder) as process, ThreadPoolExecutor(8) as pool:
        for part in range(5):
            ask = partial(_ask_malformed, folder / "s", count // 40)
            for found in pool.map(ask, range(8 * part, 8 * part + 8)):
                statuses += found
            resident.append(sum(unshared(pid) for pid in children(process.pid)))
        connection = Connection(folder / "s")
        connection.socket.sendall(request("/draw", {"secret": "item-1", "scope": "u"}))
        assert connection.receive()[0] == 200
    errors = (folder / "err").read_text()
    shown = ", ".join(f"{size:.1f}" for size in resident)
    print(
        f"\n{count:,} malformed requests: {dict(sorted(statuses.items()))} (0: the connection ended without an answer)"
    )
    print(f"memory of the worker after each fifth of them: {shown} MB; on stderr {len(errors)} bytes (bar 0)")
    assert not errors
    assert 500 not in statuses


def _ask_malformed(path: Path, count: int, seed: int) -> Counter[int]:
    """The statuses of so many answers, each by a connection of its own."""
    rng, statuses = random.Random(seed), Counter[int]()
    connection = Connection(path)
    for _ in range(count):
        try:
            connection.socket.sendall(_malformed(rng))
            connection.socket.shutdown(socket.SHUT_WR)
            statuses[connection.receive()[0]] += 1
        except OSError:
            statuses[0] += 1
        connection.reopen()
    return statuses


def _malformed(rng: random.Random) -> bytes:
    good = request("/draw", {"secret": "item-1", "scope": "u"})
    data = bytearray(good)
    kind = rng.randrange(6)
    if kind == 0:  # some bytes are others
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    if kind == 1:  # it is cut
        return good[: rng.randrange(len(good))]
    if kind == 2:  # noise
        return rng.randbytes(rng.randrange(1, 400)) + b"\r\n\r\n"
    if kind == 3:  # deep, huge or no JSON
        body = rng.choice([b"[" * 50_000, b'{"secret":' * 5000, b"9" * 20_000, rng.randbytes(300), b'"\\ud800"'])
        return request("/draw", body)
    if kind == 4:  # other types
        value: Any = rng.choice([None, True, 1.5, [], {}, [[["x"]]], "x" * 5000, -(10**40)])
        return request(rng.choice(["/draw", "/draws", "/walks", "/pad"]), {rng.choice(["secret", "draws"]): value})
    length = rng.choice(["-1", "1e9", "99999999999999999999", "0x10", "7, 7", ""])
    return f"POST /draw HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n{{}}".encode()


def timing(folder: Path, count: int) -> None:
    """What an attacker on this machine learns of the secret by timing single requests, without ticks and with them."""
    plan = make_plan(folder)
    heavy, light = int(plan.weights.argmax()), int(plan.weights.argmin())
    secrets = {"heaviest": f"item-{heavy}", "lightest": f"item-{light}", "unknown": "item-none"}
    rng = random.Random(1)
    order = [rng.choice(list(secrets)) for _ in range(count)]
    sent = {name: request("/draw", {"secret": label, "scope": "user-17"}) for name, label in secrets.items()}
    print(f"\n{count:,} timed requests, secrets {', '.join(secrets)}: what our own audit finds")
    for options, connections in (((), 1), (("--every", "5ms"), 8)):
        with serve(folder, *options):
            times = _timed(folder / "s", [sent[name] for name in order], connections)
        for which in (list(secrets), ["heaviest", "lightest"]):
            events = [(name, taken) for name, taken in zip(order, times, strict=True) if name in which]
            found = ml.audit([name for name, _ in events], [taken for _, taken in events])
            how = " ".join(options) or "at once"
            right = f"a guess is right {found.success.estimate:.4f} (at least {found.success.low:.4f})"
            print(f"{how:<12} {' | '.join(which):<30} {right}, blind {found.blind.estimate:.4f}, p = {found.p:.3g}")


def _timed(path: Path, requests: list[bytes], connections: int) -> list[float]:
    """The time of each answer, with so many requests at a time; each connection waits for a random time in between."""
    waiting, times = selectors.DefaultSelector(), [0.0] * len(requests)
    left = iter(enumerate(requests))
    under_way: dict[Connection, tuple[int, float]] = {}

    def send(one: Connection) -> None:
        number, data = next(left, (-1, b""))
        if number >= 0:
            under_way[one] = number, time.perf_counter()
            one.socket.sendall(data)

    for _ in range(connections):
        one = Connection(path)
        waiting.register(one.socket, selectors.EVENT_READ, one)
        send(one)
    while under_way:
        for ready, _ in waiting.select():
            one = ready.data
            one.receive()
            now = time.perf_counter()
            number, begun = under_way.pop(one)
            times[number] = now - begun
            send(one)
    return times


def memory(folder: Path, n: int) -> None:
    """The memory of one worker and of four, all processes together, each page counted once (PSS)."""
    make_plan(folder, n)
    found: dict[int, float] = {}
    for workers in (1, 4):
        with serve(folder, "--workers", str(workers)) as process:
            for number in range(200 * workers):  # by new connections, so that each worker answers some
                one = Connection(folder / "s")
                one.socket.sendall(request("/draw", {"secret": f"item-{number * 7919 % n}", "scope": f"user-{number}"}))
                assert one.receive()[0] == 200
                one.socket.close()
            found[workers] = sum(proportional(pid) for pid in (process.pid, *children(process.pid)))
    size = (folder / "plan.cloak").stat().st_size / 1e6
    print(f"\nn = {n:,}, file of {size:,.0f} MB: one worker {found[1]:,.0f} MB, four {found[4]:,.0f} MB")
    print(f"four take {found[4] / found[1]:.2f} of one (bar 1.30)")


def _rollup(pid: int, *names: str) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(names)) / 1e3


def proportional(pid: int) -> float:
    """The memory of a process in MB, of shared pages its part."""
    return _rollup(pid, "Pss:")


def unshared(pid: int) -> float:
    """The memory in MB that a process has for itself."""
    return _rollup(pid, "Private_Dirty:", "Private_Clean:")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
