"""A plan of rings as arrays and numbers: its fields, and nothing that follows from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak._file.format import Contents, require, require_number, require_whole
from minleak._file.writing import label_arrays, weight_arrays
from minleak._plan.cost import Cost
from minleak._plan.rings import Homes, Ring

if TYPE_CHECKING:
    from minleak._plans.rings import Plan

# What a file says of `Plan.costs`, in this order; coordinates are an array.
_COSTS = ("value", "bound", "rounding", "metric", "stability")


def ring_contents(plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers of a plan. A ring of all secrets in their order has no members there."""
    prior, rings, costs = plan.prior, plan.rings, plan.costs
    index = np.int32 if len(plan.weights) < 2**31 else np.int64
    arrays: dict[str, Any] = {
        "weights": plan.weights,
        "giants": plan.giants,
        "home_members": plan.homes.members,
        "home_weights": plan.homes.weights,
        **label_arrays(prior.labels),
    }
    for number, ring in enumerate(rings):
        arrays[f"ring{number}.starts"] = ring.starts
        if not isinstance(ring.members, range):
            arrays[f"ring{number}.members"] = ring.members.astype(index, copy=False)
    if prior.weights is not plan.weights:
        arrays |= weight_arrays("prior", prior.weights)
    if costs is not None and costs.coordinates is not None:
        arrays["coordinates"] = costs.coordinates
    arrays |= {name: array for name in ("gains", "exclusion_groups") if (array := getattr(plan, name)) is not None}
    return arrays, {
        "k": int(plan.k),
        "layout": plan.layout,
        "distance": plan.distance,
        "events": prior.events,
        "lengths": [int(ring.length) for ring in rings],
        "costs": None if costs is None else [getattr(costs, name) for name in _COSTS],
        "known_as": None if plan.known_as is None else plan.known_as.hex(),
    }


def ring_fields(contents: Contents) -> dict[str, Any]:
    """The fields of a plan, of what anybody may have written; its constructor looks whether they fit each other."""
    numbers, weights, giants = contents.numbers, contents.vector("weights", "i8"), contents.vector("giants", "i8")
    n = len(weights)
    k = require_whole(numbers["k"], 1, n)
    u = k - len(giants)
    require(u >= 1)
    known_as, lengths = numbers["known_as"], numbers["lengths"]
    require(known_as is None or type(known_as) is str)
    return {
        "prior": contents.prior(n, weights),
        "k": k,
        "layout": numbers["layout"],
        "weights": weights,
        "giants": giants,
        "homes": Homes(contents.vector("home_members", "i4 i8").reshape(-1, u), contents.vector("home_weights", "i8")),
        "rings": tuple(_ring(contents, number, length, u, n) for number, length in enumerate(lengths)),
        "gains": contents.vector("gains", "f8", n) if "gains" in contents.arrays else None,
        "distance": require_number(numbers["distance"], 0.0, 1.0),
        "costs": _costs(contents, n),
        "exclusion_groups": contents.arrays.get("exclusion_groups"),
        "known_as": None if known_as is None else bytes.fromhex(known_as),
    }


def _ring(contents: Contents, number: int, length: Any, u: int, n: int) -> Ring:
    starts, members = contents.vector(f"ring{number}.starts", "i8"), f"ring{number}.members"
    found: Any = contents.vector(members, "i4 i8") if members in contents.arrays else range(n)
    return Ring(found, starts, require_whole(length, 1, 2**62), u)


def _costs(contents: Contents, n: int) -> Cost | None:
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
