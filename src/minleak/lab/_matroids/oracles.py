"""Matroid: which sets of secrets may be shown together, by an oracle. Uniform, partition, laminar, graphic, transversal
and linear matroids are ready-made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from minleak.core._frames import refuse_names
from minleak.core._parameters import as_list, whole
from minleak.errors import InvalidParameter, quote
from minleak.groups._invariance import explore, invariance_of
from minleak.lab import _exact

Some = frozenset[int]

# Sets and orders that an oracle is tried on before it is believed to be a matroid's.
_TRIALS = 400
# The secrets among which a witness is looked for.
_AMONG = 14
# The most secrets: what is exact takes minutes beyond.
MOST = 200


class Matroid:
    """A matroid on the secrets 0, 1, ..., n-1, given by `independent`: whether a set of them may be shown.

    Subsets of independent sets are independent, and all maximal independent subsets of a set are equally large, its
    rank. `independent` takes a frozenset of positions.

    >>> edges = Matroid.graphic([(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> edges.independent(frozenset([0, 1, 3])), edges.rank([0, 1, 2])
    (True, 2)
    """

    def __init__(self, n: int, independent: Callable[[Some], bool], *, name: str = "given by an oracle") -> None:
        self.n = whole(n, "the number of secrets", most=MOST)
        self.independent = independent
        self.name = name

    @classmethod
    def uniform(cls, n: int, k: int) -> Matroid:
        """At most k of n, the paper's own constraint."""
        cap = whole(k, "the cap k on the size of a set")
        return cls(n, lambda some: len(some) <= cap, name="uniform")

    @classmethod
    def partition(cls, groups: Iterable[Any], at_most: int | Mapping[Any, int]) -> Matroid:
        """At most so many of each group: `groups` has the group of each secret, `at_most` a number, or one by group."""
        if isinstance(groups, Mapping):
            raise InvalidParameter("groups are a list in the order of the secrets, not a mapping")
        refuse_names(groups, "groups", InvalidParameter)
        of = as_list(groups, "groups are one for each secret")
        members: dict[Any, set[int]] = {}
        for i, group in enumerate(of):
            members.setdefault(group, set()).add(i)
        lacking = [group for group in members if isinstance(at_most, Mapping) and group not in at_most]
        if lacking:
            raise InvalidParameter(f"at_most has no cap for the group {quote(lacking[0])}: give one for each")
        caps = [(some, at_most[group] if isinstance(at_most, Mapping) else at_most) for group, some in members.items()]
        return cls._nested(len(of), caps, "partition")

    @classmethod
    def laminar(cls, n: int, caps: Iterable[tuple[Iterable[int], int]]) -> Matroid:
        """At most `cap` of the members of each (members, cap), where two families of members are nested or apart."""
        given = [(set(members), cap) for members, cap in caps]
        for (one, _), (other, _) in combinations(given, 2):
            if one & other and not (one <= other or other <= one):
                raise InvalidParameter(
                    f"the caps cross: {quote(min(one & other))} is in two sets of which none holds the other, which is "
                    "no matroid; optimise over listed sets instead"
                )
        return cls._nested(n, given, "laminar")

    @classmethod
    def _nested(cls, n: int, caps: Sequence[tuple[set[int], int]], name: str) -> Matroid:
        limits = [(members, whole(cap, "a cap")) for members, cap in caps]
        return cls(n, lambda some: all(len(some & members) <= cap for members, cap in limits), name=name)

    @classmethod
    def graphic(cls, edges: Iterable[tuple[Any, Any]]) -> Matroid:
        """Secrets are edges of a graph, and sets must not hold a cycle."""
        ends = [(a, b) for a, b in edges]

        def is_forest(some: Some) -> bool:
            above: dict[Any, Any] = {}

            def root(node: Any) -> Any:
                while node in above:
                    node = above[node]
                return node

            for i in some:
                a, b = (root(node) for node in ends[i])
                if a == b:
                    return False
                above[a] = b
            return True

        return cls(len(ends), is_forest, name="graphic")

    @classmethod
    def transversal(cls, roles: Iterable[Iterable[Any]]) -> Matroid:
        """Sets in which each member can take a role of its own: `roles` has those that each secret may take.

        A set is independent if a flow of one unit a member reaches distinct roles (augmenting paths).
        """
        able = [tuple(some) for some in roles]

        def have_roles(some: Some) -> bool:
            taken: dict[Any, int] = {}

            def find(i: int, tried: set[Any]) -> bool:
                for role in able[i]:
                    if role not in tried:
                        tried.add(role)
                        if role not in taken or find(taken[role], tried):
                            taken[role] = i
                            return True
                return False

            return all(find(i, set()) for i in some)

        return cls(len(able), have_roles, name="transversal")

    @classmethod
    def linear(cls, vectors: Iterable[Iterable[Any]]) -> Matroid:
        """Secrets are vectors of whole numbers or Fractions, and sets must be linearly independent, exactly."""
        rows = [[Fraction(entry) for entry in vector] for vector in vectors]
        return cls(len(rows), lambda some: _exact.rank([rows[i] for i in some]) == len(some), name="linear")

    def base(self, order: Iterable[int]) -> Some:
        """The greedy base: members are taken in this order as long as they stay independent. A maximal independent
        subset, of least cost if the order is by cost.
        """
        taken: Some = frozenset()
        for i in order:
            more = taken | {i}
            if len(more) > len(taken) and self.independent(more):
                taken = more
        return taken

    def rank(self, some: Iterable[int]) -> int:
        """The size of the largest independent subset."""
        return len(self.base(some))

    def closure(self, some: Iterable[int]) -> Some:
        """All secrets that do not raise the rank."""
        base = self.base(some)
        return frozenset(i for i in range(self.n) if i in base or not self.independent(base | {i}))

    def __repr__(self) -> str:
        return f"Matroid(n={self.n}, {self.name})"


def as_matroid(given: Matroid | Callable[[Some], Any], n: int) -> Matroid:
    """A matroid on n secrets: a `Matroid`, or a function of a set of positions that returns its rank or whether it is
    independent. A function is tried on some sets, and refused if it is no matroid's.
    """
    if isinstance(given, Matroid):
        if given.n != n:
            raise InvalidParameter(f"the matroid is on {given.n} secrets and the prior has {n}: they must be the same")
        return given
    if not callable(given):
        raise InvalidParameter(
            f"a matroid is a Matroid, or a function of a set of positions that gives its rank or whether it is "
            f"independent, not {quote(given)}"
        )
    nothing, oracle = given(frozenset()), given
    if nothing is True:
        return _check_exchange(Matroid(n, lambda some: bool(oracle(some))))
    if type(nothing) is int and nothing == 0:
        found = _check_exchange(Matroid(n, lambda some: oracle(some) == len(some)))
        for some in _sets(n):
            if oracle(some) != found.rank(some):
                raise InvalidParameter(
                    f"the function is no rank of a matroid: it gives {quote(oracle(some))} for "
                    f"{sorted(some)}, whose largest independent subset has {found.rank(some)}"
                )
        return found
    raise InvalidParameter(
        f"of the empty set a rank function gives 0, and an independence oracle True, not {quote(nothing)}"
    )


def _check_exchange(matroid: Matroid) -> Matroid:
    """The matroid, if on sets tried all greedy bases are equally large and stay independent without a member."""
    rng = random.Random(0)
    for some in _sets(matroid.n):
        members = sorted(some)
        first = matroid.base(members)
        orders = [members[::-1], rng.sample(members, len(members))]
        others = [matroid.base(order) for order in orders]
        second = next((other for other in others if len(other) != len(first)), others[0])
        if len(second) != len(first) or not all(matroid.independent(second - {i}) for i in second):
            raise InvalidParameter(
                f"the allowed sets must be the independent sets of a matroid; got {sorted(first)} and "
                f"{sorted(second)}, which are both maximal within {sorted(some)}, or of which a part is not allowed. "
                f"{_explain(matroid, first | second)}"
            )
    return matroid


def _explain(matroid: Matroid, some: Some) -> str:
    """What the theorem says of sets that are no matroid's: a witness among these secrets and others, if any."""
    members = [x for x in [*sorted(some), *sorted(set(range(matroid.n)) - some)] if matroid.independent(frozenset([x]))]
    members = sorted(members[:_AMONG])
    family = explore(len(members), lambda part: matroid.independent(frozenset(members[i] for i in part)))
    witness = invariance_of(family, members).witness
    if witness is None:
        return "Ask lab.invariance whether one channel is still best for every entropy, as for pairs (lab.pairs)."
    return (
        f"No channel is best for every entropy: {witness.sentence}. List the sets for optimise, which takes one "
        "entropy at a time."
    )


def _sets(n: int) -> list[Some]:
    """All subsets of few secrets; of more, random ones of all sizes."""
    if 2**n <= _TRIALS:
        return [frozenset(some) for size in range(n + 1) for some in combinations(range(n), size)]
    rng = random.Random(1)
    return [frozenset(rng.sample(range(n), rng.randint(1, n))) for _ in range(_TRIALS)] + [frozenset(range(n))]
