"""read_prior: a prior from the files that counts come in, its labels as people meant them."""

from __future__ import annotations

import os
import warnings
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from minleak._data.arrays import Indices
from minleak._data.prior import Prior
from minleak._data.reading.table import Table
from minleak.errors import InvalidParameter, MinleakWarning, UnreadableFile, shown

# Blanks inside of a label that are not one space: two of any kind, or one of another kind.
_ODD_BLANKS = r"[\s\pZ]{2}|[^\S ]|[^\PZ ]"


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
        raise UnreadableFile(f"{table.name} holds counts already, and no events to count")
    return Prior(weights, labels=tidy.labels(labels), events=events, _where=table.where)


class Tidy:
    """What is to be done with the labels of a file: `strip` takes off the blanks around them, `nfc` brings them into
    Unicode's normal form C. What is no text stays as it is.
    """

    def __init__(self, *, strip: bool, nfc: bool) -> None:
        for asked, what in ((strip, "strip"), (nfc, "nfc")):
            if not isinstance(asked, bool | np.bool_):
                raise InvalidParameter(f"{what} is True or False, not {shown(asked)}")
        self._strip, self._nfc = bool(strip), bool(nfc)

    def texts(self, given: list[str]) -> list[str]:
        """Labels that were typed, tidied as those of a column are."""
        return list(given) if not (self._strip or self._nfc) else list(self.labels(given).to_pylist())

    def labels(self, labels: Any) -> Any:
        """The labels of a column, tidied."""
        import pyarrow.compute as pc

        if not (self._strip or self._nfc):
            return labels
        column = _arrow(labels)
        if not _is_text(column):
            return labels
        if self._nfc:
            column = pc.utf8_normalize(column, form="NFC")
        return pc.utf8_trim_whitespace(column) if self._strip else column

    def log(
        self, labels: pa.Array, times: Indices, name: str, *, blank: int = 0, event: str = "line"
    ) -> tuple[Any, Any]:
        """The distinct lines or rows of a log and how often each was there, those that tidying makes equal counted
        together. Warns of blank ones, those that were `blank` before too, and of labels that stay different only in
        blanks, capitals or normal form. `event` is what messages call one.
        """
        import pyarrow.compute as pc

        tidied = self.labels(labels)
        if tidied is not labels:
            encoded = tidied.dictionary_encode()
            labels, places = encoded.dictionary, encoded.indices.to_numpy()
            sums = np.zeros(len(labels), dtype=np.int64)
            np.add.at(sums, places, times)
            times = sums
        if not _is_text(labels):
            return labels, times
        empty = pc.equal(labels, "").to_numpy(zero_copy_only=False)
        if empty.any():
            blank += int(times[empty].sum())
            labels, times = labels.filter(pa.array(~empty)), times[~empty]
        if not len(labels):
            raise UnreadableFile(f"{name} has no rows but blank ones")
        if blank:
            said = f"{event} of {name} was" if blank == 1 else f"{event}s of {name} were"
            warnings.warn(f"{blank:,} blank {said} skipped", MinleakWarning, stacklevel=3)
        alike = _alike(labels)
        if alike:
            said = "label of {} differs" if alike == 1 else "labels of {} differ"
            remedies = [
                *(["strip=True takes off the blanks around"] if not self._strip else []),
                *(["nfc=True brings all to one form"] if not self._nfc else []),
                "capitals are never changed",
            ]
            warnings.warn(
                f"{alike:,} {said.format(name)} from another only in blanks, capitals or Unicode's normal form; "
                + ", ".join(remedies),
                MinleakWarning,
                stacklevel=3,
            )
        return labels, times


def _is_text(column: Any) -> bool:
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def _arrow(labels: Any) -> Any:
    """A column or a list of texts as Arrow."""
    if not isinstance(labels, list):
        return labels
    try:
        return pa.array(labels, pa.large_string())
    except UnicodeEncodeError:
        raise UnreadableFile("a secret holds half of a surrogate pair, which is no text to strip") from None


def _alike(labels: pa.Array) -> int:
    """How many labels would be gone if blanks, capitals and normal forms made no difference."""
    import pyarrow.compute as pc

    if not pc.all(pc.string_is_ascii(labels)).as_py():
        labels = pc.utf8_normalize(labels, form="NFC")
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(labels))
    if pc.any(pc.match_substring_regex(plain, _ODD_BLANKS)).as_py():
        plain = pc.replace_substring_regex(plain, r"[\s\pZ]+", " ")
    return len(labels) - len(pc.unique(plain))
