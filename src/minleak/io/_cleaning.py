"""LabelCleaner: strips blanks around labels, brings them into one Unicode form, and warns of labels that look alike."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Indices
from minleak.core._labels import is_text
from minleak.core._parameters import truth
from minleak.errors import MinleakWarning, UnreadableFile

# Blanks inside a label other than a single space: two of any kind, or one of another kind.
_ODD_BLANKS = r"[\s\pZ]{2}|[^\S ]|[^\PZ ]"


class LabelCleaner:
    """`strip` removes blanks around labels, `nfc` normalises them to Unicode's form C. Only text is changed."""

    def __init__(self, *, strip: bool, nfc: bool) -> None:
        self._strip, self._nfc = truth(strip, "strip"), truth(nfc, "nfc")

    def clean(self, labels: pa.Array | list[Any]) -> pa.Array | list[Any]:
        """The labels of a column, or a list of texts, cleaned."""
        import pyarrow.compute as pc

        if not (self._strip or self._nfc):
            return labels
        if isinstance(labels, list):
            try:
                labels = pa.array(labels, pa.large_string())
            except UnicodeEncodeError:
                raise UnreadableFile("a secret holds half of a surrogate pair, which is no text to strip") from None
        if not is_text(labels.type):
            return labels
        if self._nfc:
            labels = pc.utf8_normalize(labels, form="NFC")
        return pc.utf8_trim_whitespace(labels) if self._strip else labels

    def clean_log(
        self, labels: pa.Array | list[Any], times: Indices, name: str, *, blank: int = 0, event: str = "line"
    ) -> tuple[Any, Indices]:
        """The distinct events of a log and the number of each, cleaned; those that become equal are counted together.
        Warns of blank ones, including the `blank` that were left out before, and of labels that differ only in blanks,
        capitals or normal form. `event` names an event in messages.
        """
        import pyarrow.compute as pc

        cleaned = self.clean(labels)
        if isinstance(cleaned, pa.Array) and cleaned is not labels:
            encoded = cleaned.dictionary_encode()
            labels, places = encoded.dictionary, encoded.indices.to_numpy()
            sums = np.zeros(len(labels), dtype=np.int64)
            np.add.at(sums, places, times)
            times = sums
        if isinstance(labels, list) or not is_text(labels.type):
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
        alike = _count_alike(labels)
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


def _count_alike(labels: pa.Array) -> int:
    """How many labels equal an earlier one up to blanks, capitals and normal form."""
    import pyarrow.compute as pc

    if not pc.all(pc.string_is_ascii(labels)).as_py():
        labels = pc.utf8_normalize(labels, form="NFC")
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(labels))
    if pc.any(pc.match_substring_regex(plain, _ODD_BLANKS)).as_py():
        plain = pc.replace_substring_regex(plain, r"[\s\pZ]+", " ")
    return len(labels) - len(pc.unique(plain))
