"""The clock: streams as frames carry them, when each chunk has gone out whole, and how many frames a stream needs.

Frame k = 1, 2, ... goes out k ticks after the request with up to f bytes of what has come by then. With C_i the bytes
of a stream up to its chunk i and j_i the first tick that is not before it, chunk i has gone out with frame

    e_i = ceil((C_i + max over m <= i of (f (j_m - 1) - C_(m-1))) / f),

since from the last chunk m that found nothing waiting f bytes go with every frame (Lindley's recursion, solved).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak._data.arrays import Array, Indices
from minleak._streams.recordings import EVENT, Streams
from minleak.errors import InvalidParameter

# More frames for one stream are a mistake in a time or a size.
_MOST_FRAMES = 10_000_000


@dataclass(frozen=True, eq=False)
class Sent:
    """Streams sent in frames: how many frames each `needs` until its last byte, and by how many milliseconds each
    chunk is delayed.
    """

    needs: Indices
    delays: Array


def send_in_frames(streams: Streams, frame: int, tick_ms: int) -> Sent:
    """Send all streams in frames of so many bytes, each chunk an event; in whole numbers of microseconds, O(chunks)."""
    tick, of = tick_ms * 1000, streams.of
    carried = np.cumsum(streams.size + EVENT)
    before = np.append(0, carried)[streams.starts[:-1]]
    through = carried - before[of]
    j = np.maximum(-(-streams.at // tick), 1)
    lag = frame * (j - 1) - (through - streams.size - EVENT)
    # one running maximum for all streams: what a later stream adds is larger than any lag, so that it begins anew
    step = int(np.abs(lag).max()) * 2 + 1
    if step * len(streams) >= 2**62 or int(j.max()) > _MOST_FRAMES:
        raise InvalidParameter(f"a stream needs more than {_MOST_FRAMES:,} frames: take a longer tick")
    lag = np.maximum.accumulate(lag + of * step) - of * step
    last = -(-(through + lag) // frame)
    return Sent(last[streams.starts[1:] - 1], (last * tick - streams.at) / 1000.0)
