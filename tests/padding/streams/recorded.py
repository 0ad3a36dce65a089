"""Streams for the tests: topics that differ in the sizes of their tokens, and in their number."""

from __future__ import annotations

from typing import Any

import numpy as np

import minleak as ml


def columns(streams: int = 60, *, topics: int = 3, seed: int = 0) -> dict[str, list[Any]]:
    """Rows as `read_streams` takes them; a topic of a larger number has longer tokens, and more of them."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {"stream": [], "secret": [], "time": [], "size": []}
    for s in range(streams):
        topic = int(rng.integers(topics))
        n = int(rng.integers(2, 20 + 5 * topic))
        rows["stream"] += [s] * n
        rows["secret"] += [f"topic {topic}"] * n
        rows["time"] += np.cumsum(rng.gamma(2, 10, n)).tolist()
        rows["size"] += (1 + rng.poisson(2 + topic, n)).tolist()
    return rows


def recorded(streams: int = 60, **given: Any) -> ml.padding.Streams:
    return ml.padding.read_streams(columns(streams, **given))
