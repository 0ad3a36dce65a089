"""Two or more lists of labels: positions of one in another, values by label, selecting, joining."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from minleak.core._arrays import Indices, in_one_piece
from minleak.core._frames import axes, numbered, pick
from minleak.core._labels import Labels, are_numbers, bytes_of_names
from minleak.errors import InvalidParameter, MinleakError


def find_positions(labels: Labels, others: Labels) -> Indices | None:
    """The position of each label among the others, -1 if it is not there; None if both lists are equal. O(n).

    Default labels are the numbers 0..n-1.
    """
    if labels.is_default and others.is_default:
        if len(labels) == len(others):
            return None
        return np.where(np.arange(len(labels)) < len(others), np.arange(len(labels)), -1)
    if len(labels) == len(others) and labels == others:
        return None
    others = others.indexed()
    names = None if labels.is_default else labels.storable()
    if names is None or not len(others.slots) or (names.type == "int64") != (others.arrow.type == "int64"):
        found = map(others.position, labels)
        return np.array([-1 if at is None else at for at in found], dtype=np.int64)
    from minleak.core import _label_hashing as hashing

    return np.asarray(hashing.find_strings(*bytes_of_names(names), bytes_of_names(others.arrow), others.slots))


def match_from_start(labels: Labels, others: Labels) -> tuple[int, Indices]:
    """How many labels the lists have in common from the start, counted only if it is all of the others, else 0; and the
    position of each further label among the others, -1 if it is not there. Counts of a new day often begin with all
    secrets of the day before, which are then compared instead of looked up.
    """
    if labels.is_default and others.is_default:
        head = min(len(labels), len(others))
        return head, np.full(len(labels) - head, -1)
    head = len(others) if labels.part(0, len(others)) == others else 0
    rest = labels.part(head, len(labels))
    found = find_positions(rest, others) if len(rest) else np.empty(0)
    return head, np.arange(len(rest)) if found is None else np.asarray(found, dtype=np.int64)


def values_by_label(
    given: Any, secrets: Labels, what: str, *, error: type[MinleakError] = InvalidParameter, more: bool = False
) -> Any:
    """Return `given`, one value or row for each secret, in the order of the secrets.

    A mapping is matched by its keys; a frame of pandas or xarray by the labels of its rows; what has no labels (lists,
    arrays, Arrow, polars) is in the order of the secrets already. Missing, repeated and unknown labels are refused,
    except that `more` allows unknown ones.

    >>> values_by_label({"b": 2, "a": 1}, Labels.of(["a", "b"], 2), "the cost")
    [1, 2]
    """
    if isinstance(given, Mapping):
        order = order_of(list(given), secrets, what, error=error, more=more, always=True)
        values = list(given.values())
        return values if order is None else pick(values, order)
    order = order_of(axes(given)[0], secrets, what, error=error, more=more, numbers=numbered(given)[0])
    return given if order is None else pick(given, order)


def columns_by_label(given: Any, secrets: Labels, what: str, *, error: type[MinleakError] = InvalidParameter) -> Any:
    """Return a matrix with a column for each secret in the order of the secrets, like `values_by_label`."""
    order = order_of(axes(given)[1], secrets, what, error=error, numbers=numbered(given)[1])
    return given if order is None else pick(given, order, axis=1)


def order_of(
    names: Any,
    secrets: Labels,
    what: str,
    *,
    error: type[MinleakError] = InvalidParameter,
    more: bool = False,
    always: bool = False,
    numbers: bool = False,
) -> Indices | None:
    """Return where each secret stands among the names; None if they are in order already, or there are none to go by.

    Names go by position where the secrets have none, unless they are the numbers of these; so do numbers 0, 1, ...
    (`numbers`) where the secrets are no numbers. Neither where names count `always`.
    """
    if names is None:
        if not numbers or secrets.is_default or not are_numbers(secrets):
            return None
        names = range(len(secrets))
    labels = names if isinstance(names, Labels) else Labels.of(list(names), len(names))
    if secrets.is_default and not always and not are_numbers(labels):
        return None
    if len(labels) == len(secrets) and labels == secrets:
        return None
    twice = labels.first_duplicate() is not None
    found = find_positions(secrets, labels)
    found = np.arange(len(secrets)) if found is None else found
    missing = int(np.count_nonzero(found < 0))
    unknown = len(labels) - (len(secrets) - missing)
    if twice or missing or (unknown and not more):
        got = f"{len(labels):,} names, some of them twice" if twice else f"{len(labels):,} names"
        raise error(
            f"{what} must name each of the {len(secrets):,} secrets once; got {got}, where {missing:,} secrets are "
            f"missing and {unknown:,} names are of no secret. Name them alike, or give a list in the order of the "
            "secrets."
        )
    return found


def rename(given: Any, names: Any, labels: Any, what: str, error: type[MinleakError], axis: int = 0) -> tuple[Any, Any]:
    """Return `given`, whose rows (or columns) bring `names`, and its labels: those of the caller, if there are any.

    If these are the same names in another order, they say the order; if all are new, they replace the names. What is
    in between is refused.
    """
    if names is None or labels is None:
        return given, names if labels is None else labels
    ours, theirs = Labels.of(names, 0), Labels.of(labels, 0)
    found = find_positions(theirs, ours)
    if found is None or len(ours) != len(theirs) or not (found >= 0).any():
        return given, theirs
    found = order_of(ours, theirs, what, error=error, always=True)
    return (given if found is None else pick(given, found, axis)), theirs


def take(labels: Labels, positions: Indices) -> Labels:
    """The labels at these positions; default labels become the positions themselves."""
    return Labels.of(pa.array(positions), len(positions)) if labels.is_default else labels.take(positions)


def join(several: Sequence[Labels]) -> Labels:
    """The lists one after another. If the first has default labels, so has the whole."""
    if len(several) == 1:
        return several[0]
    if several[0].is_default:
        return Labels(range(sum(map(len, several))))
    names = [one for labels in several if (one := labels.storable()) is not None]
    kinds = {str(one.type) for one in names}
    if len(names) < len(several) or ("int64" in kinds and len(kinds) > 1):
        return Labels.of([name for labels in several for name in labels], sum(map(len, several)))
    kind = names[0].type if len(kinds) == 1 else pa.large_string()
    return Labels(in_one_piece(pa.chunked_array([one.cast(kind) for one in names])))
