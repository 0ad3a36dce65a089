"""Streams: recorded chunks with their times and sizes, by stream, and the secret of each; sent in frames on a clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._labels import Labels
from minleak.core._prior import Prior, match_prior
from minleak.errors import InvalidParameter
from minleak.io._formats import open_table

#: Bytes on the wire beside the content: of a record (TLS 1.3 adds 22, an HTTP chunk or frame 7 to 9), and of an event
#: ("data: " and an empty line).
RECORD, EVENT = 32, 8
# The largest chunk, and the latest time since a request (ten hours), that are taken for real.
_LARGEST, _LATEST = 2**32, 36_000_000
_MICRO = 1000
# More frames than this for one stream mean a wrong time or size.
_MOST_FRAMES = 10_000_000


@dataclass(frozen=True, eq=False)
class Streams:
    """Recorded streams: stream s has the chunks from starts[s] to starts[s+1], in order. Chunk i came at[i]
    microseconds after the request, with size[i] bytes; x[s] is the code of the secret of stream s.
    """

    x: Indices
    secrets: Labels
    starts: Indices
    at: Indices
    size: Indices

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"Streams({len(self):,} streams of {len(self.secrets):,} secrets, {len(self.size):,} chunks)"

    @property
    def of(self) -> Indices:
        """The stream of each chunk."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def weights(self, prior: Prior | Iterable[Any] | None = None) -> Array:
        """The probability of each stream: uniform, or by a prior of the secrets, uniform for each secret."""
        counts = np.bincount(self.x, minlength=len(self.secrets))
        if prior is None:
            return np.full(len(self), 1.0 / len(self))
        p = match_prior(prior, self.secrets).p
        missing = np.flatnonzero((p > 0) & (counts == 0))
        if len(missing):
            raise InvalidParameter(
                f"no stream has the secret {self.secrets[int(missing[0])]!a}: record some, or leave it out"
            )
        return np.asarray(p[self.x] / counts[self.x])

    def bytes_on_the_wire(self) -> Array:
        """The bytes of each stream, if every chunk is sent at once as an event in a record of its own."""
        return np.asarray(np.add.reduceat(self.size + RECORD + EVENT, self.starts[:-1]), dtype=np.float64)

    def part(self, which: Indices) -> Streams:
        """Some of the streams, with the labels of all secrets."""
        lengths = np.diff(self.starts)[which]
        chunks = np.concatenate([np.arange(self.starts[s], self.starts[s + 1]) for s in which])
        return Streams(
            self.x[which], self.secrets, np.append(0, np.cumsum(lengths)), self.at[chunks], self.size[chunks]
        )

    def split(self, *, seed: int = 0) -> tuple[Streams, Streams]:
        """Two random halves: to choose on one, and to attack on the other.

        >>> rows = {"stream": [0, 0, 1, 1], "secret": ["a", "a", "b", "b"], "time": [0, 5, 0, 9], "size": [3, 4, 1, 2]}
        >>> [len(half) for half in read_streams(rows).split()]
        [1, 1]
        """
        order = np.random.default_rng(seed).permutation(len(self))
        middle = len(order) // 2
        return self.part(np.sort(order[:middle])), self.part(np.sort(order[middle:]))


def read_streams(
    source: Any,
    *,
    stream: str = "stream",
    secret: str = "secret",
    time: str = "time",
    size: str = "size",
    format: str | None = None,
) -> Streams:
    """Streams from a file (csv, tsv, parquet), a data frame or an Arrow table with a row for each chunk, by the names
    of its columns: the stream, the secret of that stream, such as a topic, the time in milliseconds since the request,
    and the size of the content in bytes. The chunks of a stream are in order; rows of streams may be mixed.

    >>> rows = {"stream": [0, 1, 0], "secret": ["a", "b", "a"], "time": [0, 0, 5.5], "size": [3, 4, 1]}
    >>> read_streams(rows)
    Streams(2 streams of 2 secrets, 3 chunks)
    """
    table = open_table(source, format=format, what="streams are")
    read = table.read({"stream": stream, "secret": secret}, {"time": time, "size": size})
    s, names = read["stream"].codes()
    x, secrets = read["secret"].codes()
    at, sizes = read["time"].floats(), read["size"].floats()

    def refuse(wrong: Any, what: str) -> None:
        if wrong.any():
            raise table.error(f"{table.where(int(np.argmax(wrong)))}: {what}")

    refuse(
        (sizes < 0) | (sizes > _LARGEST) | (sizes != np.floor(sizes)),
        "the size of a chunk is a whole number of bytes from 0 on",
    )
    refuse(at < 0, "the time of a chunk is in milliseconds from 0, its request, on")
    refuse(
        at > _LATEST,
        "times are milliseconds since the request of the stream, and this is ten hours: subtract the request's",
    )
    order = np.argsort(s, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(s))).astype(np.int64)
    micro = np.rint(at * _MICRO).astype(np.int64)
    within = s[order][1:] == s[order][:-1]
    backwards = np.zeros(len(s), dtype=bool)
    backwards[order[1:][within & (np.diff(micro[order]) < 0)]] = True
    refuse(backwards, "the time goes back within a stream: put its chunks in their order")
    of_stream = x[order[starts[:-1]]]
    refuse(x != of_stream[s], "the stream has another secret in an earlier row: a stream has one")
    if len(secrets) < 2:
        raise table.error("all streams have one secret: nothing can be learnt of it, give streams of two or more")
    if len(names) == len(s):
        raise table.error("every stream has one chunk: pad the sizes of such messages with minleak.padding.design")
    return Streams(of_stream, secrets, starts, micro[order], sizes[order].astype(np.int64))


def as_streams(source: Any) -> Streams:
    """Streams as given, or read from a source with the usual column names."""
    return source if isinstance(source, Streams) else read_streams(source)


# -- sent in frames ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sent:
    """How many frames each stream `needs` until its last byte, and the `delays` of the chunks in milliseconds."""

    needs: Indices
    delays: Array


def send_in_frames(streams: Streams, frame: int, tick_ms: int) -> Sent:
    """Send all streams in frames of `frame` bytes, each chunk as an event, in integer microseconds; O(chunks).

    Frame k = 1, 2, ... goes out k ticks after the request, with up to f of the bytes that have come by then. Let C_i be
    the bytes of a stream up to its chunk i, and j_i the first tick not before that chunk. Then frame

        e_i = ceil((C_i + max over m <= i of (f (j_m - 1) - C_(m-1))) / f)

    completes chunk i: since the last chunk m that found an empty queue, every frame carries f bytes (Lindley's
    recursion, solved).
    """
    tick, of = tick_ms * 1000, streams.of
    carried = np.cumsum(streams.size + EVENT)
    before = np.append(0, carried)[streams.starts[:-1]]
    through = carried - before[of]
    j = np.maximum(-(-streams.at // tick), 1)
    lag = frame * (j - 1) - (through - streams.size - EVENT)
    # one running maximum serves all streams: each adds more than any lag of those before, so that it starts anew
    step = int(np.abs(lag).max()) * 2 + 1
    if step * len(streams) >= 2**62 or int(j.max()) > _MOST_FRAMES:
        raise InvalidParameter(f"a stream needs more than {_MOST_FRAMES:,} frames: take a longer tick")
    lag = np.maximum.accumulate(lag + of * step) - of * step
    last = -(-(through + lag) // frame)
    return Sent(last[streams.starts[1:] - 1], (last * tick - streams.at) / 1000.0)
