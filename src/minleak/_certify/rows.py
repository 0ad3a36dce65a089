"""The certificate of rows: that what is drawn is a channel from the prior's secrets, exactly, and what it leaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak._certify.rings import Certificate, Check, labels_check
from minleak._data.labels import agree
from minleak._data.prior import Prior, as_prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies
from minleak._measure.leakages import leakage_table
from minleak._plan.rings import cap
from minleak.errors import InvalidParameter

if TYPE_CHECKING:
    from minleak._plans.rows import Rows


def certify_rows(
    plan: Rows,
    prior: Prior | Iterable[Any],
    *,
    k: int | None,
    gains: Iterable[Any] | None,
    entropies: Sequence[ConditionalEntropy | str],
) -> Certificate:
    """Whether draws are from a channel of this prior's secrets, at odds that are whole numbers; with `k` also that no
    observable comes from more than so many. It names the leakages, and does not say how little could leak.
    """
    prior = as_prior(prior)
    if gains is not None:
        raise InvalidParameter("gains= goes with plans: rows are certified to be drawn as they are")
    checks = list(_checks(plan, prior, k))
    if all(check.ok for check in checks):
        checks += labels_check(plan, prior)
        table = leakage_table(prior, plan.channel(), as_entropies(entropies))
        leaked = ", ".join(f"{row.leakage:.6g} in {row.entropy}" for row in table.rows)
        checks.append(Check("what it leaks", True, f"{leaked}; how little could leak is not said"))
    return Certificate(all(check.ok for check in checks), True, tuple(checks))


def _checks(plan: Rows, prior: Prior, k: int | None) -> Iterator[Check]:
    known = agree(plan.prior.labels, prior.labels)
    yield Check("the secrets are the prior's, in its order", known)
    if not known:
        return
    starts, weights = plan.starts.tolist(), plan.weights
    sums = [sum(weights[a:b].tolist()) for a, b in pairwise(starts)]
    near = "how near they are to a channel that was asked for, distance(channel) computes"
    exact = weights.min() >= 1 and max(sums) <= 2**62 and plan.totals.tolist() == sums
    yield Check("draws are exact, from positive whole numbers with a sum up to 2^62", bool(exact), near)
    if k is not None:
        most = int(np.bincount(plan.columns).max())
        yield Check(f"no observable comes from more than k = {cap(k)} secrets", most <= cap(k), f"the most is {most}")
