"""The certificate of a lineage: every part is optimal for the counts it was made for, and no label is in two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minleak.core._certify.blocks import certify_blocks
from minleak.core._certify.certificate import Certificate, Check
from minleak.core._certify.rings import certify_rings
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._plan.base import BLOCKS

if TYPE_CHECKING:
    from minleak.lineage._lineage import Lineage


def certify_lineage(plan: Lineage, measures: Sequence[ConditionalEntropy]) -> Certificate:
    """Each part for its own counts and gains: the counts of later days are not what any part was made for. The name of
    the lineage is computed from its first part.
    """
    found = [
        certify_blocks(part, part.prior, measures)
        if part.kind == BLOCKS
        else certify_rings(part, part.prior, part.gains)
        for part in plan.parts
    ]
    gaps = {f"part {i}, {name}": gap for i, one in enumerate(found) for name, gap in one.gaps.items()}
    claim = "every part is optimal for the counts it was made for, and no secret is in two parts"
    return Certificate.of(claim, list(_checks(plan, found)), exact=all(one.exact for one in found), gaps=gaps)


def _checks(plan: Lineage, found: Sequence[Certificate]) -> Iterator[Check]:
    for i, one in enumerate(found):
        failed = "; ".join(check.what for check in one.checks if not check.ok)
        size = f"{len(plan.parts[i].prior):,} secrets"
        what = f"part {i} is optimal for the counts it was made for"
        yield Check(what, one.ok, failed or size, optimality=one.valid)
    seen: set[Any] = set()
    once = True
    for part in plan.parts[1:]:
        names = set(part.prior.labels)
        first = plan.parts[0].prior.labels.indexed()
        once &= not names & seen and all(first.position(name) is None for name in names)
        seen |= names
    yield Check("no secret is in two parts", once or plan.parts[0].prior.labels.is_default)
