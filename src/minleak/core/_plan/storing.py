"""A plan as arrays and numbers: its fields, and nothing that follows from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._file.format import Contents, require, require_number, require_whole
from minleak.core._file.writing import label_arrays, weight_arrays
from minleak.core._plan.distances import Cost
from minleak.core._plan.groups import GroupTree

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan

# The fields that are numbers of secrets, in as many bytes as these need; and those that are weights or positions.
_SECRETS = ("home_members", "members", "fixed")
_WHOLE = ("giants", "home_weights", "starts", "begins")
# What a file says of `Plan.costs`, in this order; coordinates are an array.
_COSTS = ("value", "bound", "rounding", "metric", "stability")
# The arrays of groups in a file, and the fields that they are.
_GROUPS = {"groups.of": "group_of", "groups.parents": "parents", "groups.caps": "caps"}


def plan_contents(plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers of a plan."""
    prior, costs = plan.prior, plan.costs
    index = np.int32 if len(plan.weights) < 2**31 else np.int64
    arrays: dict[str, Any] = {"weights": plan.weights, **label_arrays(prior.labels)}
    arrays |= {name: getattr(plan, name) for name in _WHOLE}
    arrays |= {name: getattr(plan, name).astype(index, copy=False) for name in _SECRETS}
    arrays |= group_arrays(plan.groups)
    if prior.weights is not plan.weights:
        arrays |= weight_arrays("prior", prior.weights)
    if costs is not None and costs.coordinates is not None:
        arrays["coordinates"] = costs.coordinates
    if plan.gains is not None:
        arrays["gains"] = plan.gains
    return arrays, {
        "k": int(plan.k),
        "length": int(plan.length),
        "tiers": plan.tiers,
        "layout": plan.layout,
        "distance": plan.distance,
        "events": prior.events,
        "costs": None if costs is None else [getattr(costs, name) for name in _COSTS],
        "known_as": None if plan.known_as is None else plan.known_as.hex(),
    }


def plan_fields(contents: Contents) -> dict[str, Any]:
    """The fields of a plan, of what anybody may have written; its constructor looks whether they fit each other."""
    numbers, weights = contents.numbers, contents.vector("weights", "i8")
    n = len(weights)
    found: dict[str, Any] = {name: contents.vector(name, "i8") for name in _WHOLE}
    found |= {name: contents.vector(name, "i4 i8") for name in _SECRETS}
    k = require_whole(numbers["k"], 1, n)
    found["home_members"] = found["home_members"].reshape(-1, max(k - len(found["giants"]), 1))
    known_as = numbers["known_as"]
    require(known_as is None or type(known_as) is str)
    return found | {
        "prior": contents.prior(n, weights),
        "k": k,
        "length": require_whole(numbers["length"], 0, 2**62),
        "tiers": tuple((require_whole(rank, 1, n), require_whole(w, 1, 2**62)) for rank, w in numbers["tiers"]),
        "layout": numbers["layout"],
        "weights": weights,
        "gains": contents.vector("gains", "f8", n) if "gains" in contents.arrays else None,
        "distance": require_number(numbers["distance"], 0.0, 1.0),
        "costs": costs_from(contents, n),
        "groups": groups_from(contents, n),
        "known_as": None if known_as is None else bytes.fromhex(known_as),
    }


def group_arrays(groups: GroupTree | None) -> dict[str, Any]:
    """The arrays of groups, where there are some."""
    return {} if groups is None else {name: getattr(groups, field) for name, field in _GROUPS.items()}


def groups_from(contents: Contents, n: int) -> GroupTree | None:
    """The groups in a file; the constructor of a plan looks whether they fit."""
    of, *others = _GROUPS
    if of not in contents.arrays:
        return None
    return GroupTree(contents.vector(of, "i4 i8", n), *(contents.vector(name, "i8") for name in others))


def costs_from(contents: Contents, n: int) -> Cost | None:
    """The costs in a file."""
    if contents.numbers["costs"] is None:
        return None
    value, bound, rounding, metric, stability = contents.numbers["costs"]
    places = None
    if "coordinates" in contents.arrays:
        places = contents.vector("coordinates", "f8").reshape(n, -1)
        require(places.shape[1] > 0)
    fits = "given" if places is None else metric if places.shape[1] == 2 else "euclidean"
    require(metric == fits in ("given", "euclidean", "haversine"))
    return Cost(
        value=require_number(value, 0, math.inf),
        bound=None if bound is None else require_number(bound, 0, math.inf),
        rounding=None if rounding is None else require_number(rounding, -math.inf, math.inf),
        metric=str(metric),
        stability=require_number(stability, 0, 1),
        coordinates=places,
    )
