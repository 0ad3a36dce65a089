"""The certificate of a lineage: every part is optimal for the counts it was made for, and no label is in two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

from minleak._certify.rings import Certificate, Check
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._plan.kinds import KINDS, Running
from minleak._plan.rings import cap
from minleak.errors import InvalidParameter, shown


def certified(
    subject: Any,
    prior: Prior | Iterable[Any] | None,
    *,
    k: int | None,
    gains: Iterable[Any] | None,
    entropies: Sequence[ConditionalEntropy | str],
) -> Certificate:
    """Each part for its own counts and gains, and of a file the tables that draws use. The name of the lineage is
    computed from its first part. `prior`, the counts of later days, is not what any part was made for.
    """
    del prior, gains
    plan = subject.plan if isinstance(subject, Running) else subject
    if k is not None and cap(k) != plan.k:
        raise InvalidParameter(f"the plan is for k = {plan.k}, not {shown(k)}")
    parts = subject.parts
    found = [_part(part, entropies) for part in parts]
    checks = list(_checks(plan, found))
    gaps = {f"part {i}, {name}": gap for i, one in enumerate(found) for name, gap in one.gaps.items()}
    return Certificate(all(check.ok for check in checks), all(one.exact for one in found), tuple(checks), gaps)


def _part(part: Any, entropies: Sequence[ConditionalEntropy | str]) -> Certificate:
    plan = part.plan if isinstance(part, Running) else part
    checking = import_module(KINDS[plan.kind].checking)
    found: Certificate = checking.certified(
        part, plan.prior, k=None, gains=getattr(plan, "gains", None), entropies=entropies
    )
    return found


def _checks(plan: Any, found: Sequence[Certificate]) -> Iterator[Check]:
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
