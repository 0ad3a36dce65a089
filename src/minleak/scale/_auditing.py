"""audit: what logged events leak. The engine counts pairs, and the rest is as for samples in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._parameters import whole
from minleak.core._progress import Progress
from minleak.errors import InvalidParameter
from minleak.io._tables import column_names
from minleak.samples._auditing import AuditOptions, audit_events
from minleak.samples._events import Events, collect_events, refuse_too_many
from minleak.samples._plug_in import MEASURES
from minleak.samples._result import Audit
from minleak.scale._counts import add_parts, count_if, integer_column, sum_in_parts
from minleak.scale._engines.base import Engine
from minleak.scale._tables import as_table, check_columns, engine_of

# Column names inside the engine, which cannot clash with those of the user.
_SECRET, _BLOCK, _COUNT = "x", "b", "count"


def audit(
    events: Any,
    *,
    secret: str = "secret",
    observable: str | Sequence[str] = "observable",
    weight: str | None = None,
    numeric: bool | None = None,
    blocks: str | None = None,
    attack: Any = None,
    measures: Sequence[ConditionalEntropy | str] = MEASURES,
    permutations: int = 199,
    level: float = 0.95,
    alpha: float = 0.01,
    enough: float | None = None,
    seed: int = 0,
    limit: int = 5_000_000,
    progress: Progress | None = None,
) -> Audit:
    """Audit a log of (secret, observable) inside an engine: bounds on every leakage, and a test whether it is zero.

    The engine counts the events of each pair that occurs; the rest happens in memory, as in `minleak.audit`, whose
    parameters these are, at a cost in the number of pairs.

    Events must be independent: of sticky draws keep one for each scope and secret.

    Parameters
    ----------
    events
        A table as for `design`. Observables may be of any type that can be grouped by, sets of `cloak` among them.
    weight
        A column of how many events a row stands for; each is one if not given.
    blocks
        A column that names the stretch of time of each event.
    limit
        The most pairs to take into memory.

    >>> import pyarrow as pa
    >>> seen = {"secret": ["a", "a", "b", "b"], "observable": ["x", "y", "x", "y"], "times": [400, 100, 100, 400]}
    >>> log = pa.table(seen)
    >>> found = audit(log, weight="times", measures=["shannon", "min-entropy"])
    >>> found.events, found.observables, found.rejected
    (1000, 2, True)
    >>> round(found.success.low, 2), round(found.success.high, 2)      # the truth is 0.8
    (0.77, 0.85)
    """
    options = AuditOptions(attack, measures, level, alpha, permutations, enough, seed, progress)
    limit = whole(limit, "limit", 1)
    table = as_table(events)
    return audit_events(_events(engine_of(table), table, secret, observable, weight, blocks, numeric, limit), options)


def _events(
    engine: Engine,
    table: Any,
    secret: str,
    observable: str | Sequence[str],
    weight: str | None,
    blocks: str | None,
    numeric: bool | None,
    limit: int,
) -> Events:
    names = [observable] if isinstance(observable, str) else observable
    names = column_names(names, "observable is the name of a column, or several, each once")
    for name in names:
        check_columns(table, InvalidParameter, secret=secret, observable=name, weight=weight)
    if blocks is not None:
        check_columns(table, InvalidParameter, blocks=blocks)
    seen = {f"y{i}": table[name] for i, name in enumerate(names)}
    part = {} if blocks is None else {_BLOCK: table[blocks]}
    rows = table.select(**{_SECRET: table[secret]}, **seen, **part, **{_COUNT: integer_column(table, weight)})
    bad = rows[_COUNT].isnull() | (rows[_COUNT] < 0)
    for column in (_SECRET, *seen, *part):
        bad = bad | rows[column].isnull()
    checked = engine.row(rows.aggregate(bad=count_if(bad), **sum_in_parts("events", rows[_COUNT])))
    if checked["bad"]:
        raise InvalidParameter(
            f"{checked['bad']} events have no secret, no observable or no whole number as weight: filter them out"
        )
    refuse_too_many(add_parts(checked, "events"))  # before anything is added up in 64 bits
    pairs = rows.group_by([_SECRET, *seen, *part]).aggregate(**{_COUNT: rows[_COUNT].sum()})
    found = engine.arrow(pairs.filter(pairs[_COUNT] > 0).limit(limit + 1))
    if not len(found):
        raise InvalidParameter("there are no events to audit")
    if len(found) > limit:
        raise InvalidParameter(
            f"there are more than {limit} different pairs: group the observables, or raise the limit if memory allows"
        )
    return collect_events(
        found[_SECRET],
        found.select(list(seen)),
        times=found[_COUNT].to_numpy(),
        blocks=None if blocks is None else found[_BLOCK],
        numeric=numeric,
        where=lambda _: "a row of the table",
    ).in_order()  # engines have no order, and random draws must not depend on it
