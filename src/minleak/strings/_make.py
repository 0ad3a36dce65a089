"""design_unlisted: the optimal plan over the strings of a model, alone or together with counted strings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minleak.core._certify.certificate import certificate_of
from minleak.core._prior import Prior
from minleak.strings import _summary  # noqa: F401 - registers what is told of these plans
from minleak.strings._certificate import certify_strings
from minleak.strings._plan import UnlistedPlan
from minleak.strings._string_prior import StringPrior

certificate_of.register(UnlistedPlan)(certify_strings)


def design_unlisted(model: Any, k: int, *, prior: Prior | None = None, share: Any = None) -> UnlistedPlan:
    """The plan of least leakage for sets of k over all strings of a model and those that a prior counts."""
    strings = StringPrior.of(model, prior, share)
    plan = UnlistedPlan(strings, k, strings.giants(k), (), ())
    giants = dict(plan.giants)
    loose = sorted((x for x in strings.counted if x not in giants), key=strings.weight, reverse=True)
    homes = tuple(tuple(loose[i : i + plan.u]) for i in range(0, len(loose) - plan.u + 1, plan.u))
    whole = replace(plan, homes=homes, home_weights=tuple(strings.weight(home[-1]) for home in homes))
    return replace(whole, home_weights=_give_back(whole))


def _give_back(plan: UnlistedPlan) -> tuple[int, ...]:
    """The homes' weights, less what they give back so that no piece of the circle is longer than a track: u times the
    largest piece is at most the whole.

    A home that gives back d adds u d to the circle, and d to the piece of each member. Try the least that the largest
    piece asks for, then twice that, and so on, until no home has to give more than it has or than its own largest piece
    allows.
    """
    u, homes = plan.u, list(zip(plan.homes, plan.home_weights, strict=True))
    largest = max(
        [_longest_unlisted(plan), *map(plan.residue, plan.string_prior.counted.keys() - dict(plan.giants).keys())]
    )
    back = max(0, -((plan.circle - u * largest) // u))
    while back:
        room, left = plan.circle + u * back, back
        weights = []
        for members, weight in homes:
            given = min(weight, left, room // u - plan.residue(members[0]))
            weights.append(weight - given)
            left -= given
        if not left:
            return tuple(weights)
        back = min(2 * back, sum(plan.home_weights))
    return plan.home_weights


def _longest_unlisted(plan: UnlistedPlan) -> int:
    """The weight of the heaviest string that is neither counted nor a giant, if it may be too long; else 0."""
    strings = plan.string_prior
    known = strings.counted.keys() | dict(plan.giants).keys()
    heavy = strings.model.heaviest(len(known) + 1, plan.circle // (plan.u * strings.per_unit))
    return max((strings.per_unit * units for string, units in heavy if string not in known), default=0)
