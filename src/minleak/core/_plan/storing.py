"""A plan of rings as arrays and numbers: its fields, and nothing that follows from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._file.format import Contents, require, require_number, require_whole
from minleak.core._file.writing import label_arrays, weight_arrays
from minleak.core._plan.distances import Cost
from minleak.core._plan.groups import GroupTree
from minleak.core._plan.rings import Homes, Ring
from minleak.core._plan.tiers import Tier

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan

# What a file says of `Plan.costs`, in this order; coordinates are an array.
_COSTS = ("value", "bound", "rounding", "metric", "stability")
# The arrays of groups in a file, and the fields that they are.
_GROUPS = {"groups.of": "group_of", "groups.parents": "parents", "groups.caps": "caps"}
_OF = "groups.of"


def ring_contents(plan: Plan) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and numbers of a plan. A ring of all secrets in their order has no members there."""
    prior, costs = plan.prior, plan.costs
    index = np.int32 if len(plan.weights) < 2**31 else np.int64
    arrays: dict[str, Any] = {
        "weights": plan.weights,
        "giants": plan.giants,
        **_tier_arrays("", plan, index),
        **label_arrays(prior.labels),
    }
    for number, tier in enumerate(plan.lower):
        arrays |= _tier_arrays(f"tier{number}.", tier, index)
    arrays |= group_arrays(plan.groups)
    if prior.weights is not plan.weights:
        arrays |= weight_arrays("prior", prior.weights)
    if costs is not None and costs.coordinates is not None:
        arrays["coordinates"] = costs.coordinates
    if plan.gains is not None:
        arrays["gains"] = plan.gains
    return arrays, {
        "k": int(plan.k),
        "layout": plan.layout,
        "distance": plan.distance,
        "events": prior.events,
        "lengths": _lengths(plan),
        **({"tiers": [[tier.rank, *_lengths(tier)] for tier in plan.lower]} if plan.groups is not None else {}),
        "costs": None if costs is None else [getattr(costs, name) for name in _COSTS],
        "known_as": None if plan.known_as is None else plan.known_as.hex(),
    }


def ring_fields(contents: Contents) -> dict[str, Any]:
    """The fields of a plan, of what anybody may have written; its constructor looks whether they fit each other."""
    numbers, weights, giants = contents.numbers, contents.vector("weights", "i8"), contents.vector("giants", "i8")
    n = len(weights)
    k = require_whole(numbers["k"], 1, n)
    groups = groups_from(contents, n)
    lower = () if groups is None else tuple(_lower(contents, i, said, n) for i, said in enumerate(numbers["tiers"]))
    u = k - len(giants) - sum(tier.rank for tier in lower)
    require(u >= (0 if groups is not None else 1))
    known_as = numbers["known_as"]
    require(known_as is None or type(known_as) is str)
    homes, rings = _homes_and_rings(contents, "", numbers["lengths"], max(u, 1), n)
    return {
        "prior": contents.prior(n, weights),
        "k": k,
        "layout": numbers["layout"],
        "weights": weights,
        "giants": giants,
        "homes": homes,
        "rings": rings,
        "gains": contents.vector("gains", "f8", n) if "gains" in contents.arrays else None,
        "distance": require_number(numbers["distance"], 0.0, 1.0),
        "costs": _costs(contents, n),
        "groups": groups,
        "lower": lower,
        "known_as": None if known_as is None else bytes.fromhex(known_as),
    }


def _tier_arrays(prefix: str, tier: Any, index: Any) -> dict[str, Any]:
    """The homes and rings of a plan, or of one of its lower tiers."""
    arrays = {f"{prefix}home_members": tier.homes.members, f"{prefix}home_weights": tier.homes.weights}
    for number, ring in enumerate(tier.rings):
        arrays[f"{prefix}ring{number}.starts"] = ring.starts
        if not isinstance(ring.members, range):
            arrays[f"{prefix}ring{number}.members"] = ring.members.astype(index, copy=False)
    return arrays


def _lengths(tier: Any) -> list[int]:
    return [int(ring.length) for ring in tier.rings]


def _homes_and_rings(contents: Contents, prefix: str, lengths: Any, u: int, n: int) -> tuple[Homes, tuple[Ring, ...]]:
    members = contents.vector(f"{prefix}home_members", "i4 i8").reshape(-1, u)
    rings = tuple(_ring(contents, f"{prefix}ring{number}", length, u, n) for number, length in enumerate(lengths))
    return Homes(members, contents.vector(f"{prefix}home_weights", "i8")), rings


def _ring(contents: Contents, name: str, length: Any, u: int, n: int) -> Ring:
    starts, members = contents.vector(f"{name}.starts", "i8"), f"{name}.members"
    found: Any = contents.vector(members, "i4 i8") if members in contents.arrays else range(n)
    return Ring(found, starts, require_whole(length, 1, 2**62), u)


def _lower(contents: Contents, number: int, said: Any, n: int) -> Tier:
    rank, *lengths = said
    return Tier(*_homes_and_rings(contents, f"tier{number}.", lengths, require_whole(rank, 1, n), n))


def group_arrays(groups: GroupTree | None) -> dict[str, Any]:
    """The arrays of groups, where there are some."""
    return {} if groups is None else {name: getattr(groups, field) for name, field in _GROUPS.items()}


def groups_from(contents: Contents, n: int) -> GroupTree | None:
    """The groups in a file; its constructor looks whether they fit."""
    if _OF not in contents.arrays:
        return None
    parents, caps = (contents.vector(name, "i8") for name in list(_GROUPS)[1:])
    return GroupTree(contents.vector(_OF, "i4 i8", n), parents, caps)


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
