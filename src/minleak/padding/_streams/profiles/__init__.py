"""Ready-made frames, measured on streams that they were not chosen on."""

from __future__ import annotations

from pathlib import Path

from minleak.padding._streams.result import Frames


def llm_sse() -> Frames:
    """Frames for answers of a language model as server-sent events.

    They are frames(half, budget=a quarter of the plain bytes, delay=300, totals=2) on half of 1,584 answers in nine
    topics, of some 170 tokens each at 50 tokens a second, `measured` on the other half. `python -m benchmarks streams`
    makes them again.

    >>> frames = llm_sse()
    >>> frames.frame, frames.tick_ms, frames.totals, frames.total(83)
    (128, 200, (54, 82), 164)
    >>> round(frames.measured.blind, 3), round(frames.measured.success, 3), round(frames.measured.leakage, 3)
    (0.216, 0.221, 0.018)
    """
    return Frames.load(Path(__file__).parent / "llm-sse.json")
