"""Files of chains: counts, weights and labels as arrays, read without running anything in them."""

from __future__ import annotations

import json
import os
from operator import index
from typing import Any

import numpy as np

from minleak import Prior
from minleak.core._file.replacing import replace_file
from minleak.core._matrices import MOST, are_rows
from minleak.core._parameters import whole
from minleak.errors import InvalidParameter, MinleakError, UnreadableFile

_FORM = "minleak chain 1"
_INTEGERS = ("indptr", "indices", "counts", "backoff")
_ARRAYS = (*_INTEGERS, "initial", "marginal")


def save_chain(
    path: str | os.PathLike[str], arrays: dict[str, Any], labels: Any, order: int, clock: int | None
) -> None:
    """Write the file whole or not at all."""
    name = _name(path)
    if any(array.dtype.kind == "O" for array in arrays.values()):
        raise InvalidParameter("a chain file holds weights below 2^63: divide them all by the same number")
    try:
        head = json.dumps({"form": _FORM, "order": order, "clock": clock, "labels": labels}, default=index).encode()
    except (TypeError, ValueError):
        raise InvalidParameter("a chain file holds labels that are text, whole numbers, or tuples of these") from None
    try:
        with replace_file(name) as file:
            np.savez_compressed(file, head=np.frombuffer(head, dtype=np.uint8), **arrays)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "the file system refused"
        raise MinleakError(f"cannot write {name}: {why}") from None


def load_chain(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file holds, by the names that `Chain` calls it."""
    import scipy.sparse as sp

    name = _name(path)
    try:
        with open(name, "rb") as file, np.load(file, allow_pickle=False) as stored:
            if sum(part.file_size for part in stored.zip.infolist()) > MOST:
                raise ValueError
            head = json.loads(stored["head"].tobytes())
            found = {name: stored[name] for name in _ARRAYS}
        integers = all(found[name].dtype == np.int64 for name in _INTEGERS)
        if head["form"] != _FORM or not integers or any(array.ndim != 1 for array in found.values()):
            raise ValueError
        n = len(found["initial"])
        if not are_rows(found["indptr"], found["indices"], (n, n)) or len(found["counts"]) != len(found["indices"]):
            raise ValueError
        rows = sp.csr_array((found["counts"], found["indices"], found["indptr"]), shape=(n, n))
        known = {"clock": head["clock"], "_order": whole(head["order"], "order")}
        labels = _label(head["labels"])
    except OSError as error:
        raise UnreadableFile(f"cannot open {name}: {error.strerror or 'the file system refused'}") from None
    except Exception:  # of whatever numpy, zlib, json and scipy find in it
        raise UnreadableFile(
            f"{name} is no chain file, or damaged: make one with `minleak chain fit` or Chain.save"
        ) from None
    initial = Prior(found["initial"], labels=labels)
    return known | {"initial": initial, "transitions": rows} | {part: found[part] for part in ("backoff", "marginal")}


def _label(found: Any) -> Any:
    """Tuples are lists in the file."""
    return tuple(map(_label, found)) if isinstance(found, list) else found


def _name(path: str | os.PathLike[str]) -> str:
    try:
        return os.fsdecode(path)
    except Exception:
        raise InvalidParameter(f"a path is text, not {type(path).__name__}") from None
