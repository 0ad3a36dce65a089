"""Looks needed after an audit: how many looks at one secret the trained attack needs for a given success.

The attack is the one that led the audit, trained on the first half of the events. Looks are drawn from the other half,
which it has not seen. For timings the windows are chosen on one half and judged on the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minleak.core._arrays import Array, Indices
from minleak.core._parameters import real
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.samples._told import tell_looks

# Simulated secrets for each number of looks; bootstrap samples, whose least and largest make a 95% interval; and the
# most looks.
_TRIALS, _AGAIN, _LOOKS = 2000, 39, 1 << 20
# The most entries of beliefs to keep, and of a table of simulations.
ENTRIES, _CHUNK = 2_000_000, 2_000_000


@dataclass(frozen=True)
class LooksNeeded(Result):
    """The number of `looks` at one secret after which the attack of an audit is right with probability `success`;
    between `low` and `high` with about 95% confidence. None where it never gets there: `most` is its limit.
    """

    success: float
    looks: int | None
    low: int | None
    high: int | None
    most: float

    def to_parts(self) -> list[str | Table]:
        return tell_looks(self)


@dataclass(frozen=True)
class HeldOutEvents:
    """The held-out events of an audit: counts[r, x] events of secret x for which the attack has the beliefs of row r.
    `scores` are the logarithms of these beliefs minus those of the prior.
    """

    scores: Array
    counts: Indices
    prior: Array

    def looks(self, success: float, seed: int = 0) -> LooksNeeded:
        """The number of looks needed, by simulation."""
        target = real(success, "success is a probability between 0 and 1", above=0, below=1)
        rng = np.random.default_rng([seed, 29])
        looks, most = self._least(target, rng, _TRIALS)
        if looks is None:
            return LooksNeeded(target, None, None, None, most)
        again = [self._resample(rng)._least(target, rng, _TRIALS // 4)[0] for _ in range(_AGAIN)]
        known = [t for t in again if t is not None]
        high = max([looks, *known]) if len(known) == len(again) else None
        return LooksNeeded(target, looks, min([looks, *known]), high, most)

    @cached_property
    def shares(self) -> Array:
        """The distribution of rows for each secret."""
        return np.asarray(self.counts / np.maximum(self.counts.sum(axis=0), 1))

    def _resample(self, rng: np.random.Generator) -> HeldOutEvents:
        """A bootstrap sample: as many events of each secret, drawn with replacement."""
        columns = [
            rng.multinomial(n, p) if n else p * 0 for n, p in zip(self.counts.sum(axis=0), self.shares.T, strict=True)
        ]
        return HeldOutEvents(self.scores, np.stack(columns, axis=1).astype(np.int64), self.prior)

    def _least(self, target: float, rng: np.random.Generator, trials: int) -> tuple[int | None, float]:
        """The least number of looks that reaches the target, to a few per cent, and the limit of success."""
        secrets = np.flatnonzero(self.counts.sum(axis=0))
        weight = self.prior[secrets] / self.prior[secrets].sum()
        ends = (self.shares[:, secrets].T @ self.scores).argmax(axis=1)
        most = float(weight[ends == secrets].sum())
        if most < target:
            return None, most
        below, above = 0, 1
        while self._after(above, secrets, weight, rng, trials) < target:
            below, above = above, 2 * above
            if above > _LOOKS:
                return None, most
        while above - below > max(1, above // 32):
            middle = (below + above) // 2
            reached = self._after(middle, secrets, weight, rng, trials) >= target
            below, above = (below, middle) if reached else (middle, above)
        return above, most

    def _after(self, t: int, secrets: Indices, weight: Array, rng: np.random.Generator, trials: int) -> float:
        """The success of the attack after t looks, with equally many trials for each secret."""
        each = max(8, trials // len(secrets))
        right = np.zeros(len(secrets))
        log_prior = np.log(self.prior)
        for place, x in enumerate(secrets.tolist()):
            rows = np.flatnonzero(self.counts[:, x])
            chunk = max(1, _CHUNK // len(rows))
            for begin in range(0, each, chunk):
                seen = rng.multinomial(t, self.shares[rows, x], size=min(chunk, each - begin))
                right[place] += np.count_nonzero((seen @ self.scores[rows] + log_prior).argmax(axis=1) == x)
        return float(weight @ right / each)
