"""Warnings about events, each with its remedy, in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from minleak.samples._attacks import FEW_COLUMNS
from minleak.samples._events import Events
from minleak.samples._sample import MOST_ROWS

# With fewer events per observable or secret, frequencies say little; with fewer blocks, bounds say little.
_FEW, _BLOCKS = 5, 20


def find_caveats(events: Events, attack: Any, unbounded: Sequence[str]) -> Iterator[str]:
    """Warnings for these events, the attack asked for (if any), and the measures without a lower bound."""
    each = events.total / events.observables
    if each < _FEW and events.points is None:
        yield (
            f"undersampled: {events.total:,} events show {events.observables:,} different observables, {each:.1f} "
            "events each, so frequencies say little and the bounds are wide: give numbers as numbers (numeric), "
            "group observables, or collect more"
        )
    elif each < _FEW and events.whole:
        yield f"{events.observables:,} different observables in {events.total:,} events: the upper bound is loose"
    rare = int((np.bincount(events.x, weights=events.times) < _FEW).sum())
    if rare:
        yield f"{rare:,} of {len(events.secrets):,} secrets have fewer than {_FEW} events: collect more of them"
    if events.blocks is not None:
        blocks = len(np.unique(events.blocks))
        if blocks < _BLOCKS:
            yield f"only {blocks} blocks: bounds count blocks, so collect {_BLOCKS} or more"
        if unbounded:
            yield (
                f"with blocks only one guess has a lower bound: {', '.join(unbounded)} have estimates only, without a "
                "guarantee"
            )
    elif events.points is not None and _in_stretches(events):
        yield (
            "secrets come in long stretches, so drift in timings looks like leakage: collect them in random order, "
            "or say which events belong to one period (blocks)"
        )
    vectors = events.points is not None and events.points.shape[1] > 1
    if vectors and events.total > max(MOST_ROWS, len(events.x)):
        yield f"vectors of more than {MOST_ROWS:,} weighted events are taken as names: take a sample to see near ones"
    wide = events.points is not None and events.points.shape[1] > FEW_COLUMNS
    if attack is None and events.sequences:
        yield (
            "sequences were attacked by features (lengths, values, pairs of neighbours): a model of whole sequences "
            "may see more; in Python, attack= takes a classifier of these features"
        )
    if attack is None and wide and find_spec("sklearn") is None:
        yield "a forest was not tried, and may see more: pip install '.[samples]' in the folder of minleak's source"


def _in_stretches(events: Events) -> bool:
    """Whether secrets repeat far more often than in a random order."""
    if int(events.times.max()) > 1:
        return False
    q = np.bincount(events.x) / len(events.x)
    changes = float(np.count_nonzero(np.diff(events.x))) / (len(events.x) - 1)
    return changes < 0.5 * float(1 - q @ q)
