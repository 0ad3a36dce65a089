"""The set at a place of one secret without the compiled loop, which takes longer to load than a few draws do."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from minleak._design.plan import Plan
from minleak._design.stored.tables import Tables


def set_at(plan: Plan, tables: Tables, secret: int, place: int) -> list[int]:
    """The members in increasing order, none if the secret has no weight: those that `drawing.draw_sets` gives.

    Segments are searched without the guide, in O(u log n); few pages of a mapped file are read.
    """
    if not plan.weights[secret]:
        return []
    home, ring, phase = _where(plan, tables, secret, place)
    if home is not None:
        others = plan.homes.members[home].tolist()
    else:
        base, length = int(tables.bases[ring]), int(tables.lengths[ring])
        tracks = base + phase + length * np.arange(plan.u, dtype=np.int64)
        segments = np.searchsorted(tables.starts, tracks, side="right") - 1
        others = (tables.members[segments] if len(tables.members) else segments).tolist()
    return sorted([*tables.giants.tolist(), *others])


def _where(plan: Plan, tables: Tables, secret: int, place: int) -> tuple[int | None, int, int]:
    """A home, or None and a ring and a phase of it."""
    if secret in tables.giants:
        at_home = int(tables.home_ends[-1]) if len(tables.home_ends) else 0
        if place < at_home:
            return bisect_right(tables.home_ends, place), 0, 0
        phase, ring = place - at_home, 0
        while phase >= tables.lengths[ring]:
            phase -= int(tables.lengths[ring])
            ring += 1
        return None, ring, phase
    home = int(tables.home_of[secret]) if len(tables.home_of) else -1
    if home >= 0:
        owned = plan.u * int(plan.homes.weights[home])
        if place < owned:
            return home, 0, 0
        place -= owned
    segment = int(tables.first[secret]) if len(tables.first) else secret
    while True:
        start = int(tables.starts[segment])
        stop = int(tables.starts[segment + 1]) if segment + 1 < len(tables.starts) else tables.end
        if place < stop - start:
            break
        place -= stop - start
        segment = int(tables.following[segment])
    ring = bisect_right(tables.bases, start + place) - 1
    return None, ring, (start + place - int(tables.bases[ring])) % int(tables.lengths[ring])
