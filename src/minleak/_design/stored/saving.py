"""Making what a plan is drawn from, its tables and its labels' index, and saving all of it in a .cloak file."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa

from minleak._data.prior import Prior
from minleak._design.rings import Arrangement
from minleak._design.stored import format as files
from minleak._design.stored.tables import STORED, LabelIndex, Tables, on_one_line, shift_of
from minleak.errors import InvalidCloak

# What a file says of `Plan.costs`, in this order; coordinates are an array.
_COSTS = ("value", "bound", "rounding", "metric", "stability")


def save(plan: Arrangement, path: str | os.PathLike[str], digest: Callable[[], bytes]) -> None:
    """Write a plan to a file, whole or not at all. Labels must be text or 64-bit integers (or none).

    The digest is computed while the arrays are made and written.
    """
    name, index = files.file_name(path), storable_index(plan.prior)
    with ThreadPoolExecutor(1) as pool:
        digesting = pool.submit(digest)
        files.write(name, *_contents(plan, index), digesting.result)


def storable_index(prior: Prior) -> LabelIndex:
    """The index of the labels, if a file can hold them."""
    index = LabelIndex(prior.labels)
    if not index.storable:
        raise InvalidCloak("a file holds labels that are text or 64-bit integers: rename the secrets before the design")
    return index


def stored_weights(prior: Prior) -> Any:
    """A prior's weights as an array that a file can hold: those beyond 64 bits as text."""
    return pa.array([str(w) for w in prior.weights]) if prior.weights.dtype == object else prior.weights


def _contents(plan: Arrangement, index: LabelIndex) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers: all that does not follow at once from the rest."""
    prior, tables, costs = plan.prior, tables_of(plan), plan.costs
    arrays: dict[str, Any] = {
        "weights": plan.weights,
        "plan_giants": plan.giants,
        "home_members": plan.homes.members.ravel(),
        "home_weights": plan.homes.weights,
        "slots": index.slots,
        **{name: getattr(tables, name) for name in STORED},
    }
    if plan.gains is not None:
        arrays["gains"] = plan.gains
    if plan.apart is not None:
        arrays["apart"] = plan.apart
    if prior.weights is not plan.weights:
        arrays["prior"] = stored_weights(prior)
    if index.names is not None:
        arrays["labels"] = index.names
    if costs is not None and costs.coordinates is not None:
        arrays["coordinates"] = costs.coordinates.ravel()
    return arrays, {
        "k": plan.k,
        "layout": plan.layout,
        "distance": plan.distance,
        "events": prior.events,
        "segments": [len(ring.starts) for ring in plan.rings],
        "priced": None if costs is None else [getattr(costs, name) for name in _COSTS],
        "descent": _descent(plan),
    }


def _descent(plan: Arrangement) -> dict[str, Any] | None:
    """What a file says of the plans that this one comes from; nothing where it is drawn as in older files."""
    if plan.descent is None:
        return None
    name, ancestors = plan.descent.name, plan.descent.ancestors
    return {
        "lineage": None if name is None else name.hex(),
        "ancestors": [digest.hex() for digest in ancestors],
        "exposure": plan.descent.exposure,
        "by_tree": plan.descent.by_tree,
    }


def tables_of(plan: Arrangement) -> Tables:
    """Made from a plan in O(n)."""
    from minleak._kernels import drawing

    n, u, rings = len(plan.weights), plan.u, plan.rings
    most = max(n, sum(len(ring.starts) for ring in rings))  # secrets, segments and homes are counted by it
    index = np.int32 if most < 2**31 else np.int64
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
        home_of = np.full(n, -1, dtype=index)
        home_of[plan.homes.members] = np.arange(len(plan.homes.weights), dtype=index)[:, None]
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
