"""What a scheme for walks leaks at each step: results, their tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._extras import altair
from minleak.core._result import Result
from minleak.core._text_tables import Table


@dataclass(frozen=True)
class ByStep(Result, Sequence[float]):
    """A number for each step, `values`, with a 99% interval from `low` to `high`; the three are the same if it is
    exact.
    """

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]


@dataclass(frozen=True)
class SequenceLeakage(Result):
    """What a way of showing walks gives away.

    `filtered` is how often an attacker is right about the state of a step who has seen all up to it, `smoothed` one who
    has also seen what came after; `filtered_bits` and `smoothed_bits` are the Shannon entropies they are left with.
    `method` names the way; `k` is its size, None for a channel. They are `exact`, or from so many `trials`. Where the
    truth is another than the chain, `evidence` is what each move of the true walk tells against the chain, in bits, and
    `falls` the first step at which the filtering attacker is right more often than not, None if none is.
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

    def to_parts(self) -> list[str | Table]:
        wanted = sorted({0, 1, 2, 4, 9, 19, 49, 99, len(self.filtered) - 1} & set(range(len(self.filtered))))
        how = "exact" if self.exact else f"{self.trials:,} walks, 99% interval"
        rows = [
            [t, *self._between(self.filtered, t), *self._between(self.smoothed, t), self.smoothed_bits[t]]
            for t in wanted
        ]
        between = [] if self.exact else ["between"]
        columns = ["step", "filtering", *between, "smoothing", *between, "bits left"]
        table = Table(f"{self.method} ({how})", columns, rows)
        if self.evidence is None:
            return [table]
        return [table, f"evidence {self.evidence:.4f} bits a step; {describe_fall(self)}"]

    def _between(self, found: ByStep, t: int) -> list[Any]:
        return [found[t]] if self.exact else [found[t], f"{found.low[t]:.4f} .. {found.high[t]:.4f}"]

    def chart(self) -> Any:
        """Success against step, as an altair chart."""
        return success_chart([self])


@dataclass(frozen=True)
class SequenceTable(Result):
    """Ways of showing walks side by side, one in each of the `rows`."""

    rows: tuple[SequenceLeakage, ...]

    def to_parts(self) -> list[str | Table]:
        columns = ["method", "filtering", "worst", "smoothing", "worst", "bits left"]
        rows: list[list[Any]] = []
        for row in self.rows:
            means = [float(np.mean(part)) for part in (row.filtered, row.smoothed, row.smoothed_bits)]
            rows.append([row.method, means[0], max(row.filtered), means[1], max(row.smoothed), means[2]])
        if any(row.evidence is not None for row in self.rows):
            columns.append("evidence, bits a step")
            rows = [[*cells, row.evidence] for cells, row in zip(rows, self.rows, strict=True)]
        return [Table("", columns, rows)]

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
