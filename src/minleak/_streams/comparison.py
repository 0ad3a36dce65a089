"""compare_streams: every policy attacked on streams that nothing was chosen for, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.parameters import truth
from minleak._data.simulating import generator
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._samples.auditing import audit
from minleak._streams.policies import (
    StreamPolicy,
    add_random_bytes,
    pad_to_steps,
    send_batches,
    send_frames,
    send_plainly,
)
from minleak._streams.recordings import as_streams
from minleak._streams.result import Frames

#: What others do, by name.
STREAM_POLICIES: dict[str, StreamPolicy] = {
    "none": send_plainly(),
    "random, 0 to 16 bytes a chunk": add_random_bytes(most=16),
    "each chunk to a multiple of 16": pad_to_steps(step=16),
    "batches of 5 chunks": send_batches(chunks=5),
}


@dataclass(frozen=True)
class AttackedPolicy(Result):
    """A policy for streams, and what the best attack found got from it."""

    policy: str
    """Its name."""
    bytes: float
    """Mean bytes of a stream on the wire, headers of records included."""
    ratio: float
    """These bytes in those of plain streams."""
    delay: float
    """The mean delay of a chunk in milliseconds."""
    low: float | None
    """The best attack succeeds at least so often: a bound at the level of the audit."""
    success: float
    """How often the attack found was right, about."""
    high: float | None
    """No attack succeeds more often: a bound at the level of the audit; None where samples give none."""
    proven: float | None
    """No attack on a stream succeeds more often, whatever was recorded: for frames; None where nothing is proven."""
    attack: str
    """The attack that did best."""


@dataclass(frozen=True)
class StreamComparison(Result):
    """Policies for streams side by side: `policies`, attacked on so many `streams`; `blind` is the success of a guess
    that saw nothing.
    """

    streams: int
    blind: float
    policies: tuple[AttackedPolicy, ...]

    def to_parts(self) -> list[str | Table]:
        columns = ["policy", "bytes", "ratio", "delay ms", "at least", "success", "at most", "proven", "attack"]
        rows = [
            [row.policy, f"{row.bytes:,.0f}", f"{row.ratio:.2f}", f"{row.delay:.0f}", *_shares(row), row.attack]
            for row in self.policies
        ]
        return [Table(f"{self.streams:,} streams attacked; a blind guess is right {self.blind:.3f}", columns, rows)]


def compare_streams(
    streams: Any,
    frames: Frames | None = None,
    *,
    policies: Mapping[str, StreamPolicy] | None = None,
    times: bool = True,
    level: float = 0.95,
    seed: int = 0,
) -> StreamComparison:
    """How often attacks guess the secret of a stream under each policy, beside the bytes and the delay that it costs.

    Every policy is attacked by `minleak.audit` on the sequences that an observer sees, each attack tried on streams
    that it was not trained on. Give `frames` that were chosen on other streams (`Streams.split`): their totals fit
    those that they were chosen on.

    Parameters
    ----------
    streams
        What `read_streams` returns, or a table or file that it reads.
    frames
        Frames to attack beside the others.
    policies
        By name, functions from `Streams` and a numpy generator to `ShownStreams`: `minleak.padding.streams` makes some.
        If not given: none, random bytes up to 16, multiples of 16, and batches of 5.
    times
        Whether attacks see when each record came, beside its size: leave it out where recorded times say nothing, since
        useless columns weaken attacks.

    Cost: that of one audit for each policy.
    """
    recorded = as_streams(streams)
    truth(times, "times")
    chosen = dict(STREAM_POLICIES if policies is None else policies)
    if frames is not None:
        chosen[f"frames of {frames.frame} bytes, {len(frames.totals)} totals"] = send_frames(frames)
    plain = float(recorded.bytes_on_the_wire().mean())
    blind = float(np.bincount(recorded.x).max() / len(recorded))
    order = generator(seed).permutation(len(recorded))  # streams of a secret are often recorded in a row
    rows = []
    for name, policy in chosen.items():
        shown = policy(recorded, generator(seed))
        seen = shown.sequences(times=times)
        found = audit(recorded.x[order], [seen[i] for i in order], measures=["guess-error:1"], level=level, seed=seed)
        is_framed = frames is not None and name == next(reversed(chosen))
        number = shown.bytes_of_a_stream()
        rows.append(
            AttackedPolicy(
                policy=name,
                bytes=number,
                ratio=number / plain,
                delay=shown.delay,
                low=found.success.low,
                success=found.success.estimate,
                high=found.success.high,
                proven=frames.measure(recorded).proven if frames is not None and is_framed else None,
                attack=found.attack,
            )
        )
    return StreamComparison(len(recorded), blind, tuple(rows))


def _shares(row: AttackedPolicy) -> list[str]:
    values = (row.low, row.success, row.high, row.proven)
    return ["" if value is None else f"{value:.3f}" for value in values]
