"""The prior as a table: secrets with integer weights, checked, and counted by weight or by weight class."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._plan.fields import LIMIT
from minleak.core._prior import Prior
from minleak.errors import InvalidParameter, InvalidPrior
from minleak.scale._engines.base import Engine, ibis_module
from minleak.scale._tables import as_table, check_columns, engine_of

# The most distinct weights, and the most secrets, to take into memory.
_DISTINCT = 5_000_000
_LISTED = 20_000_000
# Sums of 64-bit integers may pass 64 bits, so the bits above and below this one are summed separately.
_LOW = 31

# The bits of the hash of a secret: 15 hexadecimal digits of its MD5, which fit a signed 64-bit integer.
HASH_BITS = 60


@dataclass(frozen=True)
class WeightClass:
    """The secrets whose weights have the same first digit and as many digits: how many, and their total weight."""

    number: int
    count: int
    total: int


@dataclass(frozen=True)
class Counts:
    """A checked prior: `table` has the columns secret, weight, hash and number (of the weight's class).

    `classes` are heaviest first. `digest` identifies the secrets and their weights, in any order.
    """

    table: Any
    n: int
    total: int
    classes: tuple[WeightClass, ...]
    is_text: bool
    digest: str


@contextmanager
def prepare(engine: Engine, table: Any, secret: str, weight: str | None) -> Iterator[Any]:
    """The columns secret and weight, of types that allow an exact design; weight None counts rows, once for all queries
    of the block.
    """
    check_columns(table, InvalidPrior, secret=secret, weight=weight)
    kind = table[secret].type()
    if not (kind.is_string() or kind.is_integer()):
        raise InvalidPrior(f"the secrets in {secret!r} are {kind}: they must be text or integers, so cast them first")
    names = table[secret] if kind.is_string() else table[secret].cast("int64")
    if weight is None:
        rows = table.select(secret=names)
        with engine.hold(rows.group_by("secret").aggregate(weight=rows.count())) as counted_rows:
            yield counted_rows
    else:
        yield table.select(secret=names, weight=integer_column(table, weight))


def integer_column(table: Any, name: str | None) -> Any:
    """A column of counts as 64-bit integers; other values, and text other than digits, become null, to be refused.
    Without a name every row counts one.
    """
    if name is None:
        return ibis_module().literal(1, "int64")
    column = table[name]
    kind = column.type()
    if kind.is_int64():
        return column
    if kind.is_integer() or (kind.is_decimal() and kind.scale == 0):
        return column.try_cast("int64")
    if kind.is_string():
        return ibis_module().ifelse(column.re_search("[^0-9]"), None, column).try_cast("int64")
    raise InvalidPrior(
        f"the weights in {name!r} are {kind}: inside an engine they must be integers, so that the plan is exact; scale "
        "and round them first, such as (t.weight * 2**40).round().cast('int64'), or design in memory, which does it"
    )


def hash_secret(engine: Engine, secret: Any, part: int = 0) -> Any:
    """A 60-bit hash of a secret on which all engines agree: the first part of its MD5, or the second."""
    return engine.integer(secret.cast("string").hexdigest("md5")[15 * part : 15 * part + 15])


def class_number(weight: Any) -> Any:
    """The number of a weight's class: ten times the number of its digits, plus the first of them."""
    digits = weight.cast("string")
    return 10 * digits.length() + digits[:1].cast("int64")


@contextmanager
def count_prior(engine: Engine, table: Any, secret: str, weight: str | None, k: int) -> Iterator[Counts]:
    """The prior in a table, checked and counted by one pass, and by another that looks for repeated secrets. Its table
    can be queried inside the block.
    """
    with prepare(engine, table, secret, weight) as rows:
        yield _check(engine, rows, secret, weight, k)


def _check(engine: Engine, rows: Any, secret: str, weight: str | None, k: int) -> Counts:
    ibis = ibis_module()
    is_text = bool(rows.secret.type().is_string())
    number = ibis.ifelse(rows.weight < 0, -1, class_number(rows.weight.abs()))
    rows = rows.mutate(hash=hash_secret(engine, rows.secret), number=number.cast("int64"))
    both = rows.secret.cast("string") + "|" + rows.weight.cast("string")
    marks = {name: hash_secret(engine, both, part) for part, name in enumerate(("first", "second"))}
    found = engine.rows(
        rows.group_by("number")
        .aggregate(
            count=rows.count(),
            nameless=count_if(rows.secret.isnull()),
            weightless=count_if(rows.weight.isnull()),
            **sum_in_parts("weight", rows.weight),
            **sum_in_parts("first", marks["first"]),
            **sum_in_parts("second", marks["second"]),
        )
        .mutate(number=ibis.coalesce(ibis._.number, -2))
    )
    _refuse(found, secret, weight)
    classes = tuple(
        WeightClass(int(row["number"]), int(row["count"]), add_parts(row, "weight"))
        for row in sorted(found, key=lambda row: -row["number"])
    )
    n, total = sum(c.count for c in classes), sum(c.total for c in classes)
    if not total:
        raise InvalidPrior("all weights are zero: at least one secret must be possible")
    if total * min(k, n) > LIMIT:
        raise InvalidParameter(
            f"the total weight {total} times k = {min(k, n)} passes 2^62, so positions would not fit 64-bit integers: "
            "divide all weights by the same number, or design in memory, which puts them on a grid"
        )
    if weight is not None:
        _refuse_repeated(engine, rows)
    content = [[c.number, c.count, c.total] for c in classes]
    content += sorted([row["number"], add_parts(row, "first"), add_parts(row, "second")] for row in found)
    digest = hashlib.sha256(json.dumps(["minleak counts 2", is_text, content]).encode()).hexdigest()
    return Counts(rows, n, total, classes, is_text, digest)


def sum_in_parts(name: str, column: Any) -> dict[str, Any]:
    """The sum of a column in two parts, neither of which can pass 64 bits: see `add_parts`."""
    ibis = ibis_module()
    high, low = (column >> _LOW).sum(), (column & (2**_LOW - 1)).sum()
    return {f"{name}_high": ibis.coalesce(high, 0), f"{name}_low": ibis.coalesce(low, 0)}


def count_if(condition: Any) -> Any:
    """How often a condition holds."""
    return ibis_module().coalesce(condition.cast("int64").sum(), 0)


def add_parts(row: dict[str, Any], name: str) -> int:
    """The sum from its two parts."""
    return (int(row[f"{name}_high"]) << _LOW) + int(row[f"{name}_low"])


def _refuse(found: list[dict[str, Any]], secret: str, weight: str | None) -> None:
    if not found:
        raise InvalidPrior("the table has no rows: a prior needs at least one secret")
    nameless, weightless = (sum(row[what] for row in found) for what in ("nameless", "weightless"))
    if nameless:
        raise InvalidPrior(f"{nameless} rows have no secret in {secret!r}: filter them out, or give them a name")
    if weightless:
        raise InvalidPrior(
            f"{weightless} rows have no whole number in {weight!r}: counts are digits alone, below 2^63, and present"
        )
    below = sum(row["count"] for row in found if row["number"] == -1)
    if below:
        raise InvalidPrior(f"{below} weights in {weight!r} are negative: weights are whole numbers from 0 on")


def _refuse_repeated(engine: Engine, rows: Any) -> None:
    by_secret = rows.group_by("secret").aggregate(rows=rows.count())
    repeated = engine.count(by_secret.filter(by_secret["rows"] > 1))
    if repeated:
        raise InvalidPrior(
            f"{repeated} secrets stand in more than one row: add up their weights first, such as "
            "t.group_by('secret').aggregate(count=t['count'].sum())"
        )


def find_heaviest(engine: Engine, counts: Counts, k: int) -> list[tuple[Any, int]]:
    """The k heaviest secrets and their weights, largest first, ties by name."""
    table = counts.table.select("secret", "weight")
    rows = engine.rows(table.order_by(table.weight.desc(), table.secret).limit(min(k, counts.n)))
    return sorted(((row["secret"], int(row["weight"])) for row in rows), key=lambda row: (-row[1], row[0]))


class Spectrum:
    """The distinct probabilities of a prior, largest first, and how many secrets have each: one aggregate.

    Counts repeat: a billion secrets may have a million different ones. Custom entropies and gains, which distinguish
    secrets, are refused.
    """

    def __init__(self, table: Any, *, secret: str = "secret", weight: str | None = "count") -> None:
        source = as_table(table)
        engine = engine_of(source)
        with prepare(engine, source, secret, weight) as rows:
            found = self._count_weights(engine, rows)
        weights = np.array(found["weight"].to_pylist(), dtype=np.int64)
        times = np.array(found["times"].to_pylist(), dtype=np.int64)
        total = sum(w * c for w, c in zip(weights.tolist(), times.tolist(), strict=True))
        order = np.argsort(weights)[::-1]
        self.weights = weights[order]
        self.values, self.times = self.weights / float(total), times[order].astype(np.float64)

    def prior(self) -> Prior:
        """The prior in memory, without labels; up to 20 million secrets."""
        if self.times.sum() > _LISTED:
            raise InvalidParameter(f"there are more than {_LISTED:,} secrets: say k, or read the counts in memory")
        return Prior(np.repeat(self.weights, self.times.astype(np.int64)))

    @staticmethod
    def _count_weights(engine: Engine, rows: Any) -> Any:
        """How many secrets have each weight above zero."""
        bad = rows.filter(rows.secret.isnull() | rows.weight.isnull() | (rows.weight < 0))
        if wrong := engine.count(bad):
            raise InvalidPrior(f"{wrong} rows have no secret, or no whole number from 0 on as weight: filter them out")
        possible = rows.filter(rows.weight > 0)
        by_weight = possible.group_by("weight").aggregate(times=possible.count())
        found = engine.arrow(by_weight.limit(_DISTINCT + 1))
        if len(found) > _DISTINCT:
            raise InvalidParameter(f"there are more than {_DISTINCT} different weights: measure the prior in memory")
        if not len(found):
            if not engine.count(rows):
                raise InvalidPrior("the table has no rows: a prior needs at least one secret")
            raise InvalidPrior("all weights are zero: at least one secret must be possible")
        return found

    def entropy(self, entropy: ConditionalEntropy | str) -> float:
        """H(X), before anything is observed.

        >>> import pyarrow as pa
        >>> prior = pa.table({"secret": ["flu", "cold", "gout"], "count": [2, 1, 1]})
        >>> Spectrum(prior).entropy("shannon")
        1.5
        """
        measure = as_entropy(entropy)
        value = measure.of_spectrum(self.values, self.times)
        if value is None:
            raise InvalidParameter(f"{measure.name} sees every secret by itself: measure the prior in memory")
        return value
