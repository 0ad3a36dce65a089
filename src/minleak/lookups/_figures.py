"""What a lookup tells: a guess by an observer who sees its bucket and knows how popular every name is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minleak.core._arrays import Array
from minleak.core._result import Result
from minleak.lookups._buckets import Numbers

# Where classes of popularity end: the first hundred, the first thousand, and so on.
_FIRST_CLASS = 100


@dataclass(frozen=True)
class LookupFigures(Result):
    """What one lookup under a `scheme` of buckets tells. One guess is right with probability `success`, two with
    `two_guesses`; `shannon` bits leak of the name. An answer holds the names of a bucket: `mean_answer` of them on
    average over lookups, `worst_answer` at most.
    """

    scheme: str
    success: float
    two_guesses: float
    shannon: float
    mean_answer: float
    worst_answer: int


@dataclass(frozen=True)
class PopularityClass(Result):
    """Names of certain `ranks` by popularity, which have a `share` of all lookups: how often one guess is right when
    one of them is looked up, `before` and `after`.
    """

    ranks: str
    share: float
    before: float
    after: float


@dataclass(frozen=True)
class Guessed:
    """A scheme's figures, and for each rank whether its name is the one that is guessed."""

    figures: LookupFigures
    guessed: Array


def judge(scheme: str, buckets: Numbers, p: Array) -> Guessed:
    """The figures of a scheme, from the bucket of each name and its share of lookups, which do not increase."""
    order = np.argsort(buckets, kind="stable")  # within a bucket the most popular first
    sorted_p, of = p[order], buckets[order]
    begins = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
    sizes = np.diff(np.append(begins, len(p)))
    shares = np.add.reduceat(sorted_p, begins)
    second = float(sorted_p[begins[sizes > 1] + 1].sum())
    seen = shares[shares > 0]
    guessed = np.zeros(len(p))
    guessed[order[begins]] = 1.0
    success = float(sorted_p[begins].sum())
    bits = max(0.0, float(-(seen @ np.log2(seen))))
    answers = float(shares @ sizes), int(sizes.max())
    return Guessed(LookupFigures(scheme, success, success + second, bits, *answers), guessed)


def by_class(before: Guessed, after: Guessed, p: Array) -> tuple[PopularityClass, ...]:
    """Who gains and who loses, by popularity."""
    ends, n = [_FIRST_CLASS], len(p)
    while ends[-1] < n:
        ends.append(10 * ends[-1])
    found = []
    for begin, end in zip([0, *ends], ends, strict=False):
        part = slice(begin, min(end, n))
        share = float(p[part].sum())
        if share > 0:
            rights = [float(p[part] @ one.guessed[part]) / share for one in (before, after)]
            found.append(PopularityClass(f"{begin + 1:,} to {min(end, n):,}", share, *rights))
    return tuple(found)
