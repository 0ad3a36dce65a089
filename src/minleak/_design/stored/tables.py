"""Tables: what a draw looks up in a plan, laid out so that a look-up costs a few memory accesses; and a plan with them,
the Drawable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from minleak._design.stored.index import LabelIndex

if TYPE_CHECKING:
    from minleak._design.plan import Plan

Indices = npt.NDArray[Any]

# Those that a file holds; the others follow from the plan at once.
STORED = ("lengths", "starts", "members", "first", "following", "guide", "home_of")


@dataclass(frozen=True, eq=False)
class Tables:
    """Look-up arrays beside a plan's own.

    All rings lie on one line, one after the other, ring r from `bases[r]` on with tracks of `lengths[r]`; `starts` and
    `members` are the segments on it (`members` is empty if segment i belongs to secret i). `guide[p >> shift]` is the
    segment at the first position of that stretch. `first[x]` is a segment of secret x (empty if it is segment x),
    `following[s]` the next segment of the same secret, -1 if there is none. `home_of[x]` is the home of x, -1 without
    one; `home_ends` are the ends of the homes' phases one after the other, for the giants, and `giants` are sorted.
    """

    lengths: Indices
    starts: Indices
    members: Indices
    first: Indices
    following: Indices
    guide: Indices
    home_of: Indices
    bases: Indices
    shift: int
    end: int
    home_ends: Indices
    giants: Indices


@dataclass(frozen=True, eq=False)
class Drawable:
    """A plan, the tables that its sets are looked up in, and the index that its labels are found by."""

    plan: Plan
    tables: Tables
    index: LabelIndex


def on_one_line(lengths: Indices, u: int) -> tuple[Indices, int]:
    """Where each ring begins on the line, and where the line ends."""
    ends = np.cumsum(u * lengths)
    return ends - u * lengths, int(ends[-1]) if len(ends) else 0


def shift_of(end: int, segments: int) -> int:
    """The power of two that a stretch of the guide is long: about one segment in each."""
    return max(0, end.bit_length() - max(segments, 1).bit_length())
