"""design: the least leakage when sizes can only be made larger, within limits; least_budget, its inverse; update, for
more objects; and price_limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from functools import partial
from typing import Any

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.names import as_entropy
from minleak.core._leakage import difference
from minleak.core._parameters import real
from minleak.core._prior import Prior, as_prior
from minleak.core._progress import Progress, no_progress
from minleak.errors import Infeasible, InvalidParameter
from minleak.padding._bucket_value import BucketValue
from minleak.padding._buckets import Buckets, BucketSearch
from minleak.padding._limits import Cap, Limits
from minleak.padding._result import LeastOverhead, Padding
from minleak.padding._size_classes import SizeClasses, as_size_classes

# Budgets are distinguished down to this share of the largest.
_CLOSE = 1e-7
_BISECTIONS = 60


def design(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    budget: float | None = None,
    overhead: float | None = None,
    relative: float | None = None,
    most: Cap | None = None,
    floor: int = 1,
    unseen: bool = False,
    entropy: ConditionalEntropy | str = "shannon",
    progress: Progress | None = None,
) -> Padding:
    """Minimise H(X) - H(X|Y) where secret x, of natural size s(x), is seen with a size Y >= s(x), within limits on
    what is added: on the mean, for each object, or both.

    Sizes are cut into contiguous buckets, and each is padded to the largest of its bucket. These are all the paddings
    that keep the order of sizes. They are found by dynamic programming under a price on the overhead and, up to 500
    sizes, by branch and bound; `bound` is proven for all of them. If all secrets are equally likely and have different
    sizes, no other deterministic padding leaks less; else one that interleaves sizes may (see the how-to on padding).
    What sizes drawn at random can reach is `minleak.lab.padding_channel`.

    Parameters
    ----------
    sizes
        Natural sizes, times or anything else that can only be made larger: one for each secret, in the order of the
        prior, or by label in a mapping or a Series.
    prior
        The probability of each secret, such as its popularity; uniform if not given.
    budget, overhead, relative
        The largest mean overhead: E[Y - s] in the unit of the sizes; as a share of the mean size; and E[(Y - s) / s],
        the mean share by which an object grows. Give at least one of these or `most`.
    most
        The most that is added to any object, as a share of its size; or a function from a size to that share.
    floor
        The least number of secrets, of those that can occur, in any bucket.
    unseen
        Keep the cap `most` also for sizes between those listed: for a table that will pad future objects. Otherwise
        such sizes get values of their own between the buckets, and stand out.
    entropy
        Shannon, min-entropy, the Renyi families, Tsallis, Sharma-Mittal, one guess; guesswork and l guesses if all
        secrets are equally likely.
    progress
        Called with the steps done, about how many there are, and what comes next: a second apart with 90,000 sizes.

    Raises
    ------
    Infeasible
        If the floor needs more than the other limits allow; the message says which one, and how much would do.

    Time: O(m^2) for m distinct sizes at worst; some seconds for 40,000 in practice, less under a cap.

    The paper's opening example: a tax site answers after 10 seconds if little tax is due, and after 20 if much is.
    Always answering after 20 seconds leaks nothing, and 80% of the users wait 10 seconds longer:

    >>> site = design([10, 20], [80, 20], budget=8)
    >>> site.pad(10), site.overhead, site.leakage
    (20, 8.0, 0.0)
    >>> design([10, 20], [80, 20], budget=7).observables
    array([10, 20])

    At most 12% for each object, and 3% in all:

    >>> design([100, 103, 110, 119], most=0.12, overhead=0.03).observables
    array([103, 119])
    """
    limits = Limits(budget, overhead, relative, most, floor, unseen)
    classes, H = as_size_classes(sizes, prior), as_entropy(entropy)
    return design_buckets(classes, H, limits, progress=progress)


def design_buckets(
    classes: SizeClasses,
    H: ConditionalEntropy,
    limits: Limits,
    kept: Padding | None = None,
    known: Indices | None = None,
    progress: Progress | None = None,
) -> Padding:
    """The best buckets; objects of a padding `kept` stay in its buckets. They are no worse than those that are `known`
    to end before these classes, if these keep the limits.
    """
    value = BucketValue.of(classes, H)
    search = search_within(classes, value, limits, progress)
    if kept is not None:
        search = replace(search, rule=_rule_of(kept, classes))
    best, most = find_best(search, limits, known)
    natural = classes.natural
    ends = classes.sizes[best.cuts - 1].astype(natural.dtype)
    if ends[-1] < natural.max():  # a size that only impossible secrets have
        ends = np.append(ends, natural.max())
    before = H(classes.prior)
    return Padding.of(classes, H, limits, ends, difference(H, before, min(before, value.posterior_at_most(most))))


def search_within(
    classes: SizeClasses, value: BucketValue, limits: Limits, progress: Progress | None = None
) -> BucketSearch:
    """The search for buckets within limits; a floor above the number of secrets is refused."""
    if limits.floor > len(classes.members):
        raise Infeasible(f"no bucket has {limits.floor} secrets: only {len(classes.members)} can occur")
    return BucketSearch.of(classes, value, limits.on(classes), progress or no_progress)


def find_best(search: BucketSearch, limits: Limits, known: Indices | None = None) -> tuple[Buckets, float]:
    """The best buckets and a bound on the value of all; if there are none, Infeasible names the limit at fault."""
    found = search.best(known)
    if found is not None:
        return found
    classes = search.classes
    who, otherwise = _whose_fault(limits)
    if search.cheapest() is None:
        raise Infeasible(cap_problem(classes, search.value, limits))
    for k, name in enumerate(search.limits.names):
        alone = replace(search, blend=np.eye(len(search.limits.names))[k]).cheapest()
        needed, allowed = (0.0 if alone is None else float(alone.overheads[k])), float(search.limits.allowed[k])
        if needed > allowed:
            unit = {"budget": 1.0, "overhead": 100 / max(classes.mean, 1e-300), "relative": 100.0}[name]
            sign = "" if name == "budget" else "%"
            what = {
                "budget": "a mean overhead",
                "overhead": "an overhead in all",
                "relative": "a mean relative overhead",
            }
            raise Infeasible(
                f"{who} have {what[name]} of at least {_up(unit * needed, 6)}{sign}, more than the {name} of "
                f"{unit * allowed:.6g}{sign}: allow that much, or {otherwise}"
            )
    raise Infeasible(f"no {who} were found that keep the limits {' and '.join(search.limits.names)} together")


def cap_problem(classes: SizeClasses, value: BucketValue, limits: Limits) -> str:
    """What is wrong where no buckets keep the cap for each object, with the least cap that would do, in percent to four
    digits, if it is known: not for a cap that is a function, and not where a size of 0 would have to grow.
    """
    who, otherwise = _whose_fault(limits)
    if not (callable(limits.most) or limits.most is None or limits.unseen):
        needed = _up(100 * _least_cap(classes, limits.floor) * (1 - 1e-8), 4)  # it is known to nine digits
        cap = float(Decimal(needed) / 100)
        if cap > limits.most and search_within(classes, value, replace(limits, most=cap)).cheapest() is not None:
            return (
                f"{who} pad some object by {needed}%, more than the cap of {100 * limits.most:.4g}%: allow {needed}%, "
                f"or {otherwise}"
            )
    return f"{who} pad some object by more than the cap for each object allows: allow more, or {otherwise}"


def _up(value: float, digits: int) -> str:
    """A number to so many digits, rounded up, so that a limit of that much does."""
    return f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(value).normalize():f}"


def _least_cap(classes: SizeClasses, floor: int) -> float:
    """The least share by which buckets of so many secrets have to pad some object, by bisection; 0 if none can."""
    sizes, ends = classes.sizes, classes.ends
    if not sizes[0] > 0:
        return 0.0
    last = (
        np.searchsorted(ends, ends - floor, side="right") - 1
    )  # the last start of a bucket that ends before each class
    low, high = 0.0, float(sizes[-1] / sizes[0])
    while high > low * (1 + 1e-9) + 1e-9:
        middle = (low + high) / 2
        first = np.append(0, np.searchsorted(sizes * (1 + middle), sizes))
        reached = [1]  # how many of the first so many classes buckets can end before
        for j in range(1, len(ends)):
            there = last[j] >= first[j] and reached[last[j]] > (reached[first[j] - 1] if first[j] else 0)
            reached.append(reached[-1] + there)
        low, high = (low, middle) if reached[-1] > reached[-2] else (middle, high)
    return high


def _whose_fault(limits: Limits) -> tuple[str, str]:
    """Which buckets a message is about, and what would do other than a looser limit."""
    if limits.floor > 1:
        return f"buckets of at least {limits.floor} secrets", "lower the floor"
    return "the smallest buckets", "allow smaller buckets"


def _rule_of(kept: Padding, classes: SizeClasses) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Where buckets must and must not end, so that every object of a padding stays in its bucket."""
    rule = np.zeros(len(classes.sizes) + 1, dtype=np.int8)
    seen = kept.sizes[kept.prior.p > 0]
    shown = kept.observables[np.searchsorted(kept.observables, seen)]
    for end in np.unique(shown).tolist():
        first = int(np.searchsorted(classes.sizes, seen[shown == end].min()))
        top = int(np.searchsorted(classes.sizes, end, side="right"))
        rule[first + 1 : top] = -1
        rule[top] = 1
    return rule


def update(
    padding: Padding, sizes: Iterable[Any] | Mapping[Any, Any], prior: Prior | Iterable[Any] | None = None
) -> Padding:
    """Add objects of these sizes to a padding, with every old object padded as before.

    An observer who sees an object padded to two sizes learns more than from either; here they never do. Old buckets
    keep their ends, and buckets of new objects lie between and above them: the best within the limits of `padding`,
    with a proven bound as in `design`. Weights are in the unit of the old ones; 1 each if not given.

    >>> old = design([10, 11, 20, 21], most=0.12)
    >>> update(old, [13, 14, 30]).observables
    array([11, 14, 21, 30])
    """
    added = as_size_classes(sizes, prior)
    old, new = padding.prior.labels, added.prior.labels
    if new.is_default:
        labels = list(range(len(old) + len(new)))
        if list(old) != labels[: len(old)]:
            raise InvalidParameter("the secrets of this padding have names: give the new ones as a mapping to sizes")
    else:
        labels = [*old, *new]
    weights = np.concatenate([padding.prior.weights, added.prior.weights])
    together = np.concatenate([padding.sizes, added.natural])
    classes = as_size_classes(together, as_prior(Prior(weights, labels=labels)))
    return design_buckets(classes, padding.entropy, padding.limits, padding)


def price_limits(padding: Padding) -> dict[str, float]:
    """For each limit a proven lower bound on the leakage without it: so the limit costs at most what lies between that
    and the leakage with it.

    >>> {limit: round(least, 3) for limit, least in price_limits(design([10, 11, 20], most=0.2, overhead=0.5)).items()}
    {'overhead': 0.918, 'most': 0.0}
    """
    classes, H = as_size_classes(padding.sizes, padding.prior), padding.entropy
    before, value = H(classes.prior), BucketValue.of(classes, H)
    found = {}
    for name in padding.limits.given():
        fewer, bound = padding.limits.without(name), 0.0
        if fewer is not None:
            search = search_within(classes, value, fewer)
            _, bracket = search.aim() if len(search.blend) else (search, None)
            most = bracket.most if bracket is not None else find_best(search, fewer)[1]
            bound = max(0.0, difference(H, before, min(before, value.posterior_at_most(most))))
        found[name] = min(bound, padding.leakage)
    return found


def least_budget(
    sizes: Iterable[Any] | Mapping[Any, Any],
    prior: Prior | Iterable[Any] | None = None,
    *,
    leakage: float,
    most: Cap | None = None,
    floor: int = 1,
    entropy: ConditionalEntropy | str = "shannon",
    progress: Progress | None = None,
) -> LeastOverhead:
    """The inverse of `design`: the least mean overhead E[Y - s(X)] with H(X) - H(X|Y) <= leakage.

    Budgets are bisected: either the padding of `design` leaks little enough, or its bound proves that no padding within
    that budget does. The other parameters are those of `design`.

    >>> site = least_budget([10, 20], [80, 20], leakage=0.1)
    >>> site.overhead, site.padding.leakage
    (8.0, 0.0)
    """
    enough = real(leakage, "the leakage to keep to is a number from 0 on", least=0.0)
    classes = as_size_classes(sizes, prior)
    report = progress or no_progress
    given: dict[str, Any] = {"most": most, "floor": floor, "entropy": entropy}
    within = partial(design, classes.natural, classes.prior, **given)
    largest = float(classes.prior.p @ (classes.natural.max() - classes.natural).astype(float))
    best = within(budget=largest)
    if best.leakage > enough:
        why = "which is rounding" if most is None else "or add more to each object with most="
        raise Infeasible(
            f"no padding leaks less than {best.leakage:.9g} in {best.entropy.name}: allow that much, {why}"
        )
    proven, low, budget = 0.0, 0.0, 0.0
    for i in range(_BISECTIONS):
        report(i, _BISECTIONS, f"buckets for a mean overhead of {budget:.4g}")
        try:
            tried = within(budget=budget)
            good, none = tried.leakage <= enough, tried.bound > enough
        except Infeasible:  # the floor asks for more
            good, none = False, True
        if good:
            best = tried
        else:
            low, proven = budget, budget if none else proven
        if best.overhead - low <= _CLOSE * largest:
            break
        budget = 0.5 * (low + best.overhead)
    return LeastOverhead(best, enough, min(proven, best.overhead))
