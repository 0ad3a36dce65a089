"""Opening a .cloak file: a plan of rings here, one of another kind by its own module; and what it is drawn from, of
which everything that a loop will follow was looked at.

A checksum finds damage, not malice: whoever writes a file can write its checksum. So what follows from the rest is
computed, not read; the plan is made by its constructor, which refuses fields that are no plan's; and every index of the
tables is seen to lead somewhere and every chain to end before anybody follows it. That the tables are the plan's own,
and the plan the prior's, is for `certify` to say.
"""

from __future__ import annotations

import math
import os
from importlib import import_module
from typing import Any

import numpy as np

from minleak._file.format import (
    BLOCK,
    UNFIT,
    Contents,
    Vector,
    demand,
    demand_number,
    demand_whole,
    file_name,
    read,
)
from minleak._plan.cost import Cost
from minleak._plan.kinds import KINDS, RINGS, Running, Stored
from minleak._plan.rings import Homes, Ring
from minleak._plan.sampler import STORED, RingDrawable, Tables, on_one_line, shift_of
from minleak._plans.rings import Plan
from minleak.errors import InvalidCloak, InvalidParameter, shown


def load(path: str | os.PathLike[str], *, mapped: bool = True) -> Stored:
    """The plan in a file, mapped into memory: processes that load the same file share its pages.

    All of it is checked first, against its checksum and for what it says: a file that is cut, changed, foreign, of
    another version or no plan is refused with a clear error. A file that is replaced (as `save` does it) stays valid
    for those that have loaded it; to be safe from a file that somebody writes to in place, use `mapped=False`, which
    reads it into memory. That it holds the optimal plan for a prior, and draws it, is what `certify(path, prior)` says.
    """
    if not isinstance(mapped, bool):
        raise InvalidParameter(f"mapped is True or False, not {shown(mapped)}")
    stored: Stored = opened(path, mapped=mapped).plan
    return stored


def opened(path: str | os.PathLike[str], *, mapped: bool = True) -> Running:
    """The plan in a file with the tables and the index that lie beside it: nothing is made anew."""
    name = file_name(path)
    payload, release = read(name, mapped=mapped)
    try:
        contents = Contents(payload, release)
        said = contents.numbers.get("kind", RINGS)
        if isinstance(said, str) and said in KINDS:
            running: Running = import_module(KINDS[said].opening).drawable(contents)
            release()
            return running
    except UNFIT as error:
        raise InvalidCloak(f"{name} does not hold a plan of this format ({type(error).__name__})") from None
    raise InvalidCloak(f"{name} holds a plan of the kind {shown(said)}, which this minleak does not know: upgrade it")


# -- a plan of rings -------------------------------------------------------------------------------------------------


def drawable(contents: Contents) -> RingDrawable:
    """The plan with its tables and its index."""
    weights = contents.vector("weights", "i8")
    n = len(weights)
    k = demand_whole(contents.numbers["k"], 1, n)
    giants = contents.vector("plan_giants", "i8")
    u = k - len(giants)
    demand(u >= 1)
    total, least = _survey(contents, weights)
    tail = total - sum(weights[giants].tolist())
    homes = _homes(contents, u)
    tables = _tables(contents, weights, giants, homes, u, tail)
    names = contents.names(n)
    gains = contents.vector("gains", "f8", n) if "gains" in contents.columns else None
    prior = contents.prior(weights, names, total)
    apart = contents.vector("apart", "i4 i8", n) if "apart" in contents.columns else None
    begins = (np.flatnonzero(least == 0) * BLOCK).tolist()
    zeros = [begin + np.flatnonzero(weights[begin : begin + BLOCK] == 0) for begin in begins]
    plan = Plan(
        prior=prior,
        k=k,
        layout=_text(contents.numbers["layout"]),
        gains=gains,
        weights=weights,
        total=total,
        distance=demand_number(contents.numbers["distance"], 0.0, 1.0),
        giants=giants,
        u=u,
        tail=tail,
        homes=homes,
        rings=_rings(contents, tables, u, n),
        idle=_kept(np.concatenate(zeros) if zeros else np.empty(0, dtype=np.int64)),
        costs=_costs(contents, n),
        apart=apart,
        known_as=_name(contents.numbers["known_as"]),
    )
    return RingDrawable(plan, contents.index(names, prior.labels), tables)


def _survey(contents: Contents, weights: Vector) -> tuple[int, Vector]:
    """The total of the weights, and the least of each block."""
    demand(len(weights) > 0)
    total, least = 0, []
    for _, block in contents.blocks(weights):
        least.append(int(block.min()))
        if int(block.max()) < 2**62 // BLOCK:
            total += int(block.sum())
        else:
            total += (int((block >> 31).sum()) << 31) + int((block & 0x7FFFFFFF).sum())
    demand(min(least) >= 0 and total > 0)
    return total, np.array(least)


def _homes(contents: Contents, u: int) -> Homes:
    weights, members = contents.vector("home_weights", "i8"), contents.vector("home_members", "i4 i8")
    demand(len(members) == u * len(weights))
    return Homes(members.reshape(-1, u), weights)


def _tables(contents: Contents, weights: Vector, giants: Vector, homes: Homes, u: int, tail: int) -> Tables:
    stored = {name: contents.vector(name, "i8" if name in ("lengths", "starts") else "i4 i8") for name in STORED}
    n, n_homes, lengths, starts = len(weights), len(homes.weights), stored["lengths"], stored["starts"]
    demand(all(1 <= length <= tail for length in lengths.tolist()))
    bases, end = on_one_line(lengths, u)
    count, shift = len(starts), shift_of(end, len(starts))
    sizes = [demand_whole(size, 1, count) for size in contents.numbers["segments"]]
    demand(len(sizes) == len(lengths) and sum(sizes) == count)
    demand(np.array_equal(starts[np.cumsum(sizes, dtype=np.int64) - np.array(sizes, dtype=np.int64)], bases))
    members, first, following = stored["members"], stored["first"], stored["following"]
    if len(members) or not count:
        demand(len(members) == len(following) == count and len(first) == (n if count else 0))
        contents.in_range(first, -1, count)
        for begin, block in contents.blocks(following):  # each leads on, so that all end
            own = np.arange(begin, begin + len(block))
            demand(bool(((block == -1) | ((block > own) & (block < count))).all()))
    else:
        demand(count == n and len(sizes) == 1 and not len(giants) and not len(first) and not len(following))
    demand(len(stored["guide"]) == ((end >> shift) + 1 if count else 0))
    contents.in_range(stored["guide"], 0, count)
    demand(len(stored["home_of"]) == (n if n_homes else 0))
    contents.in_range(stored["home_of"], -1, n_homes)
    return Tables(
        **stored,
        bases=_kept(bases),
        shift=shift,
        end=end,
        home_ends=_kept(np.cumsum(u * homes.weights)),
        giants=_kept(np.sort(giants)),
    )


def _rings(contents: Contents, tables: Tables, u: int, n: int) -> tuple[Ring, ...]:
    rings, at = [], 0
    for size, base, length in zip(
        contents.numbers["segments"], tables.bases.tolist(), tables.lengths.tolist(), strict=True
    ):
        members: Any = tables.members[at : at + size] if len(tables.members) else range(n)
        starts = tables.starts[at : at + size]
        rings.append(Ring(members, _kept(starts - base) if base else starts, length, u))
        at += size
    return tuple(rings)


def _costs(contents: Contents, n: int) -> Cost | None:
    said = contents.numbers.get("priced")  # files made without costs say nothing
    if said is None:
        return None
    value, bound, rounding, metric, stability = said
    places = None
    if "coordinates" in contents.columns:
        places = contents.vector("coordinates", "f8").reshape(n, -1)
        demand(places.shape[1] > 0)
    fits = "given" if places is None else metric if places.shape[1] == 2 else "euclidean"
    demand(metric == fits in ("given", "euclidean", "haversine"))
    return Cost(
        value=demand_number(value, 0, math.inf),
        bound=None if bound is None else demand_number(bound, 0, math.inf),
        rounding=None if rounding is None else demand_number(rounding, -math.inf, math.inf),
        metric=_text(metric),
        stability=demand_number(stability, 0, 1),
        coordinates=places,
    )


def _name(text: Any) -> bytes | None:
    demand(text is None or (type(text) is str and len(text) == 64))
    return None if text is None else bytes.fromhex(text)


def _text(text: Any) -> str:
    demand(type(text) is str)
    return str(text)


def _kept(array: Vector) -> Vector:
    """The array, which nobody can write to any more."""
    array.flags.writeable = False
    return array
