"""What an entropy claims to know, beside what its definition gives: the same numbers, or the claim is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from minleak._data.channel import Channel
from minleak._data.columns import Columns
from minleak._entropy.averaged import exponential_mean
from minleak._entropy.base import Array, ConditionalEntropy, Entropy, evaluate
from minleak._entropy.cores.base import Core
from minleak._entropy.cores.grouped import Grouped
from minleak._entropy.renyi import renyi_columns
from minleak._entropy.targets import Targets
from minleak.errors import InvalidParameter

# What rounding of the sum of a core may be, which `outer` magnifies by its slope.
_ROUNDING = 1e-12


def claims(H: ConditionalEntropy, p: Array, channel: Channel) -> Iterator[tuple[str, float, float, float]]:
    """(method, what it claims, what the definition gives, how far apart rounding may bring them), for all it knows."""
    after, joint = H.conditional(p, channel), np.asarray(channel.joint(p))
    if H.renyi_mean is not None:
        s, h = renyi_columns(joint.copy(), H.renyi_mean.order)
        yield "renyi_mean", H.of_mean(exponential_mean(s, h, H.renyi_mean.exponent)), after, 0.0
    values, times = np.unique(p, return_counts=True)
    known = H.of_spectrum(values[::-1], times[::-1].astype(np.float64))
    if known is not None:
        yield "of_spectrum", known, _defined(H, p), 0.0
    if H.symmetric:
        ordered = np.sort(p[p > 0])[::-1]
        tails = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
        giants = np.arange(len(ordered))
        targets = Targets(ordered, tails, giants, len(ordered) - giants)
        for claimed, pi in zip(H.of_targets(targets).tolist(), targets, strict=True):
            yield "of_targets", claimed, _defined(H, pi), 0.0
    form = H.paper_form()
    if form is None:
        return
    counted = H.worth_by_count(len(p))
    if counted is not None:
        yield "worth_by_count", form.outer(float(counted[-1])), _defined(H, np.full(len(p), 1 / len(p))), 0.0
    core = _core(form) if form.symmetric else None
    if core is not None:
        columns = np.repeat(np.arange(joint.shape[1]), len(p))
        u = float(core.values(joint.T.ravel(), Grouped(columns)).sum())
        allowed = _ROUNDING * form.slope(u)
        if math.isfinite(allowed):  # elsewhere rounding hides all that there is
            yield "core", form.outer(u), after, allowed


def _defined(H: ConditionalEntropy, p: Array) -> float:
    return evaluate([H], Columns(p[:, None]))[0]


def _core(form: Entropy) -> Core | None:
    try:
        return form.core()
    except InvalidParameter:
        return None
