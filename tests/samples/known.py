"""Channels whose leakage is known, and events drawn from them: for the tests and for `python -m benchmarks samples`."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import minleak as ml

Drawn = tuple[np.ndarray, np.ndarray]


def drawn(prior: np.ndarray, channel: np.ndarray, events: int, rng: np.random.Generator) -> Drawn:
    """Secrets and what they showed."""
    x = rng.choice(len(prior), events, p=prior)
    y = np.empty(events, dtype=np.int64)
    for secret in range(len(prior)):
        mine = np.flatnonzero(x == secret)
        y[mine] = rng.choice(channel.shape[1], len(mine), p=channel[secret])
    return x, y


def gaussian(events: int, rng: np.random.Generator, *, sigma: float = 1.0208) -> Drawn:
    """Four secrets, one apart, in normal noise."""
    x = rng.integers(0, 4, events)
    return x, x + rng.normal(0, sigma, events)


def tailed(events: int, rng: np.random.Generator) -> Drawn:
    """Times of eight secrets in whole nanoseconds: one is slow in 24% of its events, the others in 12%; and 1.4% of all
    times are far out, up to 4 ms.
    """
    x = rng.integers(0, 8, events)
    slow = rng.random(events) < np.where(x == 1, 0.24, 0.12)
    y = 100 + 40 * slow + rng.lognormal(1.5, 0.5, events)
    far = np.exp(rng.uniform(math.log(200), math.log(4e6), events))
    return x, np.round(y + far * (rng.random(events) < 0.014)).astype(np.int64)


def corners(rng: np.random.Generator, events: int) -> Drawn:
    """Four secrets at the corners of a square of sides 1.5, in normal noise of two numbers: the best guess is right
    if neither number is further than half a side off, with probability Phi(.75)^2.
    """
    x = rng.integers(0, 4, events)
    return x, 1.5 * np.stack([x % 2, x // 2], axis=1) + rng.normal(size=(events, 2))


def channels(each: int) -> Iterator[tuple[str, Drawn, dict[str, float]]]:
    """Synthetic channels of five kinds, drawn from, and what they leak in truth."""
    for run in range(each):
        rng = np.random.default_rng([run, 2])
        for kind, (n, m, scale, events) in {
            "dense": (6, 12, 1.0, 2000),
            "sparse": (40, 400, 0.05, 3000),
            "none": (8, 20, math.inf, 1500),
        }.items():
            prior = rng.dirichlet(np.full(n, 2.0))
            rows = rng.dirichlet(np.full(m, 0.5 if math.isinf(scale) else scale), n)
            channel = np.tile(rows[:1], (n, 1)) if math.isinf(scale) else rows
            x, y = drawn(prior, channel, events, rng)
            yield kind, (x, y.astype(str)), truths(prior, prior[:, None] * channel)
        for kind in ("gaussian", "mixture"):
            yield kind, *continuous(kind, rng)


def continuous(kind: str, rng: np.random.Generator, events: int = 3000) -> tuple[Drawn, dict[str, float]]:
    """Secrets that show numbers, of one Gaussian or of a mixture of three."""
    n = int(rng.integers(2, 7))
    prior = rng.dirichlet(np.full(n, 3.0))
    parts = 1 if kind == "gaussian" else 3
    centres, widths = rng.normal(0, 2, (n, parts)), rng.uniform(0.3, 1.5, (n, parts))
    shares = rng.dirichlet(np.ones(parts), n)
    grid = np.linspace(-16, 16, 8001)
    away = (grid - centres[..., None]) / widths[..., None]
    density = (shares[..., None] * np.exp(-(away**2) / 2) / widths[..., None] / math.sqrt(2 * math.pi)).sum(axis=1)
    x = rng.choice(n, events, p=prior)
    part = (rng.random(events)[:, None] > np.cumsum(shares[x], axis=1)).sum(axis=1).clip(0, parts - 1)
    y = centres[x, part] + widths[x, part] * rng.normal(size=events)
    return (x, y), truths(prior, prior[:, None] * density * (grid[1] - grid[0]))


def truths(prior: np.ndarray, joint: np.ndarray) -> dict[str, float]:
    """Success, and leakages, of a joint distribution on a fine grid."""
    channel = joint / joint.sum(axis=1, keepdims=True)
    names = ("shannon", "min-entropy", "guesswork", "guess-error:2")
    return {"success": ml.lab.posterior_vulnerability(prior, channel)} | {
        n: ml.leakage(prior, channel, n) for n in names
    }
