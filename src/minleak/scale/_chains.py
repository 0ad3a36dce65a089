"""chain: count a Markov chain inside an engine, by a window over each subject; only counts leave it."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak.core._labels import Labels
from minleak.errors import InvalidPrior
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._fitting import check_smoothing, from_counts
from minleak.scale._engines.base import Engine, ibis_module
from minleak.scale._tables import as_table, check_columns, engine_of


def chain(
    table: Any,
    *,
    subject: str = "subject",
    time: str = "time",
    state: str = "state",
    smoothing: float | str = "witten-bell",
) -> Chain:
    """The chain of a table with a row for each time at which a subject was in a state, as `read_chain` makes it.

    The engine sorts the rows of each subject by time and counts how often each state follows each; only the counts come
    into memory. Two rows of a subject at one time are refused, since an engine keeps no order. States are text or
    integers, in sorted order.

    >>> import pandas as pd
    >>> log = pd.DataFrame({"subject": ["ann", "ann", "bob"], "time": [1, 2, 1], "state": ["home", "work", "home"]})
    >>> chain(log)
    Chain(2 states, 1 transitions, back-off)
    """
    check_smoothing(smoothing)
    rows = as_table(table)
    engine = engine_of(rows)
    check_columns(rows, InvalidPrior, subject=subject, time=time, state=state)
    kind = rows[state].type()
    if not (kind.is_string() or kind.is_integer()):
        raise InvalidPrior(f"the states in {state!r} are {kind}: they must be text or integers, so cast them first")
    rows = rows.select(subject=rows[subject], time=_times(engine, rows, time), state=rows[state])
    ibis = ibis_module()
    window = ibis.window(group_by="subject", order_by="time")
    moves = rows.mutate(
        after=rows.state.lead().over(window),
        next_time=rows.time.lead().over(window),
        place=ibis.row_number().over(window),
    )
    with engine.hold(moves) as moves:
        _refuse(engine, moves)
        first = moves.filter(moves.place == 0)
        pairs = moves.filter(moves.after.notnull())
        starts = engine.arrow(first.group_by("state").aggregate(times=first.count()))
        found = engine.arrow(pairs.group_by(["state", "after"]).aggregate(times=pairs.count()))
    names = sorted({*starts["state"].to_pylist(), *found["state"].to_pylist(), *found["after"].to_pylist()})
    at = {name: i for i, name in enumerate(names)}
    initial = np.zeros(len(names), dtype=np.int64)
    initial[[at[name] for name in starts["state"].to_pylist()]] = starts["times"].to_numpy()
    a, b = (np.array([at[name] for name in found[side].to_pylist()], dtype=np.int64) for side in ("state", "after"))
    times = np.asarray(found["times"].to_numpy(), dtype=np.int64)
    return Chain(**from_counts(Labels.of(names, 0), initial, a, b, times, smoothing))


def _times(engine: Engine, rows: Any, time: str) -> Any:
    """A column that sorts by time: text becomes numbers or dates, if all of it can."""
    column = rows[time]
    if not column.type().is_string():
        return column
    for kind in ("int64", "timestamp"):
        cast = column.try_cast(kind)
        if not engine.count(rows.filter(column.notnull() & cast.isnull())):
            return cast
    raise InvalidPrior(
        f"the times in {time!r} are text that is neither all whole numbers nor all dates: cast them first"
    )


def _refuse(engine: Engine, moves: Any) -> None:
    if not engine.count(moves):
        raise InvalidPrior("the table has no rows: a chain needs at least one state")
    empty = moves.filter(moves.subject.isnull() | moves.time.isnull() | moves.state.isnull())
    if engine.count(empty):
        raise InvalidPrior(f"{engine.count(empty)} rows lack a subject, a time or a state: filter them out")
    tied = engine.count(moves.filter(moves.time == moves.next_time))
    if tied:
        raise InvalidPrior(
            f"{tied} times a subject is in two states at one time: make times finer, or keep one of the two"
        )
