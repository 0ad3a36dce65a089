"""Whether one channel is best for every entropy under allowed sets, and a witness where none is.

For a family of sets closed under subsets these are the same: for every prior one channel is optimal in every symmetric,
core-concave entropy; every component is a matroid or has sets of at most two members; and no restriction of a link is
one of four families on four secrets. See docs/research/theorems.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter

# The most allowed sets, and so the most that are looked at.
MOST = 100_000
# The four minors: for each the facets on a, b, c, d. Its prior is the number of facets that each secret is in.
MINORS = (("abc", "ad"), ("abc", "ad", "bd"), ("abc", "ad", "bd", "cd"), ("abc", "abd", "cd"))
# What the better channel moves from the pair to the triple.
_MOVED = Fraction(1, 10)

Family = dict[int, int]
"""The allowed sets as bits, and for each the bits of the secrets that may join it."""
Joint = tuple[tuple[tuple[Any, Fraction], ...], ...]
"""Columns of a joint: for each observable the secrets and what they weigh in it."""


@dataclass(frozen=True)
class Witness(Result):
    """A prior under which no allowed channel is best for two entropies: `entropies` names both.

    `first` and `second` are joints, column by column. The first is best in the first entropy, where it has the value
    `best`; every channel that is has `forced` in the second. The second has `better`, which is more, so that what is
    best in one is not in the other.
    """

    always: tuple[Any, ...]
    """Secrets so likely that they are in every set."""
    sets: tuple[tuple[Any, ...], ...]
    """The largest sets that the other four secrets with weight are allowed in, beside these."""
    prior: dict[Any, int]
    """Weights; all other secrets weigh nothing, or so little that it makes no difference."""
    entropies: tuple[str, str]
    best: Fraction
    forced: Fraction
    better: Fraction
    first: Joint
    second: Joint

    @property
    def sentence(self) -> str:
        """The witness in one line."""
        weights = ", ".join(f"{label} {weight}" for label, weight in self.prior.items())
        sets = " ".join("{" + ", ".join(map(str, members)) + "}" for members in self.sets)
        beside = f" beside {', '.join(map(str, self.always))}" if self.always else ""
        return (
            f"sets {sets}{beside} with weights {weights}: what is best in {self.entropies[0]} has {self.forced} in "
            f"{self.entropies[1]}, and {self.better} can be had"
        )


@dataclass(frozen=True)
class Invariance(Result):
    """Whether one channel is best for every symmetric, core-concave entropy, whatever the prior: made by
    `minleak.lab.invariance`.
    """

    components: tuple[tuple[Any, ...], ...]
    """The secrets that are connected by sets."""
    kinds: tuple[str, ...]
    """Of each component "pairs" (sets of at most two, a matroid or not), "matroid", or "neither"."""
    witness: Witness | None
    """A prior on which no channel is best for all, if there is one."""

    @property
    def ok(self) -> bool:
        """Whether one channel is best for all."""
        return self.witness is None

    def __bool__(self) -> bool:
        return self.ok

    @property
    def answer(self) -> str:
        """In a word: "matroid", "pairs", "matroids and pairs by component", or "conflict"."""
        if self.witness is not None:
            return "conflict"
        if len(self.kinds) == 1:
            return self.kinds[0]
        return "pairs" if set(self.kinds) == {"pairs"} else "matroids and pairs by component"

    def to_parts(self) -> list[str | Table]:
        rows = [[kind, len(some)] for kind, some in zip(self.kinds, self.components, strict=True)]
        told = (
            f"one channel is best for every symmetric, core-concave entropy, whatever the prior: {self.answer}"
            if self.witness is None
            else f"no channel is best for every entropy: {self.witness.sentence}"
        )
        return [told, Table("the components", ["kind", "secrets"], rows)]


def invariance_of(family: Family, names: Sequence[Any]) -> Invariance:
    """What holds for a family of sets, closed under subsets, of the secrets with these names."""
    components = list(_components(family, len(names)))
    kinds = []
    witness = None
    for some in components:
        found = _find_minor({members: joining for members, joining in family.items() if members & ~some == 0})
        largest = max(members.bit_count() for members in family if members & ~some == 0)
        kinds.append("neither" if found else "pairs" if largest <= 2 else "matroid")
        if found and witness is None:
            witness = _witness(*found, names)
    return Invariance(tuple(tuple(names[x] for x in _bits(some)) for some in components), tuple(kinds), witness)


def close(sets: Iterable[int]) -> Family:
    """The sets with all their subsets."""
    allowed = {0}
    todo = list(sets)
    while todo:
        members = todo.pop()
        if members not in allowed:
            allowed.add(members)
            _check_size(allowed)
            todo += [members & ~(1 << x) for x in _bits(members)]
    return _with_joining(allowed)


def explore(n: int, independent: Callable[[frozenset[int]], Any]) -> Family:
    """The sets that an oracle allows and of which it allows all subsets, smaller ones first."""
    allowed, level = {0}, [0]
    while level:
        larger = []
        for members in level:
            for x in range(members.bit_length(), n):
                more = members | 1 << x
                if all(more & ~(1 << e) in allowed for e in _bits(more)) and independent(frozenset(_bits(more))):
                    larger.append(more)
        allowed.update(larger)
        _check_size(allowed)
        level = larger
    return _with_joining(allowed)


def _check_size(allowed: set[int]) -> None:
    if len(allowed) > MOST:
        raise InvalidParameter(
            f"the allowed sets must be at most {MOST:,}, subsets counted; got more. Ask about fewer secrets: a witness "
            "on some of them is one for all."
        )


def _with_joining(allowed: set[int]) -> Family:
    joining = dict.fromkeys(allowed, 0)
    for members in allowed:
        for x in _bits(members):
            joining[members & ~(1 << x)] |= 1 << x
    return joining


def _bits(members: int) -> Iterator[int]:
    while members:
        yield (members & -members).bit_length() - 1
        members &= members - 1


def _components(family: Family, n: int) -> Iterator[int]:
    """The secrets connected by sets of two, as bits."""
    left = (1 << n) - 1
    while left:
        some = new = left & -left
        while new:
            new = _union(family[1 << x] for x in _bits(new)) & ~some
            some |= new
        yield some
        left &= ~some


def _union(several: Iterable[int]) -> int:
    together = 0
    for members in several:
        together |= members
    return together


def _find_minor(family: Family) -> tuple[int, int, tuple[int, int, int, int]] | None:
    """One of the four minors: the number of its kind, the set F whose link it is in, and its secrets a, b, c, d.

    Each has a triple abc, allowed beside F, and a secret d next to one of the three, so that none of abd, acd and bcd
    is allowed, or one of them is and d is next to all three.
    """
    for members in sorted(family, key=int.bit_count):
        for triple in combinations(_bits(members), 3):
            a, b, c = triple
            outside = members & ~(1 << a | 1 << b | 1 << c)
            next_to = [family[outside | 1 << x] & ~members for x in triple]
            with_two = [family[members & ~(1 << x)] & ~members for x in triple]  # of which x is not one
            alone = _union(next_to) & ~_union(with_two)
            if alone:
                d = next(_bits(alone))
                near = [x for x, joining in zip(triple, next_to, strict=True) if joining >> d & 1]
                rest = [x for x in triple if x not in near]
                return len(near) - 1, outside, (*near, *rest, d)  # type: ignore[return-value]
            everywhere = next_to[0] & next_to[1] & next_to[2]
            for x, joining in zip(triple, with_two, strict=True):
                others = _union(other for y, other in zip(triple, with_two, strict=True) if y != x)
                once = everywhere & joining & ~others
                if once:
                    first, second = (y for y in triple if y != x)
                    return 3, outside, (first, second, x, next(_bits(once)))
    return None


def _witness(kind: int, outside: int, four: tuple[int, int, int, int], names: Sequence[Any]) -> Witness:
    """The minor with its prior, and the two channels. Of the secrets outside, each weighs as much as all before."""
    at = dict(zip("abcd", four, strict=True))
    facets = [tuple(sorted(at[x] for x in facet)) for facet in MINORS[kind]]
    first = [dict.fromkeys(facet, Fraction(1)) for facet in facets]
    shared = next(x for x in facets[-1] if x in facets[0])
    second = [dict(column) for column in first]
    second[0][shared] += _MOVED
    second[-1][shared] -= _MOVED
    prior = {x: int(sum(column.get(x, 0) for column in first)) for x in sorted(four)}
    always = list(_bits(outside))
    for giant in always:
        prior[giant] = sum(prior.values())
        for columns in (first, second):
            masses = [_add(mass for x, mass in column.items() if x in at.values()) for column in columns]
            for column, mass in zip(columns, masses, strict=True):
                column[giant] = prior[giant] * mass / _add(masses)
    many, total = len(always), sum(prior.values())
    errors = [f"guess-error:{guesses}" for guesses in range(1, many + 2)]
    spread = "tsallis:2" if not many else f"tsallis:2 without the {many} likeliest"
    return Witness(
        always=tuple(names[x] for x in always),
        sets=tuple(tuple(names[x] for x in facet) for facet in facets),
        prior={names[x]: weight for x, weight in prior.items()},
        entropies=(" + ".join(errors), spread),
        best=_errors(first, many) / total,
        forced=_spread(first, many) / total,
        better=_spread(second, many) / total,
        first=_named(first, names, total),
        second=_named(second, names, total),
    )


def _named(columns: list[dict[int, Fraction]], names: Sequence[Any], total: int) -> Joint:
    return tuple(tuple((names[x], mass / total) for x, mass in sorted(column.items())) for column in columns)


def _errors(columns: list[dict[int, Fraction]], many: int) -> Fraction:
    """The sum of the errors of 1, 2, ..., many + 1 guesses: what is left of each column without its heaviest."""
    ordered = [sorted(column.values(), reverse=True) for column in columns]
    return _add(_add(column[guesses:]) for column in ordered for guesses in range(1, many + 2))


def _spread(columns: list[dict[int, Fraction]], many: int) -> Fraction:
    """|v| - sum of v^2 / |v|, added up over the columns v, each without its `many` heaviest."""
    total = Fraction(0)
    for column in columns:
        rest = sorted(column.values(), reverse=True)[many:]
        total += _add(rest) - _add(mass * mass for mass in rest) / _add(rest)
    return total


def _add(several: Iterable[Fraction]) -> Fraction:
    return sum(several, Fraction(0))
