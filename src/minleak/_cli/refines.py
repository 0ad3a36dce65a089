"""refines: whether one channel is never worse than another."""

from __future__ import annotations

from typing import Any

import numpy as np

from minleak._cli.channels import Columns
from minleak._cli.inputs import one_stdin, rows_beside, rows_of
from minleak._cli.options import Format, Secret, argument, option
from minleak._cli.output import Answer, table, working
from minleak._data.reading.channels import read_channel
from minleak._measure.refinement import orders

# What is printed of the gains.
_SECRETS, _GUESSES = 20, 6


def refines(
    first: str = argument("FIRST", "Rows of secret, observable, probability: csv(.gz), tsv, parquet; - is stdin."),
    second: str = argument("SECOND", "The channel that may be better, likewise."),
    *,
    tolerance: float = option("How far entries may be off.", default=1e-8),
    secret: Secret = "secret",
    columns: Columns,
    format: Format = None,
) -> Answer:
    """Tell whether the second channel never leaks more than the first, whatever the prior and the gains. Exit code 1 if
    it may, with gains for which it does.

    Example: minleak refines test.csv test.csv
    """
    one_stdin(FIRST=first, SECOND=second)
    with working("comparing the channels"):
        A = read_channel(**rows_of(first, format), secret=secret, **vars(columns))
        B = read_channel(**rows_beside(second), secret=secret, **vars(columns), inputs=A.inputs)
        found = orders.refines(A, B, tolerance=tolerance)
    data: dict[str, Any] = {"refines": found.ok, "earned": found.earned, "secrets": list(A.inputs), "gain": None}
    parts = [str(found)]
    if not found.ok:
        gain = found.gain if isinstance(found.gain, np.ndarray) else found.gain.toarray()
        data["gain"] = gain
        told = np.argsort(-np.ptp(gain, axis=0), kind="stable")[:_SECRETS].tolist()
        rows = [[A.inputs[x], *gain[:_GUESSES, x].tolist()] for x in told]
        heads = ["secret", *(f"guess {w + 1}" for w in range(min(_GUESSES, len(gain))))]
        parts += ["", table("what each guess is worth, all secrets equally likely", heads, rows)]
    return Answer(data, parts, code=0 if found.ok else 1)
