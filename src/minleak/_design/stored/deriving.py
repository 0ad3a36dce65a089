"""Making what a plan is drawn from, which a file then holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minleak._design.stored.index import LabelIndex
from minleak._design.stored.tables import Drawable, Tables, on_one_line, shift_of

if TYPE_CHECKING:
    from minleak._design.plan import Plan


def drawable(plan: Plan) -> Drawable:
    """The plan with tables and an index made for it, in O(n)."""
    return Drawable(plan, tables_of(plan), LabelIndex(plan.prior.labels))


def tables_of(plan: Plan) -> Tables:
    """Made from a plan in O(n)."""
    from minleak._kernels import drawing

    n, u, rings = len(plan.weights), plan.u, plan.rings
    index = np.int32 if n < 2**31 and plan.n_cells < 2**31 else np.int64
    none = np.empty(0, dtype=index)
    lengths = np.array([ring.length for ring in rings], dtype=np.int64)
    bases, end = on_one_line(lengths, u)
    in_order = len(rings) == 1 and isinstance(rings[0].members, range)
    starts, members, first, following = np.empty(0, dtype=np.int64), none, none, none
    if rings:
        starts = rings[0].starts
        if len(rings) > 1:
            starts = np.concatenate([ring.starts + base for ring, base in zip(rings, bases.tolist(), strict=True)])
        if not in_order:
            members = np.concatenate([np.asarray(ring.members) for ring in rings]).astype(index, copy=False)
            first, following = drawing.link_segments(members, np.full(n, -1, dtype=index))
    shift = shift_of(end, len(starts))
    home_of = none
    if len(plan.homes.weights):
        home_of = drawing.homes_of(plan.homes.members, np.full(n, -1, dtype=index))
    return Tables(
        lengths=lengths,
        starts=starts,
        members=members,
        first=first,
        following=following,
        guide=drawing.guide_table(starts, shift, (end >> shift) + 1, none) if rings else none,
        home_of=home_of,
        bases=bases,
        shift=shift,
        end=end,
        home_ends=np.cumsum(u * plan.homes.weights),
        giants=np.sort(plan.giants),
    )
