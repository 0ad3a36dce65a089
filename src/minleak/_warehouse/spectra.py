"""Spectrum: H(X) of a prior inside an engine, from its distinct weights and how many secrets have each."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._warehouse.counts import prepared
from minleak._warehouse.engines import as_table, engine_of
from minleak.errors import InvalidParameter, InvalidPrior

# The most distinct weights to take into memory.
LIMIT = 5_000_000


class Spectrum:
    """The distinct probabilities of a prior, largest first, and how many secrets have each: one aggregate.

    Counts repeat, so that a billion secrets have perhaps a million of them. Entropies of one's own and gains, which see
    every secret by itself, are refused.
    """

    def __init__(self, table: Any, *, secret: str = "secret", weight: str | None = "count") -> None:
        source = as_table(table)
        engine = engine_of(source)
        rows = prepared(engine, source, secret, weight)
        bad = rows.filter(rows.secret.isnull() | rows.weight.isnull() | (rows.weight < 0))
        if wrong := engine.count(bad):
            raise InvalidPrior(f"{wrong} rows have no secret, or no whole number from 0 on as weight: filter them out")
        possible = rows.filter(rows.weight > 0)
        by_weight = possible.group_by("weight").aggregate(times=possible.count())
        found = engine.arrow(by_weight.limit(LIMIT + 1))
        if len(found) > LIMIT:
            raise InvalidParameter(f"there are more than {LIMIT} different weights: measure the prior in memory")
        if not len(found):
            if not engine.count(rows):
                raise InvalidPrior("the table has no rows: a prior needs at least one secret")
            raise InvalidPrior("all weights are zero: at least one secret must be possible")
        weights = np.array(found["weight"].to_pylist(), dtype=np.int64)
        times = np.array(found["times"].to_pylist(), dtype=np.int64)
        total = sum(w * c for w, c in zip(weights.tolist(), times.tolist(), strict=True))
        order = np.argsort(weights)[::-1]
        self.values, self.times = weights[order] / float(total), times[order].astype(np.float64)

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
