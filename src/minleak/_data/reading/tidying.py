"""Labels as people meant them: without blanks around them, in one normal form; and how many differ in no more."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak.errors import InvalidParameter, MinleakWarning, UnreadableFile, shown

# Blanks inside of a label that are not one space: two of any kind, or one of another kind.
_ODD_BLANKS = r"[\s\pZ]{2}|[^\S ]|[^\PZ ]"


class Tidy:
    """What is to be done with the labels of a file: `strip` takes off the blanks around them, `nfc` brings them into
    Unicode's normal form C. What is no text stays as it is.
    """

    def __init__(self, *, strip: bool, nfc: bool) -> None:
        for asked, what in ((strip, "strip"), (nfc, "nfc")):
            if not isinstance(asked, bool | np.bool_):
                raise InvalidParameter(f"{what} is True or False, not {shown(asked)}")
        self._strip, self._nfc = bool(strip), bool(nfc)

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
        self, labels: pa.Array, times: npt.NDArray[np.int64], name: str, *, blank: int = 0, event: str = "line"
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
