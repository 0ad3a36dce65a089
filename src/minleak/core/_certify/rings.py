"""The certificate of a plan of rings: the theorem, by code that shares nothing with the makers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._certify.certificate import (
    EVERY_ENTROPY,
    Certificate,
    Check,
    check_labels,
    check_secrets,
    in_proportion,
)
from minleak.core._plan.rings import LIMIT, Ring, check_rings
from minleak.core._prior import Prior, as_gains, as_prior
from minleak.errors import InvalidParameter
from minleak.groups._certificate import is_principal, keeps_caps

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan
    from minleak.core._plan.tiers import Tier

# Gains that a certificate names.
_SHOWN = 8


def certify_rings(plan: Plan, prior: Prior | Iterable[Any], gains: Iterable[Any] | None) -> Certificate:
    """The certificate of a plan of rings, for all entropies of the theorem at once."""
    prior = as_prior(prior)
    worth = None if gains is None else as_gains(gains, prior.labels)
    target = prior if worth is None else _weigh_by_gains(prior, worth)
    checks = list(_checks(plan, prior, target, worth))
    if all(check.ok for check in checks):
        checks += check_labels(plan, prior)
    claim = f"for one observation, no channel with sets of at most {plan.k} secrets leaks less, {EVERY_ENTROPY}"
    claim += "" if plan.groups is None else ", under the caps of the groups"
    claim += "" if worth is None else ", under these gains"
    return Certificate.of(claim, checks, exact=_in_units(target, plan.k), gaps={"prior": plan.distance})


def _weigh_by_gains(prior: Prior, worth: Prior) -> Prior:
    """gamma_x p(x) up to a factor, exact if both are."""
    if prior.exact and worth.exact:
        weights: Any = [w * g for w, g in zip(prior.weights.tolist(), worth.weights.tolist(), strict=True)]
    else:
        weights = prior.p * (worth.weights / worth.weights.max()).astype(np.float64)
    if not np.any(weights):
        raise InvalidParameter("every gain meets a secret of probability zero: nothing is worth hiding")
    return Prior(weights)


def _checks(plan: Plan, prior: Prior, target: Prior, worth: Prior | None) -> Iterator[Check]:
    """Checks run in order; a failed check stops those that depend on it."""
    known = check_secrets(plan, prior)
    yield known
    if not known.ok:
        return
    try:
        check_rings(plan)  # which `design` skips
    except InvalidParameter as error:
        yield Check("the fields of the plan fit together", False, str(error))
        return
    yield Check("the fields of the plan fit together", True)
    n, weights, u, giants = len(prior), plan.weights, plan.u, plan.giants
    if plan.gains is not None or worth is not None:
        yield _check_gains(n, plan.gains, worth)
    yield _check_weights(plan, target)
    if plan.groups is None:
        yield from _check_giants(plan)
    else:
        tiers = f"{plan.n_giants} giants and {len(plan.tiers)} tiers"
        yield Check("the tiers are the principal partition of the groups", is_principal(plan, plan.groups), tiers)
    in_order = len(plan.rings) == 1 and isinstance(plan.rings[0].members, range) and not len(plan.homes.weights)
    if in_order and not plan.lower:
        yield from _check_line(plan.rings[0], u, weights)
    else:
        owned, others = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for tier in plan.tiers:
            laid = tier.members()
            others[laid] = tier.rank * weights[laid]
            yield _check_homes(tier, owned)
            for number, ring in enumerate(tier.rings):
                yield _check_ring(number, ring, owned)
        on_rings = weights > 0
        on_rings[giants] = False
        whole = bool(np.array_equal(owned, others)) and bool((owned[on_rings] > 0).all()) and not owned[giants].any()
        yield Check("every secret owns u times its weight", whole)
    if plan.groups is not None:
        yield Check("every set keeps the caps of the groups", keeps_caps(plan, plan.groups), plan.groups.describe())


def _check_giants(plan: Plan) -> Iterator[Check]:
    """The giants are the heaviest, each too heavy, and nobody else is."""
    others = plan.weights.copy()
    others[plan.giants] = 0
    heavy, largest, u = plan.weights[plan.giants].tolist(), int(others.max()), plan.u
    left, too_heavy = plan.total, True
    for j, weight in enumerate(heavy):
        too_heavy &= weight * (plan.k - j) > left
        left -= weight
    ordered = all(a >= b for a, b in pairwise([*heavy, largest]))
    yield Check("giants are the heaviest secrets, each above its share", ordered and too_heavy)
    fits = f"u = {u}, s = {left}, largest weight {largest}"
    yield Check("every other secret fits its share s/u", largest * u <= left, fits)


def _check_gains(n: int, gains: Array | None, worth: Prior | None) -> Check:
    """The plan's gains are those asked for, up to a factor; no gains are equal ones."""
    made, asked = (
        np.ones(n) if of is None else (of / of.max()).astype(np.float64)
        for of in (gains, None if worth is None else worth.weights)
    )
    same = bool(np.allclose(made, asked, rtol=1e-12, atol=0.0))
    shown = ", ".join(f"{gain:.4g}" for gain in made[:_SHOWN]) + (", ..." if n > _SHOWN else "")
    advice = "" if same or worth is not None else "; give the gains to have it certified for them"
    return Check("the gains are those asked for", same, f"it is optimal for gains in proportion to {shown}{advice}")


def _in_units(target: Prior, k: Any) -> bool:
    """Whether the target's own units fit a plan, so that weights are checked exactly."""
    return target.exact and isinstance(k, int | np.integer) and int(target.total) * int(k) <= LIMIT


def _check_weights(plan: Plan, target: Prior) -> Check:
    """The weights are in proportion to the target's: exactly if its units fit, else within the distance that the plan
    states and that rounding to a grid explains.
    """
    what = "the weights are the prior's"
    if _in_units(target, plan.k):
        same = in_proportion(plan.weights, int(plan.total), target.weights, int(target.total))
        return Check(what, same and plan.distance == 0.0, "exactly")
    given = target.p
    apart = 0.5 * float(np.abs(plan.weights / plan.total - given).sum())
    coarse = len(given) * plan.k / 2**60  # on a total of 2^61 / k every weight is within one unit
    same = bool(np.array_equal(plan.weights > 0, target.weights > 0)) and apart <= min(plan.distance, coarse) + 1e-12
    return Check(what, same, f"within a total variation of {apart:.2g}")


def _check_line(ring: Ring, u: int, weights: Indices) -> Iterator[Check]:
    """The one ring of all secrets in input order, in a single pass."""
    from minleak.core._certify import counting as certifying

    everyone = ring.members == range(len(weights))
    yield Check("ring 0: one segment for every secret", everyone)
    if not everyone:
        return
    short, owned = certifying.measure_line(ring.starts, u * ring.length, ring.length, u, weights)
    yield Check("ring 0: no set has a secret twice", short, f"{len(ring.starts)} segments on {u} tracks")
    yield Check("every secret owns u times its weight", owned)


def _check_homes(tier: Tier, owned: Indices) -> Check:
    homes, flat = tier.homes, tier.homes.members.ravel()
    once = bool((np.bincount(flat, minlength=len(owned)) <= 1).all())
    if once:  # each member owns a whole track of length u * weight
        owned[flat] += np.repeat(tier.rank * homes.weights, homes.members.shape[1])
    return Check("homes are sets of u different secrets", once, f"{len(homes.weights):,} of them")


def _check_ring(number: int, ring: Ring, owned: Indices) -> Check:
    starts, ends, members = ring.starts, ring.ends(), ring.list_members()
    np.add.at(owned, members, ends - starts)
    several = np.flatnonzero(np.bincount(members)[members] > 1)
    short = bool((ends - starts <= ring.length).all())
    alone = short and _are_disjoint(members[several], starts[several], ends[several], int(ring.length))
    return Check(f"ring {number}: no set has a secret twice", alone, f"{len(starts)} segments on {ring.u} tracks")


def _are_disjoint(members: Indices, starts: Indices, ends: Indices, length: int) -> bool:
    """Whether the segments of each member, folded onto the phases, are disjoint."""
    pieces: dict[int, list[tuple[int, int]]] = {}
    for member, start, end in zip(members.tolist(), starts.tolist(), ends.tolist(), strict=True):
        while start < end:
            cut = min(end, (start // length + 1) * length)
            pieces.setdefault(member, []).append((start % length, start % length + cut - start))
            start = cut
    for spans in pieces.values():
        spans.sort()
        if any(before[1] > after[0] for before, after in pairwise(spans)):
            return False
    return True
