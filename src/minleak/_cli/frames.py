"""pad --frames: the frames of streams, from a file of recorded chunks."""

from __future__ import annotations

from dataclasses import dataclass

import minleak as ml
from minleak._cli.inputs import rows_of
from minleak._cli.options import as_budget, option
from minleak._cli.output import working
from minleak._cli.tables import check_ending
from minleak.padding import Frames

# What frames may add, in the mean bytes of a plain stream, where nothing is said.
_BUDGET = "50%"


@dataclass(frozen=True)
class FrameOptions:
    """Frames for streams: which columns, and within which delay."""

    frames: bool = option("Pad streams: a row for each chunk, sent in frames on a clock.", default=False)
    stream: str = option("With --frames: the column that names the stream of a chunk.", default="stream")
    time: str = option("With --frames: the column of milliseconds since the request.", default="time")
    delay: float = option("With --frames: the milliseconds that 95% of the chunks may be delayed.", default=500.0)
    totals: int = option("With --frames: the largest number of totals; fewer prove more.", default=16)


def pad_streams(
    source: str,
    options: FrameOptions,
    columns: dict[str, str],
    budget: str | None,
    *,
    entropy: str,
    output: str | None,
    format: str | None,
) -> tuple[Frames, tuple[str, ...]]:
    """Choose frames for recorded streams, and write them: the frames, and the files."""
    if output is not None:
        check_ending(output, "frames", ["json"])
    rows = rows_of(source, format)
    columns = {"stream": options.stream, "time": options.time, **columns}
    streams = ml.padding.read_streams(rows["source"], format=rows["format"], **columns)
    kind, value = as_budget(budget or _BUDGET)
    allowed = value * float(streams.bytes_on_the_wire().mean()) if kind == "overhead" else value
    with working(f"choosing frames for {len(streams):,} streams"):
        found = ml.padding.frames(streams, budget=allowed, delay=options.delay, totals=options.totals, entropy=entropy)
    if output is None:
        return found, ()
    found.save(output)
    return found, (output,)
