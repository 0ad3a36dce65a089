"""Streams: recorded sequences of chunks, frames that hide them, and what attackers learn under every policy.

`recordings` reads streams, `clock` sends them in frames, `make` chooses the frames and their totals, `policies` are
what others do, and `comparison` attacks them all.
"""
