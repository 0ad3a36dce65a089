"""Charts of samples: observables by secret, and success by number of training events."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._extras import altair
from minleak.samples._events import Events
from minleak.samples._measures import Bracket

# The most secrets shown, and bins of numbers or distinct observables.
_SECRETS, _BINS = 12, 40
# The axis of numbers ends this many interquartile ranges beyond the quartiles.
_FAR = 4.0
_TIPS = (("events", ","), ("success", ".2%"), ("tests", ","))


@dataclass(frozen=True)
class ObservedShares:
    """The most frequent secrets, and for each the share of its events in each bin. Numbers beyond `axis`, its ends, are
    in one bin on either side, `beyond` in all.
    """

    secrets: Indices
    names: tuple[str, ...]
    bins: tuple[tuple[float, float], ...] | tuple[str, ...]
    shares: Array
    title: str
    called: str = "secret"
    axis: tuple[float, float] | None = None
    beyond: str = ""


def share_out(events: Events) -> ObservedShares:
    """Bin the observables by secret: the first number, or the most frequent observables."""
    counts = np.bincount(events.x, weights=events.times, minlength=len(events.secrets)).astype(np.int64)
    chosen = np.sort(np.argsort(-counts, kind="stable")[:_SECRETS])
    place = np.full(len(counts), -1)
    place[chosen] = np.arange(len(chosen))
    rows = place[events.x] >= 0
    bins: Any
    axis, beyond = None, ""
    if events.points is None:
        often = np.argsort(-np.bincount(events.y, weights=events.times), kind="stable")[:_BINS]
        cell = np.full(events.observables, len(often))
        cell[often] = np.arange(len(often))
        at, m, title = cell[events.y], len(often) + 1, f"{events.called[1]}, by how often it was seen"
        bins = (*(str(i + 1) for i in range(len(often))), "other")
    else:
        value = events.points[:, 0]
        low, first, third, high = np.quantile(value, [0.005, 0.25, 0.75, 0.995])
        if third > first:  # with few events the outer quantiles are an outlier
            low, high = max(low, first - _FAR * (third - first)), min(high, third + _FAR * (third - first))
        high = high if high > low else low + 1
        edges = np.linspace(low, high, _BINS + 1)
        at, m = np.searchsorted(edges, value, side="right"), _BINS + 2
        at[value == high] = _BINS
        axis, step = (float(low), float(high)), (high - low) / _BINS
        outside = int(events.times[rows & ((at == 0) | (at == m - 1))].sum())
        if outside:
            beyond = f"{outside:,} of {int(events.times[rows].sum()):,} events are beyond the axis, in the outer cells"
        title = events.called[1] if not events.sequences else "the first number of the observable"
        ends = [low - 2.5 * step, low - 0.5 * step, high + 0.5 * step, high + 2.5 * step]  # apart from the others
        inner = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        bins = ((ends[0], ends[1]), *inner, (ends[2], ends[3]))
    table = np.bincount(place[events.x][rows] * m + at[rows], weights=events.times[rows], minlength=len(chosen) * m)
    shares = table.reshape(len(chosen), m) / np.maximum(counts[chosen], 1)[:, None]  # weights may be zero
    names = tuple(str(events.secrets[int(x)])[:24] for x in chosen)
    return ObservedShares(counts, names, bins, shares, title, events.called[0], axis, beyond)


def seen_chart(what: ObservedShares) -> Any:
    """Observables by secret: the darker, the more of its events."""
    alt = altair()
    cells = [
        {"secret": name, "share": share} | _place(bin, what.axis)
        for name, shares in zip(what.names, what.shares, strict=True)
        for bin, share in zip(what.bins, shares.tolist(), strict=True)
        if share > 0
    ]
    legend = alt.Legend(format=".0%", title="share of the secret's events", titleLimit=300)
    base = alt.Chart(alt.Data(values=cells)).mark_rect()
    base = base.encode(
        y=alt.Y("secret:N", title=what.called, sort=list(what.names)),
        color=alt.Color("share:Q", scale=alt.Scale(scheme="blues"), legend=legend),
        tooltip=["secret:N", "seen:N", alt.Tooltip("share:Q", format=".2%")],
    ).properties(height=max(120, 24 * len(what.names)))
    if what.axis is None:
        return base.encode(x=alt.X("seen:N", title=what.title, sort=list(what.bins)))
    low, high = what.axis
    title = [what.title, what.beyond] if what.beyond else what.title
    ends: Any = (what.bins[0], what.bins[-1]) if what.beyond else ()
    centres = [(begin + end) / 2 for begin, end in ends]
    named = f"datum.value < {low!r} ? '< {low:.4g}' : datum.value > {high!r} ? '> {high:.4g}' : datum.label"
    ticks = alt.Axis(values=sorted({*_ticks(low, high), *centres}), labelExpr=named, labelOverlap=False)
    scale = alt.Scale(zero=False, nice=False)
    return base.encode(x=alt.X("low:Q", title=title, scale=scale, axis=ticks), x2="high:Q")


def _ticks(low: float, high: float) -> list[float]:
    """Some round numbers inside."""
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def curve_chart(curve: Sequence[tuple[int, int, float]], success: Bracket, blind: Bracket) -> Any:
    """Success against the number of training events, with the bracket and the success of blind guessing."""
    alt = altair()
    points = [{"events": trained, "success": rate, "tests": tests} for trained, tests, rate in curve]
    scale = alt.Scale(type="log", nice=False)
    line = alt.Chart(alt.Data(values=points)).mark_line(point=True, strokeWidth=2)
    line = line.encode(
        x=alt.X(
            "events:Q", title="events trained on (log scale)", scale=scale, axis=alt.Axis(format="~s", tickCount=6)
        ),
        y=alt.Y("success:Q", title="one guess is right", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False)),
        tooltip=[alt.Tooltip(f"{name}:Q", format=form) for name, form in _TIPS],
    )
    ends = [("at least", success.low), ("at most", success.high), ("blind", blind.estimate)]
    marks = [{"end": name, "success": value} for name, value in ends if value is not None]
    rules = alt.Chart(alt.Data(values=marks)).encode(y="success:Q")
    text = rules.mark_text(align="left", x=4, dy=10).encode(text="end:N")
    return (line + rules.mark_rule(strokeDash=[4, 4]) + text).properties(height=300)


def _place(bin: Any, axis: tuple[float, float] | None) -> dict[str, Any]:
    if axis is None:
        return {"seen": bin}
    below, above = bin[1] < axis[0], bin[0] > axis[1]
    seen = f"< {axis[0]:.4g}" if below else f"> {axis[1]:.4g}" if above else f"{bin[0]:.4g} to {bin[1]:.4g}"
    return {"low": bin[0], "high": bin[1], "seen": seen}
