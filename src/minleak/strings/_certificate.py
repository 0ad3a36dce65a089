"""The certificate of a plan over strings that cannot be listed, in big integers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from minleak.core._certify.certificate import EVERY_ENTROPY, Certificate, Check
from minleak.core._prior import Prior, as_prior
from minleak.errors import InvalidParameter
from minleak.strings._coding import Coder
from minleak.strings._files import contents_of, digest_of
from minleak.strings._model import StringModel, strings_of

if TYPE_CHECKING:
    from minleak.strings._plan import UnlistedPlan

# Positions of the model's line, and strings, that are tried.
_TRIED = 200
# Of so many strings at most all are looked at.
_LISTED = 1000


def certify_strings(
    plan: UnlistedPlan, prior: Any, *, k: int | None = None, gains: Any = None, measures: Any = ()
) -> Certificate:
    """The certificate of a plan over strings, for all entropies of the theorem at once: for these counts, or for this
    model alone. The model is the plan's own, whose intervals are tried at positions that are the same at every run.
    """
    del k, measures
    if gains is not None:
        raise InvalidParameter("gains= goes with plans that draw sets, and this one is made for the prior itself")
    checks: list[Check] = []
    own = prior is None
    prior = plan.prior if own else prior
    for check in _checks(plan, prior if isinstance(prior, StringModel) else as_prior(prior)):
        checks.append(check)
        if not check.ok:  # each stands on those before it
            break
    claim = f"for one observation, no channel with sets of at most {plan.k} strings leaks less, {EVERY_ENTROPY}"
    claim += ", if the model is right"
    return replace(Certificate.of(claim, checks, exact=True), own_prior=own)


def _same(one: Any, other: Any) -> bool:
    """Whether two models that files can hold are made of the same."""
    if not (isinstance(one, Coder) and isinstance(other, Coder)):
        return False
    return digest_of(*contents_of(one)) == digest_of(*contents_of(other))


def _checks(plan: Any, prior: Prior | StringModel) -> Iterator[Check]:
    model, counts = plan.string_prior.model, {}
    if isinstance(prior, Prior):
        counts = {x: w for x, w in zip(prior.labels, prior.weights.tolist(), strict=True) if w}
    else:
        yield Check("the model is the one asked for", prior is model or _same(prior, model))
    share, rest = plan.string_prior.share, model.total - sum(map(model.weight, counts))
    unit = share.numerator * (sum(counts.values()) or 1)
    weights = {x: (share.denominator - share.numerator) * rest * count for x, count in counts.items()}
    same = (
        weights == {x: known[0] for x, known in plan.string_prior.counted.items()}
        and unit == plan.string_prior.per_unit
    )
    yield Check("the counted strings are the prior's, at their joint weights", same, f"{len(weights):,} strings")
    yield from _tiling(model)
    yield from _giants(plan, model, weights)
    yield from _homes(plan, weights)
    yield from _circle(plan, model, weights)
    yield from _draws(plan, model)


def _tiling(model: StringModel) -> Iterator[Check]:
    """Of few strings all, of many where it is tried."""
    try:
        listed = dict(strings_of(model, _LISTED))
    except InvalidParameter:
        listed = {}
    if listed:
        whole = sum(listed.values()) == model.total and all(model.weight(x) == w for x, w in listed.items())
        heaviest = sorted(listed.values(), reverse=True)
        in_order = [w for _, w in model.heaviest(len(listed) + 1)] == heaviest
        yield Check("the model's intervals tile its line", whole and in_order, f"all {len(listed):,} strings")
        return
    rng = random.Random(0)
    good = True
    for _ in range(_TRIED):
        position = rng.randrange(model.total)
        string = model.at(position)
        start, weight = model.interval(string)
        good &= start <= position < start + weight and weight == model.weight(string)
        good &= model.at(start) == string == model.at(start + weight - 1)
        good &= not start or model.at(start - 1) != string
        good &= start + weight == model.total or model.at(start + weight) != string
    tried = f"{_TRIED} positions decoded and encoded back"
    yield Check("the model's intervals tile its line, where it was tried", good, tried)


def _giants(plan: Any, model: StringModel, weights: dict[str, int]) -> Iterator[Check]:
    strings, k = plan.string_prior, plan.k
    tail, in_order = strings.total, True
    for place, (string, weight) in enumerate(plan.giants):
        in_order &= (
            weight == weights.get(string, strings.per_unit * model.weight(string)) and weight * (k - place) > tail
        )
        tail -= weight
    names = [string for string, _ in plan.giants]
    in_order &= len(set(names)) == len(names) < k and [w for _, w in plan.giants] == sorted(
        (w for _, w in plan.giants), reverse=True
    )
    yield Check("the giants weigh more than their part of what is left", in_order, f"{len(names)} giants")
    part = tail // (k - len(names))
    heavier = [x for x, w in weights.items() if w > part]
    heavier += [x for x, _ in model.heaviest(k + len(weights), part // strings.per_unit) if x not in weights]
    yield Check("and no other does", set(heavier) <= set(names))


def _homes(plan: Any, weights: dict[str, int]) -> Iterator[Check]:
    giants = {string for string, _ in plan.giants}
    members = [string for home in plan.homes for string in home]
    good = len(members) == len(set(members)) and not giants & set(members)
    good &= all(len(home) == plan.k - len(giants) for home in plan.homes) and len(plan.homes) == len(plan.home_weights)
    good &= all(
        0 <= w <= min(weights.get(x, -1) for x in home) for home, w in zip(plan.homes, plan.home_weights, strict=True)
    )
    yield Check("no string has two homes, and none more there than it weighs", good, f"{len(plan.homes):,} homes")


def _circle(plan: Any, model: StringModel, weights: dict[str, int]) -> Iterator[Check]:
    giants = dict(plan.giants)
    u, strings = plan.k - len(giants), plan.string_prior
    left = {x: w for x, w in weights.items() if x not in giants}
    for home, weight in zip(plan.homes, plan.home_weights, strict=True):
        for string in home:
            left[string] -= weight
    unlisted = strings.per_unit * (
        model.total - sum(model.weight(x) for x in weights) - sum(model.weight(x) for x in giants if x not in weights)
    )
    length = sum(left.values()) + unlisted
    whole = length == plan.circle and length + u * sum(plan.home_weights) + sum(giants.values()) == strings.total
    yield Check("giants, homes and circle are all of the weight", whole)
    longest = model.heaviest(len(weights) + len(giants) + 1, length // (u * strings.per_unit))
    short = all(u * piece <= length for piece in left.values())
    short &= all(x in weights or x in giants for x, _ in longest)
    yield Check("nothing on the circle is longer than a track, so that no string meets itself", short)


def _draws(plan: Any, model: StringModel) -> Iterator[Check]:
    giants = {string for string, _ in plan.giants}
    policy = getattr(model, "policy", None)
    rng, good, accepted = random.Random(1), True, True
    for _ in range(_TRIED):
        string = model.at(rng.randrange(model.total))
        shown = plan.members(string, rng.randrange(plan.owned(string)))
        accepted &= policy is None or all(policy.counts(x) and model.weight(x) > 0 for x in shown)
        good &= string in shown and len(set(shown)) == len(shown) == plan.k and giants <= set(shown)
    yield Check(
        "a set has k strings, the secret and the giants among them, where it was tried", good, f"{_TRIED} draws"
    )
    if policy is not None:
        yield Check("every member meets the policy, where it was tried", accepted, f"{_TRIED} draws")
