"""padding: the least leakage when sizes or times can only be made larger, within a mean overhead."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minleak._data.arrays import Indices
from minleak._data.channel import Channel
from minleak._data.parameters import real, truth, whole
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._measure.leakages import LeakageTable, difference, leakage_table
from minleak._padding.budget import best_within
from minleak._padding.hull import Hull
from minleak._padding.ladder import as_ladder
from minleak._padding.result import DENOMINATOR, Padding
from minleak._padding.worth import Worth
from minleak.errors import Infeasible, InvalidParameter


def design(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    budget: float,
    entropy: ConditionalEntropy | str = "shannon",
    floor: int = 1,
    randomised: bool = False,
) -> Padding:
    """Minimise H(X) - H(X|Y) where secret x, of natural size s(x), is seen with a size Y >= s(x), and the mean overhead
    E[Y - s(X)] is at most `budget`.

    Buckets (the default): sizes are cut into contiguous buckets, and all of a bucket are padded to its largest. Among
    all such buckets, which are all paddings that never show a larger size smaller than a smaller one, the best are
    found by dynamic programming under a price on the overhead, and by branching between two prices; `bound` is proven
    for all of them. If all secrets are equally likely and have different sizes, no other deterministic padding leaks
    less; else one that interleaves sizes may (see the how-to on padding).

    Parameters
    ----------
    sizes
        Natural sizes, times or anything else that can only be made larger: one for each secret, or a mapping from
        secret to size.
    prior
        How likely each secret is; all equally if not given.
    budget
        The largest mean overhead, in the unit of the sizes.
    entropy
        Buckets: Shannon, min-entropy, the Renyi families, Tsallis, Sharma-Mittal, one guess; guesswork and l guesses if
        all secrets are equally likely. Randomised: every entropy that `minleak.optimise` takes.
    floor
        The least number of secrets, of those that can occur, in any bucket. Buckets only.
    randomised
        Choose the size at random: the optimum over all channels, by convex optimisation, for a few hundred secrets. It
        never leaks more than buckets do.

    Raises
    ------
    Infeasible
        Where the floor asks for more overhead than the budget allows; the message says how much would do.

    Time for buckets: O(m^2) for m distinct sizes at worst; some seconds for 40,000 in practice.

    The paper's opening example: a tax site answers in 10 seconds to those who owe little, and in 20 to those who owe
    much. Always answering after 20 seconds leaks nothing, and lets 80% of the users wait 10 seconds longer:

    >>> site = design([10, 20], [80, 20], budget=8)
    >>> site.pad(10), site.overhead, site.leakage
    (20, 8.0, 0.0)
    >>> design([10, 20], [80, 20], budget=7).observables
    array([10, 20])
    """
    ladder = as_ladder(sizes, prior)
    allowed = real(budget, "the budget is a mean overhead from 0 on, in the unit of the sizes", least=0.0)
    least, H = as_floor(floor), as_entropy(entropy)
    if truth(randomised, "randomised"):
        from minleak._padding.randomised import randomised_padding

        if least > 1:
            raise InvalidParameter(
                "a floor is for buckets: a randomised padding shows each size for as many as it needs"
            )
        return randomised_padding(ladder, H, allowed)
    if least > len(ladder.members):
        raise Infeasible(f"no bucket has {least} secrets: only {len(ladder.members)} can occur")
    worth = Worth.of(ladder, H)
    found = best_within(ladder, worth, allowed, floor=least)
    if found is None:
        cheapest = Hull(ladder, worth, floor=least).cheapest()
        needed = math.inf if cheapest is None else cheapest.overhead
        raise Infeasible(
            f"buckets of at least {least} secrets have a mean overhead of at least {needed:.6g}, more than the budget "
            f"of {allowed:.6g}: allow that much, or lower the floor"
        )
    best, most = found
    ends = ladder.rungs[best.cuts - 1].astype(ladder.sizes.dtype)
    if ends[-1] < ladder.sizes.max():  # sizes that only impossible secrets have: an observable that is never seen
        ends = np.append(ends, ladder.sizes.max())
    columns = np.searchsorted(ends, ladder.sizes).astype(np.int64)
    leaked, before = leaked_by(ladder.prior, columns, [H]).rows[0].leakage, H(ladder.prior)
    return Padding(
        prior=ladder.prior,
        sizes=ladder.sizes,
        entropy=H,
        budget=allowed,
        floor=least,
        randomised=False,
        observables=ends,
        starts=np.arange(len(columns) + 1, dtype=np.int64),
        columns=columns,
        weights=np.full(len(columns), DENOMINATOR, dtype=np.int64),
        overhead=float(ladder.prior.p @ (ends[columns] - ladder.sizes)),
        leakage=leaked,
        bound=min(leaked, difference(H, before, min(before, worth.posterior_at_most(most)))),
    )


def leaked_by(prior: Prior, columns: Indices, entropies: Sequence[ConditionalEntropy | str]) -> LeakageTable:
    """What a deterministic channel leaks that shows secret x as observable columns[x]."""
    import scipy.sparse as sp

    n = len(columns)
    matrix = sp.csr_array((np.ones(n), columns, np.arange(n + 1)), shape=(n, int(columns.max()) + 1))
    return leakage_table(prior, Channel(matrix, inputs=prior.labels), entropies)


def as_floor(floor: Any) -> int:
    """A floor, if it is a whole number from 1 on."""
    return min(whole(floor, "the floor", 1), 2**62)  # more secrets than there can be
