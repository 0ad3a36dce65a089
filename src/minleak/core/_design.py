"""design: the channel that leaks least among all whose sets have at most k secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from minleak.core._labels import Labels
from minleak.core._layouts import LAYOUTS
from minleak.core._layouts.base import Layout, RingLayout
from minleak.core._layouts.blocks import Blocks
from minleak.core._layouts.giants import Giants, LayoutInput, LayoutResult, find_giants
from minleak.core._matching import values_by_label
from minleak.core._parameters import as_list
from minleak.core._plan.base import BLOCKS, RINGS
from minleak.core._plan.blocks import BlockPlan
from minleak.core._plan.groups import Groups, GroupTree
from minleak.core._plan.partition import cut, fit
from minleak.core._plan.plan import Plan
from minleak.core._plan.rings import LIMIT, cap
from minleak.core._plan.rows_read import as_rows, cut_within
from minleak.core._plan.tiers import Tier
from minleak.core._prior import Grid, Prior, as_gains, as_prior
from minleak.core._progress import Progress, no_progress
from minleak.errors import InvalidParameter, quote
from minleak.groups._tiers import TierCaps, find_partition
from minleak.near._pricing.regions import cost_of_cells
from minleak.strings._make import design_unlisted
from minleak.strings._model import StringModel
from minleak.strings._plan import UnlistedPlan


@overload
def design(  # type: ignore[overload-overlap] # every other text is a layout
    prior: Prior | Iterable[Any],
    k: int,
    *,
    layout: Blocks | Literal["blocks"],
    groups: Groups | GroupTree | None = None,
    gains: None = None,
    progress: Progress | None = ...,
) -> BlockPlan: ...
@overload
def design(
    prior: Prior | Iterable[Any],
    k: int,
    *,
    layout: RingLayout | str = "stable",
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
) -> Plan | BlockPlan | UnlistedPlan:
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
    return _MAKERS[layout.kind](layout, prior, k, gains, groups, progress or no_progress)


def _design_rings(
    layout: RingLayout,
    prior: Prior,
    k: int,
    gains: Iterable[Any] | None,
    groups: Groups | GroupTree | None,
    progress: Progress,
) -> Plan:
    """The plan of least leakage that the layout lays."""
    gamma = None if gains is None else _check_gains(gains, prior.labels)
    grid = (prior if gamma is None else _apply_gains(prior, gamma)).on_grid(LIMIT // k)
    problem = LayoutInput(grid.weights, prior.labels, Giants(np.empty(0, dtype=np.int64), k, 0), progress=progress)
    fields: dict[str, Any] = {
        "prior": prior,
        "layout": layout.name,
        "gains": None if gamma is None else np.array([float(g) for g in gamma]),
        "distance": grid.distance,
    }
    if groups is not None:
        return _design_under_caps(layout, problem, k, groups.tree(prior.labels), grid, fields)
    giants = find_giants(grid.weights, grid.total, k)
    laid = layout.lay(replace(problem, giants=giants, finest=LIMIT // (k * grid.total)))
    return Plan.trusted(k=k, **fields, **laid.fields(grid.times(laid.factor), giants))


def _design_under_caps(
    layout: RingLayout, problem: LayoutInput, k: int, tree: GroupTree, grid: Grid, fields: dict[str, Any]
) -> Plan:
    """The plan of least leakage under caps on groups: each tier of the principal partition is laid by itself."""
    problem.progress(0, 1, "the principal partition under the caps")
    found = find_partition(grid.weights, k, tree)
    places = sum(tier.rank for tier in found.tiers)
    size = len(found.giants) + places if places else tree.rank(np.ones(len(tree.group_of), dtype=bool), k)
    giants = Giants(found.giants, size - len(found.giants), 0)
    finest = LIMIT // (k * grid.total) if len(found.tiers) == 1 else 1  # all tiers have the same units
    first, *others = _lay_tiers(layout, replace(problem, giants=giants, finest=finest), found.tiers)
    lower = tuple(Tier(laid.homes, laid.rings) for laid in others)
    fields |= {"k": size, "groups": tree, "lower": lower, **first.fields(grid.times(first.factor), giants)}
    plan = Plan.trusted(**fields)
    distances = layout.distances(problem) if lower else None
    if distances is None or first.cost is None:
        return plan
    mean = cost_of_cells(((sets, lengths / plan.phases) for sets, lengths in plan.cells()), distances)
    return Plan.trusted(**fields | {"costs": replace(first.cost, value=mean, bound=None, rounding=None)})


def _lay_tiers(layout: RingLayout, problem: LayoutInput, tiers: Sequence[TierCaps]) -> list[LayoutResult]:
    """Each tier laid by itself, or the problem as it is if there is none; the progress of all tiers is one."""
    laid = []
    for i, tier in enumerate(tiers):

        def progress(done: int, steps: int, what: str, i: int = i) -> None:
            tiered = what if len(tiers) == 1 else f"tier {i + 1} of {len(tiers)}, {what}"
            problem.progress(i * steps + done, len(tiers) * steps, tiered)

        giants = Giants(problem.giants.members, tier.rank, tier.weight)
        laid.append(layout.lay(replace(problem, giants=giants, tier=tier, progress=progress)))
    return laid or [layout.lay(problem)]


def _design_blocks(
    layout: Blocks,
    prior: Prior,
    k: int,
    gains: Iterable[Any] | None,
    groups: Groups | GroupTree | None,
    progress: Progress,
) -> BlockPlan:
    """The best blocks for a prior and a cap. O(n log n)."""
    del progress
    if gains is not None:
        raise InvalidParameter("gains= goes with plans that draw their sets: blocks are made for the prior")
    if layout.mean_rows is not None or layout.worst_rows is not None:
        if groups is not None:
            raise InvalidParameter("groups= and a budget in rows are two ways to cut blocks: give one of them")
        rows = as_rows(prior, layout.rows)
        found = cut_within(prior, rows, k, mean=layout.mean_rows, worst=layout.worst_rows)
        return BlockPlan(prior, int(found.sizes.max()), found)
    if groups is None:
        return BlockPlan(prior, k, cut(prior, k))
    tree = groups.tree(prior.labels)
    size = tree.rank(np.ones(len(prior), dtype=bool), k)
    return BlockPlan(prior, size, fit(prior, size, tree), tree)


# How a layout makes a plan of its kind.
_MAKERS: dict[str, Callable[..., Plan | BlockPlan]] = {RINGS: _design_rings, BLOCKS: _design_blocks}


def lay_again(plan: Plan, layout: RingLayout) -> Plan:
    """The same plan in another layout: the same giants, the other secrets on other rings."""
    problem = LayoutInput(plan.weights, plan.prior.labels, Giants(plan.giants, plan.u, plan.rest_weight))
    tiers = () if plan.groups is None else find_partition(plan.weights, plan.k, plan.groups).tiers
    first, *others = _lay_tiers(layout, problem, tiers)
    lower = tuple(Tier(laid.homes, laid.rings) for laid in others)
    return replace(plan, layout=layout.name, homes=first.homes, rings=first.rings, lower=lower)


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
