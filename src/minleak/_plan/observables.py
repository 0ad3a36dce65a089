"""Labels of observables in a file: text, whole and other numbers as arrays, tuples of these as JSON."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from minleak._data.labels import Labels
from minleak.errors import InvalidCloak

# The forms, and the type of the array that each is kept in.
FORMS = {"default": None, "text": pa.large_string(), "integers": pa.int64(), "numbers": pa.float64()}
FORMS["json"] = pa.large_string()
_PLAIN = {str: "text", int: "integers", float: "numbers"}


def storable_outputs(outputs: Labels) -> tuple[pa.Array | None, str]:
    """The labels as an array, and the form that they have in it."""
    if outputs.is_default:
        return None, "default"
    names = list(outputs)
    kinds = {type(name) for name in names}
    try:
        if len(kinds) == 1 and kinds <= set(_PLAIN):
            form = _PLAIN[kinds.pop()]
            return pa.array(names, type=FORMS[form]), form
        return pa.array([json.dumps(_listed(name)) for name in names], type=pa.large_string()), "json"
    except (TypeError, ValueError, OverflowError, RecursionError, pa.ArrowException):
        raise InvalidCloak("a file holds observables that are text, numbers, or tuples of these: rename them") from None


def restored_outputs(form: str, count: int, names: pa.Array | None) -> Labels:
    """The labels again; a ValueError or the like where the array holds none of that form."""
    if form == "default":
        return Labels.of(None, count)
    if names is None or names.type != FORMS[form] or names.null_count or len(names) != count:
        raise ValueError("not the labels of observables")
    names.validate(full=True)
    given = names.to_pylist()
    labels = Labels.of([_tupled(json.loads(name)) for name in given] if form == "json" else given, count)
    if labels.first_duplicate() is not None:
        raise ValueError("two observables of one name")
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
    if type(read) not in (str, int, float):
        raise ValueError("not the label of an observable")
    return read
