"""Policies for streams (nothing, random bytes, steps, batches, frames), each as an observer sees it, with its bytes on
the wire and its delay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._parameters import whole
from minleak.padding._streams.clock import send_in_frames
from minleak.padding._streams.recordings import EVENT, RECORD, Streams
from minleak.padding._streams.result import Frames


@dataclass(frozen=True, eq=False)
class ShownStreams:
    """What an observer sees of streams: records of `sizes` bytes at `times` in milliseconds, those of stream s from
    starts[s] to starts[s+1]. `delay` is the mean delay of a chunk in milliseconds.
    """

    starts: Indices
    times: Array
    sizes: Indices
    delay: float

    def bytes_of_a_stream(self) -> float:
        """The mean bytes of a stream, headers of records included."""
        return float((self.sizes.sum() + RECORD * len(self.sizes)) / (len(self.starts) - 1))

    def sequences(self, *, times: bool) -> list[Array]:
        """An array for each stream with a row for each record: its size, preceded by its time if asked for."""
        rows = np.stack([self.times, self.sizes] if times else [self.sizes], axis=1).astype(np.float64)
        return np.split(rows, self.starts[1:-1])


#: A policy maps streams and a source of randomness to what an observer sees.
StreamPolicy = Callable[[Streams, np.random.Generator], ShownStreams]


def _send_at_once(sizes: Callable[[Streams, np.random.Generator], Indices]) -> StreamPolicy:
    """Each chunk at once, in a record of its own, as an event with these sizes."""

    def policy(streams: Streams, rng: np.random.Generator) -> ShownStreams:
        return ShownStreams(streams.starts, streams.at / 1000.0, sizes(streams, rng) + EVENT, 0.0)

    return policy


def send_plainly() -> StreamPolicy:
    """Each chunk at once, in a record of its own."""
    return _send_at_once(lambda streams, _: streams.size)


def add_random_bytes(*, most: int) -> StreamPolicy:
    """0 to `most` bytes on each chunk, equally likely: what services for language models do."""
    limit = whole(most, "the most bytes that are added", 1)
    return _send_at_once(lambda streams, rng: streams.size + rng.integers(0, limit + 1, len(streams.size)))


def pad_to_steps(*, step: int) -> StreamPolicy:
    """Each chunk padded to the next multiple of `step` bytes."""
    unit = whole(step, "the step in bytes", 1)
    return _send_at_once(lambda streams, _: -(-np.maximum(streams.size, 1) // unit) * unit)


def send_batches(*, chunks: int) -> StreamPolicy:
    """Batches of `chunks` chunks, each in one record when its last chunk has come."""
    many = whole(chunks, "the chunks of a batch", 1)

    def policy(streams: Streams, _rng: np.random.Generator) -> ShownStreams:
        lengths = np.diff(streams.starts)
        place = np.arange(len(streams.size)) - np.repeat(streams.starts[:-1], lengths)
        begins = np.flatnonzero(place % many == 0)
        ends = np.append(begins[1:], len(streams.size)) - 1
        starts = np.append(0, np.cumsum(-(-lengths // many)))
        sizes = np.add.reduceat(streams.size + EVENT, begins)
        waits = np.repeat(streams.at[ends], np.diff(np.append(begins, len(streams.size)))) - streams.at
        return ShownStreams(starts, streams.at[ends] / 1000.0, sizes, float(waits.mean()) / 1000.0)

    return policy


def send_frames(frames: Frames) -> StreamPolicy:
    """Frames on a clock, up to one of their totals."""

    def policy(streams: Streams, _rng: np.random.Generator) -> ShownStreams:
        sent = send_in_frames(streams, frames.frame, frames.tick_ms)
        totals = frames.totals_of(sent.needs)
        starts = np.append(0, np.cumsum(totals))
        ticks = np.arange(starts[-1]) - np.repeat(starts[:-1], totals) + 1
        sizes = np.full(int(starts[-1]), frames.frame)
        return ShownStreams(starts, ticks * float(frames.tick_ms), sizes, float(sent.delays.mean()))

    return policy
