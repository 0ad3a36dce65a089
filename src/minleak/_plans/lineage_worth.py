"""What each part of a lineage is worth: when it was made, and by the counts of the last day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from minleak._data.prior import Prior
from minleak._measure.leakages import posterior_vulnerability
from minleak._plans.lineage import Lineage


@dataclass(frozen=True)
class PartWorth:
    """A part: how many secrets it has, their share of the listed events of the last day, and how often a guess at one
    of its secrets is right that sees a set. `made` is for the counts that the part was made for, None with gains;
    `success` for those of the last day, None where none of its secrets was counted then.
    """

    number: int
    secrets: int
    share: float
    made: float | None
    success: float | None


def parts_worth(plan: Lineage) -> list[PartWorth]:
    """All parts in their order. The shares times the successes add up to the success of the plan."""
    return list(_worth(plan))


def _worth(plan: Lineage) -> Iterator[PartWorth]:
    begin = 0
    for number, part in enumerate(plan.parts):
        end = begin + len(part.prior)
        weights = plan.prior.weights[begin:end]
        labels = part.prior.labels
        made = part.success if getattr(part, "gains", None) is None else None
        success = None
        if weights.any():
            success = posterior_vulnerability(
                Prior(weights, labels=None if labels.is_default else labels), part.channel()
            )
        yield PartWorth(number, end - begin, float(plan.prior.p[begin:end].sum()), made, success)
        begin = end
