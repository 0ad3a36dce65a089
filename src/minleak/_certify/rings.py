"""The certificate of a plan of rings: that it is what it claims, by code that shares nothing with the makers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak._data.arrays import Array, Indices
from minleak._data.labels import Labels, agree, bytes_of_names
from minleak._data.prior import Prior, as_gains, as_prior
from minleak._entropy.base import ConditionalEntropy
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._plan.rings import LIMIT, Arrangement, Ring, cap
from minleak._plan.sampler import RingDrawable
from minleak.errors import InvalidParameter, shown

# Gains that a certificate names.
_SHOWN = 8
# Steps from slot to slot that finding a label may take on average, and in all besides: about two are usual.
_STEPS, _MORE = 64, 1 << 24


@dataclass(frozen=True)
class Check(Result):
    """One thing that was checked, `what`; `ok` if it holds; and a word on it, `detail`."""

    what: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True)
class Certificate(Result):
    """`ok` if every one of the `checks` holds. `exact` tells whether all was checked in integers and Fractions.

    `gaps` are distances from the optimum: for a channel "posterior" (the largest total variation of a posterior to pi)
    and the leakage above the least possible in each entropy asked for; for a plan "prior" (its distance on the grid).
    """

    ok: bool
    exact: bool
    checks: tuple[Check, ...]
    gaps: dict[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.ok

    def to_parts(self) -> list[str | Table]:
        how = "exactly" if self.exact else "in floats"
        rows = [["ok" if c.ok else "NO", f"{c.what}: {c.detail}" if c.detail else c.what] for c in self.checks]
        return [
            f"certified, {how}" if self.ok else f"NOT certified (checked {how})",
            *([Table("", (), rows)] if rows else []),
            *(f"gap in {name}: {value:.3g}" for name, value in self.gaps.items()),
        ]


# -- plans -----------------------------------------------------------------------------------------------------------


def certified(
    subject: Arrangement | RingDrawable,
    prior: Prior | Iterable[Any],
    *,
    k: int | None,
    gains: Iterable[Any] | None,
    entropies: Sequence[ConditionalEntropy | str],
) -> Certificate:
    """The certificate of a plan of rings, and of the tables that it is drawn from where these are given. It is for all
    entropies at once.
    """
    del entropies
    prior, plan = as_prior(prior), subject.plan if isinstance(subject, RingDrawable) else subject
    if k is not None and min(cap(k), len(plan.prior)) != plan.k:
        raise InvalidParameter(f"the plan is for k = {plan.k}, not {shown(k)}")
    worth = None if gains is None else as_gains(gains, prior.labels)
    target = prior if worth is None else _gained(prior, worth)
    checks = list(_plan_checks(plan, prior, target, worth))
    if isinstance(subject, RingDrawable) and all(check.ok for check in checks):
        checks += _table_checks(subject, prior)
    exact = _in_units(target, plan.k)
    return Certificate(all(check.ok for check in checks), exact, tuple(checks), {"prior": plan.distance})


def _gained(prior: Prior, worth: Prior) -> Prior:
    """gamma_x p(x) up to a factor, exact if both are."""
    if prior.exact and worth.exact:
        weights: Any = [w * g for w, g in zip(prior.weights.tolist(), worth.weights.tolist(), strict=True)]
    else:
        weights = prior.p * (worth.weights / worth.weights.max()).astype(np.float64)
    if not np.any(weights):
        raise InvalidParameter("every gain meets a secret of probability zero: nothing is worth hiding")
    return Prior(weights)


def _plan_checks(plan: Arrangement, prior: Prior, target: Prior, worth: Prior | None) -> Iterator[Check]:
    """One check after the other; what the later ones rely on ends the list where it fails."""
    from minleak._kernels import certifying

    n, weights, k, u, giants = len(prior), plan.weights, plan.k, plan.u, plan.giants
    known = plan.prior is prior or agree(plan.prior.labels, prior.labels)
    yield Check("the secrets are the prior's, in its order", known)
    formed = known and _well_formed(plan, n)
    yield Check("one integer weight for each secret, and places that are secrets", formed)
    if not formed:
        return
    if plan.gains is not None or worth is not None:
        yield _gains_check(n, plan.gains, worth)
    least, largest, zeros, high, low = certifying.survey_weights(weights, np.sort(giants))
    total = (int(high) << 31) + int(low)
    summed = least >= 0 and total == plan.total > 0 and total * k <= LIMIT
    yield Check("the total is the sum of the weights", bool(summed))
    if not summed:
        return
    yield _weights_check(plan, target)
    # the giants are the heaviest, each too heavy, and nobody else is
    heavy = weights[giants].tolist()
    left, too_heavy = total, True
    for j, weight in enumerate(heavy):
        too_heavy &= weight * (k - j) > left
        left -= weight
    ordered = all(a >= b for a, b in pairwise(heavy)) and (not heavy or heavy[-1] >= largest)
    yield Check("giants are the heaviest secrets, each above its share", ordered and too_heavy)
    fits = u == k - len(giants) and plan.tail == left and int(largest) * u <= left
    yield Check("every other secret fits its share s/u", fits, f"u={u}, s={left}, largest {largest}")
    idle = np.flatnonzero(weights == 0) if zeros else plan.idle[:0]
    yield Check("idle secrets are those of weight zero", bool(np.array_equal(plan.idle, idle)))
    homes = plan.homes.weights
    # a sum in floats tells whether the one in 64-bit integers went round
    positive = not len(homes) or (int(homes.min()) > 0 and float(homes.sum(dtype=np.float64)) < 1.5 * LIMIT)
    lengths = [u * int(homes.sum()), *(int(ring.length) for ring in plan.rings)]
    filled = positive and min(lengths[1:], default=1) > 0 and sum(lengths) == left
    yield Check("the rings' lengths add up to s", filled)
    if not (fits and filled):
        return
    if len(plan.rings) == 1 and isinstance(plan.rings[0].members, range) and not len(homes):
        yield from _line_checks(plan.rings[0], u, weights)
    else:
        owned = np.zeros(n, dtype=np.int64)
        yield _homes_check(plan, owned)
        for number, ring in enumerate(plan.rings):
            yield from _ring_checks(number, ring, u, owned)
        expected = u * weights
        expected[giants] = 0
        yield Check("every secret owns u times its weight", bool(np.array_equal(owned, expected)))
    if plan.apart is not None:
        yield Check("secrets to be kept apart share no set", not any(_group_twice(plan, plan.apart)))


def _group_twice(plan: Arrangement, group_of: Indices) -> Iterator[bool]:
    """For blocks of all sets, giants included, whether one of them holds two of a group."""
    blocks = [group[None, :] for group in plan.idle_sets()]
    on_rings = (np.hstack([np.broadcast_to(plan.giants, (len(some), plan.n_giants)), some]) for some, _ in plan.cells())
    for sets in chain(on_rings, blocks):
        ordered = np.sort(group_of[sets], axis=1)
        yield bool((ordered[:, 1:] == ordered[:, :-1]).any())


def _gains_check(n: int, gains: Array | None, worth: Prior | None) -> Check:
    """The plan's gains are those asked for, up to a factor; no gains are equal ones."""
    made, asked = (
        np.ones(n) if of is None else (of / of.max()).astype(np.float64)
        for of in (gains, None if worth is None else worth.weights)
    )
    same = bool(np.allclose(made, asked, rtol=1e-12, atol=0.0))
    shown = ", ".join(f"{gain:.4g}" for gain in made[:_SHOWN]) + (", ..." if n > _SHOWN else "")
    advice = "" if same or worth is not None else "; give the gains to have it judged by them"
    return Check("the gains are those asked for", same, f"it is optimal for gains in proportion to {shown}{advice}")


def _well_formed(plan: Arrangement, n: int) -> bool:
    """Whether all fields are of the types and sizes that the checks, compiled ones among them, may rely on."""
    homes, rings, gains = plan.homes, plan.rings, plan.gains
    numbers = [plan.k, plan.u, plan.total, plan.tail, *(ring.length for ring in rings), *(ring.u for ring in rings)]
    if not all(isinstance(number, int | np.integer) and not isinstance(number, bool) for number in numbers):
        return False
    if not (_is_vector(plan.weights, n) and plan.weights.dtype == np.int64 and plan.k >= 1 and plan.u >= 0):
        return False
    if not (_are_secrets(plan.giants, n) and _are_secrets(plan.idle, n) and _is_vector(homes.weights)):
        return False
    if len(np.unique(plan.giants)) < len(plan.giants) or not 0 <= plan.distance < math.inf:
        return False
    if plan.apart is not None and not _is_vector(plan.apart, n):
        return False
    if gains is not None and not (_is_vector(gains, n, "f") and gains.min() >= 0 and 0 < gains.max() < math.inf):
        return False
    rows = (len(homes.weights), max(plan.u, 1))
    if not (isinstance(homes.members, np.ndarray) and homes.members.shape == rows):
        return False
    if not _are_secrets(homes.members.ravel(), n):
        return False
    return all(
        _is_vector(ring.starts)
        and (isinstance(ring.members, range) or _are_secrets(ring.members, n))
        and len(ring.starts) == len(ring.members) > 0
        for ring in rings
    )


def _is_vector(array: Any, size: int | None = None, kind: str = "i") -> bool:
    one_line = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == kind
    return one_line and (size is None or len(array) == size)


def _are_secrets(places: Any, n: int) -> bool:
    return _is_vector(places) and (not len(places) or bool(places.min() >= 0 and places.max() < n))


def _in_units(target: Prior, k: Any) -> bool:
    """Whether what was asked for can be had in its own units, and so be checked exactly."""
    return target.exact and isinstance(k, int | np.integer) and int(target.total) * int(k) <= LIMIT


def _weights_check(plan: Arrangement, target: Prior) -> Check:
    """The weights are in the own proportions of what was asked for, or stand for it within the distance the plan states
    and a grid explains.
    """
    what = "the weights are the prior's"
    if _in_units(target, plan.k):
        same = in_proportion(plan.weights, int(plan.total), target.weights, int(target.total))
        return Check(what, same and plan.distance == 0.0, "exactly")
    given = target.p
    apart = 0.5 * float(np.abs(plan.weights / plan.total - given).sum())
    coarse = len(given) * plan.k / 2**60  # on a total of 2^61 / k every weight is within one unit
    same = bool(np.array_equal(plan.weights > 0, given > 0)) and apart <= min(plan.distance, coarse) + 1e-12
    return Check(what, same, f"within a total variation of {apart:.2g}")


def in_proportion(ours: npt.NDArray[Any], our_total: int, theirs: npt.NDArray[Any], their_total: int) -> bool:
    """Whether integer weights are the same shares of their totals, exactly and however large they are."""
    if ours is theirs:
        return True
    common = math.gcd(our_total, their_total)
    our_total, their_total = our_total // common, their_total // common
    if our_total == their_total:
        return bool(np.array_equal(ours, theirs))
    if max(our_total, their_total) >= 2**63:
        ours, theirs = ours.astype(object), theirs.astype(object)
    # a * their_total = b * our_total, without products: the two totals have no common divisor
    whole = not (ours % our_total).any() and not (theirs % their_total).any()
    return whole and bool(np.array_equal(ours // our_total, theirs // their_total))


def _line_checks(ring: Ring, u: int, weights: Indices) -> Iterator[Check]:
    """The one ring of all secrets in input order, in a single pass."""
    from minleak._kernels import certifying

    everyone = ring.members == range(len(weights)) and ring.u == u and int(ring.starts[0]) == 0
    yield Check("ring 0: one segment for every secret, from the start of the line", everyone)
    if not everyone:
        return
    tiled, short, owned = certifying.measure_line(ring.starts, u * ring.length, ring.length, u, weights)
    yield Check(f"ring 0: {u} tracks tiled from end to end", tiled, f"{len(ring.starts)} segments")
    yield Check("ring 0: no member meets itself", short)
    yield Check("every secret owns u times its weight", owned)


def _homes_check(plan: Arrangement, owned: Indices) -> Check:
    homes, flat = plan.homes, plan.homes.members.ravel()
    once = bool((np.bincount(flat, minlength=len(owned)) <= 1).all())
    if once:  # each member owns a whole track of length u * weight
        owned[flat] += np.repeat(plan.u * homes.weights, homes.members.shape[1])
    return Check("homes are sets of u different secrets", once, f"{len(homes.weights)} homes")


def _ring_checks(number: int, ring: Ring, u: int, owned: Indices) -> Iterator[Check]:
    starts, length, members = ring.starts, int(ring.length), ring.listed()
    inside = ring.u == u and int(starts[0]) == 0 and _are_secrets(members, len(owned))
    yield Check(f"ring {number}: segments of secrets, from the start of the line", inside)
    if not inside:
        return
    ends = np.append(starts[1:], u * length)
    tiled = bool((ends > starts).all())  # not of their differences, which can go round
    np.add.at(owned, members, ends - starts)
    yield Check(f"ring {number}: {u} tracks tiled from end to end", tiled, f"{len(starts)} segments")
    if not tiled:
        return
    several = np.flatnonzero(np.bincount(members)[members] > 1)
    short = bool((ends - starts <= length).all())
    alone = short and _apart(members[several], starts[several], ends[several], length)
    yield Check(f"ring {number}: no member meets itself", alone)


def _apart(members: Indices, starts: Indices, ends: Indices, length: int) -> bool:
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


# -- what is drawn from ----------------------------------------------------------------------------------------------


def _table_checks(drawn: RingDrawable, prior: Prior) -> Iterator[Check]:
    """The tables and the index of a file, where the plan beside them has passed all checks."""
    from minleak._kernels import certifying

    plan, tables = drawn.plan, drawn.tables
    chains = not len(tables.members) or certifying.follow_segments(tables.members, tables.first, tables.following)
    yield Check("the tables lead every secret to its segments", bool(chains))
    homes = plan.homes.members
    home_of = tables.home_of
    settled = not len(homes) or bool((home_of[homes] == np.arange(len(homes))[:, None]).all())
    alone = int(np.count_nonzero(home_of >= 0)) == homes.size
    yield Check("the tables lead every secret to its home", settled and alone)
    led = certifying.guides_lead(tables.guide, tables.shift, tables.starts)
    yield Check("the tables lead every phase to its members", bool(led))
    yield labels_check(drawn.secrets, prior)


def labels_check(labels: Labels, prior: Prior) -> Check:
    """The index of a file leads every label to its secret."""
    from minleak._kernels import certifying

    found = prior.labels.is_default  # numbers from 0 on, which need no index
    if len(labels.slots):
        most = _STEPS * len(labels) + _MORE
        found = bool(certifying.labels_found(*bytes_of_names(labels.arrow), labels.slots, most))
    return Check("every label is found, once", found)
