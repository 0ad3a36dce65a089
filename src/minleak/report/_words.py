"""Numbers as text, and sentences that say what they mean."""

from __future__ import annotations

from collections.abc import Callable

from minleak.core._property_leakage import PropertyLeakage
from minleak.rates._world import World
from minleak.report._facts import Facts, RivalLeakage
from minleak.report._nearness import Nearness
from minleak.rivals._alternatives import Estimate

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


def percents(limit: float, *chances: float) -> list[str]:
    """The limit and the chances in percent, with enough digits to tell each chance from the limit.

    >>> percents(0.05, 0.0476), percents(0.05, 0.0500004, 0.05)
    (['5%', '4.76%'], ['5%', '5.00004%', '5%'])
    """
    if min(limit, *chances) < 1e-4:
        return [percent(chance) for chance in (limit, *chances)]
    apart = [chance for chance in chances if chance != limit]
    for digits in range(3, 10):
        told = [f"{100 * chance:.{digits}g}%" for chance in (limit, *apart)]
        if told[0] not in told[1:]:
            break
    return [f"{100 * chance:.{digits}g}%" for chance in (limit, *chances)]


def about(count: int) -> str:
    """A large number in two digits and words, a small one as it is.

    >>> about(60_000), about(774_293), about(3_819_539), about(588_124_220_187), about(10**18)
    ('60,000', '770,000', '3.8 million', '590 billion', 'more than 1,000 trillion')
    """
    if count >= 10**15:
        return "more than 1,000 trillion"
    rounded = float(f"{count:.2g}")
    for size, word in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if rounded >= size:
            return f"{rounded / size:g} {word}"
    return f"{rounded:,.0f}"


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
    chance, world = facts.chance, facts.world
    if facts.gains:
        return (
            f"One guess is worth {number(chance.plan)} to an attacker who sees a set, {number(chance.blind)} to a "
            f"blind one, and {number(chance.bare)} to one who sees the secret."
        )
    if world is None:
        seen = f"An attacker who sees a set of {facts.k:,} and guesses once is right {often(chance.plan)}"
        success, after = chance.plan, f": no {which_sets(facts)} can do better"
    else:
        seen = (
            f"An attacker who knows how often secrets really occur, sees a set of {facts.k:,} and guesses once "
            f"is right {often(world.success)}"
        )
        success, after = world.success, ""
    if success <= chance.blind * (1 + 1e-12) or percent(success) == percent(chance.blind):
        return f"{seen}: no more often than without seeing anything."
    return f"{seen}, against {often(chance.blind)} without seeing anything{after}."


def which_sets(facts: Facts) -> str:
    """The sets among which the plan leaks least."""
    return f"sets of {facts.k:,}" + ("" if facts.groups is None else " that keep the caps")


def provenance(facts: Facts) -> list[str]:
    """What the first figure rests on, the sample that the counts are and the certificate, and what would better it."""
    world, enough = facts.world, facts.enough
    if world is None or enough is None:
        return [f"All figures are as counted; nothing can be said about the true population: {facts.untold}."]
    certified = (
        f"The counts are a sample of {about(world.events)} events. As counted, a guess is right "
        f"{often(facts.chance.plan)}, and no {which_sets(facts)} can do better: this is certified, and the limit for "
        "infinitely many events."
    )
    few, many = (about(events) for events in enough)
    if world.alike and world.high > 1.01 * facts.chance.plan:
        more = (
            "The differences between the counts are no larger than chance, so the first figure assumes equal "
            f"frequencies. Differences too small for this sample could make it {percent(world.high)}; more events "
            "would tell."
        )
    elif world.success <= 1.01 * facts.chance.plan:
        more = "With so many events the two figures are the same."
    elif enough[1] <= world.events:
        more = "With so many events the two figures are within 10% of each other."
    else:
        between = f"About {few}" if few == many else f"Between {few} and {many}"
        more = f"{between} events would bring the first figure within 10% of it."
    unseen = world.say_unseen()
    return [certified, f"{more} {unseen[:1].upper()}{unseen[1:]}."]


def interval(world: World) -> str:
    """The confidence interval of the success in the true population."""
    low, high = percent(world.low), percent(world.high)
    return "95% interval: the same to all digits shown" if low == high else f"{low} to {high} with 95% confidence"


def beside(facts: Facts) -> dict[str, str]:
    """The leakages in the true population, of those that are others than as counted."""
    if facts.world is None:
        return {}
    pairs = [(row, facts.world.leakage(row.entropy)) for row in facts.comparisons]
    return {row.entropy: number(leak) for row, leak in pairs if abs(leak - row.plan) > 0.01 * row.plan + 1e-6}


def demanded(facts: Facts) -> str:
    """Whether the requirement is met, if there is one."""
    asked, world = facts.requirement, facts.world
    if asked is None:
        return ""
    said = f"Requirement: a guess is right at most {often(asked.most)}: "
    verdict = "met" if asked.met else "not met"
    if world is None:
        return f"{said}{verdict}, as counted"
    _, estimate, high = percents(asked.most, world.success, world.high)
    return f"{said}{verdict} (estimate {estimate}, interval to {high})"


def area(near: Nearness, told: PropertyLeakage | None) -> str:
    """What near sets tell although no entropy that treats secrets alike says so: about where the secret is."""
    found, blind = (f"{number(distance)}{near.unit}" for distance in near.located)
    ask = "" if told is not None else " Add a property, such as the country (--property), to see how well it is hidden."
    return (
        "Near decoys share a region, so a set reveals the area of the secret, which the leakages on this page do not "
        f"count: an attacker who sees a set and guesses a place is {found} off on average, against {blind} without a "
        f"set.{ask}"
    )


def property_told(told: PropertyLeakage) -> str:
    """How well a property of the secret is hidden, in one sentence."""
    return (
        f"The property, one of {told.values:,} values: an attacker who sees a set and guesses it is right "
        f"{often(told.success)}, against {often(told.blind)} without a set, and {often(told.worst)} with the most "
        "revealing set."
    )


def often(chance: float) -> str:
    text = percent(chance)
    return text if text.startswith("1 in") else f"{text} of the time"


def meaning(row: RivalLeakage, facts: Facts) -> str:
    """What this plan leaks in one entropy against showing the secret, in a sentence or two."""
    ours, bare = row.plan, row.bare
    if facts.gains:
        return f"Leaks {number(ours)} where showing the secret leaks {number(bare)}, secrets counted by their worth."
    if row.entropy == "guesswork":
        return _guesses(row.before, row.before - ours, facts)
    return _MEANINGS[row.entropy](ours, bare)


def _guesses(blind: float, after: float, facts: Facts) -> str:
    """Saved guesses look as many as if the secret were shown, because a set is so much smaller than the whole."""
    members = min(facts.k, facts.possible)
    return (
        f"It takes {number(blind)} guesses on average blind, {number(after)} with a set, and one with the secret. "
        f"A set has only {members:,} members, so no plan makes it more than {number((members + 1) / 2)}."
    )


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
    "collision": lambda a, b: f"A set tells {number(a)} of {number(b)} bits when likely secrets count more.",
}
