"""Dispersion: whether counts differ by more than chance makes them differ if all secrets occur equally often."""

from __future__ import annotations

import numpy as np

from minleak._attack.rates import Counts

# Counts that would be so unequal less often than this, if all secrets had one rate, show that they have not.
_LEVEL = 0.05


def one_rate(counts: Counts, times: Counts) -> tuple[float, bool]:
    """The most likely rate if all secrets have one, and whether the counts do not show that they have several;
    `times[i]` secrets have `counts[i]`.

    >>> [one_rate(np.array([low, 5, 10 - low]), np.array([30, 40, 30]))[1] for low in (4, 1)]
    [True, False]
    """
    rate, p = fitted_rate(counts, times)
    return rate, p > _LEVEL


def fitted_rate(counts: Counts, times: Counts) -> tuple[float, float]:
    """The most likely rate if all secrets have one, and how often counts would then be so unequal (the p-value).

    Counts c of secrets that were seen are Poisson and not zero. Their mean m is sufficient for the rate lambda, with
    lambda / (1 - exp(-lambda)) = m, so their variance is compared with that of this rate. With central moments mu_j
    their ratio has the variance (mu_4 - mu_2^2 - mu_3^2 / mu_2) / (mu_2^2 n), and is taken for a Gamma variable, as it
    is for plain Poisson counts, where n times the index of dispersion is chi-squared.
    """
    from scipy.special import gammaincc, lambertw

    c, n = counts.astype(np.float64), float(times.sum())
    mean = float(times @ c) / n
    if mean <= 1 or n < 2:
        return mean, 1.0
    rate = mean + float(lambertw(-mean * np.exp(-mean)).real)
    zero, off = float(np.exp(-rate)), rate - mean
    plain = {  # moments of the Poisson distribution about the mean of the truncated one
        2: rate + off**2,
        3: rate + 3 * rate * off + off**3,
        4: rate + 3 * rate**2 + 4 * rate * off + 6 * rate * off**2 + off**4,
    }
    second, third, fourth = ((moment - zero * (-mean) ** j) / (1 - zero) for j, moment in plain.items())
    ratio = float(times @ (c - mean) ** 2) / (n - 1) / second
    spread = (fourth - second**2 - third**2 / second) / (second**2 * n)
    return rate, float(gammaincc(1 / spread, ratio / spread))
