"""audit: what a log of events leaks, with proven bounds, and whether it could be nothing."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import minleak as ml
from minleak._cli.engines import EngineChoice, engine_option, parse_engine
from minleak._cli.inputs import rows_of, telling
from minleak._cli.options import Entropies, Format, NoQuery, Secret, Status, argument, chart_option, option, share
from minleak._cli.output import Outcome, note, progressing, save_chart, working
from minleak._samples.attacks import ATTACKS
from minleak._samples.plug_in import MEASURES
from minleak._samples.result import Audit
from minleak.errors import InvalidParameter

# The test of zero leakage permutes twice as often as a verdict at that error rate needs, at most so often.
_MOST = 9_999


@dataclass(frozen=True)
class AuditFlags:
    """How to audit: the parameters of `minleak.audit`, by their names."""

    secret: Secret = "secret"
    observable: list[str] | None = option("The column of what was seen; several for vectors. Default: observable.")
    weight: str | None = option("A column of how many events a row stands for; one if not given.")
    stream: str | None = option(
        "For streams, a row for each chunk: the column that names the stream. A stream is one event, of all its rows."
    )
    numeric: bool | None = option(
        "Take observables as numbers, or as names; recognised if not given.", "--numeric/--names"
    )
    blocks: str | None = option(
        "For timings that drift: a column that names periods of time, or how many events make one."
    )
    of: str | None = option(
        "A column with a property of each secret, such as its country, to be audited in its place.", "--property"
    )
    attack: list[str] | None = option(f"One of {', '.join(ATTACKS)}, or several; by the data if not given.")
    measures: Entropies = None
    enough: float | None = option(
        "How narrow the bounds should be, such as 0.01: tells how many more events that takes.", parser=share
    )
    level: float = option("The confidence level of the bounds, such as 0.95 or 95%.", default=0.95, parser=share)
    alpha: float = option("How often the test may report a leak where there is none.", default=0.01, parser=share)
    seed: int = option("The seed of random choices: the same seed gives the same answer.", default=0)

    def given(self) -> dict[str, Any]:
        """The parameters, with the defaults of those that are lists."""
        if self.alpha * (_MOST + 1) < 1:
            raise InvalidParameter(
                f"--alpha is from {1 / (_MOST + 1):g} on, the least that {_MOST:,} permutations show"
            )
        counted = self.blocks is not None and re.fullmatch("[0-9]{1,18}", self.blocks)
        return vars(self) | {
            "observable": self.observable or ["observable"],
            "measures": self.measures or MEASURES,
            "blocks": int(self.blocks) if self.blocks is not None and counted else self.blocks,
            "permutations": min(math.ceil(2 / self.alpha) - 1, _MOST),
        }


def audit(
    events: str = argument(
        "EVENTS", "A csv(.gz), tsv or parquet file or a log, - for stdin; with --engine a folder or a database too."
    ),
    *,
    options: AuditFlags,
    looks: float | None = option(
        "Tell after how many looks at one secret an attacker is right so often, such as 90%.", parser=share
    ),
    follow: float | None = option(
        "With --enough: wait for more events in the file until they are enough; give up when none came for this many "
        "seconds."
    ),
    before: str | None = option("Events from before a repair, audited alike; --report puts both on one page."),
    chart: str | None = chart_option("observables by secret"),
    curve: str | None = chart_option("success against training events"),
    format: Format = None,
    status: Status = None,
    no_query: NoQuery = False,
    engine: str | None = engine_option(),
) -> Outcome[Audit]:
    """Measure how much observables reveal about secrets, from a log of events.

    Tells how often a guess is right, as an estimate between proven bounds, what leaks in every entropy, and whether the
    log could be explained by no leakage at all.

    Example: minleak audit events.csv --secret query --observable size
    """
    if before is not None and (engine is not None or follow is not None):
        raise InvalidParameter("--before is audited in memory and at once: leave out --engine and --follow")
    earlier = None
    with progressing(f"auditing {events}") as progress:
        given = options.given() | {"progress": progress}
        if follow is not None:
            if options.enough is None or events == "-" or engine is not None:
                raise InvalidParameter("--follow is for a csv or tsv file that grows, and needs --enough")
            if given.pop("stream") is not None:
                raise InvalidParameter("streams are audited when they are recorded: leave out --follow")
            if status is not None or no_query:
                raise InvalidParameter("--status and --no-query are for logs, which --follow does not read")
            found = _follow(events, follow, given | {"format": format})
        elif engine is not None:
            if given.pop("of") is not None:
                raise InvalidParameter("inside an engine a property is audited as a secret: name it by --secret")
            if given.pop("stream") is not None:
                raise InvalidParameter("streams are audited in memory: leave out --engine")
            if status is not None or no_query:
                raise InvalidParameter("--status and --no-query choose records in memory: leave out --engine")
            found = _audit_inside(events, parse_engine(engine), given)
        else:
            rows = rows_of(events, format)
            given |= {"status": status, "query": not no_query}
            with telling():
                found = ml.audit(rows["source"], format=rows["format"], **given)
                earlier = None if before is None else ml.audit(before, **given)
    if earlier is not None:
        note(f"before the repair: {earlier.headline}")
    if looks is not None:
        with working("looking again and again"):
            found = replace(found, needed=found.looks(looks))
    charts = save_chart(found.chart, chart, title="Observables by secret")
    charts += save_chart(found.curve_chart, curve, title="Success against training events")
    return Outcome(found, charts, about=None if earlier is None else [earlier, found])


def _audit_inside(events: str, engine: EngineChoice, given: dict[str, Any]) -> Audit:
    if isinstance(given["blocks"], int):
        raise InvalidParameter("inside an engine events have no order: --blocks names a column")
    with engine.open(events) as log:
        return ml.warehouse.audit(log, **given)


def _follow(events: str, patience: float, given: dict[str, Any]) -> Audit:
    for found in ml.follow(events, patience=patience, **given):  # the last is yielded, or refused, in any case
        if not found.enough:
            note(f"{found.events:,} events: {found.headline}; {found.enough_text}")
    return found
