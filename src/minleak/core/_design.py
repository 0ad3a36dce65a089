"""design: the channel that leaks least among all whose sets have at most k secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from minleak.core._labels import Labels
from minleak.core._layouts import LAYOUTS
from minleak.core._layouts.base import Giants, Laid, Layout, LayoutInput, find_giants
from minleak.core._matching import values_by_label
from minleak.core._parameters import as_list
from minleak.core._plan.fields import LIMIT, cap
from minleak.core._plan.groups import Groups, GroupTree
from minleak.core._plan.plan import Plan
from minleak.core._prior import Grid, Prior, as_gains, as_prior
from minleak.core._progress import Progress, no_progress
from minleak.errors import InvalidParameter, quote
from minleak.groups._tiers import TierCaps, find_partition, lanes_of, on_common_grid
from minleak.near._pricing.regions import cost_of_cells
from minleak.strings._make import design_unlisted
from minleak.strings._model import StringModel
from minleak.strings._plan import UnlistedPlan

_NONE = np.empty(0, dtype=np.int64)


@overload
def design(
    prior: Prior | Iterable[Any],
    k: int,
    *,
    layout: Layout | str = "stable",
    groups: Groups | GroupTree | None = None,
    gains: Iterable[Any] | None = None,
    progress: Progress | None = ...,
) -> Plan: ...
@overload
def design(
    prior: Prior | Iterable[Any], k: int, *, unknown: StringModel, unknown_share: float | Fraction | None = None
) -> UnlistedPlan: ...
@overload
def design(prior: StringModel, k: int) -> UnlistedPlan: ...
def design(
    prior: Prior | Iterable[Any] | StringModel,
    k: int,
    *,
    layout: Layout | str = "stable",
    groups: Groups | GroupTree | None = None,
    gains: Iterable[Any] | None = None,
    progress: Progress | None = None,
    unknown: StringModel | None = None,
    unknown_share: float | Fraction | None = None,
) -> Plan | UnlistedPlan:
    """Maximise H(X|Y) over all channels in which at most k secrets can cause the same observable.

    Sort the weights, w_1 >= w_2 >= ...; j* is the least j with w_j (k-j+1) <= w_j + ... + w_n. The first j*-1 secrets,
    the giants, are in every set, and

        pi = (p_1, ..., p_{j*-1}, s/u, ..., s/u),   s = p_{j*} + ... + p_n,   u = k - j* + 1.

    The largest H(X|Y) is H(pi) for every symmetric, expansible, core-concave H at once (Theorem 1 of the paper), and a
    channel reaches it if every observable induces the posterior pi. The plan does, exactly and in integers.

    Parameters
    ----------
    prior
        The secrets and their weights. Floats are put on an integer grid, see `Plan.distance`.
    k
        The cap on the size of a set, from 1 on. At k = 1 everything is shown, from k = n on nothing: a larger cap is
        one of n.
    layout
        Which of the optimal plans: `Stable()` (the default) for secrets that may be drawn more than once, `Circle()`,
        the quickest to make, for secrets drawn once, `Near(points)` for decoys that are close, `Cheapest(cost)` for
        sets that cost little; or the name of one that needs no arguments. `Blocks()` is not optimal: it makes the best
        plan without randomness, which leaks a little more and whose sets never change.
    groups
        Caps on the members of groups in a set, `Groups(country, at_most=2)`, nested or not. pi then comes from the
        principal partition: F_0 = {}, F_i a set that maximises (p(F) - p(F_{i-1})) / (r(F) - r(F_{i-1})), where r(F) is
        the most members of F that a set may have; pi has that value r(F_i) - r(F_{i-1}) times. H(pi) is the largest
        H(X|Y) under the caps, for every H at once. Where the caps allow no set of k, `Plan.k` is the largest that they
        allow.
    gains
        gamma_x >= 0, what secret x is worth to the attacker, for gain-based leakage: p is replaced by gamma_x p(x).
    progress
        Called with (done, steps, what is being done) while a layout is made.
    unknown
        A model of strings, such as `NGram`, for secrets that the prior does not list: every string then has sets. A
        model in place of the prior makes a plan over its strings alone.
    unknown_share
        How often a secret is one that the prior did not count, exactly; without it the share of events whose secret was
        counted once (Good and Turing's estimate of the unseen).

    Time O(n) for the circle, O(n log n) for stable; about 36 bytes of memory for each secret.

    >>> plan = design([36, 30, 20, 14], k=3, layout="circle")
    >>> plan.n_giants, plan.target
    (1, array([0.36, 0.32, 0.32]))
    >>> round(plan.leakage("shannon"), 6), plan.leakage("min-entropy")
    (0.330518, 0.0)
    """
    if unknown is not None or (not isinstance(prior, Prior) and isinstance(prior, StringModel)):
        if layout != "stable" or gains is not None or groups is not None:
            raise InvalidParameter(
                "layout=, gains= and groups= are for listed secrets: a plan with a model of others has its own"
            )
        if not isinstance(prior, Prior) and isinstance(prior, StringModel):
            return design_unlisted(prior, cap(k), share=unknown_share)
        return design_unlisted(unknown, cap(k), prior=as_prior(prior), share=unknown_share)
    if unknown_share is not None:
        raise InvalidParameter(
            "unknown_share= is how often a secret is not listed, and comes from unknown=, a model of strings: give both"
        )
    prior = as_prior(prior)
    if progress is not None and not callable(progress):
        raise InvalidParameter(f"progress= is called with (done, steps, text): a {type(progress).__name__} cannot be")
    layout = as_layout(layout)
    k = min(cap(k), len(prior))  # no set has more members than there are secrets
    if groups is not None and not isinstance(groups, Groups | GroupTree):
        raise InvalidParameter(f"groups= is Groups(by, at_most=...), not {type(groups).__name__}")
    if gains is not None and not layout.randomised:
        raise InvalidParameter("gains= goes with plans that draw their sets: blocks are made for the prior")
    gamma = None if gains is None else _check_gains(gains, prior.labels)
    grid = (prior if gamma is None else _apply_gains(prior, gamma)).on_grid(LIMIT // k)
    problem = LayoutInput(prior, grid.weights, k, Giants(_NONE, k, 0), progress=progress or no_progress)
    fields = {"gains": None if gamma is None else np.array([float(g) for g in gamma]), "distance": grid.distance}
    tree = None if groups is None else groups.tree(prior.labels)
    if not layout.randomised:
        return _design_fixed(layout, problem, grid, tree, fields)
    if tree is not None:
        return _design_under_caps(layout, problem, grid, tree, fields)
    giants = find_giants(grid.weights, grid.total, k)
    laid = layout.lay(replace(problem, giants=giants, finest=LIMIT // (k * grid.total)))
    return _as_plan(layout, problem, grid, giants, laid, **fields)


def _as_plan(layout: Layout, problem: LayoutInput, grid: Grid, giants: Giants, laid: Laid, **fields: Any) -> Plan:
    """The plan of what was laid, in the layout's units. Secrets of weight zero have sets of their own, at most k in
    each and no more of a group than its cap; where nothing is on homes and ring, the giants' set comes first.
    """
    finer, tree = grid.times(laid.factor), fields.get("groups")
    idle = np.flatnonzero(grid.weights == 0)
    fixed = idle if giants.rest else np.concatenate([giants.members, idle])
    if tree is None or not len(fixed):
        begins = np.append(np.arange(0, len(fixed), problem.k), len(fixed))
    else:
        from minleak.groups._fitting import first_fit

        numbers, sizes = first_fit(tree.group_of[fixed], tree.parents, tree.caps, problem.k)
        fixed, begins = fixed[np.argsort(numbers, kind="stable")], np.append(0, np.cumsum(sizes)).astype(np.int64)
    if not giants.rest:
        fixed[: begins[1]] = np.sort(fixed[: begins[1]])
    length = giants.rest * laid.factor - giants.u * int(laid.home_weights.sum())
    return Plan(
        prior=problem.prior,
        k=problem.k,
        layout=layout.name,
        weights=finer.weights,
        giants=giants.members,
        home_members=laid.home_members,
        home_weights=laid.home_weights,
        members=laid.members,
        starts=laid.starts,
        fixed=fixed,
        begins=begins,
        costs=laid.costs,
        **{"length": length, **fields},
    )


def _design_fixed(
    layout: Layout, problem: LayoutInput, grid: Grid, tree: GroupTree | None, fields: dict[str, Any]
) -> Plan:
    """The plan of a layout in which every secret has a set that it always shows."""
    size = problem.k
    tier = None
    if tree is not None:
        size = tree.rank(np.ones(len(problem.prior), dtype=bool), problem.k)
        tier = TierCaps(tree, size, grid.total, tree.caps)
    laid = layout.lay(replace(problem, k=size, giants=Giants(_NONE, size, grid.total), tier=tier))
    size = int(np.diff(laid.begins).max()) if tree is None else size
    return Plan(
        prior=problem.prior,
        k=size,
        layout=layout.name,
        weights=grid.weights,
        giants=_NONE,
        home_members=np.empty((0, size), dtype=np.int64),
        home_weights=_NONE,
        members=_NONE,
        starts=_NONE,
        length=0,
        fixed=laid.fixed,
        begins=laid.begins,
        groups=tree,
        **fields,
    )


def _design_under_caps(
    layout: Layout, problem: LayoutInput, grid: Grid, tree: GroupTree, fields: dict[str, Any]
) -> Plan:
    """The plan of least leakage under caps on groups: each tier of the principal partition is laid by itself."""
    problem.progress(0, 1, "the principal partition under the caps")
    found = find_partition(grid.weights, problem.k, tree)
    places = sum(tier.rank for tier in found.tiers)
    size = len(found.giants) + places if places else tree.rank(np.ones(len(tree.group_of), dtype=bool), problem.k)
    giants = Giants(found.giants, size - len(found.giants), sum(tier.weight for tier in found.tiers))
    problem = replace(problem, k=size, giants=giants)
    if len(found.tiers) > 1:
        return _design_tiers(layout, problem, grid, found.tiers, groups=tree, **fields)
    if found.tiers:
        laid = layout.lay(replace(problem, tier=found.tiers[0], finest=LIMIT // (size * grid.total)))
    else:
        laid = layout.lay(problem) if giants.u else Laid.ring(_NONE, _NONE, 0)
    return _as_plan(layout, problem, grid, giants, laid, groups=tree, **fields)


def _design_tiers(layout: Layout, problem: LayoutInput, grid: Grid, tiers: Sequence[TierCaps], **fields: Any) -> Plan:
    """Several tiers side by side on one ring: each has as many lanes as its rank, and all have the same phases. So the
    weights of each are put on a grid of one total.
    """
    weights, phases, apart = on_common_grid(grid.weights, tiers, LIMIT // problem.k)
    rings = []
    for i, tier in enumerate(tiers):

        def progress(done: int, steps: int, what: str, i: int = i) -> None:
            problem.progress(i * steps + done, len(tiers) * steps, f"tier {i + 1} of {len(tiers)}, {what}")

        own = replace(tier, weight=phases)
        giants = Giants(problem.giants.members, tier.rank, phases)
        laid = layout.lay(replace(problem, weights=weights, giants=giants, tier=own, progress=progress))
        rings.append((laid, lanes_of(laid, tier.rank, phases)))
    members = np.concatenate([line for _, (line, _) in rings])
    starts = np.concatenate(
        [starts + phases * lanes for (_, (_, starts)), lanes in zip(rings, _before(tiers), strict=True)]
    )
    giants = problem.giants
    fields |= {"length": phases, "tiers": tuple((tier.rank, tier.weight) for tier in tiers)}
    fields["distance"] = min(fields["distance"] + apart, 1.0)
    whole = Laid(np.empty((0, giants.u), dtype=np.int64), members=members, starts=starts)
    plan = _as_plan(layout, problem, grid, giants, whole, **fields)
    distances, first = layout.distances(problem), rings[0][0].costs
    if distances is None or first is None:
        return plan
    sets = ((sets[:, plan.n_giants :], lengths / plan.phases) for sets, lengths in plan.cells())
    costs = replace(first, value=cost_of_cells(sets, distances), bound=None, rounding=None)
    return replace(plan, costs=costs)


def _before(tiers: Sequence[TierCaps]) -> list[int]:
    """How many lanes come before those of each tier."""
    return [sum(tier.rank for tier in tiers[:i]) for i in range(len(tiers))]


def best_target(weights: npt.NDArray[np.int64], k: int, tree: GroupTree | None) -> npt.NDArray[np.float64]:
    """pi of the best plan for these weights, largest first, which no layout changes."""
    if tree is not None:
        return find_partition(weights, k, tree).target(weights)
    total = int(weights.sum())
    giants = find_giants(weights, total, k)
    rest = [giants.rest / giants.u] * (giants.u if giants.rest else 0)
    return np.concatenate([weights[giants.members], rest]) / total


def lay_again(plan: Plan, layout: Layout) -> Plan:
    """The same plan in another layout: the same giants, the other secrets on other homes and another ring."""
    if plan.groups is not None:
        return design(plan.on_grid, plan.k, layout=layout, groups=plan.groups)
    giants = Giants(plan.giants, plan.u, plan.rest)
    problem = LayoutInput(plan.prior, plan.weights, plan.k, giants)
    laid = layout.lay(problem)
    grid = Grid(plan.weights, plan.total, plan.distance)
    return _as_plan(layout, problem, grid, giants, laid, gains=plan.gains, distance=plan.distance)


def as_layout(layout: Layout | str) -> Layout:
    """The layout itself, or the one of that name if it needs no arguments."""
    if isinstance(layout, Layout):
        return layout
    if not isinstance(layout, str) or layout not in LAYOUTS:
        given = quote(layout) if isinstance(layout, str) else type(layout).__name__  # a table would show its rows
        raise InvalidParameter(
            f"unknown layout {given}: one of {', '.join(LAYOUTS)}, or a layout object such as Stable"
        )
    try:
        return LAYOUTS[layout]()
    except TypeError:
        name = LAYOUTS[layout].__name__
        raise InvalidParameter(f"layout={layout!r} needs arguments: give layout={name}(...)") from None


def _check_gains(gains: Iterable[Any], secrets: Labels) -> npt.NDArray[Any] | list[Any]:
    """Gains as a valid vector: as many as secrets, finite, not negative, not all zero."""
    if isinstance(gains, Iterator):
        gains = as_list(gains, "the gains are one number for each secret")  # they are read twice
    gains = gains if isinstance(gains, Prior) else values_by_label(gains, secrets, "gains")
    worth = as_gains(gains, secrets)
    gamma: npt.NDArray[Any] | list[Any] = worth.weights
    several = not isinstance(gains, Prior) and getattr(gains, "dtype", "O") == "O"
    if worth.exact and several and any(isinstance(g, Fraction) for g in gains):
        gamma = list(gains)  # the prior scaled them to whole numbers, but their size matters
    try:
        float(np.max(gamma))
    except OverflowError:
        raise InvalidParameter("a gain is larger than a float can hold: divide all gains by the same number") from None
    return gamma


def _apply_gains(prior: Prior, gamma: npt.NDArray[Any] | list[Any]) -> Prior:
    """The weights gamma_x w_x, exact if both are."""
    if isinstance(gamma, np.ndarray) and (gamma.dtype.kind == "f" or not prior.exact):
        weights: Any = prior.p * gamma.astype(np.float64)
    else:
        weights = [
            w * g
            for w, g in zip(prior.weights.tolist(), gamma if isinstance(gamma, list) else gamma.tolist(), strict=True)
        ]
        if not prior.exact:
            weights = [float(w) for w in weights]
    try:
        return Prior(weights)
    except ValueError:
        raise InvalidParameter("every gain meets a secret of probability zero: nothing would be worth hiding") from None
