"""streams: what is done with streams, as `compare_streams` takes it: policies, and what an observer sees of them."""

from minleak.padding._streams.policies import (
    ShownStreams,
    add_random_bytes,
    pad_to_steps,
    send_batches,
    send_frames,
    send_plainly,
)

__all__ = [
    "ShownStreams",
    "add_random_bytes",
    "pad_to_steps",
    "send_batches",
    "send_frames",
    "send_plainly",
]
