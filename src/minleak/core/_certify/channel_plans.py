"""The certificate of a channel in whole numbers: draws follow a channel from the prior's secrets, and what it leaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._certify.certificate import Certificate, Check, check_labels, check_secrets
from minleak.core._channel import Channel
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._leakage import leakage_table
from minleak.core._plan.fields import cap
from minleak.core._prior import Prior, as_prior

if TYPE_CHECKING:
    from minleak.core._plan.channel_plan import ChannelPlan


def certify_rows(
    plan: ChannelPlan, prior: Prior | Iterable[Any], measures: Sequence[ConditionalEntropy], k: int | None
) -> Certificate:
    """Whether draws are from a channel of this prior's secrets, at odds that are whole numbers; with `k` also that no
    observable comes from more than so many. It names the leakages, and does not say how little could leak.
    """
    prior = as_prior(prior)
    checks = list(_checks(plan, prior, k))
    if all(check.ok for check in checks):
        checks += check_labels(plan, prior)
        table = leakage_table(prior, _channel(plan), measures)
        leaked = ", ".join(f"{row.leakage:.6g} in {row.entropy}" for row in table.rows)
        checks.append(Check("what it leaks", True, f"{leaked}; how little could leak is not said"))
    return Certificate.of("draws follow the channel exactly", checks, exact=True)


def _checks(plan: ChannelPlan, prior: Prior, k: int | None) -> Iterator[Check]:
    known = check_secrets(plan, prior)
    yield known
    if not known.ok:
        return
    starts, weights = plan.starts.tolist(), plan.weights
    sums = [sum(weights[a:b].tolist()) for a, b in pairwise(starts)]
    near = "how near they are to a channel that was asked for, distance(channel) computes"
    exact = weights.min() >= 1 and max(sums) <= 2**62 and min(sums) > 0
    yield Check("draws are exact, from positive whole numbers with a sum up to 2^62", bool(exact), near)
    if k is not None:
        most = int(np.bincount(plan.columns).max())
        yield Check(f"no observable comes from more than k = {cap(k)} secrets", most <= cap(k), f"the most is {most}")


def _channel(plan: ChannelPlan) -> Channel:
    """The channel of the fields."""
    import scipy.sparse as sp

    totals = np.add.reduceat(plan.weights, plan.starts[:-1])
    entries = (plan.weights / np.repeat(totals, np.diff(plan.starts)), plan.columns, plan.starts)
    matrix = sp.csr_array(entries, shape=(len(plan.prior), len(plan.outputs)))
    return Channel(matrix, inputs=plan.prior.labels, outputs=plan.outputs)
