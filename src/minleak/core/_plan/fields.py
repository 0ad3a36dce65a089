"""The checks of the fields of a plan: that they fit each other, so that code can rely on indices and sums."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._prior import total_of
from minleak.errors import InvalidParameter, quote

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan

# k times the total weight is at most this, so that every position on a ring is a 64-bit integer.
LIMIT = 2**62


def cap(k: object) -> int:
    """k as an int, if it is a cap on the size of a set."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InvalidParameter(f"the cap k on the size of a set is a whole number from 1 on, not {quote(k)}")
    return int(k)


def check_fields(plan: Plan) -> None:
    """Refuse fields that do not fit together. `minleak.certify` proves the rest: that the giants are those of the
    weights, that every secret owns its share and that nobody leaks less. O(n), some hundredths of the time of a design.
    """
    try:
        wrong = next((what for what, holds in _claims(plan) if not holds), None)
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        wrong = f"a field has the wrong type ({type(error).__name__})"
    if wrong is not None:
        raise InvalidParameter(f"these fields are not those of a plan: {wrong}; minleak.design(prior, k) makes plans")


def _claims(plan: Plan) -> Iterator[tuple[str, bool]]:
    """(problem, whether the claim holds) for each claim; each relies on those before it. Fields alone are read, so that
    certificates may ask the same.
    """
    n, k, weights, giants, fixed = len(plan.prior), plan.k, plan.weights, plan.giants, plan.fixed
    yield "k is not a whole number", isinstance(k, int | np.integer) and type(k) is not bool
    yield "the layout is not a name", isinstance(plan.layout, str)
    yield "the weights are not one 64-bit integer for each secret", is_vector(weights, n) and weights.dtype == np.int64
    yield "the weights are not positive or zero", int(weights.min()) >= 0
    total = int(total_of(weights))
    yield "no weight is positive", total > 0
    yield f"k = {k} is not from 1 to n, or k times the total weight is above 2^62", 1 <= k <= n and k * total <= LIMIT
    for name, members in (("giants", giants), ("fixed", fixed)):
        yield f"{name} are not different secrets", are_secrets(members, n) and len(np.unique(members)) == len(members)
    sizes = np.diff(plan.begins)
    lined = is_vector(plan.begins) and plan.begins[0] == 0 and plan.begins[-1] == len(fixed) and bool((sizes > 0).all())
    yield "the fixed sets do not follow each other", lined
    yield f"a fixed set has more than k = {k} members", int(sizes.max(initial=0)) <= k
    homes, members, starts, length, u = plan.home_weights, plan.home_members, plan.starts, plan.length, k - len(giants)
    yield "the giants leave no place in a set", u >= (1 if plan.groups is None else 0)
    positive = is_vector(homes) and (not len(homes) or (homes.min() > 0 and homes.sum(dtype=np.float64) < 1.5 * LIMIT))
    yield "the homes' weights are not positive integers", bool(positive)
    filled = not len(homes) or members.shape == (len(homes), u)
    yield "a home does not have u places for secrets", filled and are_secrets(members.ravel(), n)
    left = weight_left(plan)
    phases = u * int(homes.sum()) + length
    whole = isinstance(length, int | np.integer) and length >= 0 and phases * max(u, 1) <= LIMIT
    tiered = whole and (_are_tiers(plan, u, left) if plan.tiers else phases == left)
    yield "homes and ring do not weigh what giants and fixed sets leave", tiered
    on_ring = are_secrets(plan.members, n) and is_vector(starts, len(plan.members)) and starts.dtype == np.int64
    yield "a segment of the ring is not of a secret", on_ring
    in_order = not length or (len(starts) and starts[0] == 0 and starts[-1] < u * length)
    yield (
        "the ring is not u lanes of segments, one after the other",
        bool(in_order and (starts[1:] > starts[:-1]).all() and (length or not len(starts))),
    )
    yield (
        "a fixed set beside homes or a ring has weight",
        not phases or not (weights[fixed].any() or np.isin(fixed, giants).any()),
    )
    yield "a secret without weight has no set of its own", np.isin(np.flatnonzero(weights == 0), fixed).all()
    wrong = None if plan.groups is None else plan.groups.wrong_with(n)
    yield str(wrong), wrong is None
    yield "the distance is not between 0 and 1", bool(0 <= plan.distance <= 1)
    yield "the gains are not finite, or zero where a weight is not", plan.gains is None or _are_gains(plan, plan.gains)
    places = None if plan.costs is None else plan.costs.coordinates
    yield "the coordinates are not a finite row for each secret", places is None or _are_places(places, n)
    known = plan.known_as
    yield "known_as is not 32 bytes", known is None or (type(known) is bytes and len(known) == 32)


def weight_left(plan: Plan) -> int:
    """The weight on homes and ring: what giants and fixed sets leave of the total."""
    shown = np.unique(np.concatenate([plan.giants, plan.fixed]))  # a giant may be in a fixed set
    return int(total_of(plan.weights)) - (int(total_of(plan.weights[shown])) if len(shown) else 0)


def is_vector(array: Any, size: int | None = None, kind: str = "i") -> bool:
    """Whether this is one line of numbers of a kind."""
    one_line = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == kind
    return one_line and size in (None, len(array))


def are_secrets(places: Any, n: int) -> bool:
    """Whether all are numbers of n secrets."""
    return is_vector(places) and (not len(places) or bool(places.min() >= 0 and places.max() < n))


def _are_gains(plan: Plan, gains: Array) -> bool:
    if not (is_vector(gains, len(plan.weights), "f") and gains.min() >= 0 and gains.max() < math.inf):
        return False
    possible = plan.weights > 0
    return bool(gains[possible].min() > 0 and plan.prior.weights[possible].min() > 0)


def _are_tiers(plan: Plan, u: int, left: int) -> bool:
    """Ranks that add up to u, with the weights that giants leave; on lanes alone, under groups."""
    ranks, weights = zip(*plan.tiers, strict=True)
    whole = all(type(number) is int and number > 0 for number in (*ranks, *weights))
    return whole and (sum(ranks), sum(weights)) == (u, left) and plan.groups is not None and not len(plan.home_weights)


def _are_places(places: Array, n: int) -> bool:
    return places.ndim == 2 and len(places) == n and places.shape[1] > 0 and bool(np.isfinite(places).all())
