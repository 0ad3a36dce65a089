"""Bounds that hold at their level for every channel: lower ones from tests of an attack, upper ones from counts."""

from __future__ import annotations

import math

import numpy as np

from minleak.core._arrays import Array, Indices


def at_least(successes: float, tests: int, error: float) -> float:
    """The Clopper-Pearson lower bound of V from successes in tests.

    A test may depend on those before, as long as it succeeds with conditional probability at most V: the sum is then
    dominated by Bin(tests, V).

    >>> round(at_least(530, 1000, 0.025), 4)
    0.4985
    """
    from scipy.special import betaincinv

    return float(betaincinv(successes, tests - successes + 1, error)) if successes > 0 else 0.0


def most_frequent_at_least(largest: int, tests: int, error: float, l: int = 1, n: int = 1) -> float:
    """A lower bound on V, the probability of the l likeliest of n values, from the count of the l most frequent.

    For every set S of l values P(Bin(tests, p_S) >= c) / p_S increases in p_S up to the mode (c - 1) / (tests - 1), and
    the p_S sum to comb(n - 1, l - 1). So with probability comb(n - 1, l - 1) P(Bin(tests, V) >= c) / V at most some S
    has a count of c or more: Bonferroni over 1 / V values in place of n, however many were never seen.

    >>> round(most_frequent_at_least(530, 1000, 0.025), 4), most_frequent_at_least(1, 1000, 0.025)
    (0.494, 0.0)
    """
    from scipy.special import betainc

    if largest < 2:
        return 0.0
    sets = math.lgamma(n) - math.lgamma(l) - math.lgamma(n - l + 1)
    low, high = 0.0, (largest - 1) / (tests - 1)
    for _ in range(60):
        middle = (low + high) / 2
        holds = float(betainc(largest, tests - largest + 1, middle)) <= error * middle * math.exp(-sets)
        low, high = (middle, high) if holds else (low, middle)
    return low


def at_least_by_blocks(shares: Array, error: float) -> float:
    """The same where only blocks are independent, each with a share of successes in [0,1] and mean at most V.

    P(sum >= s) <= e P(Bin(blocks, V) >= s) for whole s (Bentkus 2004), so blocks count as tests at error / e.
    """
    return at_least(math.floor(float(shares.sum()) + 1e-9), len(shares), error / math.e) if len(shares) else 0.0


def at_most(plug_in: float, events: float, error: float) -> float:
    """An upper bound of V from the plug-in estimate, the sum over y of the largest count (or l largest) over events.

    Its mean is at least V, and one event moves it by 1/events: V <= plug-in + sqrt(ln(1/error) / 2 events). For small V
    the self-bounding form is tighter: P(plug-in <= r E) <= exp(-events E (r ln r - r + 1)). Each gets half of the
    error, so the better may be chosen. If only blocks are independent, `events` is the number of events over the size
    of the largest block.

    >>> round(at_most(0.53, 1000, 0.025), 4), round(at_most(0.01, 1000, 0.025), 4)
    (0.5768, 0.0225)
    """
    spent = math.log(2 / error)
    plain = plug_in + math.sqrt(spent / (2 * events))
    low, high = plug_in, plain
    for _ in range(60):
        middle = (low + high) / 2
        r = plug_in / middle if middle else 1.0
        exponent = events * middle * ((r * math.log(r) if r > 0 else 0.0) - r + 1)
        low, high = (low, middle) if exponent >= spent else (middle, high)
    return min(1.0, plain, high)


def mean_at_most(total: float, squares: float, tests: int, least: float, most: float, error: float) -> float:
    """Maurer and Pontil's empirical Bernstein upper bound on the mean of independent numbers in [least, most], from
    their sum and the sum of their squares.

    >>> round(mean_at_most(500, 500, 1000, 0, 1, 0.025), 4)
    0.5571
    >>> mean_at_most(0, 0, 1, 0, 1, 0.025)
    1
    """
    if tests < 2:
        return most
    mean = total / tests
    variance = max(0.0, (squares - tests * mean * mean) / (tests - 1))
    spent = math.log(2 / error)
    slack = math.sqrt(2 * variance * spent / tests) + 7 * (most - least) * spent / (3 * (tests - 1))
    return min(most, mean + slack)


def entropy_at_least(counts: Indices, error: float) -> float:
    """A lower bound on the Shannon entropy H(X) in nats, from counts of the secrets.

    The mean of ln 1/p over the events is at least the entropy of the counts, and has expectation H(X). Bernstein's
    inequality bounds its deviation, with the variance of ln 1/p as counted, widened by the distance of the counts from
    the truth (KL(counts || p) <= r), and the tail of ln(n) plus an exponential.
    """
    events, n = int(counts.sum()), len(counts)
    q = counts[counts > 0] / events
    information = -np.log(q)
    entropy = float(q @ information)
    spent = math.log(2 / error)
    r = (spent + (n - 1) * math.log(math.e * (1 + events / max(1, n - 1)))) / events
    deviation = math.sqrt(float(q @ (information - entropy) ** 2)) + math.sqrt(2 * r)
    slack = deviation * math.sqrt(2 * spent / events) + (math.log(n) + math.log(events)) * spent / (3 * events)
    return max(0.0, entropy - slack)


def least_more(width: float, enough: float, events: int) -> int:
    """About how many more events make an interval of this width narrow enough: widths fall as 1/sqrt(events)."""
    return math.ceil(min(1e18, max(0.0, events * ((width / enough) ** 2 - 1))))
