"""Exactly: success and entropy of both attackers of a channel drawn at each step, over all that can be shown."""

from __future__ import annotations

import numpy as np

from minleak._data.arrays import Array
from minleak._data.channel import Channel
from minleak._sequences.chain import Chain

# Numbers that one step may take.
_MOST = 1 << 22


def exactly(chain: Chain, channel: Channel, steps: int) -> list[tuple[float, ...]] | None:
    """Success of filtering and of smoothing, and the entropies in bits, at each step; None where there are too many
    sequences of observables.

    Forward: alpha(y_0..y_t)(x) = p(y_0..y_t, X_t = x). Backward: beta(y_t+1..y_T)(x) = p(y_t+1..y_T given X_t = x).
    The sum over all sequences of max over x of alpha * beta is the chance of the best guess.
    """
    n, outputs = channel.shape
    if steps * np.log2(max(outputs, 2)) + np.log2(n) > np.log2(_MOST):
        return None
    C = channel.toarray()
    P = chain.probabilities(np.arange(n)[:, None], np.arange(n)[None, :])
    forward = [chain.initial.p[None, :] * C.T]
    backward = [np.ones((1, n))]
    for _ in range(steps - 1):
        forward.append(((forward[-1] @ P)[:, None, :] * C.T).reshape(-1, n))
        backward.append((P @ (C.T[:, None, :] * backward[-1]).reshape(-1, n).T).T)
    filtered = [_summed(alpha) for alpha in forward]
    smoothed = [
        _summed((alpha[:, None, :] * backward[steps - 1 - t][None]).reshape(-1, n)) for t, alpha in enumerate(forward)
    ]
    return [tuple(step[which] for step in part) for which in (0, 1) for part in (filtered, smoothed)]


def _summed(joint: Array) -> tuple[float, float]:
    """The chance of the best guess and the conditional entropy, of p(what is seen, x)."""
    seen = joint.sum(axis=1, keepdims=True)
    shares = joint / np.where(seen > 0, seen, 1)
    bits = -(joint * np.log2(np.where(shares > 0, shares, 1))).sum()
    return float(joint.max(axis=1).sum()), max(float(bits), 0.0)
