"""Apart: secrets that must not share a set, as groups of which a set holds at most one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minleak._data.arrays import Indices
from minleak._data.labels import Labels, named
from minleak._layouts.giants import LayoutInput
from minleak.errors import Infeasible, InvalidParameter, shown

_NAMED = 3


def exclusion_groups(forbid: Iterable[Iterable[Any]] | None, ground: LayoutInput) -> Indices:
    """The group of each secret, if a plan of least leakage can keep its members apart."""
    groups = groups_of(forbid, ground.labels)
    check_apart(groups, ground.weights, ground.giants.members, ground.u, ground.giants.rest_weight, ground.labels)
    return groups


def groups_of(forbid: Iterable[Iterable[Any]] | None, labels: Labels) -> Indices:
    """The group of each secret, a number; secrets that may be with all others have a group of their own.

    Pairs and groups that share a secret become one group, also where that is stricter than what was asked.
    """
    n = len(labels)
    links: list[tuple[int, int]] = []
    for group in _listed(forbid):
        places = []
        for name in group:
            x = labels.position(name)
            if x is None:
                raise InvalidParameter(f"forbid= names {shown(name)}, which is no secret of the prior")
            places.append(x)
        links += [(places[0], x) for x in places[1:]]
    if not links:
        return np.arange(n)
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    graph = sp.coo_array((np.ones(len(links)), tuple(np.transpose(links))), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _listed(forbid: Iterable[Iterable[Any]] | None) -> list[list[Any]]:
    if forbid is None:
        return []
    try:
        groups = [None if isinstance(group, str | bytes) else list(group) for group in forbid]
    except Exception:
        groups = [None]
    if any(group is None or len(group) < 2 for group in groups):
        raise InvalidParameter("forbid= are pairs or groups of labels, such as [('flu', 'cold')], two or more in each")
    return [group for group in groups if group is not None]


def check_apart(groups: Indices, weights: Indices, giants: Indices, u: int, tail: int, labels: Labels) -> None:
    """Refuse groups that no plan of least leakage can keep apart.

    A giant is in every set, so no secret can be kept apart from it. Sets with a member of a group on rings are disjoint
    in phase, so a group has at most the share s/u of a single member; and that suffices, as members of a group one
    after the other on a wrap-around ring show.
    """
    where = named(labels, "secret")
    sizes = np.bincount(groups, minlength=len(groups))
    possible = np.bincount(groups[weights > 0], minlength=len(groups))
    for x in giants.tolist():
        if possible[groups[x]] > 1:
            other = next(int(i) for i in np.flatnonzero(groups == groups[x]) if i != x and weights[i] > 0)
            raise Infeasible(
                f"{where(other)} cannot be hidden apart from {where(x)}, which is so likely that it is in every set: "
                "let them share sets, or take a smaller k"
            )
    heavy = np.zeros(len(groups), dtype=np.int64)
    np.add.at(heavy, groups, weights)
    heavy[groups[giants]] = 0
    for g in np.flatnonzero((sizes > 1) & (heavy > tail // max(u, 1))).tolist():
        members = np.flatnonzero(groups == g)
        members = members[np.argsort(-weights[members], kind="stable")]
        more = f" and {len(members) - _NAMED} more" if len(members) > _NAMED else ""
        names = ", ".join(where(int(x)) for x in members[:_NAMED])
        raise Infeasible(
            f"{where(int(members[0]))} cannot be hidden: {names}{more}, to be kept apart, weigh {int(heavy[g]):,} "
            f"together, and at most {tail // u:,} (the rest's weight over the {u} places in a set) can be kept apart: "
            "let the heaviest share sets with the others, or take a smaller k (pairs that share a secret are one group)"
        )
