"""audit: what a log of events leaks, surely and about, and whether it could be nothing."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass, replace
from typing import Any

from minleak._cli.charts import add_chart, chart_of
from minleak._cli.engines import EngineOptions
from minleak._cli.inputs import rows_of
from minleak._cli.options import Entropies, Format, Secret, argument, option, share, times
from minleak._cli.output import Answer, note, progressing
from minleak._samples import auditing, following
from minleak._samples.attacks import ATTACKS
from minleak._samples.plug_in import MEASURES
from minleak._samples.result import Audit
from minleak.errors import InvalidParameter

# What JSON has of it, beside intervals.
_SAID = ("events", "secrets", "observables", "said", "attack", "p", "alpha", "level", "rejected", "warnings", "curve")
_ASKED = ("enough", "more")


@dataclass(frozen=True)
class How:
    """How to audit: the parameters of `minleak.audit`, by their names."""

    secret: Secret = "secret"
    observable: list[str] | None = option("The column of what was seen; several for vectors. Default: observable.")
    weight: str | None = option("A column of how many events a row stands for; one if not given.")
    numeric: bool | None = option("Observables are numbers, or names; recognised if not given.", "--numeric/--names")
    blocks: str | None = option("For timings that drift: a column of stretches of time, or how many events make one.")
    attack: list[str] | None = option(f"One of {', '.join(ATTACKS)}, or several; by the data if not given.")
    measures: Entropies = None
    enough: float | None = option("How narrow the bracket should be, such as 0.01: says what it takes.", parser=share)
    permutations: int = option("Permutations for the test of zero leakage.", default=199, parser=times)
    level: float = option("The brackets' confidence level, such as 0.95 or 95%.", default=0.95, parser=share)
    alpha: float = option("How often the verdict may be wrong where nothing leaks.", default=0.01, parser=share)
    seed: int = option("Where the dealing starts; the same seed gives the same answer.", default=0)

    def given(self) -> dict[str, Any]:
        """The parameters, with the defaults of those that are lists."""
        counted = self.blocks is not None and re.fullmatch("[0-9]{1,18}", self.blocks)
        return vars(self) | {
            "observable": self.observable or ["observable"],
            "measures": self.measures or MEASURES,
            "blocks": int(self.blocks) if self.blocks is not None and counted else self.blocks,
        }


def audit(
    events: str = argument(
        "EVENTS", "A csv(.gz), tsv or parquet file, - for stdin; a folder, a .duckdb database or Spark's --table too."
    ),
    *,
    how: How,
    follow: bool = option("With --enough: wait for more events in the file until they are enough.", default=False),
    patience: float = option("With --follow: give up when nothing came for so many seconds.", default=60.0),
    chart: str | None = chart_of("observables by secret"),
    curve: str | None = chart_of("success against training events"),
    format: Format = None,
    engine: EngineOptions,
) -> Answer:
    """Audit a log of events: how often a guess is right, surely and about, every leakage, and a test of zero leakage.

    Example: minleak audit events.csv --secret query --observable size
    """
    with progressing(f"auditing {events}") as progress:
        given = how.given() | {"progress": progress}
        if follow:
            if how.enough is None or events == "-" or engine.engine is not None:
                raise InvalidParameter("--follow is for a csv or tsv file that grows, and needs --enough")
            found = _followed(events, patience, given | {"format": format})
        else:
            found = _audited(events, format, engine, given)
    data = {name: getattr(found, name) for name in (*_SAID, *_ASKED)} | {"chart": chart, "curve_chart": curve}
    data |= {"success": asdict(found.success), "blind": asdict(found.blind)}
    data["measures"] = [asdict(row) for row in found.rows]
    answer = Answer(data, [str(found)])
    if chart is not None:
        add_chart(answer, found.chart(), chart, title="Observables by secret")
    if curve is not None:
        add_chart(answer, found.curve_chart(), curve, title="Success against training events", key="curve_chart")
    return answer


def _audited(events: str, format: str | None, engine: EngineOptions, given: dict[str, Any]) -> Audit:
    from minleak._warehouse.sources import DATABASES

    if engine.engine is None and (engine.table or os.path.isdir(events) or events.lower().endswith(DATABASES)):
        engine = replace(engine, engine="duckdb")  # this process does not read it itself
    engine.refuse_without()
    if engine.engine is None:
        rows = rows_of(events, format)
        return auditing.audit(rows["source"], format=rows["format"], **given)
    from minleak import warehouse

    if isinstance(given["blocks"], int):
        raise InvalidParameter("inside an engine events have no order: --blocks names a column")
    with engine.opened(events) as log:
        return warehouse.audit(log, **given)


def _followed(events: str, patience: float, given: dict[str, Any]) -> Audit:
    for found in following.follow(events, patience=patience, **given):  # the last is yielded, or refused, in any case
        if not found.enough:
            note(f"{found.events:,} events: {found.headline}; {found.enough_text}")
    return found
