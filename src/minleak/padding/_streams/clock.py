"""Streams sent in frames: when each chunk has been sent completely, and how many frames a stream needs.

Frame k = 1, 2, ... goes out k ticks after the request, with up to f of the bytes that have come by then. Let C_i be the
bytes of a stream up to its chunk i, and j_i the first tick not before that chunk. Then frame

    e_i = ceil((C_i + max over m <= i of (f (j_m - 1) - C_(m-1))) / f)

completes chunk i: since the last chunk m that found an empty queue, every frame carries f bytes (Lindley's recursion,
solved).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.errors import InvalidParameter
from minleak.padding._streams.recordings import EVENT, Streams

# More frames than this for one stream mean a wrong time or size.
_MOST_FRAMES = 10_000_000


@dataclass(frozen=True, eq=False)
class Sent:
    """How many frames each stream `needs` until its last byte, and the `delays` of the chunks in milliseconds."""

    needs: Indices
    delays: Array


def send_in_frames(streams: Streams, frame: int, tick_ms: int) -> Sent:
    """Send all streams in frames of `frame` bytes, each chunk as an event, in integer microseconds; O(chunks)."""
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
