"""Labels of observables in a file: text, whole and other numbers as arrays, tuples of these as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from minleak._data.labels import Labels
from minleak._file.format import Contents, require
from minleak._file.writing import text_arrays
from minleak.errors import InvalidCloak

_FORMS = {str: "text", int: "integers", float: "numbers"}
_TYPES = {"integers": "i8", "numbers": "f8"}


def output_arrays(outputs: Labels) -> tuple[dict[str, Any], str]:
    """The labels as arrays, and the form that they have in them."""
    if outputs.is_default:
        return {}, "default"
    names = list(outputs)
    kinds = {type(name) for name in names}
    form = _FORMS[kinds.pop()] if len(kinds) == 1 and kinds <= set(_FORMS) else "json"
    try:
        if form in _TYPES:
            return {"outputs": np.array(names, dtype=_TYPES[form])}, form
        texts = names if form == "text" else [json.dumps(_listed(name)) for name in names]
        return text_arrays("outputs", pa.array(texts, type=pa.large_string())), form
    except (TypeError, ValueError, OverflowError, RecursionError, pa.ArrowException):
        raise InvalidCloak("a file holds observables that are text, numbers, or tuples of these: rename them") from None


def outputs_from(contents: Contents, form: Any, count: int) -> Labels:
    """The labels again; a ValueError or the like where the arrays hold none of that form."""
    if form == "default":
        return Labels.of(None, count)
    require(form in ("text", "json", *_TYPES))
    if form in _TYPES:
        given = contents.vector("outputs", _TYPES[form], count).tolist()
    else:
        given = contents.text("outputs", count).to_pylist()
    labels = Labels.of([_tupled(json.loads(name)) for name in given] if form == "json" else given, count)
    require(labels.first_duplicate() is None)
    return labels


def _listed(label: Any) -> Any:
    """Tuples as lists, which JSON has; what it would change is refused."""
    if type(label) is tuple:
        return [_listed(part) for part in label]
    if type(label) in (str, int, float) and label == label:
        return label
    raise TypeError


def _tupled(read: Any) -> Any:
    if type(read) is list:
        return tuple(_tupled(part) for part in read)
    require(type(read) in (str, int, float))
    return read
