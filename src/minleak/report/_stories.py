"""Stories: the first screen of a result's page, one function for each kind of result.

A story is one number, what it means, whether a requirement is met, and what to do. Other rooms add the stories of their
results with `story.register`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from minleak.core._capacity import Capacity
from minleak.core._leakage import LeakageTable
from minleak.core._plan.summaries import PlanSummary
from minleak.core._result import Result
from minleak.errors import Infeasible
from minleak.lab._optimise.budgets import LeastBudget
from minleak.lab._optimise.result import Optimum
from minleak.lab._optimise.tradeoffs import Tradeoff
from minleak.lab._orders.orders import Refinement
from minleak.padding._make import design as design_padding
from minleak.padding._result import Padding
from minleak.padding._samples import SamplePadding
from minleak.padding._streams.result import Frames
from minleak.report._words import number, percent, percents
from minleak.rivals._comparing import Comparison
from minleak.samples._looking import LooksNeeded
from minleak.samples._result import Audit


@dataclass(frozen=True)
class Tile:
    """A number with its name and what it is."""

    name: str
    value: str
    text: str


@dataclass(frozen=True)
class Bar:
    """A chance by name, from `low` to `high` where it is an estimate; `ours` is what the page is about."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    ours: bool = False


@dataclass(frozen=True)
class Story:
    """What a page says first. `tiles` begin with the number that the page is about; `success` is how often a guess is
    right, surely no more often than `high`, where a requirement can be judged by it; `bars` are drawn as a chart.
    """

    title: str
    verdict: str = ""
    tiles: tuple[Tile, ...] = ()
    todo: str = ""
    success: float | None = None
    high: float | None = None
    bars: tuple[Bar, ...] = ()


@singledispatch
def story(result: Result) -> Story:
    """The story of a result; of one without, the name of its class is the title."""
    return Story(re.sub(r"(?<!^)(?=[A-Z])", " ", type(result).__name__).capitalize())


@story.register
def _(found: Comparison) -> Story:
    if found.rows[0].read is not None:
        return _rows_story(found)
    today, table, plan = found.rows[:3]
    verdict = (
        f"{_attacker(found)} who sees the bucket of a secret guesses the secret right {percent(found.success)} of the "
        f"time. With the best table of sets of the same size, {found.average:,} secrets each, they are right "
        f"{percent(found.blocks)} of the time."
    )
    todo = _what_to_do(found)
    if found.replacement:
        todo += (
            f" If today's figure is good enough, sets of {found.same_blocks:,} achieve it, instead of "
            f"{found.average:,} on average."
        )
    return Story(
        "Today's buckets and the best sets of the same size",
        verdict,
        (
            Tile("Today's buckets", percent(today.success), f"{found.buckets:,} buckets, the largest of {today.k:,}"),
            Tile(
                "The best table", percent(table.success), f"blocks of {table.k:,}, without a key, the same for everyone"
            ),
            Tile("The plan", percent(plan.success), f"drawn sets of {plan.k:,}: the optimum for this size"),
        ),
        todo,
        found.success,
        bars=tuple(Bar(_row_name(row), row.success, ours=row is not today) for row in found.rows),
    )


def _rows_story(found: Comparison) -> Story:
    """The story with rows read: sets of the same size would read far more of them."""
    today, best = found.rows[0], found.rows[-1]

    def cost(row: Any) -> str:
        return f"{row.read.mean:,.0f} rows read on average, {row.read.worst:,.0f} at worst"

    return Story(
        "Today's index and the best table that reads no more rows",
        f"{_attacker(found)} who sees the bucket of a query guesses the value {percent(today.success)} of the time. "
        f"With a table of blocks that reads no more rows, they are right {percent(best.success)} of the time.",
        (
            Tile("Today's index", percent(today.success), f"{found.buckets:,} buckets: {cost(today)}"),
            Tile("The best table", percent(best.success), cost(best)),
        ),
        _what_to_do(found),
        found.success,
        bars=(Bar("today's index", today.success), Bar("the best table", best.success, ours=True)),
    )


def _attacker(found: Comparison) -> str:
    return "As counted, an attacker" if found.on_counts else "An attacker who knows how often secrets really occur and"


def _what_to_do(found: Comparison) -> str:
    """The advice that is printed too, and a command for it."""
    rows = "" if found.rows[0].read is None else " --rows COLUMN"
    command = f" Design them: minleak design PRIOR {found.replacement}{rows}." if found.replacement else ""
    return f"{found.advice[:1].upper()}{found.advice[1:]}.{command}"


def _row_name(row: Any) -> str:
    return "today's buckets" if row.name == "these buckets" else f"{row.name}, k = {row.k:,}"


@story.register
def _(found: PlanSummary) -> Story:
    world, counted, blind = found.in_the_world, found.success or 0.0, found.success_blind or 0.0
    success = counted if world is None else world.success
    plan = max(1 / found.k, blind)
    tiles = [
        Tile("Seeing a block", percent(success), _sample(world)),
        *([] if world is None else [Tile("As counted", percent(counted), "if the counts were exact")]),
        Tile("Blind guess", percent(blind), "knowing only how often secrets occur"),
        Tile("A plan of the same size", percent(plan), "as counted; sets are drawn with a key"),
    ]
    cuts = (
        "no table with sets of this size leaves a guess right less often"
        if found.best
        else "the limits rule out the best table"
    )
    return Story(
        f"A table of {found.blocks:,} blocks",
        f"An attacker who sees a block guesses the secret right {percent(success)} of the time. Each of "
        f"{found.secrets:,} secrets always shows its block of up to {found.k:,}; {cuts}.",
        tuple(tiles),
        "Export the table (minleak export PLAN -o table.csv) and look up blocks instead of secrets. It needs no key, "
        "and repeated look-ups reveal nothing more.",
        success,
        None if world is None else world.high,
        (
            Bar("this table", success, ours=True),
            *([Bar("a plan of the same size", plan)] if world is None else []),  # known as counted only
            Bar("blind guess", blind),
        ),
    )


def _sample(world: Any) -> str:
    if world is None:
        return "as counted"
    return f"in the true population; {percent(world.low)} to {percent(world.high)} with about 95% confidence"


@story.register
def _(found: Audit) -> Story:
    ends = found.success
    high = "no upper bound" if ends.high is None else f"at most {percent(ends.high)}"
    leaks = {
        "yes": "The observations depend on the secret",
        "likely": "The observations probably depend on the secret, by the bounds but not by the test",
        "none found": "The observations may not depend on the secret",
    }[found.leak]
    verdict = (
        f"{leaks}: a guess that sees them is right about {percent(ends.estimate)} of the time, against "
        f"{percent(found.blind.estimate)} for a blind guess."
    )
    repair = "Make the observations the same for all secrets, or pad them (minleak pad), then audit again."
    todo = {
        "yes": repair,
        "likely": f"Collect more events to be sure. {repair}",
        "none found": "These events show no leak, but a smaller leak is still possible: collect more events, or set a "
        "limit that the upper bound must meet.",
    }[found.leak]
    return Story(
        {"yes": "The observations leak", "likely": "A leak is likely", "none found": "No leak was found"}[found.leak],
        verdict,
        (
            Tile(
                "Seeing an observation",
                percent(ends.estimate),
                f"at least {percent(ends.low or 0)}, {high} ({found.level:.0%})",
            ),
            _blind_tile(found),
            Tile(
                "If nothing leaked",
                f"p = {found.p:.2g}",
                f"probability of a result this large by chance; {found.permuted}",
            ),
            *([] if found.needed is None else [_looks_tile(found.needed)]),
        ),
        todo,
        ends.estimate,
        1.0 if ends.high is None else ends.high,
        (_audit_bar("seeing an observation", found, ours=True), _blind_bar(found)),
    )


def _blind_tile(found: Audit) -> Tile:
    low, high = percent(found.blind.low or 0), percent(1.0 if found.blind.high is None else found.blind.high)
    return Tile(
        "Blind guess",
        percent(found.blind.estimate),
        f"knowing only how often secrets occur; {low} to {high} ({found.level:.0%})",
    )


def _blind_bar(found: Audit) -> Bar:
    return Bar("blind guess", found.blind.estimate, found.blind.low, found.blind.high)


def _looks_tile(needed: LooksNeeded) -> Tile:
    if needed.looks is None:
        return Tile(
            "Many looks", percent(needed.most), f"at most, however many; {percent(needed.success)} is never reached"
        )
    upto = "any number" if needed.high is None else f"{needed.high:,}"
    return Tile(
        "Looks",
        f"{needed.looks:,}",
        f"to be right {percent(needed.success)} of the time; {needed.low:,} to {upto} with about 95% confidence",
    )


def _audit_bar(name: str, found: Audit, *, ours: bool = False) -> Bar:
    return Bar(name, found.success.estimate, found.success.low, found.success.high, ours)


def repair_story(before: Audit, after: Audit) -> Story:
    """The story of two audits, before and after a repair."""
    left = after.success.estimate - after.blind.estimate
    gone = before.success.estimate - before.blind.estimate
    share = (
        f" The repair removed {min(1.0, max(0.0, 1 - left / gone)):.0%} of the advantage over a blind guess."
        if gone > 0
        else ""
    )
    state = {
        "yes": "The audit still finds a leak.",
        "likely": "A leak is still likely, by the bounds but not by the test.",
        "none found": "The audit finds no leak any more."
        if before.leak != "none found"
        else "The audit finds no leak, and found none before.",
    }[after.leak]
    todo = {
        "yes": "Repair further, then audit again.",
        "likely": "Collect more events, then audit again.",
        "none found": "Keep the audit as a regression test.",
    }[after.leak]
    return Story(
        "Before and after the repair",
        f"A guess was right {percent(before.success.estimate)} of the time before, and "
        f"{percent(after.success.estimate)} after.{share} {state}",
        (
            Tile("After", percent(after.success.estimate), _ends(after)),
            Tile("Before", percent(before.success.estimate), _ends(before)),
            _blind_tile(after),
        ),
        todo,
        after.success.estimate,
        1.0 if after.success.high is None else after.success.high,
        (
            _audit_bar("before", before),
            _audit_bar("after", after, ours=True),
            _blind_bar(after),
        ),
    )


def _ends(found: Audit) -> str:
    high = "no upper bound" if found.success.high is None else f"at most {percent(found.success.high)}"
    return f"at least {percent(found.success.low or 0)}, {high}; p = {found.p:.2g}, {found.events:,} events"


@story.register
def _(found: Padding) -> Story:
    share = found.overheads.to_cells()[0]
    others = "padding" if found.randomised else "buckets"
    proven = f"no {others} within the limits leak{'s' if found.randomised else ''} less than {number(found.bound)}"
    alone = _about_lone_sizes(found) if found.smallest_class == 1 and not found.randomised else ""
    less = (
        "To leak less, loosen the limit that costs most: minleak pad prints what each costs."
        if len(found.limits.given()) > 1  # of several, some may cost nothing
        else "A looser limit leaks less: minleak pad --chart shows how much."
    )
    return Story(
        "What padded sizes reveal",
        f"An attacker who sees a padded size identifies the object {percent(found.success)} of the time, against "
        f"{percent(found.success_unpadded)} without padding.",
        (
            Tile("Padded", percent(found.success), f"{found.secrets:,} objects show {len(found.observables):,} sizes"),
            Tile("Without padding", percent(found.success_unpadded), f"{percent(found.success_blind)} blind"),
            Tile("Added", str(share), "of the mean size"),
            Tile("Leakage", number(found.leakage), f"in {found.entropy.name}: {proven}"),
        ),
        f"Save the table (minleak pad ... -o table.csv) and pad every object to the next size in it.{alone} {less}",
        found.success,
        bars=(
            Bar("padded", found.success, ours=True),
            Bar("without padding", found.success_unpadded),
            Bar("blind guess", found.success_blind),
        ),
    )


def _about_lone_sizes(found: Padding) -> str:
    """What to do about objects with a size of their own: a floor, if the limits leave room for one."""
    limits = {name: getattr(found.limits, name) for name in ("budget", "overhead", "relative", "most", "unseen")}
    try:
        design_padding(found.sizes, found.prior, **limits, floor=2, entropy=found.entropy)
    except Infeasible as error:
        return f" Some objects still have a size of their own. These limits leave no room for --floor 2: {error}."
    return " Some objects still have a size of their own: add --floor 2."


@story.register
def _(found: SamplePadding) -> Story:
    return Story(
        "What padded sizes reveal",
        f"On held-out rows, a guess that sees the padded size is right {percent(found.success)} of the time, against "
        f"{percent(found.blind)} for a blind guess.",
        (
            Tile("Seeing the size", percent(found.success), f"{found.held_out:,} held-out rows"),
            Tile("Blind guess", percent(found.blind), "knowing only how often secrets occur"),
            Tile("Leakage", number(found.leakage), f"{found.measure}; {number(found.unpadded)} without padding"),
            Tile("Added", str(found.overheads.to_cells()[0]), "of the mean size, on held-out rows"),
        ),
        "Save the table and pad every answer to the next size in it.",
        found.success,
        bars=(Bar("seeing the size", found.success, ours=True), Bar("blind guess", found.blind)),
    )


@story.register
def _(found: Frames) -> Story:
    cost = found.measured
    totals = "always the same total" if len(found.totals) == 1 else f"in one of {len(found.totals):,} totals"
    sent = f"{found.frame:,} bytes every {found.tick_ms:,} ms, {totals}"
    if cost is None:
        return Story("A stream in frames", f"An observer of a stream sees only {sent}.")
    proven = percent(cost.proven) if cost.proven < 1 else "no bound"
    surely = f" No attacker identifies the secret more than {proven} of the time." if cost.proven < 1 else ""
    return Story(
        "What a stream in frames reveals",
        f"A guess that sees the total of a recorded stream is right {percent(cost.success)} of the time.{surely} An "
        f"observer of a stream sees only {sent}.",
        (
            Tile("Seeing the total", percent(cost.success), f"exact for {cost.streams:,} recorded streams"),
            Tile("Proven", proven, "for every attacker"),
            Tile("Blind guess", percent(cost.blind), "knowing only how often secrets occur"),
            Tile(
                "Sent",
                f"{cost.bytes / cost.plain_bytes:.3g}x",
                f"the plain bytes; 95% of chunks wait at most {cost.delay_95:.0f} ms",
            ),
        ),
        "Send streams in these frames (minleak.padding.asgi.FrameEvents), and measure again on new recordings.",
        cost.success,
        bars=(
            Bar("seeing the total", cost.success, ours=True),
            *([Bar("proven for every attacker", cost.proven)] if cost.proven < 1 else []),
            Bar("blind guess", cost.blind),
        ),
    )


@story.register
def _(found: LeakageTable) -> Story:
    first = found.rows[0]
    return Story(
        "What a channel leaks",
        f"An observation lowers the uncertainty about the secret, in {first.entropy}, from {number(first.before)} to "
        f"{number(first.after)}.",
        tuple(Tile(row.entropy, number(row.leakage), f"of {number(row.before)} before") for row in found.rows[:4]),
        "Find the channel that leaks least under your constraints: minleak optimise.",
    )


@story.register
def _(found: Capacity) -> Story:
    ends = f"between {number(found.lower)} and {number(found.upper)}"
    return Story(
        "The worst-case leakage of a channel",
        f"Whatever the prior, the channel leaks at most {number(found.upper)}, and for some prior at least "
        f"{number(found.lower)} ({found.status}).",
        (
            Tile("Capacity", number(found.value), ends),
            Tile("Secrets in the worst prior", f"{int((found.prior.p > 0).sum()):,}", f"of {len(found.prior):,}"),
        ),
        "Use the upper bound if the prior is unknown or under the attacker's control.",
    )


@story.register
def _(found: Optimum) -> Story:
    first, (n, m) = found.stages[0], found.channel.shape
    cost = "".join(f" at an expected cost of {number(cost)}" for cost in found.costs[:1])
    tiles = [
        Tile("Leakage", number(found.leakage), f"in {first.entropy}, for {n:,} secrets and {m:,} observables"),
        Tile("Proven", number(found.bound), "no channel under these constraints leaks less"),
        *(Tile("Expected cost", number(one), "of the channel") for one in found.costs[:1]),
    ]
    if found.shadow_price:
        tiles.append(Tile("One more unit of budget", f"-{number(found.shadow_price)}", "leakage, by the shadow price"))
    return Story(
        "The channel that leaks least",
        f"The channel leaks {number(found.leakage)} in {first.entropy}{cost}; no channel under the same constraints "
        f"leaks less than {number(found.bound)}.",
        tuple(tiles),
        "Save the channel (minleak optimise ... -o channel.cloak) and draw from it (minleak draw). See what a larger "
        "budget buys with --tradeoff.",
    )


@story.register
def _(found: LeastBudget) -> Story:
    leaks = ", ".join(f"{number(leak)} in {name}" for name, leak in zip(found.entropies, found.leakages, strict=True))
    return Story(
        "The least cost for a leakage",
        f"A channel that leaks {leaks} costs {number(found.budget)} on average; none that meets the requirement costs "
        f"less than {number(found.bound)}.",
        (
            Tile("Expected cost", number(found.budget), f"at least {number(found.bound)}, proven"),
            *(
                Tile(f"Leakage in {name}", number(leak), f"at most {number(most)} is required")
                for name, leak, most in zip(found.entropies, found.leakages, found.targets, strict=True)
            ),
        ),
        "Save the channel (minleak optimise ... -o channel.cloak) and draw from it (minleak draw).",
    )


@story.register
def _(found: Tradeoff) -> Story:
    least, most = found.points[0], found.points[-1]
    return Story(
        "Leakage against cost",
        f"The least leakage in {found.entropy} falls from {number(least.leakage)} at budget {number(least.budget)} "
        f"to {number(most.leakage)} at {number(most.budget)}.",
        tuple(
            Tile(f"Budget {number(point.budget)}", number(point.leakage), f"in {found.entropy}")
            for point in (most, least)
        ),
        "Pick a budget where the curve flattens, and find its channel: minleak optimise ... --budget.",
    )


@story.register
def _(found: Refinement) -> Story:
    if found.ok:
        text = "The second channel never leaks more than the first, whatever the prior and the attacker's gains."
        if found.post_processing is None:
            text = text.removesuffix(".") + ", counted by the worst observation alone."
        return Story("The second channel never leaks more", text, (Tile("Leaks more", "never", "than the first"),))
    first, second = (number(float(earned)) for earned in found.earned or (0, 0))
    return Story(
        "The second channel can leak more",
        f"There is an attacker who earns {second} from the second channel and only {first} from the first.",
        (
            Tile("Second channel", second, "expected gain of that attacker"),
            Tile("First channel", first, "expected gain of the same attacker"),
        ),
        "Keep the first channel, or measure both for your prior: minleak measure PRIOR CHANNEL. --json has the gains "
        "and the prior.",
    )


def judge(told: Story, most: float | None) -> tuple[str, str]:
    """Whether a requirement is met, in words, and the class of the badge: "", "doubtful" or "bad"."""
    if most is None or told.success is None:
        return "", ""
    limit = most * (1 + 1e-12)
    high = told.success if told.high is None else told.high
    required, success, end = percents(most, told.success, high)
    if told.success > limit:
        return f"✗ not met: {success}; at most {required} is required", "bad"
    if high > limit:
        return f"met by the estimate of {success}, but the interval reaches {end}", "doubtful"
    return f"✓ met: {success}; at most {required} is required", ""


def parts_of(results: Sequence[Result]) -> list[tuple[str, Result]]:
    """The results whose tables a page has, with headings where there are two."""
    return [("", results[0])] if len(results) == 1 else list(zip(("Before", "After"), results, strict=True))
