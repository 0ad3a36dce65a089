"""Reading priors, channels, pairs and places from files and data frames."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Array
from minleak.core._channel import Channel
from minleak.core._labels import Labels
from minleak.core._matrices import too_large
from minleak.core._parameters import truth
from minleak.core._prior import Prior
from minleak.errors import InvalidChannel, UnreadableFile
from minleak.io._cleaning import LabelCleaner
from minleak.io._formats import open_table
from minleak.io._logs import Log
from minleak.io._sources import Source
from minleak.io._tables import InputTable, column_names, first_repeat, matrix_cells, shorten


def read_prior(
    source: Source | Any,
    *,
    secret: str = "secret",
    weight: str | None = "count",
    events: int | None = None,
    format: str | None = None,
    field: str | None = None,
    status: str | None = None,
    query: bool = True,
    strip: bool = False,
    nfc: bool = False,
) -> Prior:
    """The prior in a file or data frame of secrets and their counts (or other weights), or in a log of events.

    Parameters
    ----------
    source
        A path, an open binary file, a data frame (pandas, polars) or an Arrow table. A file whose name ends in .gz is
        decompressed.
    secret, weight
        The columns to read. Secrets are text in csv and tsv and keep their types elsewhere. With weight=None each row
        is an event, and the events are counted.
    events
        The number of events behind weights that are shares of them (`Prior.events`).
    format
        "csv", "tsv", "parquet", "json" (a mapping from secret to weight), "uniq" (the output of `sort | uniq -c` or
        `uniq -cz`: a count, a space, the secret), "lines" (a log of one secret a line, counted), or a log with fields:
        "combined" or "common" (access logs of web servers), "jsonl" (one JSON object a line) or "syslog". By default
        the ending of the name decides (.txt means uniq, .log lines). A log with fields is recognised by its first
        lines, whatever its name, unless the ending is that of a table.
    field
        The field of a log, or the column of a table, that holds the secret of each event; the events are counted.
        Required for a log with fields. Access logs have server, host, user, time, method, path, query, protocol,
        status, bytes, referrer and agent; syslog has time, host, program, pid and message.
    status, query
        Count only records with such a status, as in "2xx" or "200,304". With query=False, remove the query strings
        from paths and referrers.
    strip, nfc
        Strip blanks around secrets that are text; normalise them to Unicode's form C. Lines of a log that become equal
        are counted together. Rows of other files that become equal are refused, since they may hold more than counts.

    Text is UTF-8; in csv and tsv a quote inside quotes is written twice. Integer weights of any size stay exact. Raises
    UnreadableFile, with the line, for rows that cannot be parsed and columns that are missing or there twice, and
    InvalidPrior for weights that are not a prior; no message shows a secret. Warns (MinleakWarning) how many lines of a
    log were skipped, because they are blank or not records, and how many secrets differ only in blanks, capitals or
    normal form. A log with fields is read in pieces, in memory for its distinct secrets. Time: within a small factor of
    pyarrow's own time to read the file.

    >>> import io
    >>> read_prior(io.BytesIO(b"secret,count\\nflu,812\\ncold,640\\n"), format="csv")
    Prior(n=2, total=1452, exact)
    >>> log = b'::1 - - [18/Nov/2026:04:00:00 +0000] "GET /flu?page=2 HTTP/1.1" 200 812 "-" "curl/8.5"\\n'
    >>> read_prior(io.BytesIO(log), format="combined", field="path", status="2xx", query=False).labels
    Labels('/flu'; n=1)
    """
    cleaner = LabelCleaner(strip=strip, nfc=nfc)
    table = open_table(source, format=format)
    if isinstance(table, Log):
        counted = _count_records(table, field, status=status, query=truth(query, "query"))
        labels, weights = cleaner.clean_log(*counted, table.name, event="record")
        return Prior(weights, labels=labels, events=events)
    table.choose_records(status=status, query=query)
    if field is not None:
        if table.header is None:
            raise UnreadableFile(f"{table.name} has no fields: leave out field=, or say its format=")
        secret, weight = field, None
    if weight is None and table.header is not None:
        codes, names = table.read({"secret": secret}, {})["secret"].codes()
        labels, weights = cleaner.clean_log(names.arrow, np.bincount(codes), table.name, event="row")
        return Prior(weights, labels=labels, events=events)
    columns = table.read({"secret": secret}, {"weight": "" if weight is None else weight})
    secrets, weights = columns["secret"].names(), columns["weight"].numbers()
    if table.blank is not None:
        labels, weights = cleaner.clean_log(secrets, weights, table.name, blank=table.blank)
        return Prior(weights, labels=labels, events=events)
    if weight is None:
        raise UnreadableFile(f"{table.name} holds counts already, and no events to count")
    return Prior(weights, labels=cleaner.clean(secrets), events=events, _where=table.where)


def _count_records(log: Log, field: str | None, *, status: str | None, query: bool) -> tuple[Any, Any]:
    """The distinct values of a field of a log, and the number of records with each."""
    if field is None:
        names = log.header or []
        example = next((name for name in ("path", "message") if name in names), "...")
        of = "of " if log.printable_names else "though they are "
        refused = UnreadableFile(
            f"{log.name} is a log of the format {log.kind}, and each line an event: say which field is the secret, "
            f"such as field='{example}', {of}{log.list_columns()}; or format='lines' to take whole lines for secrets"
        )
        refused.add = [] if example == "..." else ["--field", example]  # what the command line repeats the call with
        raise refused
    log.check_names({"field": field})
    log.choose_records(status=status, query=query)
    labels, times = log.count(field)
    log.warn_of_skipped(field)
    if not len(labels):
        raise UnreadableFile(f"{log.name} has no records with a value of the field {field!a} that are to be counted")
    return labels, np.array(times, dtype=np.int64)


def read_channel(
    source: Source | Any,
    *,
    secret: str = "secret",
    observable: str = "observable",
    probability: str | None = None,
    inputs: Iterable[Hashable] | None = None,
    format: str | None = None,
) -> Channel:
    """The channel in a csv(.gz), tsv or parquet file or a data frame: a row for every non-zero p(observable given
    secret), or a row for every secret and a column for every observable.

    `probability` names the column of probabilities, "probability" by default. Without one, the table is a mapping: each
    secret has one row and always shows the observable in it. A table of three or more columns, none of which holds
    observables, is a matrix: the first column (or the one named `secret`) holds the secrets, and each other column is
    an observable. In text, probabilities may be fractions such as 1/3.

    `inputs` sets the order of the secrets, for instance to `prior.labels`. Raises UnreadableFile or InvalidChannel,
    with the line.

    >>> import io
    >>> rows = b"secret,observable,probability\\nflu,hot,0.9\\nflu,cold,0.1\\ngout,cold,1\\n"
    >>> read_channel(io.BytesIO(rows), format="csv")
    Channel(2 secrets, 2 observables, sparse with 3 non-zeros)
    >>> read_channel(io.BytesIO(b",hot,cold\\nflu,2/3,1/3\\ngout,0,1\\n"), format="csv").matrix.round(3).tolist()
    [[0.667, 0.333], [0.0, 1.0]]
    """
    import scipy.sparse as sp

    table = open_table(source, format=format, what="a channel is")
    if probability is None and observable == "observable" and len(table.header or ()) > 2 and not table.has(observable):
        return _read_matrix(table, secret, inputs)
    mapping = probability is None and not table.has("probability")
    numbers = {} if mapping else {"probability": "probability" if probability is None else probability}
    columns = table.read({"secret": secret, "observable": observable}, numbers)
    x, y, secrets, observables = matrix_cells(columns["secret"], columns["observable"], inputs)
    if mapping:
        again = first_repeat(x)
        if again is not None:
            raise UnreadableFile(
                f"{table.where(again)} shows a second observable for a secret, and {table.name} has no column "
                "'probability': say how likely each is, or which column tells (probability=)"
            )
    entries = np.ones(len(x)) if mapping else columns["probability"].floats()
    if not entries.min() >= 0:
        raise InvalidChannel(f"the probability at {table.where(int(entries.argmin()))} is negative")
    there, first = np.unique(x, return_index=True)
    if len(there) < len(secrets):
        missing = int(np.setdiff1d(np.arange(len(secrets)), there)[0])
        raise InvalidChannel(f"{table.name} has no rows for secret {missing} of the inputs")
    return Channel(
        sp.coo_array((entries, (x, y)), shape=(len(secrets), len(observables))),
        inputs=secrets,
        outputs=observables,
        _where=lambda x: f"the secret at {table.where(int(first[x]))}",
    )


def _read_matrix(table: InputTable, secret: str, inputs: Iterable[Hashable] | None) -> Channel:
    """The channel in a table with a column for every observable."""
    names = table.header or []
    first = secret if secret in names else names[0]
    seen = [name for name in names if name != first]
    try:
        read = table.read({"secret": first}, {f"probability in column {names.index(y) + 1}": y for y in seen})
        rows = np.stack([column.floats() for role, column in read.items() if role != "secret"], axis=1)
    except UnreadableFile as error:
        known = table.has(secret) and f", its columns are {shorten(names)}"
        raise UnreadableFile(
            f"{table.name} has no column 'observable' (choose it with observable=){known or ''}; nor is it a matrix "
            f"with a column for each observable: {error}"
        ) from None
    codes, secrets = read["secret"].codes()
    again = first_repeat(codes)
    if again is not None:
        raise UnreadableFile(f"{table.where(again)} lists a secret for the second time: keep one")
    if inputs is not None:
        order = {name: x for x, name in enumerate(secrets[:])}
        secrets = Labels.of(inputs, 0)
        missing = next((x for x, name in enumerate(secrets) if name not in order), None)
        if missing is not None:
            raise InvalidChannel(f"{table.name} has no rows for secret {missing} of the inputs")
        read["secret"].codes_among(secrets)
        rows = rows[[order[name] for name in secrets]]
    return Channel(rows, inputs=secrets, outputs=seen)


@dataclass(frozen=True)
class Pairs:
    """allowed[x,y], cost[x,y] (None if the file has no costs) and the labels of observables in order of appearance."""

    allowed: npt.NDArray[np.bool_]
    cost: Array | None
    outputs: Labels


def read_pairs(
    source: Source | Any,
    *,
    inputs: Iterable[Hashable],
    secret: str = "secret",
    observable: str = "observable",
    cost: str = "cost",
    format: str | None = None,
) -> Pairs:
    """The allowed pairs in a csv(.gz), tsv or parquet file or a data frame: a row for every observable that a secret
    may show.

    The column `cost` may be missing. `inputs` are the secrets in order, for instance `prior.labels`. Raises
    UnreadableFile, with the line.

    >>> import io
    >>> rows = b"secret,observable,cost\\nflu,hot,0\\nflu,mild,1\\ngout,mild,0.5\\n"
    >>> pairs = read_pairs(io.BytesIO(rows), inputs=["flu", "gout"], format="csv")
    >>> pairs.allowed.tolist(), pairs.cost.tolist()
    ([[True, True], [False, True]], [[0.0, 1.0], [0.0, 0.5]])
    """
    table = open_table(source, format=format, what="pairs are")
    numbers = {"cost": cost} if table.has(cost) else {}
    columns = table.read({"secret": secret, "observable": observable}, numbers)
    x, y, secrets, observables = matrix_cells(columns["secret"], columns["observable"], inputs)
    shape = (len(secrets), len(observables))
    size = too_large(math.prod(shape), each=9)
    if size is not None:
        raise UnreadableFile(f"all pairs of the secrets and observables of {table.name} are {size}")
    allowed = np.zeros(shape, dtype=bool)
    allowed[x, y] = True
    costs = np.zeros(shape) if numbers else None
    if costs is not None:
        costs[x, y] = columns["cost"].floats()
    return Pairs(allowed, costs, observables)


def read_places(source: Source | Any, *, columns: Sequence[str], format: str | None = None) -> Array:
    """The numbers in some columns of a csv, tsv or parquet file or a data frame, as an array with a row for each row.

    From a file that `read_prior` reads, row i is the place of secret i. Raises UnreadableFile for missing columns and
    for entries that are not numbers, with the line.

    >>> import io
    >>> text = b"secret,count,lat,lon\\nLima,10,-12.05,-77.04\\n"
    >>> read_places(io.BytesIO(text), columns=["lat", "lon"], format="csv")
    array([[-12.05, -77.04]])
    """
    what = "columns are the names of one or more columns, each once, such as ['lat', 'lon']"
    roles = {f"entry in {name!a}": name for name in column_names(columns, what, UnreadableFile)}
    found = open_table(source, format=format, what="places are").read({}, roles, choose="columns=")
    return np.stack([column.floats() for column in found.values()], axis=1)
