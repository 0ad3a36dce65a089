"""update: tomorrow's plan for tomorrow's counts, optimal as any other, with as many of today's sets as can be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from minleak._data.arrays import Indices
from minleak._data.labels import Labels
from minleak._data.prior import Grid, Prior, as_prior
from minleak._design.giants import Ground, find_giants
from minleak._design.layouts import LAYOUTS
from minleak._design.layouts.base import RingLayout
from minleak._design.living.inherit import inherited
from minleak._design.living.keep import with_kept_sets
from minleak._design.living.matching import match_versions
from minleak._design.rings import LIMIT, Arrangement, Changes, Descent, Homes, Ring
from minleak.errors import InvalidParameter, shown

P = TypeVar("P", bound=Arrangement)


def updated(plan: P, digest: bytes, prior: Prior | Iterable[Any], layout: RingLayout | None) -> P:
    """The plan for a new prior that is the next version of this one: see `Plan.update`."""
    prior = as_prior(prior)
    if plan.gains is not None:
        raise InvalidParameter(
            "a plan with gains cannot be updated, since new counts do not tell what each secret is worth: design it "
            "anew with its gains"
        )
    if layout is not None and (not isinstance(layout, RingLayout) or layout.name != plan.layout):
        given = layout.name if isinstance(layout, RingLayout) else type(layout).__name__
        raise InvalidParameter(f"an update stays with the plan's layout, {plan.layout}, and does not take {given}")
    found = match_versions(plan.prior.labels, prior.labels)
    moved = np.arange(len(plan.prior)) if found is None else found
    k = min(plan.k, len(prior))
    grid = prior.on_grid(LIMIT // k)
    there = int(np.count_nonzero(moved >= 0))
    secrets = {"new": len(prior) - there, "gone": len(plan.prior) - there}
    descent = (plan.descent or Descent()).child(digest)
    fields: dict[str, Any] = {"prior": prior, "k": k, "distance": grid.distance, "descent": descent}
    what = "homes" if len(plan.homes.weights) and plan.costs is None else "sets"
    sets = len(plan.homes.weights) if what == "homes" else plan.n_cells
    if not (secrets["new"] or secrets["gone"]) and k == plan.k and layout is None and _in_proportion(plan, grid, moved):
        return replace(plan, **fields, **_renamed(plan, moved), changes=Changes(what, sets, 0, 0, **secrets))
    giants = find_giants(grid.weights, grid.total, k)
    ground = Ground(grid.weights, prior.labels, giants, LIMIT // (k * grid.total))
    if what == "homes" and giants.tail:
        homes = inherited(plan, ground, found, _rank(moved, prior.labels))
        laid, changes = homes.laid, Changes(what, homes.kept, homes.mended, homes.remade, **secrets)
    else:
        laid, kept, sets = with_kept_sets(plan, ground, moved, layout or _layout(plan, prior, moved))
        changes = Changes(what, kept, 0, sets - kept, **secrets)
    return replace(plan, **fields, changes=changes, **laid.fields(grid.times(laid.factor), giants))


def _rank(moved: Indices, labels: Labels) -> Callable[[Indices], Indices]:
    """An order of secrets that does not depend on their rows: as in the old plan, then new ones by their labels."""

    def rank(secrets: Indices) -> Indices:
        came = np.full(len(labels), -1, dtype=np.int64)
        came[moved[moved >= 0]] = np.flatnonzero(moved >= 0)
        ranks = came[secrets]
        new = np.flatnonzero(ranks < 0)
        ranks[new[_by_name(labels, secrets[new])]] = len(moved) + np.arange(len(new))
        return ranks

    return rank


def _by_name(labels: Labels, secrets: Indices) -> Indices:
    """The order of some secrets by their labels."""
    names = labels.storable()
    if names is None:
        written = labels.bytes_at(secrets)
        return np.array(sorted(range(len(secrets)), key=written.__getitem__), dtype=np.int64)
    import pyarrow.compute as pc

    return np.asarray(pc.sort_indices(names.take(pa.array(secrets))).to_numpy(), dtype=np.int64)


def _in_proportion(plan: Arrangement, grid: Grid, moved: Indices) -> bool:
    """Whether all weights are the old ones times a common factor."""
    common = math.gcd(plan.total, grid.total)
    ours, theirs = plan.total // common, grid.total // common
    few = slice(1000)  # most are told apart by some
    for part in (few, slice(None)):
        old, rest = np.divmod(plan.weights[part], ours)
        new, left = np.divmod(grid.weights[moved[part]], theirs)
        if rest.any() or left.any() or not np.array_equal(old, new):
            return False
    return True


def _renamed(plan: Arrangement, moved: Indices) -> dict[str, Any]:
    """The fields of the same arrangement for secrets in another order."""

    def placed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        out = np.empty_like(array)
        out[moved] = array
        return out

    rings = tuple(Ring(moved[ring.listed()], ring.starts, ring.length, ring.u) for ring in plan.rings)
    costs = plan.costs
    if costs is not None and costs.coordinates is not None:
        costs = replace(costs, coordinates=placed(costs.coordinates))
    return {
        "weights": placed(plan.weights),
        "giants": moved[plan.giants].astype(np.int64),
        "homes": Homes(moved[plan.homes.members], plan.homes.weights),
        "rings": rings,
        "idle": np.sort(moved[plan.idle]).astype(np.int64),
        "costs": costs,
        "apart": None if plan.apart is None else placed(plan.apart),
    }


def _layout(plan: Arrangement, prior: Prior, moved: Indices) -> RingLayout:
    """The plan's layout for the new secrets."""
    kind = LAYOUTS.get(plan.layout)
    if kind is None or not issubclass(kind, RingLayout):
        raise InvalidParameter(f"the plan's layout {shown(plan.layout)} is none that lays rings: design the plan anew")
    return kind.tomorrow(plan, prior.labels, moved)
