"""read_pairs: which observables each secret may show, and at what cost, from a file of tidy rows."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from minleak.errors import UnreadableFile
from minleak.labels import Labels
from minleak.reading.rows import TidyRows


@dataclass(frozen=True)
class Pairs:
    """allowed[x,y], cost[x,y] (None if the file has no costs) and the observables' labels in order of appearance."""

    allowed: npt.NDArray[np.bool_]
    cost: npt.NDArray[np.float64] | None
    outputs: Labels


def read_pairs(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    inputs: Iterable[Hashable],
    secret: str = "secret",
    observable: str = "observable",
    cost: str = "cost",
    format: str | None = None,
) -> Pairs:
    """The pairs in a csv(.gz), tsv or parquet file with a row for every observable that a secret may show.

    What is not listed is not allowed. The column `cost` may be missing; `inputs` are the secrets in order, for
    instance `prior.labels`. Raises UnreadableFile, naming the line.

    >>> import io
    >>> rows = b"secret,observable,cost\\nflu,hot,0\\nflu,mild,1\\ngout,mild,0.5\\n"
    >>> pairs = read_pairs(io.BytesIO(rows), inputs=["flu", "gout"], format="csv")
    >>> pairs.allowed.tolist(), pairs.cost.tolist()
    ([[True, True], [False, True]], [[0.0, 1.0], [0.0, 0.5]])
    """
    file = TidyRows(source, what="pairs are", format=format)
    name = file.name
    wanted = [secret, observable, *([cost] if cost in file.header else [])]
    secrets = {label: x for x, label in enumerate(inputs)}
    observables: dict[Hashable, int] = {}
    found: dict[tuple[int, int], float] = {}
    for line, (x, y, *price) in file.of(wanted):
        if x not in secrets:
            raise UnreadableFile(f"line {line} of {name} names a secret that the prior does not have: {str(x)[:40]!r}")
        at = secrets[x], observables.setdefault(y, len(observables))
        if at in found:
            raise UnreadableFile(f"line {line} of {name} lists a pair for the second time: keep one of them")
        found[at] = _number(price[0], cost, line, name) if price else 0.0
    if not found:
        raise UnreadableFile(f"{name} lists no pairs: at least one observable must be allowed")
    allowed = np.zeros((len(secrets), len(observables)), dtype=bool)
    costs = np.zeros(allowed.shape)
    for at, value in found.items():
        allowed[at], costs[at] = True, value
    return Pairs(allowed, costs if len(wanted) == 3 else None, Labels.of(list(observables), len(observables)))


def _number(text: Any, column: str, line: int, name: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise UnreadableFile(f"the {column} at line {line} of {name} is {str(text)[:40]!r}, which is no finite number")
    return value
