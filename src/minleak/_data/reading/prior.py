"""read_prior: a prior from the files that counts come in."""

from __future__ import annotations

import os
from typing import BinaryIO

from minleak._data.prior import Prior
from minleak._data.reading.table import Table
from minleak._data.reading.tidying import Tidy
from minleak.errors import UnreadableFile


def read_prior(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    secret: str = "secret",
    weight: str | None = "count",
    events: int | None = None,
    format: str | None = None,
    strip: bool = False,
    nfc: bool = False,
) -> Prior:
    """The prior in a file of secrets and their counts (or any weights).

    Parameters
    ----------
    source
        A path, or an open binary file. A name ending in .gz is decompressed.
    secret, weight
        The columns to read from csv, tsv and parquet. In csv and tsv secrets are text; parquet keeps its own type.
        With weight None each row is an event, and they are counted here, as lines are.
    events
        How many events the weights come from, where they are shares of them (`Prior.events`).
    format
        "csv", "tsv", "parquet", "json" (a mapping from secret to weight), "uniq" (what `sort | uniq -c` or `uniq -cz`
        prints: a count, a space, the secret) or "lines" (a log: one secret a line, counted here). Taken from the ending
        of the name if not given (.txt means uniq, .log lines).
    strip, nfc
        Take off the blanks around secrets that are text; bring them into Unicode's normal form C. Lines of a log that
        are equal then are counted together; rows of other files that are, are refused, since they may hold more than
        counts.

    Text is UTF-8; in csv and tsv a quote inside of quotes is written twice. Integer weights stay exact, whatever their
    size. Raises UnreadableFile, naming the line, for rows that cannot be parsed and columns that are not there once,
    and InvalidPrior for weights that are no prior; no message shows a secret. Of a log, warns (MinleakWarning) how many
    blank lines were skipped, as no events, and how many secrets differ from others only in blanks, capitals or normal
    form. Time: within a small factor of what pyarrow itself needs to read the file.

    >>> import io
    >>> read_prior(io.BytesIO(b"secret,count\\nflu,812\\ncold,640\\n"), format="csv")
    Prior(n=2, total=1452, exact)
    """
    tidy = Tidy(strip=strip, nfc=nfc)
    table = Table(source, format=format)
    if weight is None and table.names_columns:
        rows = table.read({"secret": secret}, {})["secret"]
        labels, times = rows.value_counts().flatten()
        labels, weights = tidy.log(labels, times.to_numpy(), table.name, event="row")
        return Prior(weights, labels=labels, events=events)
    columns = table.read({"secret": secret}, {"weight": "" if weight is None else weight})
    labels, weights = columns["secret"], columns["weight"]
    if table.blank is not None:
        labels, weights = tidy.log(labels, weights, table.name, blank=table.blank)
        return Prior(weights, labels=labels, events=events)
    if weight is None:
        raise UnreadableFile(f"{table.name} holds counts already: rows are counted of csv, tsv, parquet and lines")
    return Prior(weights, labels=tidy.labels(labels), events=events, _where=table.where)
