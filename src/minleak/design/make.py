"""design: the channel that leaks least among all whose sets have at most k secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.design.cap import cap
from minleak.design.giants import find_giants
from minleak.design.grid import LIMIT, to_grid
from minleak.design.layouts import LAYOUTS, PRICED
from minleak.design.layouts.near import Laid, Progress
from minleak.design.layouts.near import near as lay_near
from minleak.design.plan import Plan
from minleak.design.pricing.apart import check_apart, groups_of
from minleak.design.pricing.cost import Cost
from minleak.design.pricing.distances import METRICS, Euclidean, from_coordinates, from_costs
from minleak.design.rings import Homes, Ring
from minleak.errors import InvalidParameter
from minleak.prior import Prior, as_prior


def design(
    prior: Prior | Iterable[Any],
    k: int,
    *,
    layout: str | None = None,
    gains: Iterable[Any] | None = None,
    near: Any = None,
    metric: str = "euclidean",
    cost: Any = None,
    forbid: Iterable[Iterable[Any]] | None = None,
    stability: float = 0.0,
    progress: Progress | None = None,
) -> Plan:
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
        Which of the optimal plans. "stable" (the default) is for secrets that may be drawn more than once: repeated
        draws of a secret show nearly the same set. "circle" is the quickest to make, O(n), for secrets drawn once.
        "near" and "cost" are chosen by giving near= or cost=.
    gains
        gamma_x >= 0, what secret x is worth to the attacker, for gain-based leakage: p is replaced by gamma_x p(x).
    near
        Coordinates, a row (or a number) for each secret: decoys will be close. The plan minimises the mean over sets of
        c(M)/u, where c(M) = min over z of sum over i in M of d(z,i), the star cost, at the same leakage: see
        `Plan.cost`. Proven least up to 600 secrets that are no giants, above a good plan in a minute or two. With more
        than 10,000 places, those of weight zero among them, centres z are secrets on rings and nothing is proven.
    metric
        d for near: "euclidean", or "haversine" for latitude and longitude in degrees, in kilometres.
    cost
        In place of near, d itself: a matrix, its rows centres and its columns secrets, or a callable d(z, i) of index
        arrays. Only memory limits it, n^2 numbers.
    forbid
        With near or cost: pairs or groups of labels that must never share a set. Groups that overlap become one.
        Raises Infeasible, naming a secret, where no plan of least leakage can keep them apart.
    stability
        With near, from 0, as close as possible, to 1, the stable layout: in between, space is split into blocks,
        the larger the more stable, and every block has a stable layout of its own.
    progress
        Called with (done, steps, what is being done) while near and cost take their time.

    Time O(n) for the circle, O(n log n) for stable; about 36 bytes of memory for each secret.

    >>> plan = design([36, 30, 20, 14], k=3, layout="circle")
    >>> plan.n_giants, plan.target
    (1, array([0.36, 0.32, 0.32]))
    >>> round(plan.leakage("shannon"), 6), plan.leakage("min-entropy")
    (0.330518, 0.0)
    >>> plan = design([3, 3, 3, 3], k=2, near=[0, 10, 1, 11])
    >>> plan.cost, [members for members, _ in plan.sets()]
    (0.5, [(0, 2), (1, 3)])
    """
    prior, k = as_prior(prior), cap(k)
    k = min(k, len(prior))  # no set has more members than there are secrets
    layout = _layout(layout, near, cost, metric, forbid, stability)
    if progress is not None and not callable(progress):
        raise InvalidParameter(f"progress= is called with (done, steps, text): a {type(progress).__name__} cannot be")
    gamma = None if gains is None else _gains(gains, len(prior))
    grid = to_grid(prior if gamma is None else _gained(prior, gamma), k)
    giants = find_giants(grid.weights, grid.total, k)
    homes: Homes = Homes.none(max(giants.u, 1))
    rings: tuple[Ring, ...] = ()
    priced, apart = None, None
    if layout in PRICED:
        distances = from_costs(cost, len(prior)) if near is None else from_coordinates(near, metric, prior.labels)
        groups = groups_of(forbid, prior.labels)
        check_apart(groups, grid.weights, giants.members, giants.u, giants.tail, prior.labels)
        apart = None if forbid is None else groups
        laid = Laid(homes, rings, 0.0, 0.0, 0.0)
        if giants.tail:
            laid = lay_near(
                grid.weights,
                giants.members,
                giants.u,
                distances=distances,
                groups=groups,
                stability=float(stability),
                room=LIMIT // (k * grid.total),
                progress=progress,
            )
        homes, rings = laid.homes, laid.rings
        grid, giants = grid.times(laid.factor), replace(giants, tail=giants.tail * laid.factor)
        places = distances.coordinates if isinstance(distances, Euclidean) else None
        named = "given" if near is None else metric
        priced = Cost(laid.cost, laid.bound, laid.rounding, named, float(stability), places)
    elif giants.tail:
        homes, rings = LAYOUTS[layout](grid.weights, giants.members, giants.u)
    return Plan(
        prior=prior,
        k=k,
        layout=layout,
        gains=None if gamma is None else np.array([float(g) for g in gamma]),
        weights=grid.weights,
        total=grid.total,
        distance=grid.distance,
        giants=giants.members,
        u=giants.u,
        tail=giants.tail,
        homes=homes,
        rings=rings,
        idle=np.flatnonzero(grid.weights == 0) if grid.weights.min() == 0 else np.empty(0, dtype=np.int64),
        priced=priced,
        apart=apart,
    )


def _layout(layout: Any, near: Any, cost: Any, metric: Any, forbid: Any, stability: Any) -> str:
    """The layout's name, if it goes with what else was said."""
    known = isinstance(stability, Real) and not isinstance(stability, bool)
    if not known or not 0 <= stability <= 1:
        raise InvalidParameter(f"stability is a number from 0 (near) to 1 (stable), not {stability!r}")
    if not isinstance(metric, str):
        raise InvalidParameter(f"metric is a name, {' or '.join(METRICS)}, not {metric!r}")
    if near is not None and cost is not None:
        raise InvalidParameter("near= and cost= are two ways to say what a set costs: give one of them")
    told = "near" if near is not None else "cost" if cost is not None else None
    if layout is None:
        layout = told or "stable"
    if not isinstance(layout, str) or layout not in (*LAYOUTS, *PRICED):
        raise InvalidParameter(f"unknown layout {layout!r}: one of {', '.join((*LAYOUTS, *PRICED))}")
    if layout in PRICED and layout != told:
        raise InvalidParameter(f"layout={layout!r} needs {layout}=, which says what a set costs")
    if layout not in PRICED and (told or forbid is not None or stability != 0 or metric != "euclidean"):
        raise InvalidParameter(
            f"near=, cost=, metric=, forbid= and stability= do not go with layout={layout!r}: give near= or cost= "
            "and no layout"
        )
    if metric != "euclidean" and told != "near":
        raise InvalidParameter("metric= says how far coordinates are apart, so it needs near=")
    if stability and (told != "near" or forbid is not None):
        raise InvalidParameter("stability= splits space into blocks, so it needs near=, and goes without forbid=")
    return layout


def _gains(gains: Iterable[Any], n: int) -> npt.NDArray[Any] | list[Any]:
    """Gains as a valid vector: as many as secrets, finite, not negative, not all zero."""
    if isinstance(gains, Iterator):
        gains = list(gains)  # looking at them spends them, and they are looked at twice
    try:
        worth = Prior(gains)  # the same demands as on weights
    except ValueError as error:
        raise InvalidParameter(f"the gains are no vector gamma: {str(error).replace('weight', 'gain')}") from None
    if len(worth) != n:
        raise InvalidParameter(f"{len(worth)} gains for {n} secrets: give one for each")
    gamma: npt.NDArray[Any] | list[Any] = worth.weights
    if worth.exact and getattr(gains, "dtype", "O") == "O" and any(isinstance(g, Fraction) for g in gains):
        gamma = list(gains)  # the weights are these over a common denominator, which would change what is gained
    try:
        float(np.max(gamma))
    except OverflowError:
        raise InvalidParameter("a gain is larger than a float can hold: divide all gains by the same number") from None
    return gamma


def _gained(prior: Prior, gamma: npt.NDArray[Any] | list[Any]) -> Prior:
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
