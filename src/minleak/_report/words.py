"""Numbers as text, and sentences that say what they mean."""

from __future__ import annotations

from collections.abc import Callable

from minleak._design.alternatives import Estimate
from minleak._report.facts import Comparison, Facts

# entropy: (what its attacker does, what the measure is called, its unit)
ATTACKERS: dict[str, tuple[str, str, str]] = {
    "shannon": ("asks yes-or-no questions", "Shannon entropy", "bits"),
    "min-entropy": ("has one guess, seen as a factor", "min-entropy", "bits"),
    "guess-error:1": ("has one guess, seen as a chance", "guess error", "as a fraction of one"),
    "guesswork": ("guesses until right", "guesswork", "guesses"),
    "collision": ("bets on likely secrets", "collision entropy", "bits"),
}


def number(value: float) -> str:
    """Four digits, thousands separated, and zero as zero.

    >>> number(4.888436), number(370615.7), number(1e-17), number(0.00012345)
    ('4.888', '370,616', '0', '0.0001234')
    """
    if abs(value) < 1e-12:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def percent(chance: float) -> str:
    """A chance in percent, or as one in so many where percent would be mostly zeros.

    >>> percent(1), percent(0.05628), percent(2e-7), percent(0)
    ('100%', '5.63%', '1 in 5,000,000', '0%')
    """
    if 0 < chance < 1e-4:
        return f"1 in {1 / chance:,.0f}"
    return f"{100 * chance:.3g}%"


def leak_text(entropy: str, value: float) -> str:
    """A leakage with its unit.

    >>> leak_text("shannon", 1.5), leak_text("guess-error:1", 0.25)
    ('1.5 bits', '0.25')
    """
    unit = ATTACKERS[entropy][2]
    return number(value) if unit.startswith("as ") else f"{number(value)} {unit}"


def amount(estimate: Estimate) -> tuple[str, str]:
    """A leakage and, if it was simulated, its margin."""
    if estimate.exact:
        return number(estimate.value), ""
    margin = max(estimate.high - estimate.value, estimate.value - estimate.low)
    return number(estimate.value), f"simulated, ±{number(float(f'{margin:.2g}'))}"


def verdict(facts: Facts) -> str:
    """The first screen in one sentence."""
    chance = facts.chance
    if facts.gains:
        return (
            f"One guess is worth {number(chance.plan)} to an attacker who sees a set, {number(chance.blind)} blind, "
            f"and {number(chance.bare)} if the secret were shown."
        )
    seen = f"An attacker who sees a set of {facts.k:,} and guesses once is right {_often(chance.plan)}"
    if chance.plan <= chance.blind * (1 + 1e-12):
        return f"{seen}: no more often than without seeing anything."
    return f"{seen}, against {_often(chance.blind)} without seeing anything: no sets of {facts.k:,} can do better."


def _often(chance: float) -> str:
    text = percent(chance)
    return text if text.startswith("1 in") else f"{text} of the time"


def meaning(row: Comparison, *, gains: bool) -> str:
    """What this plan leaks in one entropy against showing the secret, in a sentence."""
    ours, bare = row.plan, row.rivals[0].leakage.value
    if gains:
        return f"Leaks {number(ours)} where showing the secret leaks {number(bare)}, secrets counted by their worth."
    return _MEANINGS[row.entropy](ours, bare)


def _factor(ours: float, bare: float) -> str:
    if ours < 1e-12:
        more = f"makes it right {number(2.0**bare)} times as often" if bare >= 1e-12 else "does not either"
        return f"Seeing a set does not help the guess; seeing the secret {more}."
    return (
        f"Seeing a set makes a guess right {number(2.0**ours)} times as often as blind; seeing the secret, "
        f"{number(2.0**bare)} times."
    )


def _points(ours: float, bare: float) -> str:
    return (
        f"Seeing a set adds {number(100 * ours)} percentage points to the chance of a guess; seeing the secret, "
        f"{number(100 * bare)}."
    )


# entropy: what it means that a set leaks the first number where the secret itself leaks the second
_MEANINGS: dict[str, Callable[[float, float], str]] = {
    "shannon": lambda a, b: f"A set tells {number(a)} of the {number(b)} bits that the secret itself would tell.",
    "min-entropy": _factor,
    "guess-error:1": _points,
    "guesswork": lambda a, b: f"Seeing a set saves {number(a)} guesses on average; seeing the secret, {number(b)}.",
    "collision": lambda a, b: f"A set tells {number(a)} of {number(b)} bits when likely secrets count more.",
}
