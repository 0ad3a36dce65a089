"""The certificate of rows: that what is drawn is a channel from the prior's secrets, exactly, and what it leaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minleak._certify.rings import Certificate, Check, labels_check
from minleak._data.labels import agree
from minleak._data.prior import Prior, as_prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropies
from minleak._measure.leakages import leakage_table
from minleak._plan.kinds import Running
from minleak._plan.rings import cap
from minleak._plan.sampler import Drawable
from minleak.errors import InvalidParameter


def certified(
    subject: Any,
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
    plan = subject.plan if isinstance(subject, Running) else subject
    if gains is not None:
        raise InvalidParameter("gains= goes with plans: rows are certified to be drawn as they are")
    checks = list(_checks(plan, prior, k))
    if all(check.ok for check in checks):
        if isinstance(subject, Drawable):
            checks.append(labels_check(subject.secrets, prior))
        table = leakage_table(prior, plan.channel(), as_entropies(entropies))
        leaked = ", ".join(f"{row.leakage:.6g} in {row.entropy}" for row in table.rows)
        checks.append(Check("what it leaks", True, f"{leaked}; how little could leak is not said"))
    return Certificate(all(check.ok for check in checks), True, tuple(checks))


def _checks(plan: Any, prior: Prior, k: int | None) -> Iterator[Check]:
    n, m = len(prior), len(plan.outputs)
    known = agree(plan.prior.labels, prior.labels)
    yield Check("the secrets are the prior's, in its order", known)
    if not known:
        return
    starts, columns, weights = plan.starts, plan.columns, plan.weights
    lined = len(starts) == n + 1 and starts[0] == 0 and starts[-1] == len(columns) == len(weights)
    lined = bool(lined and (starts[1:] > starts[:-1]).all())
    yield Check("every secret has a row", lined)
    if not lined:
        return
    named = bool(columns.min() >= 0 and columns.max() < m)
    yield Check("every entry is of an observable that there is", named)
    whole = bool(weights.dtype.kind == "i" and weights.min() >= 1)
    sums = [sum(weights[a:b].tolist()) for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    yield Check("every row is of positive whole numbers with a sum below 2^62", whole and max(sums) <= 2**62)
    near = "how near they are to a channel that was asked for, distance(channel) computes"
    yield Check("draws are exact", whole and np.array_equal(plan.totals, sums), near)
    if k is not None and named:
        most = int(np.bincount(columns, minlength=m).max())
        yield Check(f"no observable comes from more than k = {cap(k)} secrets", most <= cap(k), f"the most is {most}")
