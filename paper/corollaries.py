"""The corollaries of Theorem 1: closed forms for min-entropy, l guesses and guesswork, against H(pi) of our plans."""

from __future__ import annotations

import math
from fractions import Fraction

from minleak import GuessError, Guesswork, MinEntropy, design
from paper.claims import Claim, Part, Table, statement, tiny
from paper.priors import FIGURES, TOYS

PRIORS = {"(30, ..., 1)/465": FIGURES, **{f"toy p_{i}": weights for i, weights in enumerate(TOYS, start=1)}}


def min_entropy(p: list[Fraction], k: int) -> float:
    """-log2 max(1/k, p_[1])."""
    return -math.log2(max(Fraction(1, k), p[0]))


def guess_error(p: list[Fraction], k: int, l: int) -> Fraction:
    """1 - max over 0 <= j <= l of P_j + (1 - P_j)(l-j)/(k-j), P_j = p_[1] + ... + p_[j]; zero at l = k."""
    if l == k:
        return Fraction(0)  # the print has 0/0
    return 1 - max(sum(p[:j]) + (1 - sum(p[:j])) * Fraction(l - j, k - j) for j in range(l + 1))


def guesswork(p: list[Fraction], k: int) -> Fraction:
    """min over 1 <= j <= k of the sum over i < j of i p_[i], plus (1 - P_{j-1})(k+j)/2."""
    return min(
        sum((i * p[i - 1] for i in range(1, j)), Fraction(0)) + (1 - sum(p[: j - 1])) * Fraction(k + j, 2)
        for j in range(1, k + 1)
    )


def compare() -> dict[str, list[tuple[str, int, float]]]:
    """For each corollary and prior: the number of cases, and the largest difference between print and plan."""
    found: dict[str, list[tuple[str, int, float]]] = {"min-entropy": [], "l guesses": [], "guesswork": []}
    for name, weights in PRIORS.items():
        p = [Fraction(w, sum(weights)) for w in weights]
        apart: dict[str, list[float]] = {corollary: [] for corollary in found}
        for k in range(1, len(weights) + 1):
            plan = design(weights, k)
            apart["min-entropy"].append(abs(plan.entropy(MinEntropy()) - min_entropy(p, k)))
            apart["guesswork"].append(abs(plan.entropy(Guesswork()) - float(guesswork(p, k))))
            apart["l guesses"] += [
                abs(plan.entropy(GuessError(l)) - float(guess_error(p, k, l))) for l in range(1, k + 1)
            ]
        for corollary, values in apart.items():
            found[corollary].append((name, len(values), max(values)))
    return found


def zero_leakage() -> int | None:
    """How many (prior, k) were tried to see that min-entropy leakage is 0 for k >= 1/p_[1], else -log2(k p_[1]).

    None if one is not so.
    """
    tried = 0
    for weights in PRIORS.values():
        top = Fraction(weights[0], sum(weights))
        for k in range(1, len(weights) + 1):
            expected = 0.0 if k * top >= 1 else -math.log2(k * top)
            if not abs(design(weights, k).leakage(MinEntropy()) - expected) <= 1e-12:
                return None
            tried += 1
    return tried


def part() -> Part:
    found = compare()
    printed = {
        "min-entropy": "-log max(1/k, p_[1])",
        "l guesses": "1 - max over j <= l of ...",
        "guesswork": "min over j <= k of ...",
    }
    claims: list[Claim] = []
    for number, (corollary, results) in enumerate(found.items(), start=1):
        cases, largest = sum(count for _, count, _ in results), max(apart for *_, apart in results)
        with_l = " and l <= k" if corollary == "l guesses" else ""
        claims.append(
            statement(
                f"Corollary {number}, {corollary}, all k{with_l}",
                printed[corollary],
                f"{cases} cases, largest difference {tiny(largest)}",
                largest <= 1e-12 * 30,
            )
        )
    tried = zero_leakage()
    claims.append(
        statement(
            "Corollary 1: the least min-entropy leakage",
            "0 for k >= 1/p_[1], else -log(k p_[1])",
            "not so" if tried is None else f"so in all {tried} cases",
            tried is not None,
        )
    )
    rows = tuple(
        (corollary, prior, cases, tiny(largest))
        for corollary, results in found.items()
        for prior, cases, largest in results
    )
    return Part(
        "The corollaries",
        (
            "Closed forms of the largest H(X|Y), worked out in fractions as they are printed, against H(pi) of the "
            "plan that minleak designs. For l = k the print is 0/0, and the value is zero (erratum 6).",
        ),
        tuple(claims),
        (
            Table(
                "corollaries",
                "Printed closed forms against our plans, for all k (and all l from 1 to k).",
                ("corollary", "prior", "cases", "largest difference"),
                rows,
            ),
        ),
    )
