"""visits: hide which name a visit began with, where many names are asked for together."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from minleak.core._file.replacing import replace_folder
from minleak.core._parameters import whole
from minleak.core._prior import Prior, as_prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, UnknownSecret
from minleak.rivals._visits import Visits


@dataclass(frozen=True)
class HiddenVisits(Result):
    """Visits in `bundles` bundles: a visit asks for the bundle of the name that it begins with (its root), one of
    `roots`, with all that any of the bundle's `k` roots needs. One guess at the root is right with probability
    `success`; the names of a visit alone would tell it with probability `unhidden`. A visit asks for `names` names on
    average and `worst` at most, in place of `needed` on average; for `beyond_cache` on average where everybody has the
    `cached` names already. No way of hiding that asks for at most `worst` names is guessed less often than `floor`.

    It holds for an observer who knows how popular every root is and what it needs, and sees one visit. It does not hold
    where the order or the times of requests depend on the root, where a client keeps only what it wanted (a later visit
    then tells), or where popularity is not as counted.
    """

    roots: int
    k: int
    bundles: int
    success: float
    unhidden: float
    names: float
    worst: int
    needed: float
    cached: int
    beyond_cache: float
    floor: float
    _bundle: dict[Any, int] = field(repr=False)
    _members: list[list[Any]] = field(repr=False)

    def to_parts(self) -> list[str | Table]:
        rows = [
            ["as they are", f"{100 * self.unhidden:.1f}%", f"{self.needed:.1f}", ""],
            [f"bundles of {self.k} roots", f"{100 * self.success:.1f}%", f"{self.names:.1f}", f"{self.worst:,}"],
        ]
        if self.cached:
            rows.append([f"with {self.cached:,} names cached by all", rows[1][1], f"{self.beyond_cache:.1f}", ""])
        said = (
            f"{self.roots:,} roots in {self.bundles:,} bundles; asking for at most {self.worst:,} names, no way of "
            f"hiding is guessed less often than {100 * self.floor:.2g}%"
        )
        holds = "if order and times of requests tell nothing, and a client asks for whole bundles and keeps them whole"
        return [Table("", ["visits", "one guess", "names a visit", "worst"], rows), said, f"this holds {holds}"]

    def bundle(self, root: Any) -> int:
        """Return the number of the bundle that a visit of this root asks for."""
        try:
            return self._bundle[root]
        except (KeyError, TypeError):
            raise UnknownSecret("the root is not among those that were counted: it has no bundle") from None

    def members(self, bundle: int) -> list[Any]:
        """Return the names in a bundle."""
        return list(self._members[whole(bundle, "bundle", 0, self.bundles - 1)])

    def export(self, folder: str | os.PathLike[str]) -> None:
        """Write a new folder: roots.json, which maps a root to its bundle, and a file for each bundle in bundles/."""
        with replace_folder(folder) as made:
            Path(made, "roots.json").write_text(json.dumps(self._bundle, ensure_ascii=False), encoding="utf-8")
            os.mkdir(os.path.join(made, "bundles"))
            for number, names in enumerate(self._members):
                Path(made, "bundles", f"{number}.json").write_text(json.dumps(names, ensure_ascii=False), "utf-8")


def visits(
    roots: Prior | Iterable[Any], closures: Mapping[Any, Iterable[Any]], k: int, *, cached: int = 0
) -> HiddenVisits:
    """Hide the root of a visit among k roots of like popularity, whose names are all asked for together.

    Hiding each name does not hide the visit: a Debian package and all it depends on, each in a block of 57, is named
    89% of the time. Here the secret is the root and the observable a set of k roots, as the union of what they need: a
    guess is right with the sum over sets of the largest probability of a root, at most p_1 + 1/k.

    Parameters
    ----------
    roots
        How often a visit begins with each root.
    closures
        For each root the names that are asked for with it, itself among them or not.
    k
        How many roots share a bundle.
    cached
        How many names everybody has already: those that most visits need. They are in no bundle's cost.

    >>> found = visits({"a": 4, "b": 3, "c": 2, "d": 1}, {"a": ["x", "y"], "b": ["x"], "c": ["z"], "d": []}, k=2)
    >>> round(found.success, 6), found.unhidden, found.names
    (0.6, 1.0, 3.7)
    >>> found.bundle("a") == found.bundle("b"), found.members(found.bundle("a"))
    (True, ['a', 'b', 'x', 'y'])
    """
    prior, k = as_prior(roots), whole(k, "k")
    if not isinstance(closures, Mapping):
        raise InvalidParameter(f"closures must map roots to names; got {type(closures).__name__}. Use a dictionary.")
    asked = {root: closures[root] for root in prior.labels if root in closures}
    if len(asked) < len(prior):
        raise InvalidParameter(f"closures must have every root; got {len(prior) - len(asked):,} without. Add them.")
    names = list(dict.fromkeys([*prior.labels, *_flat(asked.values())]))
    everything = Visits.of(asked, Prior(np.ones(len(names), np.int64), labels=names).labels, prior)
    inside = everything.root < len(prior)
    root, name = everything.root[inside], everything.name[inside]
    p, n = prior.p, len(names)

    order = np.argsort(-p, kind="stable")
    blocks = max(1, len(p) // k)
    block = np.empty(len(p), np.int64)
    block[order] = np.minimum(np.arange(len(p)) // k, blocks - 1)
    share = np.bincount(block, p, blocks)

    united = np.unique(block[root] * n + name)
    sizes = np.bincount(united // n, minlength=blocks)
    demand = np.bincount(name, p[root], n)
    kept = np.zeros(n, bool)
    kept[np.argsort(-demand, kind="stable")[: whole(cached, "cached", 0, n)]] = True
    beyond = np.bincount(united[~kept[united % n]] // n, minlength=blocks)
    heaviest, best = np.zeros(n), np.zeros(blocks)
    np.maximum.at(heaviest, name, p[root])
    np.maximum.at(best, block, p)
    alone = Visits(root, name, p).under("", np.arange(n))
    members = np.split(united % n, np.cumsum(sizes)[:-1])
    return HiddenVisits(
        roots=len(p),
        k=k,
        bundles=blocks,
        success=float(best.sum()),
        unhidden=alone.success,
        names=float(share @ sizes),
        worst=int(sizes.max()),
        needed=alone.names,
        cached=cached,
        beyond_cache=float(share @ beyond),
        floor=float(heaviest.sum()) / int(sizes.max()),
        _bundle=dict(zip(prior.labels, block.tolist(), strict=True)),
        _members=[[names[at] for at in one.tolist()] for one in members],
    )


def _flat(lists: Iterable[Any]) -> Iterable[Any]:
    for one in lists:
        if isinstance(one, str) or not isinstance(one, Iterable):
            raise InvalidParameter(f"a closure must be a list of names; got {type(one).__name__}. Make it a list.")
        yield from one
