"""compare_streams: attack every policy on recorded streams, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._parameters import truth
from minleak.core._result import Result
from minleak.core._simulating import generator
from minleak.core._text_tables import Table
from minleak.padding._streams.policies import (
    StreamPolicy,
    add_random_bytes,
    pad_to_steps,
    send_batches,
    send_frames,
    send_plainly,
)
from minleak.padding._streams.recordings import as_streams
from minleak.padding._streams.result import Frames
from minleak.samples._auditing import audit

#: Common policies, by name.
STREAM_POLICIES: dict[str, StreamPolicy] = {
    "none": send_plainly(),
    "random, 0 to 16 bytes a chunk": add_random_bytes(most=16),
    "each chunk to a multiple of 16": pad_to_steps(step=16),
    "batches of 5 chunks": send_batches(chunks=5),
}


@dataclass(frozen=True)
class AttackedPolicy(Result):
    """A policy for streams, and what the best attack found achieved against it."""

    policy: str
    """Its name."""
    bytes: float
    """Mean bytes of a stream on the wire, headers of records included."""
    ratio: float
    """These bytes divided by those of plain streams."""
    delay: float
    """The mean delay of a chunk in milliseconds."""
    low: float | None
    """A lower bound on the success of the best attack, at the level of the audit."""
    success: float
    """The estimated success of the attack found."""
    high: float | None
    """An upper bound on the success of any attack, at the level of the audit; None where samples give none."""
    proven: float | None
    """For frames, a proven upper bound on the success of any attack on a stream, whatever was recorded; else None."""
    attack: str
    """The attack that did best."""


@dataclass(frozen=True)
class StreamComparison(Result):
    """The `policies` for streams, attacked on the same number of `streams`; `blind` is the success of a guess without
    looking.
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

    `minleak.audit` attacks every policy on the sequences that an observer sees, and tries each attack on streams it was
    not trained on. Give `frames` that were chosen on other streams (`Streams.split`): their totals are fitted to those.

    Parameters
    ----------
    streams
        `Streams`, or a table or file that `read_streams` reads.
    frames
        Frames to attack too.
    policies
        By name, functions from `Streams` and a numpy generator to `ShownStreams`: `minleak.padding.streams` makes some.
        By default none, random bytes up to 16, multiples of 16, and batches of 5.
    times
        Whether attacks see the time of each record beside its size: leave it out if recorded times say nothing, since
        useless columns weaken attacks.

    Cost: one audit for each policy.
    """
    recorded = as_streams(streams)
    truth(times, "times")
    chosen = dict(STREAM_POLICIES if policies is None else policies)
    if frames is not None:
        framed = f"frames of {frames.frame} bytes, {len(frames.totals)} totals"
        chosen[framed] = send_frames(frames)
    plain = float(recorded.bytes_on_the_wire().mean())
    blind = float(np.bincount(recorded.x).max() / len(recorded))
    order = generator(seed).permutation(len(recorded))  # streams of a secret are often recorded in a row
    rows = []
    for name, policy in chosen.items():
        shown = policy(recorded, generator(seed))
        seen = shown.sequences(times=times)
        found = audit(recorded.x[order], [seen[i] for i in order], measures=["guess-error:1"], level=level, seed=seed)
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
                proven=frames.measure(recorded).proven if frames is not None and name == framed else None,
                attack=found.attack,
            )
        )
    return StreamComparison(len(recorded), blind, tuple(rows))


def _shares(row: AttackedPolicy) -> list[str]:
    values = (row.low, row.success, row.high, row.proven)
    return ["" if value is None else f"{value:.3f}" for value in values]
