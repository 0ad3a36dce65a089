"""audit: what logged events leak, from their joint counts, with what can be said of it for certain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minleak._entropy.base import ConditionalEntropy
from minleak._warehouse.counts import parts, times, together, whole
from minleak._warehouse.engines import as_table, engine_of
from minleak._warehouse.engines.base import Engine
from minleak._warehouse.estimates import STANDARD, JointCounts, Measured, measured
from minleak._warehouse.naming import check_columns, check_whole, shown
from minleak.errors import InvalidParameter

# The loop that draws tables with given margins was seen to be right up to this many events.
MOST_EVENTS = 2**32


@dataclass(frozen=True)
class Audit:
    """What events leak: `rows` has a `Measured` for each measure; prints as a table.

    `rejected` is the verdict: with error rate `alpha` the events show that observables depend on secrets. Its `p_value`
    is that of Shannon's mutual information under permutations. Where it is not rejected the events are compatible with
    zero leakage, which proves nothing about a smaller leak than they can show: see the intervals' upper ends.
    """

    events: int
    secrets: int
    observables: int
    pairs: int
    rows: tuple[Measured, ...]
    p_value: float
    alpha: float
    level: float
    resamples: int
    permutations: int

    @property
    def rejected(self) -> bool:
        """Whether zero leakage is rejected."""
        return self.p_value <= self.alpha

    @property
    def verdict(self) -> str:
        """The same in words."""
        said = "is rejected" if self.rejected else "is not rejected"
        return f"zero leakage {said} at the {self.alpha:g} level (p = {self.p_value:.3g})"

    def __getitem__(self, measure: str) -> Measured:
        for row in self.rows:
            if row.measure == measure:
                return row
        raise KeyError(measure)

    def __str__(self) -> str:
        width = max(len(word) for word in ("measure", *(row.measure for row in self.rows)))
        names = ("estimate", "corrected", "low", "high", "chance")
        lines = [f"{'measure':<{width}}  {'  '.join(f'{name:>10}' for name in names)}  {'p':>7}"]
        for row in self.rows:
            numbers = "  ".join(f"{getattr(row, name):>10.6g}" for name in names)
            lines.append(f"{row.measure:<{width}}  {numbers}  {row.p_value:>7.3g}")
        return "\n".join([*lines, self.verdict])


def audit(
    events: Any,
    *,
    secret: str = "secret",
    observable: str = "observable",
    weight: str | None = None,
    measures: Sequence[ConditionalEntropy | str] = STANDARD,
    resamples: int = 200,
    permutations: int = 499,
    level: float = 0.95,
    alpha: float = 0.01,
    seed: int = 0,
    limit: int = 5_000_000,
) -> Audit:
    """Estimate every leakage measure from a log of (secret, observable), and test whether it is zero.

    The engine reduces the events to N(x,y), the number of events of each pair that occurs; the rest happens here, at a
    cost in the pairs alone. With J = N / (number of events) a measure's estimate is its value on J, which is too large
    on average: sparse counts look dependent. So

    - `corrected` takes the bias off: Miller and Madow's for Shannon, (pairs - secrets - observables + 1) / (2 events)
      nats; for all others that of the bootstrap, the mean over `resamples` less the estimate.
    - `low` and `high` are quantiles of the bootstrap, events drawn anew with probabilities J, moved so that their mean
      is the corrected estimate. The interval reaches down to no leakage where that is not rejected.
    - `chance` is the mean over permutations of the observables: what the same events would show by chance.
    - `p_value` is the part of tables with the same margins, drawn uniformly among permutations of the observables, that
      leak as much: exact for independent secrets and observables, whatever the counts.

    Events must be independent: of sticky draws keep one for each scope and secret. Corrections and intervals are rough
    while most pairs have occurred once or never (compare the estimate with `chance`), and for measures of a maximum,
    such as min-entropy, while the likeliest secrets are tied.

    Parameters
    ----------
    events
        A table as for `design`. Observables may be of any type that can be grouped by, sets of `cloak` among them.
    weight
        A column of how many events a row stands for; each is one if not given.
    measures
        Entropies, by name or as objects, and "multiplicative-leakage", "additive-leakage", "maximal-leakage",
        "capacity".
    limit
        The most pairs to take into memory.

    >>> import pyarrow as pa
    >>> log = pa.table({"secret": ["a", "a", "b", "b"], "observable": [1, 2, 1, 2], "times": [40, 10, 10, 40]})
    >>> found = audit(log, weight="times", measures=["shannon", "min-entropy"])
    >>> found.events, found.pairs, found.rejected
    (100, 4, True)
    >>> round(found["shannon"].estimate, 5), round(found["shannon"].corrected, 5)
    (0.27807, 0.27086)
    """
    _check(resamples, permutations, level, alpha, seed, limit)
    table = as_table(events)
    joint = _joint(engine_of(table), table, secret, observable, weight, limit)
    rng = np.random.default_rng(seed)
    rows, p_value = measured(joint, measures, resamples=resamples, permutations=permutations, level=level, rng=rng)
    if p_value > alpha:
        rows = tuple(replace(row, low=row.floor) for row in rows)
    return Audit(
        events=joint.events,
        secrets=joint.shape[0],
        observables=joint.shape[1],
        pairs=len(joint.counts),
        rows=rows,
        p_value=p_value,
        alpha=alpha,
        level=level,
        resamples=resamples,
        permutations=permutations,
    )


def _check(resamples: int, permutations: int, level: float, alpha: float, seed: int, limit: int) -> None:
    check_whole("seed", seed, least=0)
    for name, number in (("resamples", resamples), ("permutations", permutations), ("limit", limit)):
        check_whole(name, number)
    for name, part in (("level", level), ("alpha", alpha)):
        if isinstance(part, bool) or not isinstance(part, int | float) or not 0 < part < 1:
            raise InvalidParameter(f"{name} is between 0 and 1, not {shown(part)}")
    if (1 + permutations) * alpha < 1:
        raise InvalidParameter(
            f"{permutations} permutations cannot give a p-value of {alpha:g}: take at least {math.ceil(1 / alpha) - 1}"
        )


def _joint(engine: Engine, table: Any, secret: str, observable: str, weight: str | None, limit: int) -> JointCounts:
    check_columns(table, InvalidParameter, secret=secret, observable=observable, weight=weight)
    rows = table.select(x=table[secret], y=table[observable], count=whole(table, weight))
    bad = rows.x.isnull() | rows.y.isnull() | rows["count"].isnull() | (rows["count"] < 0)
    checked = engine.row(rows.aggregate(bad=times(bad), **parts("events", rows["count"])))
    if checked["bad"]:
        raise InvalidParameter(
            f"{checked['bad']} events have no secret, no observable or no whole number as weight: filter them out"
        )
    events = together(checked, "events")
    if events > MOST_EVENTS:
        raise InvalidParameter(
            f"{events} events are more than the permutations can count, {MOST_EVENTS}: take a sample, or divide the "
            "weights by the same number"
        )
    pairs = rows.group_by(["x", "y"]).aggregate(count=rows["count"].sum())
    found = engine.arrow(pairs.filter(pairs["count"] > 0).limit(limit + 1))
    if not len(found):
        raise InvalidParameter("there are no events to audit")
    if len(found) > limit:
        raise InvalidParameter(
            f"there are more than {limit} different pairs: group the observables, or raise the limit if memory allows"
        )
    return JointCounts.of(_codes(found["x"]), _codes(found["y"]), found["count"].to_numpy())


def _codes(column: Any) -> Any:
    """Numbers for the values of a column, sorted by how they are written, so that no engine's order matters."""
    try:
        values = [str(value) for value in column.to_pylist()]
    except (ValueError, OverflowError):
        raise InvalidParameter(
            f"some values of type {column.type} have no writing, as years past 9999: cast them"
        ) from None
    return np.unique(np.array(values, dtype=object), return_inverse=True)[1]
