"""Counts of walks: states, first states, transitions and back-off."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from minleak import Prior
from minleak.core._arrays import Indices
from minleak.core._labels import Labels
from minleak.core._parameters import as_list, whole
from minleak.errors import InvalidParameter, InvalidPrior, quote
from minleak.io._tables import as_values, encode

# Pseudo-counts that are no whole numbers are rounded to parts of this.
_PARTS = 1 << 10
_MOST_ORDER = 16


def blocks_of(labels: Labels, clock: Any, order: int) -> tuple[Indices, Indices]:
    """The block of each state, and the one that its next states are in, to which back-off goes: one for all; by the
    clock, labels (hour, place) are followed by those of the next hour, modulo its period; in a higher order, tuples by
    those that begin as they end.
    """
    if clock is not None:
        period = whole(clock, "clock", most=1 << 20)
        hours = np.array([_hour(i, label, period) for i, label in enumerate(labels)])
        return hours, (hours + 1) % period
    if order == 1:
        return np.zeros(len(labels), dtype=np.int64), np.zeros(len(labels), dtype=np.int64)
    if not all(isinstance(label, tuple) and len(label) == order for label in labels):
        raise InvalidPrior(f"the states of a chain of order {quote(order)} are tuples of so many")
    known: dict[Any, int] = {}
    heads = [known.setdefault(label[:-1], len(known)) for label in labels]
    return np.array(heads), np.array([known.setdefault(label[1:], len(known)) for label in labels])


def _hour(i: int, label: Any, period: int) -> int:
    pair = isinstance(label, tuple) and len(label) == 2 and isinstance(label[0], int) and not isinstance(label[0], bool)
    if not pair or not 0 <= label[0] < period:
        raise InvalidPrior(
            f"with clock={period} states are pairs (hour, place) of hours 0 to {period - 1}: see state {i}"
        )
    return int(label[0])


def count_sequences(sequences: Iterable[Iterable[Hashable]], *, order: int, smoothing: float | str) -> dict[str, Any]:
    """Counts of the sequences, by the names that `Chain` calls them; see `Chain.from_sequences`."""
    size = whole(order, "order", most=_MOST_ORDER)
    check_smoothing(smoothing)
    states: list[Any] = []
    ends: list[int] = []
    for number, sequence in enumerate(as_list(sequences, "sequences are a list of walks, each a list of states")):
        what = f"sequence {number} is no list of states such as text, numbers or tuples, in an order"
        walk = as_list(sequence, what, ordered=True)
        states += walk if size == 1 else [tuple(walk[i : i + size]) for i in range(len(walk) - size + 1)]
        ends.append(len(states))
    if not states:
        raise InvalidPrior(f"there are no sequences of at least {size} states to count")
    codes, labels = encode(as_values(states, "the states"))
    stops = np.array(ends, dtype=np.int64)
    if size > 1:
        kept, codes, stops = _drop_dead_ends(list(labels), codes, stops)
        labels = Labels.of(kept, 0)
    return count_walks(labels, codes, stops, smoothing, size)


def count_walks(labels: Any, codes: Indices, ends: Indices, smoothing: float | str, order: int = 1) -> dict[str, Any]:
    """Counts of walks that lie end to end as positions of states, each up to its end."""
    n = len(labels)
    starts = np.concatenate([[0], ends[:-1]])
    starts = starts[starts < ends]
    first = np.zeros(len(codes), dtype=bool)
    first[starts] = True
    pairs = codes[:-1] * n + codes[1:]
    found, times = np.unique(pairs[~first[1:]], return_counts=True)
    return from_counts(labels, np.bincount(codes[starts], minlength=n), found // n, found % n, times, smoothing, order)


def from_counts(
    labels: Any,
    initial: Indices,
    a: Indices,
    b: Indices,
    times: Indices,
    smoothing: float | str,
    order: int = 1,
) -> dict[str, Any]:
    """Counts of first states and of transitions a -> b, with the back-off that the smoothing stands for."""
    import scipy.sparse as sp

    n = len(labels)
    visits = np.bincount(b, weights=times, minlength=n).astype(np.int64) + initial
    if isinstance(smoothing, str):
        backoff = np.maximum(np.bincount(a, minlength=n), 1)
    elif float(smoothing).is_integer():
        backoff = np.full(n, int(smoothing))
    else:
        times, backoff = times * _PARTS, np.full(n, max(round(float(smoothing) * _PARTS), 1))
    return {
        "initial": Prior(initial, labels=labels),
        "transitions": sp.coo_array((times, (a, b)), shape=(n, n)),
        "backoff": backoff,
        "marginal": visits,
        "_order": order,
        "_where": "state {} of those seen".format,  # unnamed: it may be an entry of a file
    }


def check_smoothing(smoothing: Any) -> None:
    """Refuse what is neither a number from 0 on nor the name of a rule."""
    number = isinstance(smoothing, Real) and not isinstance(smoothing, bool)
    named = isinstance(smoothing, str) and smoothing == "witten-bell"
    if not named and not (number and 0 <= smoothing < 2**40):  # NaN fails
        raise InvalidParameter(
            f"smoothing is 'witten-bell' or a number of transitions from 0 on, not {quote(smoothing)}"
        )


def _drop_dead_ends(states: list[Any], codes: Indices, ends: Indices) -> tuple[list[Any], Indices, Indices]:
    """Drop last states of walks that no seen state can follow, until every walk can go on."""
    walks = [part.tolist() for part in np.split(codes, ends[:-1])]
    while True:
        alive = {states[code][:-1] for walk in walks for code in walk}
        dead = [i for i, walk in enumerate(walks) if walk and states[walk[-1]][1:] not in alive]
        if not dead:
            break
        for i in dead:
            walks[i].pop()
    left = sorted({code for walk in walks for code in walk})
    if not left:
        raise InvalidPrior("no state of this order is followed by another: take a lower order, or longer sequences")
    renamed = {code: i for i, code in enumerate(left)}
    flat = [renamed[code] for walk in walks for code in walk]
    return [states[code] for code in left], np.array(flat, dtype=np.int64), np.cumsum([len(walk) for walk in walks])
