"""invariance: whether one channel is best for every entropy under given sets, or a witness that none is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from minleak.core._parameters import whole
from minleak.errors import Infeasible, InvalidParameter, quote
from minleak.groups._invariance import Invariance, close, explore, invariance_of
from minleak.lab._matroids.oracles import Matroid


def invariance(
    allowed: Iterable[Iterable[Any]] | Matroid | Callable[[frozenset[int]], Any], *, n: int | None = None
) -> Invariance:
    """Return whether one channel is optimal for every symmetric, core-concave entropy, for every prior.

    It is if and only if every component of the allowed sets is a matroid (`lab.matroid_optimum` has the channel) or has
    sets of at most two members (`lab.pairs`). Else there are a set F that may be allowed beside the others, four
    secrets, and a prior for which two entropies have no common optimum: the `witness` has all, with values to check.

    Parameters
    ----------
    allowed
        The largest allowed sets, as sets of labels; what has a subset of one is allowed too. Or an oracle: a `Matroid`,
        or a function of a frozenset of positions that tells whether it is allowed; of its sets those count of which all
        subsets are allowed.
    n
        For a function, the number of secrets.

    Exact. O(number of allowed sets, subsets counted, times the cube of the largest size); at most 100,000 of them.

    >>> found = invariance([{"a", "b", "c"}, {"a", "d"}])
    >>> found.answer, found.witness.prior, found.witness.entropies
    ('conflict', {'a': 2, 'b': 1, 'c': 1, 'd': 1}, ('guess-error:1', 'tsallis:2'))
    >>> str(found.witness.forced), str(found.witness.better)
    ('3/5', '1774/2945')
    >>> invariance([(0, 1), (1, 2), (2, 3)]).answer, invariance(Matroid.uniform(5, 3)).answer
    ('pairs', 'matroid')
    """
    if isinstance(allowed, Matroid):
        return _of_oracle(allowed.independent, allowed.n)
    if callable(allowed):
        if n is None:
            raise InvalidParameter("n must be the number of secrets of the oracle; got none. Pass n=.")
        return _of_oracle(allowed, whole(n, "n, the number of secrets,"))
    if n is not None:
        raise InvalidParameter("n goes with an oracle; got a list of sets, which name their secrets. Leave it out.")
    if isinstance(allowed, str | bytes | Mapping) or not hasattr(allowed, "__iter__"):
        raise InvalidParameter(f"allowed must be a list of sets, or an oracle; got {type(allowed).__name__}.")
    sets = []
    for members in allowed:
        if isinstance(members, str | bytes) or not hasattr(members, "__iter__"):
            raise InvalidParameter(f"each of the allowed sets must be a set of secrets; got {quote(members)}.")
        sets.append(sorted(members, key=repr) if isinstance(members, set | frozenset) else list(members))
    at: dict[Any, int] = {}
    for members in sets:
        for label in members:
            at.setdefault(label, len(at))
    if not at:
        raise InvalidParameter("allowed must have at least one secret; got none.")
    return invariance_of(close(sum(1 << x for x in {at[label] for label in members}) for members in sets), list(at))


def _of_oracle(independent: Callable[[frozenset[int]], Any], n: int) -> Invariance:
    for x in range(n):
        if not independent(frozenset([x])):
            raise Infeasible(f"every secret must be in an allowed set; got none with secret {x}. Leave it out.")
    return invariance_of(explore(n, independent), range(n))
