"""update: tomorrow's plan for tomorrow's counts, optimal as any other, with as many of today's sets as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from minleak._data.labels import Labels
from minleak._data.prior import Prior, as_prior
from minleak._design.descent import Changes, Descent
from minleak._design.giants import Ground, find_giants
from minleak._design.grid import to_grid
from minleak._design.layouts.base import Layout
from minleak._design.living.inherit import inherited
from minleak._design.living.matching import matched
from minleak._design.rings import LIMIT, Arrangement
from minleak._design.stored.digests import labels_in_bytes
from minleak.errors import InvalidParameter, shown

Indices = npt.NDArray[np.int64]
P = TypeVar("P", bound=Arrangement)


def updated(plan: P, digest: bytes, prior: Prior | Iterable[Any], layout: Layout | None) -> P:
    """The plan for a new prior that is the next version of this one: see `Plan.update`."""
    prior = as_prior(prior)
    if plan.gains is not None:
        raise InvalidParameter(
            "a plan with gains cannot be updated, since new counts do not tell what each secret is worth: design it "
            "anew with gains="
        )
    moved = _moved(plan.prior.labels, prior.labels)
    k = min(plan.k, len(prior))
    grid = to_grid(prior, k)
    giants = find_giants(grid.weights, grid.total, k)
    descent = (plan.descent or Descent()).child(digest)
    there = len(plan.prior) if moved is None else int(np.count_nonzero(moved >= 0))
    counts = {"new": len(prior) - there, "gone": len(plan.prior) - there}
    ground = Ground(grid.weights, prior.labels, giants, LIMIT // (k * grid.total))
    idle = np.flatnonzero(grid.weights == 0) if grid.weights.min() == 0 else np.empty(0, dtype=np.int64)
    whole = replace(plan, prior=prior, k=k, descent=descent, distance=grid.distance, giants=giants.members)
    places = np.arange(len(plan.prior)) if moved is None else moved
    found = inherited(plan, ground, places, _rank(places, prior.labels))
    return replace(
        whole,
        weights=grid.weights,
        total=grid.total,
        u=giants.u,
        tail=giants.tail,
        homes=found.laid.homes,
        rings=found.laid.rings,
        idle=idle,
        changes=Changes("homes", found.kept, found.mended, found.remade, **counts),
    )


def _moved(old: Labels, new: Labels) -> Indices | None:
    """Where each old label stands among the new ones; None if all stand where they did."""
    if old.is_default != new.is_default:
        which, other = ("the new prior", "the plan") if new.is_default else ("the plan", "the new prior")
        raise InvalidParameter(
            f"{which} has no labels and {other} has: secrets are matched by label, so give the same names to both"
        )
    moved = matched(old, new)
    if moved is not None and not (moved >= 0).any():
        raise InvalidParameter(
            f"the new prior has none of the plan's labels ({shown(new[0])} is its first, {shown(old[0])} the plan's): "
            "it is of other secrets, so design a plan for it"
        )
    return moved


def _rank(moved: Indices, labels: Labels) -> Callable[[Indices], Indices]:
    """An order of secrets that does not depend on their rows: as in the old plan, then new ones by their labels."""

    def rank(secrets: Indices) -> Indices:
        came = np.full(len(labels), -1, dtype=np.int64)
        came[moved[moved >= 0]] = np.flatnonzero(moved >= 0)
        ranks = came[secrets]
        new = np.flatnonzero(ranks < 0)
        names = labels_in_bytes(labels.at(secrets[new]))
        ranks[new[sorted(range(len(new)), key=names.__getitem__)]] = len(moved) + np.arange(len(new))
        return ranks

    return rank
