"""streams: what is done with streams, as `compare_streams` takes it: policies, and what an observer sees of them; and
ready-made frames.
"""

from minleak._streams.policies import (
    ShownStreams,
    add_random_bytes,
    pad_to_steps,
    send_batches,
    send_frames,
    send_plainly,
)
from minleak._streams.profiles import load_profile

__all__ = [
    "ShownStreams",
    "add_random_bytes",
    "load_profile",
    "pad_to_steps",
    "send_batches",
    "send_frames",
    "send_plainly",
]
