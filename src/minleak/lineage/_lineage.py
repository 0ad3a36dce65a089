"""Lineage: a plan that lasts. Parts that never change, what was counted since, and the secrets that wait for a part."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._certify.certificate import certificate_of
from minleak.core._design import design
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.standard import STANDARD
from minleak.core._file.format import Contents, require, require_number, require_whole
from minleak.core._file.hashing import hash_parts, label_parts
from minleak.core._labels import Labels
from minleak.core._layouts import LAYOUTS
from minleak.core._layouts.base import Layout
from minleak.core._matching import join, take
from minleak.core._parameters import real, whole
from minleak.core._plan.groups import Groups, GroupTree
from minleak.core._plan.plan import Plan
from minleak.core._plan.set_plan import WIDTH, SetPlan, Walk
from minleak.core._plan.summaries import LineageSummary, summarize_lineage, tell_property
from minleak.core._prior import Prior, as_prior, total_of
from minleak.core._property_leakage import Values
from minleak.errors import InvalidParameter, quote
from minleak.lineage._cadence import is_due
from minleak.lineage._certificate import certify_lineage
from minleak.lineage._ledger import DAILY, LAST_DAY, MOST, SERIES, Ledger
from minleak.rates._today import SHARES, Today, check_enough, leaks_today

# The most parts that a file holds.
_PARTS = 100_000


@dataclass(frozen=True, repr=False, eq=False)
class Lineage(SetPlan):
    """A plan that was updated: made by `plan.update(counts)`.

    A set that never changes tells nothing new. So the sets, odds and sticky draws of every listed secret stay the same,
    whatever is counted later; secrets that no longer occur stay listed; and new ones wait until there are enough of
    them for a part of their own, which is an ordinary plan. `parts` are these plans in their order, `pending` the
    waiting secrets. An observer of all versions gets one look at one set. `prior` has the counts of the last day, and
    `success`, `entropy` and `leakage` are by these.

    >>> import minleak as ml
    >>> plan = ml.design({"flu": 40, "cold": 30, "gout": 20, "mumps": 15}, k=2)
    >>> newer = plan.update({"flu": 38, "cold": 31, "gout": 22, "rabies": 1})
    >>> newer.pending, newer.version, newer.lineage == plan.lineage
    (('rabies',), 2, True)
    >>> len(newer.update({"flu": 39, "measles": 2}).parts)
    2
    """

    kind = "lineage"

    _parts: tuple[Plan, ...]
    ledger: Ledger
    #: What was found to leak on earlier days, where it was asked for: `life` has the last day too.
    past: tuple[Today, ...] = ()

    def __post_init__(self) -> None:
        """Refuse parts of different kinds, layouts or caps, and a ledger of other secrets."""
        alike = len({(part.layout, part.k, part.groups is None) for part in self._parts}) == 1
        if not alike or self.ledger.listed != sum(len(part.prior) for part in self._parts):
            raise InvalidParameter("these parts are no lineage: they differ in layout or k, or were not counted")

    @classmethod
    def begin(cls, plan: Plan) -> Lineage:
        """A plan made from nothing, as a lineage of one part."""
        return cls((plan,), Ledger.begin(plan.prior))

    @property
    def parts(self) -> tuple[Plan, ...]:
        """The plans that it is made of, in the order in which they came."""
        return self._parts

    @property
    def k(self) -> int:  # type: ignore[override]
        """The cap on the size of a set."""
        return int(self.parts[0].k)

    @property
    def layout(self) -> str:  # type: ignore[override]
        """That of all parts."""
        return str(self.parts[0].layout)

    @property
    def lineage(self) -> bytes:
        """That of the first part, computed from it."""
        return bytes(self.parts[0].lineage)

    @property
    def version(self) -> int:
        """1 for a plan made from nothing, one more with each update."""
        return self.ledger.version

    @property
    def pending(self) -> tuple[Any, ...]:
        """The secrets that were counted and are not listed yet."""
        return self.ledger.pending

    @cached_property
    def digest(self) -> bytes:
        """A hash, 32 bytes, of the parts and the ledger."""
        ledger = self.ledger
        numbers = np.array([ledger.listed, ledger.day, ledger.began, ledger.version])
        arrays = [getattr(ledger, name) for name in (*SERIES, *DAILY)]
        waiting = label_parts(take(ledger.labels, ledger.waiting)) if ledger.pending else [b"none"]
        return hash_parts(b"minleak lineage 2", [*(part.digest for part in self.parts), numbers, *arrays, *waiting])

    @cached_property
    def prior(self) -> Prior:  # type: ignore[override]
        """The listed secrets, in the order of the parts, with what was counted of each on the last day."""
        counts = self.ledger.counts[: self.ledger.listed]
        if not counts.any():
            counts = self.ledger.pools[: self.ledger.listed]
        return Prior(counts, labels=join([part.prior.labels for part in self.parts]))

    @cached_property
    def begins(self) -> Indices:  # type: ignore[override]
        """Where each of the fixed sets begins, and where the last one ends."""
        sizes = np.concatenate([np.diff(part.begins) for part in self.parts])
        return np.append(0, np.cumsum(sizes))

    @cached_property
    def begins_of_parts(self) -> Indices:
        """Where the secrets of each part begin, and where the last ones end."""
        return np.cumsum([0, *(len(part.prior) for part in self.parts)])

    # -- what it says -------------------------------------------------------------------------------------------------

    def summary(
        self, entropies: Sequence[ConditionalEntropy | str] = STANDARD, *, of: Values | None = None
    ) -> LineageSummary:
        """The plan in words and tables, with the leakage in each entropy, also about a property of the secret if `of`
        gives one.
        """
        return tell_property(self, summarize_lineage(self, entropies), of, entropies)

    def in_the_world(self, *, seed: int = 0) -> Today:
        """What leaks today, in the true population: how often an attacker is right who knows the true rates of the last
        day and saw every version, with an interval, beside what a plan made today would give. See `Today`.

        The counts of a day are a sample, and rates move. So each secret's rate is estimated from the counts that its
        part was made from, those since and today's, how much rates move in a day and how many secrets go, all from
        the counts themselves. Refused where nothing can be said: fewer than 100 events today, every secret seen once,
        gains.

        >>> import minleak as ml
        >>> counts = ml.Prior([20 - i // 30 for i in range(600)])
        >>> today = ml.design(counts, k=10).update(counts).in_the_world()
        >>> today.blind < today.success < today.high
        True
        """
        return self._today if seed == 0 else self._estimate(seed)

    @cached_property
    def _today(self) -> Today:
        return self._estimate(0)

    def _estimate(self, seed: int) -> Today:
        check_enough(self.ledger)
        pools = self.ledger.pools[self.ledger.pools > 0]
        groups = None if self.parts[0].groups is None else self._all_groups(self.ledger.pools > 0)
        anew = design(Prior(pools), self.k, layout="blocks" if self.layout == "blocks" else "stable", groups=groups)
        return leaks_today(self.parts, anew, self.ledger, seed)

    def _all_groups(self, which: Any) -> GroupTree:
        """The groups of all parts side by side, for some of those that were counted; one that waits has its own."""
        trees = [part.groups for part in self.parts if part.groups is not None]
        many = len(self.ledger.waiting)
        trees += [GroupTree(np.arange(many), np.full(many, -1), np.ones(many, dtype=np.int64))] if many else []
        joined = GroupTree.side_by_side(trees)
        return replace(joined, group_of=joined.group_of[which])

    @property
    def life(self) -> tuple[Today, ...]:
        """What `in_the_world` said day after day, where it was asked: files and updates keep it."""
        if "_today" not in vars(self):
            return self.past
        return (*(one for one in self.past if one.day < self.ledger.day), self._today)

    # -- its sets: those of the parts, whose secrets are numbered in their order ---------------------------------------

    #: No secret is in all sets.
    giants = np.empty(0, dtype=np.int64)

    @property
    def groups(self) -> None:  # type: ignore[override]
        """Those of the parts are theirs."""
        return

    @property
    def n_cells(self) -> int:
        """An upper bound on the number of distinct sets."""
        return sum(part.n_cells for part in self.parts)

    @cached_property
    def fixed(self) -> Indices:  # type: ignore[override]
        """The fixed sets of all parts."""
        return np.concatenate([part.fixed + begin for part, begin in self._begun()])

    def _begun(self) -> Iterator[tuple[Plan, int]]:
        """Each part with the number of its first secret."""
        return zip(self.parts, self.begins_of_parts.tolist(), strict=False)

    def walk(self, width: int = WIDTH) -> Walk:
        """The cells of one part after the other."""
        for part, begin in self._begun():
            for sets, lengths, along in part.walk(width):
                yield sets + begin, lengths, along

    def _by_part(self, secrets: Indices) -> Iterator[tuple[Plan, int, Any, Indices]]:
        """(part, number of its first secret, rows, numbers within the part) of those parts that are asked for."""
        begins = self.begins_of_parts
        which = np.searchsorted(begins, secrets, side="right") - 1
        if len(which) and (which == which[0]).all():  # as a single draw
            part, begin = int(which[0]), int(begins[which[0]])
            yield self.parts[part], begin, slice(None), secrets - begin
            return
        order = np.argsort(which, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(which[order])) + 1) if len(order) else ():
            part = int(which[rows[0]])
            yield self.parts[part], int(begins[part]), rows, secrets[rows] - begins[part]

    def places(self, found: Indices) -> Indices:
        """As the parts say."""
        places = np.zeros(len(found), dtype=np.int64)
        for part, _, rows, numbers in self._by_part(found):
            places[rows] = part.places(numbers)
        return places

    def locate(self, found: Indices, places: Indices) -> Indices:
        """The set at each place of the secret's own part."""
        out = np.full((len(found), self.k), -1, dtype=np.int64)
        for part, begin, rows, numbers in self._by_part(found):
            shown = part.locate(numbers, places[rows])
            out[rows] = np.where(shown >= 0, shown + begin, -1)
        return out

    # -- finding secrets ----------------------------------------------------------------------------------------------

    @cached_property
    def _later(self) -> Labels:
        """The labels of all but the first part, which has an index of its own, and after them those that wait."""
        return Labels(tuple(self.ledger.labels[int(self.begins_of_parts[1]) :]))

    def find(self, label: Hashable) -> int | None:
        """The number of a secret."""
        number = self._find_counted(label)
        return None if number is None or number >= self.ledger.listed else number

    def is_pending(self, label: Hashable) -> bool:
        """Whether it stands behind those that are listed."""
        number = self._find_counted(label)
        return number is not None and number >= self.ledger.listed

    def _find_counted(self, label: Hashable) -> int | None:
        """Where a secret stands among all that were counted."""
        found = self.parts[0].find(label)
        if found is not None:
            return found
        later = self._later.position(label)
        return None if later is None else int(self.begins_of_parts[1]) + later

    def find_shown(self, label: Hashable) -> int | None:
        """The number of what is shown."""
        return self.find(label)

    def extent(self) -> str:
        """Their number."""
        return f"n={self.ledger.listed}"

    # -- the next version ---------------------------------------------------------------------------------------------

    def as_lineage(self) -> Lineage:
        """Itself."""
        return self

    def next_version(
        self,
        prior: Prior | Iterable[Any],
        *,
        cohort: int | str,
        keep: float,
        day: int | None,
        layout: Any,
        groups: Groups | None,
        gains: Mapping[Any, Any] | None,
    ) -> Lineage:
        """What `update` returns: the counts are entered, and secrets that wait become a part when it is time."""
        today = self.ledger.day + 1 if day is None else whole(day, "the day", 0, LAST_DAY)
        if today <= self.ledger.day:
            raise InvalidParameter(
                f"the day is {today}, and counts of day {self.ledger.day} are entered already: days go forwards"
            )
        keep = real(keep, "keep is a share from 0 to 1", least=0, most=1)
        ledger = self.ledger.enter(as_prior(prior), today, keep)
        share = ledger.counts[ledger.listed :].sum() / max(int(ledger.totals[-1]), 1)
        due = is_due(cohort, day=today, began=ledger.began, share=float(share), success=self.parts[0].success)
        if len(ledger.waiting) < self.k or not due:
            return Lineage(self.parts, ledger, self.life)
        part = self._part(ledger, layout, groups, gains)
        if part.k < self.k:  # the caps of its groups allow no set of k as yet
            return Lineage(self.parts, ledger, self.life)
        return Lineage((*self.parts, part), ledger.list_waiting(), self.life)

    def _part(self, ledger: Ledger, layout: Any, groups: Groups | None, gains: Mapping[Any, Any] | None) -> Plan:
        """The plan of those that wait, by all that was counted of them."""
        labels = take(ledger.labels, ledger.waiting)
        for name, given in (("groups", groups), ("gains", gains)):
            made_with = getattr(self.parts[0], name, None) is not None
            if made_with and given is None:
                raise InvalidParameter(
                    f"the plan was made with {name}, which new secrets need too: give {name}= by label"
                )
            if given is not None and not made_with:
                raise InvalidParameter(f"the plan was made without {name}, so its parts have none: leave out {name}=")
        level = groups
        while level is not None:
            if not isinstance(level.by, Mapping):
                raise InvalidParameter("the groups of new secrets are a mapping by label, as some may wait for days")
            level = level.inside
        worth = None if gains is None else _by_label(gains, labels)
        shape: Any = _layout_of(self.layout) if layout is None else layout
        shape = shape(list(labels)) if callable(shape) and not isinstance(shape, Layout) else shape
        if not isinstance(shape, str) and shape.name != self.layout:
            raise InvalidParameter(f"a new part has the plan's layout, {self.layout}, and not {shape.name}")
        pools = np.maximum(ledger.pools[ledger.listed :], 1)
        total = total_of(pools)
        return design(Prior.trusted(pools, labels, total, total), self.k, layout=shape, groups=groups, gains=worth)

    # -- at work and in files -----------------------------------------------------------------------------------------

    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers from which a file makes it again: those of each part, and the ledger."""
        arrays, numbers = self.ledger.contents()
        said = []
        for i, part in enumerate(self.parts):
            own, told = part.contents()
            arrays |= {f"{i}.{name}": array for name, array in own.items()}
            said.append(told)
        return arrays, {"parts": said, **numbers, "life": [asdict(today) for today in self.life]}

    @classmethod
    def from_contents(cls, contents: Contents) -> Self:
        """The parts in a file, each as in a file of its own, and the ledger."""
        said = contents.numbers["parts"]
        require(type(said) is list and 1 <= len(said) <= _PARTS)
        parts = tuple(Plan.from_contents(contents.part(i)) for i in range(len(said)))
        for part in parts:
            vars(part)["hashes"] = contents.hashes
        ledger = Ledger.from_contents(contents, [part.prior.labels for part in parts])
        return cls(parts, ledger, _read_life(contents.numbers["life"], ledger.day))

    def __repr__(self) -> str:
        return (
            f"Lineage(n={self.ledger.listed}, k={self.k}, layout={self.layout!r}, version={self.version}, "
            f"parts={len(self.parts)}, pending={len(self.ledger.waiting)})"
        )


def _read_life(rows: Any, last: int) -> tuple[Today, ...]:
    """What was said of the days of a lineage, in their order; the last one may be among them."""
    require(type(rows) is list and len(rows) <= last + 1)
    life = []
    for row in rows:
        require(type(row) is dict and row.keys() == {field.name for field in fields(Today)})
        numbers: dict[str, Any] = {
            name: require_number(value, 0.0, 1.0) for name, value in row.items() if name in SHARES
        }
        numbers["movement"] = require_number(row["movement"], 0.0, math.inf)
        life.append(
            Today(**numbers, events=require_whole(row["events"], 0, MOST), day=require_whole(row["day"], 0, last))
        )
    require(all(one.day < other.day for one, other in pairwise(life)))
    return tuple(life)


def _by_label(gains: Mapping[Any, Any], labels: Labels) -> list[Any]:
    missing = sum(label not in gains for label in labels)
    if missing:
        raise InvalidParameter(f"{missing} of the new secrets have no gain: say for each what it is worth")
    return [gains[label] for label in labels]


def _layout_of(name: str) -> str:
    """The layout of a new part by its name, where it needs no arguments."""
    if name not in LAYOUTS:
        raise InvalidParameter(f"the plan's layout {quote(name)} is none that is known: design the plan anew")
    kind = LAYOUTS[name]
    try:
        kind()
    except TypeError:
        raise InvalidParameter(
            f"a new part needs its {kind.__name__} layout: give layout=, a function of the list of its labels that "
            f"returns {kind.__name__}(...)"
        ) from None
    return name


certificate_of.register(Lineage)(certify_lineage)
