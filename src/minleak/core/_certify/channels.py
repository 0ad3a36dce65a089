"""The certificate of a channel: how far it is from the least leakage under a cap, found in its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from minleak.core._certify.certificate import EVERY_ENTROPY, Certificate, Check
from minleak.core._channel import Channel
from minleak.core._columns import packed
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._joint import Joint
from minleak.core._leakage import difference
from minleak.core._prior import Prior
from minleak.lab._majorization import majorizes


def certify_channel(
    channel: Channel, prior: Prior, k: int, entropies: Sequence[ConditionalEntropy], tolerance: float
) -> Certificate:
    """The cap is respected, q majorizes pi, every posterior is pi; and the leakage above the least in each entropy."""
    joint = Joint(prior, channel)
    exact = channel.exact is not None and prior.exact
    pi = _pi([Fraction(w) for w in prior.weights.tolist()] if exact else list(map(float, prior.p)), k)
    most = int(channel.preimage_sizes.max())
    checks = [Check(f"at most {k} secrets cause the same observable", most <= k, f"the most is {most}")]
    columns = list(_sorted_joint(joint, exact))
    width = max([len(pi), *(len(column) for column in columns)])
    zero: Any = Fraction(0) if exact else 0.0
    q = [sum((column[i] for column in columns if i < len(column)), zero) for i in range(width)]
    if most <= k:
        above = majorizes(q, pi, tolerance=tolerance)
        checks.append(Check("q, the mean of the sorted posteriors, majorizes pi (Lemma 1)", above.ok))
    furthest: Any = zero
    for column in columns:
        mass = sum(column, zero)
        padded = [column[i] / mass if i < len(column) else zero for i in range(width)]
        apart = sum((abs(a - b) for a, b in zip(padded, [*pi, *[zero] * (width - len(pi))], strict=True)), zero) / 2
        furthest = max(furthest, apart)
    limit = 0 if exact else tolerance
    checks.append(
        Check(
            "every posterior is pi",
            bool(furthest <= limit),
            f"the furthest is {float(furthest):.3g} away",
            optimality=True,
        )
    )
    gaps = {"posterior": float(furthest)}
    floats = np.array([float(value) for value in pi])
    for H in entropies:
        gaps[H.name] = difference(H, H(floats), H.conditional(joint))
    claim = f"for one observation, no channel with at most {k} secrets behind an observable leaks less, {EVERY_ENTROPY}"
    return Certificate.of(claim, checks, exact=exact, gaps=gaps)


def _pi(weights: list[Any], k: int) -> list[Any]:
    """pi by the paper's definition, from all weights sorted; written apart from the makers on purpose."""
    ordered = sorted(weights, reverse=True)
    total = sum(ordered)
    for j in range(min(k, len(ordered))):
        tail = sum(ordered[j:])
        if ordered[j] * (k - j) <= tail:
            return [w / total for w in ordered[:j]] + [tail / (k - j) / total] * (k - j)
    return [w / total for w in ordered]


def _sorted_joint(joint: Joint, exact: bool) -> Iterator[list[Any]]:
    """The non-zero entries of each column of the joint, largest first."""
    channel, prior = joint.channel, joint.prior
    if exact and channel.exact is not None:
        p = [Fraction(w, prior.total) for w in prior.weights.tolist()]
        for y in range(channel.shape[1]):
            column = [p[x] * channel.exact[x, y] for x in range(len(p))]
            positive = sorted((value for value in column if value > 0), reverse=True)
            if positive:
                yield positive
        return
    parts = (part for block in joint.blocks() for part in packed(block))
    for column in chain.from_iterable(part.T for part in parts):
        positive = sorted(column[column > 0].tolist(), reverse=True)
        if positive:
            yield positive
