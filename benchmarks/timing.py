"""Timing two ways to the same number: interleaved runs, the least time of each, and their ratio."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timed:
    """The least time of several runs, in seconds, and what the last run returned."""

    seconds: float
    value: Any


def interleaved(
    ways: dict[str, Callable[[], Any]], *, runs: int = 5, before: Callable[[], None] = lambda: None
) -> dict[str, Timed]:
    """Each way is run in turn, `runs` times over, after one run of each that is not counted; `before` comes before
    each run and is not timed.
    """
    values = {name: way() for name, way in ways.items()}
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(runs):
        for name, way in ways.items():
            before()
            start = time.perf_counter()
            values[name] = way()
            best[name] = min(best[name], time.perf_counter() - start)
    return {name: Timed(best[name], values[name]) for name in ways}


def line(what: str, ours: Timed, peer: str, theirs: Timed, *, bar: str = "", slower: bool = False) -> None:
    """One comparison: times, values and the ratio (how many times faster, or slower when the peer is a floor)."""
    ratio = ours.seconds / theirs.seconds if slower else theirs.seconds / ours.seconds
    word = "of its time" if slower else "faster"
    value = f"{_shown(ours.value)} | {_shown(theirs.value)}"
    print(
        f"{what:<44} {1e3 * ours.seconds:>9.1f} ms  {peer}: {1e3 * theirs.seconds:>9.1f} ms  "
        f"{ratio:>7.2f}x {word:<11} {bar:<12} {value}",
        flush=True,
    )


def _shown(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
