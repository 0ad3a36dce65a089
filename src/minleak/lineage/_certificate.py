"""The certificate of a lineage: every part is optimal for the counts it was made for, and no label is in two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from minleak.core._certify.certificate import Certificate, Check
from minleak.core._certify.plans import certify_plan
from minleak.core._entropy.base import ConditionalEntropy
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak.core._plan.plan import Plan
    from minleak.lineage._lineage import Lineage


def certify_lineage(
    plan: Lineage, prior: Any, *, k: int | None, gains: Any, measures: Sequence[ConditionalEntropy]
) -> Certificate:
    """Each part for its own counts and gains: the counts of later days are not what any part was made for. The name of
    the lineage is computed from its first part.
    """
    del k
    if prior is not None or gains is not None:
        raise InvalidParameter(
            "each part of an updated plan is certified for its own counts and gains, which it holds: leave out the "
            "prior and gains="
        )
    parts = plan._parts
    found = [certify_plan(part, part.prior, part.gains, measures) for part in parts]
    gaps = {f"part {i}, {name}": gap for i, one in enumerate(found) for name, gap in one.gaps.items()}
    claim = "every part is optimal for the counts it was made for, and no secret is in two parts"
    checks = list(_checks(parts, found))
    return replace(Certificate.of(claim, checks, exact=all(one.exact for one in found), gaps=gaps), own_prior=True)


def _checks(parts: Sequence[Plan], found: Sequence[Certificate]) -> Iterator[Check]:
    for i, one in enumerate(found):
        failed = "; ".join(check.what for check in one.checks if not check.ok)
        size = f"{len(parts[i].prior):,} secrets"
        what = f"part {i} is optimal for the counts it was made for"
        yield Check(what, one.ok, failed or size, optimality=one.valid)
    seen: set[Any] = set()
    once = True
    for part in parts[1:]:
        names = set(part.prior.labels)
        first = parts[0].prior.labels.indexed()
        once &= not names & seen and all(first.position(name) is None for name in names)
        seen |= names
    yield Check("no secret is in two parts", once or parts[0].prior.labels.is_default)
