"""audit: measure what recorded events leak, with proven bounds and a test of zero leakage."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import minleak as ml
from minleak.cli._engines import EngineChoice, engine_option, parse_engine
from minleak.cli._inputs import rows_of, telling
from minleak.cli._options import Entropies, Format, NoQuery, Secret, Status, argument, chart_option, option, share
from minleak.cli._output import Outcome, note, progressing, save_chart, working
from minleak.errors import InvalidParameter
from minleak.samples._attacks import ATTACKS
from minleak.samples._plug_in import MEASURES
from minleak.samples._result import Audit

# The test permutes twice as often as a verdict at its error rate needs, but at most this often.
_MOST = 9_999


@dataclass(frozen=True)
class AuditFlags:
    """Parameters of `minleak.audit`, under the same names."""

    secret: Secret = "secret"
    observable: list[str] | None = option("Column with what was observed; repeat for vectors. Default: observable.")
    weight: str | None = option("Column with the number of events per row. Default: one event per row.")
    stream: str | None = option(
        "Streams, one row per chunk: column with the stream's id. All rows of a stream are one event."
    )
    numeric: bool | None = option("Treat observables as numbers or as names. Default: detected.", "--numeric/--names")
    blocks: str | None = option(
        "Timings that drift: column with the period of each event, or the number of consecutive events per period."
    )
    of: str | None = option(
        "Audit this property of the secret, such as its country, instead: the column that holds it.", "--property"
    )
    attack: list[str] | None = option(
        f"Attack to train: {', '.join(ATTACKS)}; repeat for several. Default: those that suit the data."
    )
    measures: Entropies = None
    enough: float | None = option(
        "Target width of the bounds, such as 0.01: report how many more events that takes.", parser=share
    )
    level: float = option("Confidence level of the bounds, such as 0.95 or 95%.", default=0.95, parser=share)
    alpha: float = option(
        "Error rate of the test: how often it may report a leak where there is none.", default=0.01, parser=share
    )
    seed: int = option("Seed for random choices; the same seed gives the same result.", default=0)

    def given(self) -> dict[str, Any]:
        """The parameters as keyword arguments."""
        if self.alpha * (_MOST + 1) < 1:
            raise InvalidParameter(
                f"--alpha must be at least {1 / (_MOST + 1):g}: {_MOST:,} permutations resolve no less"
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
        "EVENTS", "A csv, csv.gz, tsv or parquet file or a log; - for stdin; with --engine also a folder or database."
    ),
    *,
    options: AuditFlags,
    looks: float | None = option(
        "Report how many observations of one secret an attacker needs to be right this often, such as 90%.",
        parser=share,
    ),
    before: str | None = option("Events from before a fix, audited the same way; --report shows both on one page."),
    chart: str | None = chart_option("observables by secret"),
    curve: str | None = chart_option("success against training events"),
    format: Format = None,
    status: Status = None,
    no_query: NoQuery = False,
    engine: str | None = engine_option(),
) -> Outcome[Audit]:
    """Measure how much observables reveal about secrets, from recorded events.

    Says first whether something leaks (yes, likely, or none found), then how often a guess is right (an estimate
    between proven bounds) and the leakage in each entropy.

    Example: minleak audit events.csv --secret query --observable size
    """
    if before is not None and engine is not None:
        raise InvalidParameter("--before does not go with --engine: leave that out")
    earlier = None
    with progressing(f"auditing {events}") as progress:
        given = options.given() | {"progress": progress}
        if engine is not None:
            if given.pop("of") is not None:
                raise InvalidParameter("--engine does not take --property: name its column with --secret")
            if given.pop("stream") is not None:
                raise InvalidParameter("--stream is audited in memory: leave out --engine")
            if status is not None or no_query:
                raise InvalidParameter("--status and --no-query work in memory: leave out --engine")
            found = _audit_inside(events, parse_engine(engine), given)
        else:
            rows = rows_of(events, format)
            given |= {"status": status, "query": not no_query}
            with telling():
                found = ml.audit(rows["source"], format=rows["format"], **given)
                earlier = None if before is None else ml.audit(before, **given)
    if earlier is not None:
        note(f"before the fix: {earlier.headline}")
    if looks is not None:
        with working("looking again and again"):
            found = replace(found, needed=found.looks(looks))
    charts = save_chart(found.chart, chart, title="Observables by secret")
    charts += save_chart(found.curve_chart, curve, title="Success against training events")
    return Outcome(found, charts, about=None if earlier is None else [earlier, found])


def _audit_inside(events: str, engine: EngineChoice, given: dict[str, Any]) -> Audit:
    if isinstance(given["blocks"], int):
        raise InvalidParameter("events have no order inside an engine: give --blocks a column")
    with engine.open(events) as log:
        return ml.scale.audit(log, **given)
