"""What a way of showing walks gives away, step by step: results, their table and their chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.extras import altair


@dataclass(frozen=True)
class ByStep(Sequence[float]):
    """A number for each step, with a 99% interval from `low` to `high`; the three are the same if it is exact."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]


@dataclass(frozen=True)
class SequenceLeakage:
    """What a way of showing walks gives away.

    `filtered` is how often an attacker is right about the state of a step who has seen all up to it, `smoothed` one who
    has also seen what came after; `filtered_bits` and `smoothed_bits` are the Shannon entropies they are left with.
    `method` names the way; `k` is its size, None for a channel. Where the truth is another than the chain, `evidence`
    is what each move of the true walk tells against the chain, in bits, and `falls` the first step at which the
    filtering attacker is right more often than not, None if none is.
    """

    method: str
    k: int | None
    filtered: ByStep
    smoothed: ByStep
    filtered_bits: ByStep
    smoothed_bits: ByStep
    trials: int
    exact: bool
    evidence: float | None = None
    falls: int | None = None

    def __str__(self) -> str:
        wanted = sorted({0, 1, 2, 4, 9, 19, 49, 99, len(self.filtered) - 1} & set(range(len(self.filtered))))
        how = "exact" if self.exact else f"{self.trials:,} walks, 99% interval"
        lines = [
            f"{self.method} ({how})",
            f"{'step':>5}  {'filtering':>9}{'':18}{'smoothing':>9}{'':18}{'bits left':>10}",
        ]
        for t in wanted:
            parts = [
                f"{found[t]:>9.4f}{'' if self.exact else f' ({found.low[t]:.4f}..{found.high[t]:.4f})':18}"
                for found in (self.filtered, self.smoothed)
            ]
            lines.append(f"{t:>5}  {''.join(parts)}{self.smoothed_bits[t]:>10.3f}")
        if self.evidence is not None:
            lines.append(f"evidence {self.evidence:.4f} bits a step; " + describe_fall(self))
        return "\n".join(line.rstrip() for line in lines)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        found: dict[str, Any] = {"method": self.method, "k": self.k, "trials": self.trials, "exact": self.exact}
        for name in ("filtered", "smoothed", "filtered_bits", "smoothed_bits"):
            by_step: ByStep = getattr(self, name)
            found[name] = {"values": list(by_step), "low": list(by_step.low), "high": list(by_step.high)}
        return found | {"evidence": self.evidence, "falls": self.falls}

    def chart(self) -> Any:
        """Success against step, as an altair chart."""
        return success_chart([self])


@dataclass(frozen=True)
class SequenceTable:
    """Ways of showing walks side by side."""

    rows: tuple[SequenceLeakage, ...]

    def __str__(self) -> str:
        lines = [f"{'':<26}{'filtering':>10}{'worst':>8}{'smoothing':>11}{'worst':>8}{'bits left':>11}  evidence"]
        for row in self.rows:
            means = [float(np.mean(part)) for part in (row.filtered, row.smoothed, row.smoothed_bits)]
            more = "" if row.evidence is None else f"  {row.evidence:.4f} bits a step"
            lines.append(
                f"{row.method:<26}{means[0]:>10.4f}{max(row.filtered):>8.4f}{means[1]:>11.4f}{max(row.smoothed):>8.4f}"
                f"{means[2]:>11.3f}{more}"
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        return {"methods": [row.to_dict() for row in self.rows]}

    def chart(self) -> Any:
        """Success against step for each way, as an altair chart."""
        return success_chart(self.rows)


def describe_fall(row: SequenceLeakage) -> str:
    """When the true walk is found out, in words."""
    if row.falls is not None:
        return f"the walk falls at step {row.falls}: from there on a guess is right more often than not"
    return f"the walk does not fall within {len(row.filtered)} steps"


def success_chart(rows: Sequence[SequenceLeakage]) -> Any:
    """Lines: success against step, a colour for each method; filtering is a full line, smoothing a dashed one.

    Intervals are in the tooltips; of a single method they are bands, too.
    """
    alt = altair()
    names, kinds = [row.method for row in rows], ["filtering", "smoothing"]
    steps = len(rows[0].filtered)
    ticks = list(range(0, steps, max(1, steps // 10)))  # whole steps: left alone, a short axis has halves
    base = alt.Chart(alt.Data(values=list(_points(rows)))).encode(
        x=alt.X("step:Q", title="step", axis=alt.Axis(values=ticks, format="d")),
        color=alt.Color("method:N", scale=alt.Scale(domain=names), sort=names, legend=alt.Legend(columns=2)),
    )
    bands = base.mark_area(opacity=0.12).encode(y=alt.Y("low:Q"), y2="high:Q", detail="attacker:N")
    lines = base.mark_line(strokeWidth=2, point=steps == 1).encode(
        y=alt.Y("success:Q", title="attacker's chance", axis=alt.Axis(format="%"), scale=alt.Scale(domainMin=0)),
        strokeDash=alt.StrokeDash("attacker:N", scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 4]]), sort=kinds),
        tooltip=["method:N", "attacker:N", "step:Q"]
        + [alt.Tooltip(f"{part}:Q", format=".2%") for part in ("success", "low", "high")],
    )
    return (bands + lines if len(rows) == 1 else lines).properties(height=380)


def _points(rows: Sequence[SequenceLeakage]) -> Iterator[dict[str, Any]]:
    for row in reversed(rows):  # the first is drawn last, over the others
        for attacker, found in (("filtering", row.filtered), ("smoothing", row.smoothed)):
            for t, values in enumerate(zip(found, found.low, found.high, strict=True)):
                named = dict(zip(("success", "low", "high"), values, strict=True))
                yield {"method": row.method, "attacker": attacker, "step": t} | named
