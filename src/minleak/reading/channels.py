"""read_channel: a channel from a file of tidy rows (secret, observable, probability)."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from typing import Any, BinaryIO

from minleak.channel import Channel
from minleak.errors import InvalidChannel, UnreadableFile
from minleak.reading.rows import TidyRows


def read_channel(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    secret: str = "secret",
    observable: str = "observable",
    probability: str = "probability",
    inputs: Iterable[Hashable] | None = None,
    format: str | None = None,
) -> Channel:
    """The channel in a csv(.gz), tsv or parquet file with a row for every p(observable given secret) that is not zero.

    `inputs` fixes the order of the secrets, for instance to `prior.labels`. Raises UnreadableFile or InvalidChannel,
    naming the row.

    >>> import io
    >>> rows = b"secret,observable,probability\\nflu,hot,0.9\\nflu,cold,0.1\\ngout,cold,1\\n"
    >>> read_channel(io.BytesIO(rows), format="csv")
    Channel(2 secrets, 2 observables, sparse with 3 non-zeros)
    """
    file = TidyRows(source, what="a channel is", format=format)
    rows = file.of((secret, observable, probability), hint=" (choose them with secret=, observable=, probability=)")
    try:
        return Channel.from_rows(((x, y, _number(p, line, file.name)) for line, (x, y, p) in rows), inputs=inputs)
    except InvalidChannel as error:
        raise InvalidChannel(f"{file.name}: {error}") from None


def _number(text: Any, line: int, name: str) -> Any:
    """What a text spells; a number as it is, for the channel to judge."""
    if not isinstance(text, str):
        return text
    try:
        return float(text)
    except ValueError:
        raise UnreadableFile(
            f"the probability at line {line} of {name} is {text[:40]!r}, which is not a number"
        ) from None
