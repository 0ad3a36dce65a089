"""Tables: what a draw looks up in a plan, laid out so that a look-up costs a few memory accesses."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.design.plan import Plan

Indices = npt.NDArray[Any]


@dataclass(frozen=True)
class Tables:
    """Look-up arrays beside a plan's own.

    All rings lie on one line, one after the other, ring r from `bases[r]` on with tracks of `lengths[r]`; `starts` and
    `members` are the segments on it (`members` is empty if segment i belongs to secret i). `guide[p >> shift]` is the
    segment at the first position of that stretch. `first[x]` is a segment of secret x (empty if it is segment x),
    `following[s]` the next segment of the same secret, -1 if there is none. `home_of[x]` is the home of x, -1 without
    one;
    `home_ends` are the ends of the homes' phases one after the other, for the giants.
    """

    bases: Indices
    lengths: Indices
    starts: Indices
    members: Indices
    first: Indices
    following: Indices
    guide: Indices
    shift: int
    end: int
    home_of: Indices
    home_ends: Indices
    giants: Indices

    @classmethod
    def of(cls, plan: Plan) -> Tables:
        """Made from a plan in O(n)."""
        from minleak._kernels import drawing

        n, u = len(plan.weights), plan.u
        index = np.int32 if n < 2**31 and plan.n_cells < 2**31 else np.int64
        none = np.empty(0, dtype=index)
        rings = plan.rings
        lengths = np.array([ring.length for ring in rings], dtype=np.int64)
        bases = np.cumsum(u * lengths) - u * lengths
        end = int(u * lengths.sum())
        in_order = len(rings) == 1 and isinstance(rings[0].members, range)
        starts, members, first, following = np.empty(0, dtype=np.int64), none, none, none
        if rings:
            starts = rings[0].starts
            if len(rings) > 1:
                starts = np.concatenate([ring.starts + base for ring, base in zip(rings, bases.tolist(), strict=True)])
            if not in_order:
                members = np.concatenate([np.asarray(ring.members) for ring in rings]).astype(index, copy=False)
                first, following = drawing.link_segments(members, np.full(n, -1, dtype=index))
        shift = max(0, end.bit_length() - max(len(starts), 1).bit_length())
        guide = drawing.guide_table(starts, shift, (end >> shift) + 1, none) if rings else none
        home_of = none
        if len(plan.homes.weights):
            home_of = drawing.homes_of(plan.homes.members, np.full(n, -1, dtype=index))
        return cls(
            bases=bases,
            lengths=lengths,
            starts=starts,
            members=members,
            first=first,
            following=following,
            guide=guide,
            shift=shift,
            end=end,
            home_of=home_of,
            home_ends=np.cumsum(u * plan.homes.weights),
            giants=np.sort(plan.giants),
        )

    def arrays(self) -> dict[str, Indices]:
        """The arrays by name, for the file."""
        return {name: getattr(self, name) for name in self.array_names()}

    @classmethod
    def array_names(cls) -> list[str]:
        """The names of the fields that are arrays."""
        return [f.name for f in fields(cls) if f.name not in ("shift", "end")]
