"""RandomSets: each secret shown in a uniformly random set of k that contains it, and what is known of that exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.forms import AllGuesses, BestGuesses, Form, RenyiMean
from minleak.core._prior import Prior

# Steps that the exact Shannon entropy may take (subsets counted by size and weight).
_EXACT = 20_000_000


@dataclass(frozen=True, eq=False)
class RandomSets:
    """Sets of k <= n, the secret and k-1 others, all C(n-1,k-1) of them equally likely."""

    prior: Prior
    k: int

    @cached_property
    def p(self) -> Array:
        """The probabilities, largest first."""
        return self.prior.descending

    def ranks(self) -> Array:
        """The mean place of the i-th likeliest secret in its set, the likeliest being 1."""
        n = len(self.p)
        return np.asarray(1 + np.arange(n) * (self.k - 1) / max(n - 1, 1))

    def among_best(self, l: int) -> Array:
        """The chance that the i-th likeliest secret is among the l likeliest of its set."""
        n = len(self.p)
        i = np.arange(1, n + 1)
        if l == 1:  # C(n-i,k-1) / C(n-1,k-1), each from the one before
            return np.cumprod(np.append(1.0, np.maximum(n - self.k + 1 - i[:-1], 0) / (n - i[:-1])))
        from scipy.stats import hypergeom

        # One secret more, of no weight and always last, changes no rank, and hypergeom needs at least one to draw from.
        return np.asarray(hypergeom.cdf(l - 1, max(n - 1, 1), i - 1, self.k - 1))

    def shannon(self) -> float | None:
        """E[-log p(x given its set)] in nats, by counting the subsets of each size and weight; None if too many."""
        prior, n, k = self.prior, len(self.prior), self.k
        if not prior.exact or n * k * int(prior.total) > _EXACT:
            return None
        total = int(prior.total)
        counts = np.zeros((k + 1, total + 1), dtype=object)
        counts[0, 0] = 1
        for w in prior.weights.tolist():
            counts[1:, w:] += counts[:-1, : total + 1 - w].copy()
        subsets = math.comb(n - 1, k - 1)
        weight = np.array([float(counts[k, t] / subsets) for t in range(total + 1)])
        mass = np.arange(total + 1) / total
        positive = mass > 0
        of_sets = float((weight[positive] * mass[positive]) @ np.log(mass[positive]))
        p = prior.p[prior.p > 0]
        return of_sets - float(p @ np.log(p))

    def entropy(self, form: Form | None) -> float | None:
        """H(X|Y) of an entropy of that form, exactly; None if that has to be simulated."""
        match form:
            case BestGuesses(l):
                return float(self.p @ (1 - self.among_best(l)))
            case AllGuesses():
                return float(self.p @ self.ranks())
            case RenyiMean(math.inf, -1.0) as mean:
                return mean.outer(-math.log(float(self.p @ self.among_best(1))))
            case RenyiMean(1.0, 0.0) as mean:
                nats = self.shannon()
                return None if nats is None else mean.outer(nats)
        return None
