"""Streams: every policy attacked on token streams of nine topics at equal bytes; and middleware under load.

    python -m benchmarks streams

The streams are answers of four texts each, by the sizes of their tokens (examples/data/token_sizes.csv.gz); when each
token comes is simulated, alike for all topics. Frames are chosen on a third of the streams, and everything is attacked
on the others. The load comes from processes on the same machine, whose load average is printed beside the figures.
"""

from __future__ import annotations

import asyncio
import csv
import gc
import gzip
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import minleak as ml
from minleak.padding import Frames, Streams, asgi
from minleak.padding._streams import EVENT, RECORD, send_in_frames
from minleak.padding.profiles import llm_sse

SIZES = Path(__file__).parents[1] / "examples" / "data" / "token_sizes.csv.gz"
ITEMS, SEED = 4, 0
# Milliseconds until the first token and between tokens, about; and the delay allowed to 95% of the tokens.
FIRST, EACH, DELAY = 300.0, 20.0, 400.0
# Random bytes up to so many on a chunk, and the seeds of the splits.
RANDOM, SPLITS = (4, 8, 16), (101, 102, 103, 104, 105)
BODY, STREAMS, TICK, TOTAL, FRAME = 10_000, 1000, 100, 100, 256
CHUNK = len(f"{FRAME:x}\r\n") + FRAME + 2  # as HTTP/1.1 sends a frame


def main() -> None:
    profile()
    policies()
    throughput()
    many_streams()


def token_streams(*, items: int = ITEMS, seed: int = SEED) -> Streams:
    """Answers of some texts of one topic in random order, token by token."""
    rng = np.random.default_rng(seed)
    texts: dict[str, list[list[int]]] = {}
    with gzip.open(SIZES, "rt") as file:
        for row in csv.DictReader(file):
            texts.setdefault(row["topic"], []).append([int(size) for size in row["sizes"].split()])
    columns: dict[str, list[Any]] = {"stream": [], "secret": [], "time": [], "size": []}
    number = 0
    for topic, those in texts.items():
        order = rng.permutation(len(those))
        for begin in range(0, len(those) - items + 1, items):
            sizes = [size for i in order[begin : begin + items] for size in those[i]]
            times = FIRST * rng.gamma(10, 0.1) + np.cumsum(rng.gamma(4, EACH / 4, len(sizes)))
            columns["stream"] += [number] * len(sizes)
            columns["secret"] += [topic] * len(sizes)
            columns["time"] += times.tolist()
            columns["size"] += sizes
            number += 1
    return ml.padding.read_streams(columns)


def thirds(streams: Streams, *, seed: int = SEED) -> tuple[Streams, Streams]:
    """A third to choose on, the others to attack."""
    order = np.random.default_rng(seed).permutation(len(streams))
    cut = len(order) // 3
    return streams.part(np.sort(order[:cut])), streams.part(np.sort(order[cut:]))


def profile() -> None:
    """The ready-made frames for language models, made again."""
    half, other = token_streams().split()
    found = ml.padding.frames(half, budget=0.25 * float(half.bytes_on_the_wire().mean()), delay=300, totals=2)
    made, stored = replace(found, measured=found.measure(other)), llm_sse()
    alike = (made.frame, made.tick_ms, made.totals) == (stored.frame, stored.tick_ms, stored.totals)
    print(f"\nllm-sse, {'as stored' if alike else 'OTHER THAN STORED'}, measured on the other half:\n{made}")


def policies() -> None:
    """Random bytes at three budgets, and frames of no more bytes, on several splits.

    Each split puts the texts together to other answers, chooses frames on a third of them and attacks the others, each
    stream tried once by models that did not see it. The seeds were fixed before any of these splits was looked at.
    """
    print("\nBars: frames at no more bytes than random, and their interval below that of random; three budgets.")
    differences: dict[int, list[float]] = {most: [] for most in RANDOM}
    for seed in SPLITS:
        chosen_on, attacked = thirds(token_streams(seed=seed), seed=seed)
        chunks, plain = len(chosen_on.size) / len(chosen_on), float(chosen_on.bytes_on_the_wire().mean())
        print(f"\nsplit {seed}: {len(attacked):,} streams attacked, frames chosen on {len(chosen_on):,} others")
        for most in RANDOM:
            start = time.perf_counter()
            budget = max(0.0, most / 2 * chunks - 0.05 * plain)  # other streams are longer than those chosen on
            frames = ml.padding.frames(chosen_on, budget=budget, delay=DELAY, totals=4)
            if seed == SPLITS[0]:
                side_by_side(attacked, frames, most)
            seen = [
                policy(attacked, np.random.default_rng(seed))
                for policy in (add_random_bytes(most=most), send_frames(frames))
            ]
            theirs, ours = (attack(attacked.x, shown) for shown in seen)
            cost = [shown.bytes_of_a_stream() for shown in seen]
            held = cost[1] <= cost[0] and ours[2] < theirs[0]
            differences[most].append(theirs[1] - ours[1])
            print(
                f"0 to {most:<2} bytes a chunk: right {theirs[1]:.3f} [{theirs[0]:.3f}, {theirs[2]:.3f}] with random, "
                f"{ours[1]:.3f} [{ours[0]:.3f}, {ours[2]:.3f}] with frames, "
                f"proven {frames.measure(attacked).proven:.3f}; bytes {cost[0]:,.0f} and {cost[1]:,.0f}: "
                f"{'held' if held else 'NOT HELD'} ({time.perf_counter() - start:.0f} s)",
                flush=True,
            )
    print("\nrandom less frames, over the splits, with a 95% interval that allows for their common texts:")
    for most, found in differences.items():
        low, mean, high = over_splits(found)
        print(f"0 to {most:<2} bytes a chunk: {mean:.3f} [{low:.3f}, {high:.3f}]")


def side_by_side(attacked: Streams, frames: Frames, most: int) -> None:
    """How often attacks guess the secret under each policy, with bounds that hold for every attack."""
    rivals = {
        f"multiples of {most}": pad_to_steps(step=most),
        f"random, 0 to {most} a chunk": add_random_bytes(most=most),
        f"frames of {frames.frame} bytes, {len(frames.totals)} totals": send_frames(frames),
    }
    if most == RANDOM[0]:
        rivals = {"none": send_plainly(), "batches of 5 chunks": send_batches(chunks=5), **rivals}
    plain = float(attacked.bytes_on_the_wire().mean())
    order = np.random.default_rng(SEED).permutation(len(attacked))  # streams of a secret are recorded in a row
    blind = float(np.bincount(attacked.x).max() / len(attacked))
    print(f"\n{len(attacked):,} streams attacked; a blind guess is right {blind:.3f}")
    print(f"{'policy':<36} {'bytes':>8} {'ratio':>6} {'delay':>8} at least  success  at most  attack")
    for name, policy in rivals.items():
        shown = policy(attacked, np.random.default_rng(SEED))
        seen = shown.sequences()
        found = ml.audit(attacked.x[order], [seen[i] for i in order], measures=["guess-error:1"], seed=SEED)
        sent, right = shown.bytes_of_a_stream(), found.success
        shares = [f"{'' if share is None else f'{share:.3f}':>8}" for share in (right.low, right.estimate, right.high)]
        print(
            f"{name:<36} {sent:>8,.0f} {sent / plain:>6.2f} {shown.delay:>5.0f} ms {' '.join(shares)}  {found.attack}"
        )
    print(f"frames every {frames.tick_ms} ms, totals {frames.totals}: proven {frames.measure(attacked).proven:.3f}")


# -- policies ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownStreams:
    """What an observer sees of streams: records of `sizes` bytes, those of stream s from starts[s] to starts[s+1].
    `delay` is the mean delay of a chunk in milliseconds.
    """

    starts: np.ndarray
    sizes: np.ndarray
    delay: float

    def bytes_of_a_stream(self) -> float:
        """The mean bytes of a stream, headers of records included."""
        return float((self.sizes.sum() + RECORD * len(self.sizes)) / (len(self.starts) - 1))

    def sequences(self) -> list[np.ndarray]:
        """The sizes of the records of each stream, a row for each."""
        return np.split(self.sizes[:, None].astype(np.float64), self.starts[1:-1])


#: A policy maps streams and a source of randomness to what an observer sees.
StreamPolicy = Callable[[Streams, np.random.Generator], ShownStreams]


def send_plainly() -> StreamPolicy:
    """Each chunk at once, in a record of its own, as an event."""
    return lambda streams, _: ShownStreams(streams.starts, streams.size + EVENT, 0.0)


def add_random_bytes(*, most: int) -> StreamPolicy:
    """0 to `most` bytes on each chunk, equally likely: what services for language models do."""
    return lambda streams, rng: ShownStreams(
        streams.starts, streams.size + rng.integers(0, most + 1, len(streams.size)) + EVENT, 0.0
    )


def pad_to_steps(*, step: int) -> StreamPolicy:
    """Each chunk padded to the next multiple of `step` bytes."""
    return lambda streams, _: ShownStreams(streams.starts, -(-np.maximum(streams.size, 1) // step) * step + EVENT, 0.0)


def send_batches(*, chunks: int) -> StreamPolicy:
    """Batches of `chunks` chunks, each in one record when its last chunk has come."""

    def policy(streams: Streams, _rng: np.random.Generator) -> ShownStreams:
        lengths = np.diff(streams.starts)
        place = np.arange(len(streams.size)) - np.repeat(streams.starts[:-1], lengths)
        begins = np.flatnonzero(place % chunks == 0)
        ends = np.append(begins[1:], len(streams.size)) - 1
        starts = np.append(0, np.cumsum(-(-lengths // chunks)))
        waits = np.repeat(streams.at[ends], np.diff(np.append(begins, len(streams.size)))) - streams.at
        return ShownStreams(starts, np.add.reduceat(streams.size + EVENT, begins), float(waits.mean()) / 1000.0)

    return policy


def send_frames(frames: Frames) -> StreamPolicy:
    """Frames on a clock, up to one of their totals."""

    def policy(streams: Streams, _rng: np.random.Generator) -> ShownStreams:
        sent = send_in_frames(streams, frames.frame, frames.tick_ms)
        starts = np.append(0, np.cumsum(frames.totals_of(sent.needs)))
        return ShownStreams(starts, np.full(int(starts[-1]), frames.frame), float(sent.delays.mean()))

    return policy


def over_splits(found: list[float]) -> tuple[float, float, float]:
    """The mean between the ends of an interval, corrected for splits that share streams (Nadeau and Bengio, Inference
    for the Generalization Error, 2003): variance times 1 / splits + tested / trained, which is a quarter by five folds.
    """
    from scipy.stats import t

    mean, spread = float(np.mean(found)), float(np.std(found, ddof=1))
    half = float(t.ppf(0.975, len(found) - 1)) * spread * (1 / len(found) + 1 / 4) ** 0.5
    return mean - half, mean, mean + half


def attack(x: np.ndarray, shown: ShownStreams) -> tuple[float, float, float]:
    """How often the better of two classifiers is right, between the ends of a 95% interval for both together."""
    from scipy.stats import binomtest
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    edges = np.unique(np.quantile(shown.sizes, np.linspace(0, 1, 25)))[:-1]
    coarse = edges[:: max(1, len(edges) // 10)]

    def features(sizes: np.ndarray) -> np.ndarray:
        place = np.searchsorted(edges, sizes, side="right")
        rough = np.searchsorted(coarse, sizes, side="right")
        pairs = np.bincount(rough[:-1] * 16 + rough[1:], minlength=256)
        plain = [len(sizes), sizes.sum(), sizes.mean(), sizes.std(), sizes.max()]
        return np.concatenate([plain, np.bincount(place, minlength=26) / len(sizes), pairs / len(sizes)])

    points = np.array([features(sizes) for sizes in np.split(shown.sizes, shown.starts[1:-1])])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    models = (
        RandomForestClassifier(100, min_samples_leaf=3, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=500)),
    )
    right = max(int((cross_val_predict(model, points, x, cv=folds) == x).sum()) for model in models)
    interval = binomtest(right, len(x)).proportion_ci(1 - 0.05 / len(models))
    return float(interval.low), right / len(x), float(interval.high)


async def bare(_scope: Any, _receive: Any, send: Any) -> None:
    """A page of 10 kB."""
    headers = [(b"content-type", b"text/html"), (b"content-length", b"%d" % BODY)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"x" * BODY})


async def tokens(_scope: Any, _receive: Any, send: Any) -> None:
    """A stream of tokens for half of its total."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    for i in range(TOTAL // 2):
        await asyncio.sleep(TICK / 1000)
        await send({"type": "http.response.body", "body": b"data: %d\n\n" % i, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


padded = asgi.PadResponses(bare, ml.padding.padme)


def framed() -> Any:
    """The tokens in frames, in a process whose garbage collector seldom runs, as docs/howto/streams.md advises."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    return asgi.FrameEvents(tokens, Frames(FRAME, TICK, (TOTAL,)))


class Server:
    """uvicorn with one of the applications of this file, in a process of its own."""

    def __init__(self, application: str, *options: str) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        command = [sys.executable, "-m", "uvicorn", f"benchmarks.streams:{application}", "--port", str(self.port)]
        quiet = ["--no-access-log", "--log-level", "error", "--lifespan", "off", "--backlog", "4096"]
        self._process = subprocess.Popen([*command, *quiet, *options], cwd=SIZES.parents[2])

    def __enter__(self) -> Server:
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                if self._process.poll() is not None:
                    raise
                time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def memory(self) -> float:
        """Resident megabytes."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def waited(self) -> float:
        """Seconds that it was ready and had no CPU, because others had them."""
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[1]) for task in tasks) / 1e9


def fetch(port: int, requests: int) -> float:
    """Requests a second on one connection that is kept."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port)
    start = time.perf_counter()
    for _ in range(requests):
        connection.request("GET", "/")
        connection.getresponse().read()
    return requests / (time.perf_counter() - start)


def throughput(requests: int = 1500, rounds: int = 5) -> None:
    """Pages of 10 kB with and without the middleware, in turns; the medians, and the CPU of the server."""
    print(f"\nPages of 10 kB, load {os.getloadavg()[0]:.1f}. Bar: 0.8 of the bare application's throughput.")
    rates: dict[str, list[float]] = {"bare": [], "padded": []}
    with Server("bare") as plain, Server("padded") as with_it:
        servers = {"bare": plain, "padded": with_it}
        for server in servers.values():
            fetch(server.port, 200)
        begun = {name: server.cpu() for name, server in servers.items()}
        for _ in range(rounds):
            for name, server in servers.items():
                rates[name].append(fetch(server.port, requests))
        spent = {name: (server.cpu() - begun[name]) / (rounds * requests) * 1e6 for name, server in servers.items()}
    median = {name: float(np.median(found)) for name, found in rates.items()}
    print(
        f"bare {median['bare']:,.0f} a second, padded {median['padded']:,.0f}: "
        f"{median['padded'] / median['bare']:.2f}; CPU of the server {spent['bare']:.0f} and {spent['padded']:.0f} us "
        f"a request: {spent['bare'] / spent['padded']:.2f}"
    )


class Listener(asyncio.Protocol):
    """Reads a stream of events, and writes down when each frame came; equal frames need no parsing."""

    def __init__(self, arrivals: list[float]) -> None:
        self._arrivals, self._bytes, self._head = arrivals, 0, b""
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        transport.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        if not self._bytes:
            self._head += data
            _, ended, rest = self._head.partition(b"\r\n\r\n")
            self._bytes = len(rest) if ended else 0
        else:
            self._bytes += len(data)
        self._arrivals += [now] * (min(self._bytes // CHUNK, TOTAL) - len(self._arrivals))

    def connection_lost(self, _error: Exception | None) -> None:
        self.ended.set_result(None)


async def listen(port: int, arrivals: list[float], wait: float) -> None:
    """One stream, begun after so many seconds."""
    await asyncio.sleep(wait)
    loop = asyncio.get_running_loop()
    _, listener = await loop.create_connection(lambda: Listener(arrivals), "127.0.0.1", port)
    await listener.ended


def many_streams() -> None:
    """A thousand streams at once, begun within five seconds: how far their ticks are off, and what a stream takes."""
    print(
        f"\n{STREAMS:,} streams of events, a frame each {TICK} ms, load {os.getloadavg()[0]:.1f}. "
        "Bar: 99% within 20 ms."
    )
    arrivals: list[list[float]] = [[] for _ in range(STREAMS)]

    async def load(port: int) -> None:
        waits = np.random.default_rng(0).uniform(0, 5, STREAMS)
        await asyncio.gather(*(listen(port, a, w) for a, w in zip(arrivals, waits, strict=True)))

    gc.collect()
    gc.disable()  # it would stop the clients, by which the server is timed
    with Server("framed", "--factory") as server:
        before = server.memory()
        largest = [before]

        async def watch() -> None:
            while True:
                await asyncio.sleep(0.5)
                largest.append(server.memory())

        async def both() -> None:
            watching = asyncio.ensure_future(watch())
            await load(server.port)
            watching.cancel()

        asyncio.run(both())
        spent, waited = server.cpu(), server.waited()
    gc.enable()
    assert all(len(times) == TOTAL for times in arrivals)
    off = np.abs(1000 * np.diff(np.array(arrivals), axis=1) - TICK)
    print(
        f"ticks off by: median {np.quantile(off, 0.5):.1f} ms, 99% within {np.quantile(off, 0.99):.1f} ms, all within "
        f"{off.max():.0f} ms; {(max(largest) - before) * 1000 / STREAMS:.0f} kB a stream; {spent:.0f} s of CPU for "
        f"{STREAMS * TOTAL:,} frames, {waited:.0f} s without one while ready; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
