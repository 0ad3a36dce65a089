"""The certificate of a lineage: every part is optimal for the counts it was made for, and no label is in two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minleak._certify.blocks import certify_blocks
from minleak._certify.rings import Certificate, Check, certify_rings
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._plan.base import BLOCKS, RINGS
from minleak._plan.rings import cap
from minleak.errors import InvalidParameter, shown

if TYPE_CHECKING:
    from minleak._plans.lineage import Lineage


def certify_lineage(
    plan: Lineage,
    prior: Prior | Iterable[Any] | None,
    *,
    k: int | None,
    gains: Iterable[Any] | None,
    entropies: Sequence[ConditionalEntropy | str],
) -> Certificate:
    """Each part for its own counts and gains. The name of the lineage is
    computed from its first part. `prior`, the counts of later days, is not what any part was made for.
    """
    del prior, gains
    if k is not None and cap(k) != plan.k:
        raise InvalidParameter(f"the plan is for k = {plan.k}, not {shown(k)}")
    found = [
        _CERTIFIERS[part.kind](part, part.prior, k=None, gains=getattr(part, "gains", None), entropies=entropies)
        for part in plan.parts
    ]
    checks = list(_checks(plan, found))
    gaps = {f"part {i}, {name}": gap for i, one in enumerate(found) for name, gap in one.gaps.items()}
    return Certificate(all(check.ok for check in checks), all(one.exact for one in found), tuple(checks), gaps)


_CERTIFIERS: dict[str, Callable[..., Certificate]] = {RINGS: certify_rings, BLOCKS: certify_blocks}


def _checks(plan: Lineage, found: Sequence[Certificate]) -> Iterator[Check]:
    for i, one in enumerate(found):
        failed = "; ".join(check.what for check in one.checks if not check.ok)
        size = f"{len(plan.parts[i].prior):,} secrets"
        yield Check(f"part {i} is optimal for the counts it was made for", one.ok, failed or size)
    seen: set[Any] = set()
    once = True
    for part in plan.parts[1:]:
        names = set(part.prior.labels)
        first = plan.parts[0].prior.labels.indexed()
        once &= not names & seen and all(first.position(name) is None for name in names)
        seen |= names
    yield Check("no secret is in two parts", once or plan.parts[0].prior.labels.is_default)
