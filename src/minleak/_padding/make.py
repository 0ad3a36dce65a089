"""design: the least leakage when sizes can only be made larger, within a mean overhead; and the other way round."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from minleak._data.parameters import real, truth, whole
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._measure.leakages import difference
from minleak._padding.bucket_value import BucketValue
from minleak._padding.buckets import BucketSearch
from minleak._padding.result import DENOMINATOR, LeastOverhead, Padding
from minleak._padding.size_classes import as_size_classes
from minleak.errors import Infeasible, InvalidParameter

# Budgets are told apart to this share of the largest.
_CLOSE = 1e-7
_BISECTIONS = 60


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
    classes = as_size_classes(sizes, prior)
    allowed = real(budget, "the budget is a mean overhead from 0 on, in the unit of the sizes", least=0.0)
    least, H = as_floor(floor), as_entropy(entropy)
    if truth(randomised, "randomised"):
        from minleak._padding.randomised import design_randomised

        if least > 1:
            raise InvalidParameter(
                "a floor is for buckets: a randomised padding shows each size for as many as it needs"
            )
        return design_randomised(classes, H, allowed)
    if least > len(classes.members):
        raise Infeasible(f"no bucket has {least} secrets: only {len(classes.members)} can occur")
    value = BucketValue.of(classes, H)
    search = BucketSearch.of(classes, value, floor=least)
    found = search.best(allowed)
    if found is None:
        cheapest = search.cheapest()
        needed = math.inf if cheapest is None else cheapest.overhead
        raise Infeasible(
            f"buckets of at least {least} secrets have a mean overhead of at least {needed:.6g}, more than the budget "
            f"of {allowed:.6g}: allow that much, or lower the floor"
        )
    best, most = found
    natural = classes.natural
    ends = classes.sizes[best.cuts - 1].astype(natural.dtype)
    if ends[-1] < natural.max():  # sizes that only impossible secrets have: an observable that is never seen
        ends = np.append(ends, natural.max())
    before = H(classes.prior)
    return Padding.of(
        classes,
        H,
        budget=allowed,
        floor=least,
        randomised=False,
        observables=ends,
        starts=np.arange(len(natural) + 1, dtype=np.int64),
        columns=np.searchsorted(ends, natural).astype(np.int64),
        weights=np.full(len(natural), DENOMINATOR, dtype=np.int64),
        bound=difference(H, before, min(before, value.posterior_at_most(most))),
    )


def least_budget(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    leakage: float,
    entropy: ConditionalEntropy | str = "shannon",
    floor: int = 1,
    randomised: bool = False,
) -> LeastOverhead:
    """The other way round of `design`: the least mean overhead E[Y - s(X)] with H(X) - H(X|Y) <= leakage.

    Budgets are bisected: the padding that `design` finds for one leaks little enough, or its bound proves that none
    within that budget does. Everything else is as there.

    >>> site = least_budget([10, 20], [80, 20], leakage=0.1)
    >>> site.overhead, site.padding.leakage
    (8.0, 0.0)
    """
    most = real(leakage, "the leakage to keep to is a number from 0 on", least=0.0)
    classes = as_size_classes(sizes, prior)
    within = partial(design, classes.natural, classes.prior, entropy=entropy, floor=floor, randomised=randomised)
    largest = float(classes.prior.p @ (classes.natural.max() - classes.natural).astype(float))
    best = within(budget=largest)
    if best.leakage > most:
        raise Infeasible(
            f"no padding leaks less than {best.leakage:.9g} in {best.entropy.name}: allow that much, which is rounding"
        )
    proven, low, budget = 0.0, 0.0, 0.0
    for _ in range(_BISECTIONS):
        try:
            tried = within(budget=budget)
            enough, none = tried.leakage <= most, tried.bound > most
        except Infeasible:  # the floor asks for more
            enough, none = False, True
        if enough:
            best = tried
        else:
            low, proven = budget, budget if none else proven
        if best.overhead - low <= _CLOSE * largest:
            break
        budget = 0.5 * (low + best.overhead)
    return LeastOverhead(best, most, min(proven, best.overhead))


def as_floor(floor: Any) -> int:
    """A floor, if it is a whole number from 1 on."""
    return min(whole(floor, "the floor", 1), 2**62)  # more secrets than there can be
