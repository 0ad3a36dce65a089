"""Audits: how often the test of zero leakage finds a leak, beside chi-square and Kruskal-Wallis, and what it costs."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.stats import chi2_contingency, kruskal
from tests.samples.known import Drawn, tailed

import minleak as ml

# Resamples of each kind of events, seeds of each audit, and the level of all tests.
_RESAMPLES, _SEEDS, _ALPHA = 20, 4, 0.01


def main() -> None:
    print(
        f"\nTimes of 8 secrets with a tail: rejected at {_ALPHA:g}, of {_RESAMPLES} resamples; audits for each of "
        f"{_SEEDS} seeds, and how many verdicts hang on the seed. Chi-square has 16 quantile bins."
    )
    print(f"{'':<42} {'audit':<16} {'by seed':>8} {'chi-square':>11} {'Kruskal':>8} {'ms':>6}")
    power("one slow in 24%, others 12%: 20,000", lambda rng: tailed(20_000, rng))
    power("the same, clipped at 300 ns", lambda rng: clipped(20_000, rng))
    power("the same, 5,000 events", lambda rng: tailed(5000, rng))
    power("the same, 2,000 events", lambda rng: tailed(2000, rng))
    power("normal, one of 8 shifted by .15: 20,000", lambda rng: shifted(20_000, rng))
    power("nothing leaks: 20,000", lambda rng: (rng.integers(0, 8, 20_000), tailed(20_000, rng)[1]))


def clipped(events: int, rng: np.random.Generator) -> Drawn:
    """The same without its tail."""
    x, y = tailed(events, rng)
    return x, np.minimum(y, 300)


def shifted(events: int, rng: np.random.Generator) -> Drawn:
    """Normal noise around 0, or for one secret around .15."""
    x = rng.integers(0, 8, events)
    return x, rng.normal(0.15 * (x == 1), 1.0)


def power(what: str, draw: Callable[[np.random.Generator], Drawn]) -> None:
    """A line of the table."""
    ours = np.zeros((_RESAMPLES, _SEEDS), dtype=bool)
    peers = np.zeros((_RESAMPLES, 2), dtype=bool)
    spent = 0.0
    for run in range(_RESAMPLES):
        x, y = draw(np.random.default_rng([run, 8]))
        start = time.perf_counter()
        ours[run] = [ml.audit(x, y, alpha=_ALPHA, seed=seed).rejected for seed in range(_SEEDS)]
        spent += time.perf_counter() - start
        cells = np.searchsorted(np.unique(np.quantile(y, np.arange(1, 16) / 16)), y)
        table = np.bincount(8 * cells + x, minlength=8 * (cells.max() + 1)).reshape(-1, 8)
        groups = [y[x == secret] for secret in range(8)]
        peers[run] = [chi2_contingency(table[table.any(axis=1)]).pvalue <= _ALPHA, kruskal(*groups).pvalue <= _ALPHA]
    hanging = int(np.count_nonzero(ours.any(axis=1) & ~ours.all(axis=1)))
    found = " ".join(f"{count:>3}" for count in ours.sum(axis=0))
    chi, ranks = peers.sum(axis=0)
    each = 1e3 * spent / ours.size
    print(f"{what:<42} {found:<16} {hanging:>8} {chi:>11} {ranks:>8} {each:>6.0f}", flush=True)
