"""Saving a plan: its arrays, its tables and its labels' index, in a .cloak file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from minleak._design.stored import format as files
from minleak._design.stored.deriving import tables_of
from minleak._design.stored.index import LabelIndex, as_storable
from minleak._design.stored.tables import STORED
from minleak.errors import InvalidCloak

if TYPE_CHECKING:
    from minleak._design.plan import Plan

# What a file says of `Plan.costs`, in this order; coordinates are an array.
_COSTS = ("value", "bound", "rounding", "metric", "stability")


def save(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Write a plan to a file, whole or not at all. Labels must be text or 64-bit integers (or none)."""
    name = files.file_name(path)
    labels = plan.prior.labels
    if not labels.is_default and as_storable(labels) is None:
        raise InvalidCloak("a file holds labels that are text or 64-bit integers: rename the secrets before the design")
    files.write(name, lambda: _contents(plan), lambda: plan.digest)


def _contents(plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers: all that does not follow at once from the rest."""
    import pyarrow as pa

    prior, tables, costs = plan.prior, tables_of(plan), plan.costs
    arrays: dict[str, Any] = {
        "weights": plan.weights,
        "plan_giants": plan.giants,
        "home_members": plan.homes.members.ravel(),
        "home_weights": plan.homes.weights,
        "slots": LabelIndex(prior.labels).slots,
        **{name: getattr(tables, name) for name in STORED},
    }
    if plan.gains is not None:
        arrays["gains"] = plan.gains
    if plan.apart is not None:
        arrays["apart"] = plan.apart
    if prior.weights is not plan.weights:
        big = prior.weights.dtype == object
        arrays["prior"] = pa.array([str(w) for w in prior.weights]) if big else prior.weights
    if not prior.labels.is_default:
        arrays["labels"] = as_storable(prior.labels)
    if costs is not None and costs.coordinates is not None:
        arrays["coordinates"] = costs.coordinates.ravel()
    return arrays, {
        "k": plan.k,
        "layout": plan.layout,
        "distance": plan.distance,
        "segments": [len(ring.starts) for ring in plan.rings],
        "priced": None if costs is None else [getattr(costs, name) for name in _COSTS],
    }
