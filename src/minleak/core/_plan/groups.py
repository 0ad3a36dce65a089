"""Groups: how many members of a group a set may have, nested or not; and their tree over the secrets of a prior."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from minleak.core._arrays import Indices
from minleak.core._labels import Labels
from minleak.core._parameters import whole
from minleak.core._properties import as_property
from minleak.errors import InvalidParameter, quote

_ONE_EACH = "the groups are one for each secret, a list in the prior's order or a mapping by label"
# No set has more members than this, so that larger caps are none.
_MOST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Groups:
    """At most `at_most` members of a group in every set: what a set tells about the group of the secret is then bounded
    by the cap, and the plan leaks least among all that keep it, for every symmetric, expansible, core-concave entropy
    at once.

    Such sets are the independent sets of a laminar matroid, for which the theorem holds too. Groups that cross, such as
    country and language, are an intersection of two matroids, and a cap k that differs by secret is no matroid: one
    channel is then seldom optimal for all entropies, and `optimise` with listed sets is the way.

    Parameters
    ----------
    by
        The group of each secret: a list in the prior's order, or a mapping by label. Every secret has one; one that may
        be with all others has a group of its own.
    at_most
        How many of a group a set may have, from 1 on: a number; or one for each group, as a mapping by group or as a
        list in the order in which the groups first appear.
    inside
        Finer groups, each of which lies in one of these, with caps of their own.

    >>> import minleak as ml
    >>> country = {"Rome": "IT", "Milan": "IT", "Lyon": "FR", "Nice": "FR"}
    >>> prior = ml.Prior.from_counts({"Rome": 6, "Milan": 2, "Lyon": 2, "Nice": 2})
    >>> sorted(members for members, _ in ml.design(prior, k=2, groups=ml.Groups(country, at_most=1)).sets())
    [('Milan', 'Nice'), ('Rome', 'Lyon'), ('Rome', 'Nice')]
    """

    by: Any = field(repr=False)
    at_most: Any = field(kw_only=True)
    inside: Groups | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.by, str | bytes) or not hasattr(self.by, "__iter__"):
            raise InvalidParameter(f"{_ONE_EACH}, not {type(self.by).__name__}")
        if self.inside is not None and not isinstance(self.inside, Groups):
            raise InvalidParameter(f"inside= are finer Groups, not {type(self.inside).__name__}")
        if not isinstance(self.at_most, Mapping | list | tuple | np.ndarray):
            whole(self.at_most, "at_most, the cap on the members of a group in a set,", 1)

    def tree(self, labels: Labels) -> GroupTree:
        """The groups of these secrets."""
        levels: list[tuple[Indices, list[Any], Indices]] = []
        asked: Groups | None = self
        while asked is not None:
            codes, names = _number_groups(asked.by, labels)
            levels.insert(0, (codes, names, _caps(asked.at_most, names)))
            asked = asked.inside
        sizes = [len(names) for _, names, _ in levels]
        parents = []
        for level, ((inner, names, _), (outer, others, _)) in enumerate(itertools.pairwise(levels)):
            parents.append(_lie_in(inner, outer, names, others) + sum(sizes[: level + 1]))
        parents.append(np.full(sizes[-1], -1, dtype=np.int64))
        return GroupTree(levels[0][0], np.concatenate(parents), np.concatenate([caps for *_, caps in levels]))


@dataclass(frozen=True, eq=False)
class GroupTree:
    """Nested groups as numbers: secret x is in group `group_of[x]`, group g lies in `parents[g]` > g, or in none where
    that is -1, and a set has at most `caps[g]` members of it.
    """

    group_of: Indices
    parents: Indices
    caps: Indices

    @classmethod
    def side_by_side(cls, trees: Sequence[GroupTree]) -> GroupTree:
        """Groups of one secret after the other: those of different trees are different."""
        begins = np.cumsum([0, *(len(tree.caps) for tree in trees)]).tolist()
        pairs = list(zip(trees, begins, strict=False))
        return cls(
            np.concatenate([tree.group_of + begin for tree, begin in pairs]),
            np.concatenate([np.where(tree.parents < 0, -1, tree.parents + begin) for tree, begin in pairs]),
            np.concatenate([tree.caps for tree in trees]),
        )

    def tree(self, labels: Labels) -> GroupTree:
        """Itself, if it is one of so many secrets."""
        if len(self.group_of) != len(labels):
            raise InvalidParameter(f"{_ONE_EACH}: there are {len(labels):,} secrets and {len(self.group_of):,} groups")
        return self

    def wrong_with(self, n: int) -> str | None:
        """The problem with the groups of n secrets; None if they are valid."""
        one_line = all(
            isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind == "i"
            for array in (self.group_of, self.parents, self.caps)
        )
        if not one_line or len(self.group_of) != n or len(self.parents) != len(self.caps) or not len(self.caps):
            return "the groups are not one for each secret, each with a cap"
        many, numbers = len(self.caps), np.arange(len(self.caps))
        if not (self.group_of.min() >= 0 and self.group_of.max() < many and self.caps.min() >= 1):
            return "a group is none, or its cap below 1"
        nested = ((self.parents == -1) | (self.parents > numbers)) & (self.parents < many)
        return None if nested.all() else "the groups are not nested"

    @cached_property
    def levels(self) -> Indices:
        """How many levels of groups lie inside each, the longest way: 0 for a group of secrets alone."""
        levels = np.zeros(len(self.parents) + 1, dtype=np.int64)  # the last place is for no group
        while True:
            inside = levels.copy()
            np.maximum.at(inside, self.parents, levels[:-1] + 1)
            if np.array_equal(inside[:-1], levels[:-1]):
                return inside[:-1]
            levels = inside

    def up(self, groups: Indices) -> Iterator[Indices]:
        """The groups, and those that they lie in, as far as any reach; -1 where there is none."""
        while (groups >= 0).any():
            yield groups
            groups = np.where(groups >= 0, self.parents[groups], -1)

    def rank(self, secrets: npt.NDArray[np.bool_], k: int) -> int:
        """How many of these secrets a set may have."""
        most = np.bincount(self.group_of[secrets], minlength=len(self.caps) + 1)  # the last place is for a set
        for level in range(int(self.levels.max()) + 1):
            here = np.flatnonzero(self.levels == level)
            np.add.at(most, self.parents[here], np.minimum(most[here], self.caps[here]))
        return min(int(most[-1]), k)

    @cached_property
    def places(self) -> Indices:
        """The place of each group in a walk along the tree, in which all that lies in a group comes in one piece."""
        many = len(self.parents)
        if (self.parents < 0).all():
            return np.arange(many)
        sizes, following = [1] * many + [0], [0] * (many + 1)
        for group, parent in enumerate(self.parents.tolist()):
            sizes[parent] += sizes[group]
        places = np.empty(many, dtype=np.int64)
        for group in range(many - 1, -1, -1):
            parent = int(self.parents[group])
            places[group] = following[parent]
            following[group] = following[parent] + 1
            following[parent] += sizes[group]
        return places

    def describe(self) -> str:
        """The caps in words."""
        said = []
        for level in range(int(self.levels.max()), -1, -1):
            caps = self.caps[self.levels == level]
            least, most = int(caps.min()), int(caps.max())
            among = f"{least}" if least == most else f"{least} to {most}"
            said.append(f"at most {among} members of each of {len(caps):,} groups")
        return "; inside them ".join(said)


def _number_groups(by: Any, labels: Labels) -> tuple[Any, list[Any]]:
    """The number of each secret's group, in the order in which they first appear, and their names."""
    found = as_property(by, labels, what="group", more=True)
    return found.codes.astype(np.int32), list(found.values)


def _caps(at_most: Any, names: list[Any]) -> Indices:
    if isinstance(at_most, Mapping):
        missing = [name for name in names if name not in at_most]
        if missing:
            raise InvalidParameter(f"at_most= says nothing of the group {quote(missing[0])}: give each group a cap")
        at_most = [at_most[name] for name in names]
    elif not isinstance(at_most, list | tuple | np.ndarray):
        return np.full(len(names), min(at_most, _MOST), dtype=np.int64)
    if len(at_most) != len(names):
        raise InvalidParameter(f"at_most= has {len(at_most):,} caps, and there are {len(names):,} groups")
    checked = [
        whole(cap, f"at_most, the cap of the group {quote(name)} in a set,", 1)
        for cap, name in zip(np.asarray(at_most, dtype=object).tolist(), names, strict=True)
    ]
    return np.array([min(cap, _MOST) for cap in checked], dtype=np.int64)


def _lie_in(inner: Indices, outer: Indices, names: list[Any], others: list[Any]) -> Indices:
    """The outer group of each inner one."""
    parents = np.full(len(names), -1, dtype=np.int64)
    parents[inner] = outer
    crossing = np.flatnonzero(parents[inner] != outer)
    if len(crossing):
        x = int(crossing[0])
        raise InvalidParameter(
            f"the inner group {quote(names[inner[x]])} lies in {quote(others[outer[x]])} and in "
            f"{quote(others[parents[inner[x]]])}: the theorem holds for nested groups only; make them nested, or "
            "list the allowed sets for optimise, which takes one entropy at a time"
        )
    return parents
