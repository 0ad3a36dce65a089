"""What each part of a lineage is worth: when it was made, and by the counts of the last day."""

from __future__ import annotations

from collections.abc import Iterator

from minleak._data.prior import Prior
from minleak._measure.leakages import posterior_vulnerability
from minleak._plan.summaries import PartWorth
from minleak._plans.lineage import Lineage


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
