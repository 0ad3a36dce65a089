"""The certificate of a plan: the theorem, by code that reads the plan's fields and shares nothing with its makers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
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
from minleak.core._columns import blocks_of
from minleak.core._entropy.base import ConditionalEntropy, Entropy, evaluate
from minleak.core._entropy.forms import AllGuesses, BestGuesses, Form, RenyiMean, arimoto_exponent
from minleak.core._leakage import difference
from minleak.core._plan.fields import LIMIT, check_fields
from minleak.core._prior import Prior, as_gains, as_prior, total_of
from minleak.errors import InvalidParameter
from minleak.groups._certificate import Tier, find_tiers, most_members, within_caps

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan

# Gains that a certificate names.
_SHOWN = 8
# Sets that are looked at together.
_WIDTH = 4096


def certify_plan(
    plan: Plan, prior: Prior | Iterable[Any], gains: Iterable[Any] | None, measures: Sequence[ConditionalEntropy]
) -> Certificate:
    """The certificate of a plan on homes and ring, for all entropies of the theorem at once; or of blocks, where every
    secret has a set that it always shows, for each of the entropies.
    """
    prior = as_prior(prior)
    worth = None if gains is None else as_gains(gains, prior.labels)
    target = prior if worth is None else _weigh_by_gains(prior, worth)
    fixed = not len(plan.giants) and not len(plan.home_weights) and not len(plan.starts)
    checks = list(_checks(plan, prior, target, worth, fixed))
    valid, gaps = all(check.ok for check in checks), {"prior": plan.distance}
    if valid:
        checks += check_labels(plan, prior)
    if fixed:
        claim = f"no partition into blocks of at most {plan.k} secrets leaks less, in {_list_names(measures)}"
        if valid:
            checks += _best_checks(plan, measures)
            gaps |= _gaps(plan, [H for H in measures if isinstance(H, Entropy)])
    else:
        claim = f"for one observation, no channel with sets of at most {plan.k} secrets leaks less, {EVERY_ENTROPY}"
        claim += "" if plan.groups is None else ", under the caps of the groups"
        claim += "" if worth is None else ", under these gains"
    return Certificate.of(claim, checks, exact=_exactly(plan, target), gaps=gaps)


def _checks(plan: Plan, prior: Prior, target: Prior, worth: Prior | None, fixed: bool) -> Iterator[Check]:
    """Checks run in order; a failed check stops those that depend on it."""
    known = check_secrets(plan, prior)
    yield known
    if not known.ok:
        return
    try:
        check_fields(plan)
    except InvalidParameter as error:
        yield Check("the fields of the plan fit together", False, str(error))
        return
    yield Check("the fields of the plan fit together", True)
    if plan.gains is not None or worth is not None:
        yield _check_gains(len(prior), plan.gains, worth)
    yield _check_weights(plan, target, gains=worth is not None)
    if fixed:
        whole = len(plan.fixed) == len(prior)
        yield Check(f"every secret is in one block, of at most k = {plan.k} members", whole)
    else:
        yield from _check_ring(plan)
    if plan.groups is not None:
        kept = all(within_caps(sets, plan.groups) for sets in _all_sets(plan))
        yield Check("every set keeps the caps of the groups", kept, plan.groups.describe())


# -- homes and ring ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ring:
    """What follows from the fields: u places, `left` the weight on homes and ring, where each segment ends."""

    u: int
    left: int
    ends: Indices

    @classmethod
    def of(cls, plan: Plan) -> _Ring:
        u = plan.k - len(plan.giants)
        giants = sum(plan.weights[plan.giants].tolist())
        ends = np.append(plan.starts[1:], u * plan.length)[: len(plan.starts)]
        return cls(u, int(total_of(plan.weights)) - giants, ends)


def _check_ring(plan: Plan) -> Iterator[Check]:
    """That giants are those of the theorem, and every other secret owns its share; so every posterior is pi."""
    ring, weights = _Ring.of(plan), plan.weights
    if plan.groups is None:
        yield from _check_giants(plan, ring)
        tiers = [Tier(ring.u, ring.left, np.flatnonzero(_loose(plan)))]
    else:
        tiers = find_tiers(plan, ring.left)
        shown = f"{len(plan.giants)} giants and {len(tiers)} tiers"
        yield Check("the tiers are the principal partition of the groups", _is_principal(plan, tiers), shown)
    flat = plan.home_members.ravel() if len(plan.home_weights) else plan.fixed[:0]
    once = bool((np.bincount(flat, minlength=1) <= 1).all())
    yield Check("homes are sets of u different secrets", once, f"{len(plan.home_weights):,} of them")
    alone = _never_meet(plan.members, plan.starts, ring.ends, int(plan.length))
    yield Check("the ring: no set has a secret twice", alone, f"{len(plan.starts)} segments on {ring.u} lanes")
    owned = np.zeros(len(weights), dtype=np.int64)
    np.add.at(owned, flat, np.repeat(ring.u * plan.home_weights, ring.u if len(flat) else 1))
    np.add.at(owned, plan.members, ring.ends - plan.starts)
    phases = ring.u * int(plan.home_weights.sum()) + plan.length
    whole = all(_own_their_share(owned, weights, tier, phases, len(tiers) > 1) for tier in tiers)
    loose = np.zeros(len(weights), dtype=bool)
    loose[np.concatenate([flat[:0], *(tier.members for tier in tiers)])] = True
    yield Check("every secret owns u times its weight", whole and not owned[~loose].any())
    idle = weights == 0
    idle[plan.giants] |= not ring.left
    same = np.array_equal(np.sort(plan.fixed), np.flatnonzero(idle))
    yield Check("only secrets that cannot occur always show one set, unless all do", bool(same))


def _loose(plan: Plan) -> Any:
    """Which secrets have weight and are no giants."""
    loose = plan.weights > 0
    loose[plan.giants] = False
    return loose


def _own_their_share(owned: Indices, weights: Indices, tier: Tier, phases: int, several: bool) -> bool:
    """Whether each member owns r w of the phases; of several tiers, which have as many phases each, r w P / P_i within
    what rounding to a whole number of phases explains.
    """
    members, rank = tier.members, tier.rank
    if not several:
        return bool((owned[members] == rank * weights[members]).all())
    if not tier.weight:  # it does not weigh what the plan says
        return False
    wanted = [rank * phases * w for w in weights[members].tolist()]
    unit = rank * tier.weight if phases % tier.weight else 1
    pairs = zip(owned[members].tolist(), wanted, strict=True)
    return all(own > 0 and abs(own * tier.weight - want) < unit for own, want in pairs) and (
        int(owned[members].sum()) == rank * phases
    )


def _is_principal(plan: Plan, tiers: Sequence[Tier]) -> bool:
    """Whether no set may have more members of the densest tiers than the plan's sets have, at every fall of density."""
    blocks = [(Fraction(int(plan.weights[x])), 1, np.array([x])) for x in plan.giants.tolist()]
    blocks += [(Fraction(tier.weight, tier.rank), tier.rank, tier.members) for tier in tiers]
    blocks.sort(key=lambda block: -block[0])
    inside, places = np.zeros(len(plan.weights), dtype=bool), 0
    for at, (density, rank, members) in enumerate(blocks):
        inside[members] = True
        places += rank
        falls = at + 1 == len(blocks) or blocks[at + 1][0] < density
        if falls and (plan.groups is None or most_members(plan.groups, inside, plan.k) != places):
            return False
    return True


def _check_giants(plan: Plan, ring: _Ring) -> Iterator[Check]:
    """The giants are the heaviest, each too heavy, and nobody else is."""
    others = plan.weights.copy()
    others[plan.giants] = 0
    heavy, largest = plan.weights[plan.giants].tolist(), int(others.max())
    left, too_heavy = int(total_of(plan.weights)), True
    for j, weight in enumerate(heavy):
        too_heavy &= weight * (plan.k - j) > left
        left -= weight
    ordered = all(a >= b for a, b in pairwise([*heavy, largest]))
    yield Check("giants are the heaviest secrets, each above its share", ordered and too_heavy)
    fits = f"u = {ring.u}, s = {left}, largest weight {largest}"
    yield Check("every other secret fits its share s/u", largest * ring.u <= left, fits)


def _never_meet(members: Indices, starts: Indices, ends: Indices, length: int) -> bool:
    """Whether the segments of each member, cut at the ends of lanes and folded onto the phases, are disjoint."""
    if not len(starts):
        return True
    if (ends - starts > length).any():
        return False
    several = np.flatnonzero(np.bincount(members)[members] > 1)
    members, starts, ends = members[several].astype(np.int64), starts[several], ends[several]
    over = np.flatnonzero((ends - 1) // length > starts // length)
    cuts = (starts[over] // length + 1) * length
    who = np.append(members, members[over])
    begin = np.append(starts % length, np.zeros(len(over), dtype=np.int64))
    end = begin + np.append(ends - starts, ends[over] - cuts)
    end[over] = length
    order = np.lexsort((begin, who))
    same = np.diff(who[order]) == 0
    return not bool((same & (end[order][:-1] > begin[order][1:])).any())


def _all_sets(plan: Plan) -> Iterator[Indices]:
    """Every set, a row each, in blocks; -1 pads short rows."""
    u, giants = plan.k - len(plan.giants), plan.giants
    for begin in range(0, len(plan.home_weights), _WIDTH):
        yield _with(giants, plan.home_members[begin : begin + _WIDTH])
    phases = np.unique(plan.starts % max(plan.length, 1))
    for begin in range(0, len(phases), _WIDTH):
        line = phases[begin : begin + _WIDTH, None] + plan.length * np.arange(u)
        yield _with(giants, plan.members[np.searchsorted(plan.starts, line, side="right") - 1])
    sizes = np.diff(plan.begins)
    for begin in range(0, len(sizes), _WIDTH):
        some = sizes[begin : begin + _WIDTH]
        rows = np.full((len(some), int(some.max())), -1, dtype=np.int64)
        rows[np.arange(rows.shape[1]) < some[:, None]] = plan.fixed[plan.begins[begin] : plan.begins[begin + len(some)]]
        yield rows


def _with(giants: Indices, sets: Indices) -> Indices:
    return np.hstack([np.broadcast_to(giants, (len(sets), len(giants))), sets])


# -- weights and gains -------------------------------------------------------------------------------------------------


def _weigh_by_gains(prior: Prior, worth: Prior) -> Prior:
    """gamma_x p(x) up to a factor, exact if both are."""
    if prior.exact and worth.exact:
        weights: Any = [w * g for w, g in zip(prior.weights.tolist(), worth.weights.tolist(), strict=True)]
    else:
        weights = prior.p * (worth.weights / worth.weights.max()).astype(np.float64)
    if not np.any(weights):
        raise InvalidParameter("every gain meets a secret of probability zero: nothing is worth hiding")
    return Prior(weights)


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


def _exactly(plan: Plan, target: Prior) -> bool:
    """Whether weights are compared exactly: if the target's own units fit a plan, or the plan has them all the same."""
    if not target.exact or not isinstance(plan.k, int | np.integer):
        return False
    return int(target.total) * int(plan.k) <= LIMIT or _in_proportion(plan.weights, target)


def _in_proportion(weights: Indices, target: Prior) -> bool:
    """Whether integer weights are those of an exact prior, up to a factor."""
    same = len(weights) == len(target) and int(total_of(weights)) > 0
    return same and in_proportion(weights, int(total_of(weights)), target.weights, int(target.total))


def _check_weights(plan: Plan, target: Prior, *, gains: bool) -> Check:
    """The weights are in proportion to the target's: exactly if its units fit; else the prior that the plan holds is
    the target, exactly if both are exact and there are no gains, and the weights are within the distance that the plan
    states and that rounding to a grid explains.
    """
    what, total = "the weights are the prior's", int(total_of(plan.weights))
    if _exactly(plan, target):
        same = _in_proportion(plan.weights, target) and (plan.distance == 0.0 or len(plan.tiers) > 1)
        return Check(what, same, "exactly")
    given, held = target.p, True
    if target.exact and plan.prior.exact and not gains:
        held = _in_proportion(plan.prior.weights, target)
    apart = 0.5 * float(np.abs(plan.weights / total - given).sum())
    coarse = len(given) * plan.k / 2**60  # on a total of 2^61 / k every weight is within one unit
    same = bool(np.array_equal(plan.weights > 0, target.weights > 0)) and apart <= min(plan.distance, coarse) + 1e-12
    return Check(what, same and held, f"within a total variation of {apart:.2g}")


# -- blocks ------------------------------------------------------------------------------------------------------------


def _list_names(measures: Sequence[ConditionalEntropy]) -> str:
    return ", ".join(H.name for H in measures) or "no entropy"


def _best_checks(plan: Plan, measures: Sequence[ConditionalEntropy]) -> Iterator[Check]:
    """That blocks are sorted and cut, which is best by a theorem in the entropies that say so of themselves."""
    weights, begins = plan.weights[plan.fixed], plan.begins[:-1]
    light, heavy = np.minimum.reduceat(weights, begins), np.maximum.reduceat(weights, begins)
    sizes = np.diff(plan.begins)
    order = np.lexsort((-sizes, -light, -heavy))  # blocks may stand in any order
    full = bool((sizes[order][:-1] == plan.k).all())
    sorted_ = full and bool((light[order][:-1] >= heavy[order][1:]).all())
    worse = "" if sorted_ else _distance(plan, measures)
    if not sorted_ and plan.groups is not None:
        worse = "they are the best that were found under the caps of the groups, for which there is no theorem"
    yield Check("sorted by weight and cut into blocks of k from the heaviest on", sorted_, worse, optimality=True)
    if not sorted_:
        return
    proved = [H for H in measures if best_sorted(H.form)]
    others = [H for H in measures if not best_sorted(H.form)]
    if proved:
        theorem = f"a theorem in {_list_names(proved)}"
        yield Check("no partition into blocks of at most k leaks less", True, theorem, optimality=True)
    if others:
        no_theorem = "there is no such theorem: another partition may leak less"
        yield Check(f"the same in {_list_names(others)}", False, no_theorem, optimality=True)


def _after(plan: Plan, measures: Sequence[ConditionalEntropy]) -> list[float]:
    """H(X|Y) of the blocks, a column for each."""
    import scipy.sparse as sp

    p = plan.weights[plan.fixed] / float(total_of(plan.weights))
    entries = (p, np.arange(len(p)), plan.begins)
    return evaluate(measures, blocks_of(sp.csc_array(entries, shape=(len(p), len(plan.begins) - 1))))


def _distance(plan: Plan, measures: Sequence[ConditionalEntropy]) -> str:
    """How much more leaks than by the best blocks, in words."""
    ordered: Array = np.sort(plan.weights)[::-1] / float(total_of(plan.weights))
    filled = np.concatenate([ordered, np.zeros(-len(ordered) % plan.k)])
    best = evaluate(measures, blocks_of(filled.reshape(-1, plan.k).T))
    pairs = zip(measures, best, _after(plan, measures), strict=True)
    more = [f"{above - after:.3g} in {H.name}" for H, above, after in pairs]
    return f"such blocks leak less, by {', '.join(more)}" if more else ""


def _gaps(plan: Plan, measures: Sequence[Entropy]) -> dict[str, float]:
    """How much more leaks than by the optimal plan, which draws its sets: H(pi) - H(X|Y). Not known under groups."""
    if plan.groups is not None or not measures:
        return {}
    ordered, total = np.sort(plan.weights)[::-1].tolist()[: plan.k], int(total_of(plan.weights))
    pi, left = [], total
    for j, weight in enumerate(ordered):
        if weight * (plan.k - j) <= left:
            pi += [left / (plan.k - j) / total] * (plan.k - j)
            break
        pi.append(weight / total)
        left -= weight
    best = evaluate(measures, [np.array(pi)[:, None]])
    return {H.name: difference(H, *both) for H, *both in zip(measures, best, _after(plan, measures), strict=True)}


def best_sorted(form: Form | None) -> bool:
    """Whether it is a theorem that of all partitions into blocks of at most k, the secrets sorted by weight and cut
    from the heaviest on leave the most H(X|Y), for every k and prior.

    Two blocks suffice (docs/explanation/layouts.md has both proofs). Where Fhat is supermodular (Shannon, guesses,
    guesswork, Arimoto of every order), order one block from the heaviest member and the other from the lightest: the
    larger of each pair are the k heaviest of both. Elsewhere it is a theorem of its own, of the sums of Q^c S^(1-ac)
    with Q = sum v_i^a and S = sum v_i, for a > 1 and 1/a <= c <= min(1, 1/(a-1)): Hayashi, Tsallis and Sharma-Mittal
    (c = 1) up to order 2, Fehr and Berens (c = 1/(a-1)) from order 2 on.
    """
    match form:
        case RenyiMean(a, c):
            if c == arimoto_exponent(a):
                return True
            if c == 1 - a:  # uniform, n = k+1: sizes (k-1, 2) beat (k, 1) above 2; below 1 from k = 8 on
                return 1 <= a <= 2
            # Fehr and Berens' below 2 from k = 14 on: one heavy secret in each of two blocks may be better
            return c == -1 and a >= 2
        case BestGuesses() | AllGuesses():
            return True
    return False
