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

from minleak._attack.comparing import Comparison
from minleak._face.result import Result
from minleak._measure.capacities import Capacity
from minleak._measure.leakages import LeakageTable
from minleak._padding.result import Padding
from minleak._padding.samples import SamplePadding
from minleak._plan.summaries import BlockSummary
from minleak._report.bars import Bar
from minleak._report.words import number, percent, percents
from minleak._samples.looking import LooksNeeded
from minleak._samples.result import Audit
from minleak._streams.result import Frames


@dataclass(frozen=True)
class Tile:
    """A number with its name and what it is."""

    name: str
    value: str
    text: str


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
        f"Whoever sees the bucket of a secret guesses the secret right {percent(found.success)} of the time. With the "
        f"best table of the same size, {found.average:,} secrets in a set, they are right {percent(found.blocks)} of "
        "the time."
    )
    todo = (
        f"Replace the buckets by the table: minleak design PRIOR -k {found.average} --layout blocks. If today's "
        f"figure is good enough, sets of {found.same_blocks:,} give it, in place of {found.average:,} on average."
        if found.blocks < found.success * (1 - 1e-9)
        else "Keep the buckets: no table with sets of this size is better."
    )
    return Story(
        "Today's buckets, and the best that sets of the same size can do",
        verdict,
        (
            Tile("Today's buckets", percent(today.success), f"{found.buckets:,} buckets, the largest of {today.k:,}"),
            Tile("The best table", percent(table.success), f"blocks of {table.k:,}, no key, the same sets for all"),
            Tile("The plan", percent(plan.success), f"drawn sets of {plan.k:,}: no sets of this size are better"),
        ),
        todo,
        found.success,
        bars=tuple(Bar(_row_name(row), row.success, ours=row is not today) for row in found.rows),
    )


def _rows_story(found: Comparison) -> Story:
    """The story where rows are counted: sets of the same size would read far more of them."""
    today, best = found.rows[0], found.rows[-1]
    read: Any = today.read
    saved = best.success < found.success * (1 - 1e-9)

    def cost(row: Any) -> str:
        return f"{row.read.mean:,.0f} rows read on the mean, {row.read.worst:,.0f} at worst"

    return Story(
        "Today's index, and the best table that reads no more rows",
        f"Whoever sees the bucket of a query guesses the value right {percent(today.success)} of the time. With a "
        f"table of blocks that reads no more rows, they are right {percent(best.success)} of the time.",
        (
            Tile("Today's index", percent(today.success), f"{found.buckets:,} buckets: {cost(today)}"),
            Tile("The best table", percent(best.success), cost(best)),
        ),
        f"Replace the index by the table: minleak design PRIOR --layout blocks --mean-rows {read.mean:.0f} "
        f"--worst-rows {read.worst:.0f}, then minleak export --partitions."
        if saved
        else "Keep the index: no cut of the sorted values that reads so few rows is better.",
        found.success,
        bars=(Bar("today's index", today.success), Bar("the best table", best.success, ours=True)),
    )


def _row_name(row: Any) -> str:
    return "today's buckets" if row.name == "these buckets" else f"{row.name}, k = {row.k:,}"


@story.register
def _(found: BlockSummary) -> Story:
    world = found.in_the_world
    success = found.success if world is None else world.success
    plan = max(1 / found.k, found.success_blind)
    tiles = [
        Tile("Seeing a block", percent(success), _sample(world)),
        *([] if world is None else [Tile("As counted", percent(found.success), "for the counts as they are")]),
        Tile("Blind guess", percent(found.success_blind), "knowing nothing but popularity"),
        Tile("A plan of the same size", percent(plan), "as counted, by sets that are drawn with a key"),
    ]
    cuts = "no other table with sets of this size leaks less" if found.best else "limits stand in the way of the best"
    return Story(
        f"A table of {found.blocks:,} blocks",
        f"Each of {found.secrets:,} secrets always shows its block of up to {found.k:,}; {cuts}. Whoever sees a block "
        f"guesses the secret right {percent(success)} of the time.",
        tuple(tiles),
        "Export it (minleak export PLAN -o table.csv) and look blocks up in place of secrets. It needs no key, and "
        "repeated look-ups tell no more.",
        success,
        None if world is None else world.high,
        (
            Bar("this table", success, ours=True),
            Bar("a plan of the same size", plan),
            Bar("blind guess", found.success_blind),
        ),
    )


def _sample(world: Any) -> str:
    if world is None:
        return "for the counts as they are"
    return f"in the true population; {percent(world.low)} to {percent(world.high)} with about 95% confidence"


@story.register
def _(found: Audit) -> Story:
    ends = found.success
    high = "no upper bound" if ends.high is None else f"at most {percent(ends.high)}"
    leaks = (
        "What was seen tells about the secret" if found.rejected else "What was seen may tell nothing about the secret"
    )
    verdict = (
        f"{leaks}: a guess that sees it is right about {percent(ends.estimate)} of the time, and a blind one "
        f"{percent(found.blind.estimate)}."
    )
    todo = (
        "Make what is seen the same for all secrets, or pad it (minleak pad), and audit again."
        if found.rejected
        else "Nothing was found in these events. A leak smaller than they can show is still possible: collect more "
        "events, or set a limit that the upper bound has to keep."
    )
    return Story(
        "What was seen tells about the secret" if found.rejected else "No leak was found",
        verdict,
        (
            Tile("Seeing it", percent(ends.estimate), f"at least {percent(ends.low or 0)}, {high} ({found.level:.0%})"),
            Tile("Blind guess", percent(found.blind.estimate), "knowing how often secrets occur"),
            Tile("If nothing leaked", f"p = {found.p:.2g}", f"the chance of as much by accident, {found.permuted}"),
            *([] if found.needed is None else [_looks_tile(found.needed)]),
        ),
        todo,
        ends.estimate,
        1.0 if ends.high is None else ends.high,
        (_audit_bar("seeing it", found, ours=True), Bar("blind guess", found.blind.estimate)),
    )


def _looks_tile(needed: LooksNeeded) -> Tile:
    if needed.looks is None:
        return Tile(
            "Many looks", percent(needed.most), f"is as far as they help; {percent(needed.success)} is not reached"
        )
    upto = "any number" if needed.high is None else f"{needed.high:,}"
    return Tile(
        "Looks", f"{needed.looks:,}", f"to be right {percent(needed.success)}; {needed.low:,} to {upto}, about 95%"
    )


def _audit_bar(name: str, found: Audit, *, ours: bool = False) -> Bar:
    return Bar(name, found.success.estimate, found.success.low, found.success.high, ours)


def repair_story(before: Audit, after: Audit) -> Story:
    """The story of two audits, before and after a repair."""
    left = after.success.estimate - after.blind.estimate
    gone = before.success.estimate - before.blind.estimate
    share = f", {min(1.0, max(0.0, 1 - left / gone)):.0%} of the lead over a blind guess is gone" if gone > 0 else ""
    state = "a leak is still found" if after.rejected else "no leak is found any more"
    return Story(
        "Before and after the repair",
        f"A guess was right {percent(before.success.estimate)} of the time and is now right "
        f"{percent(after.success.estimate)} of the time{share}; {state}.",
        (
            Tile("After", percent(after.success.estimate), _ends(after)),
            Tile("Before", percent(before.success.estimate), _ends(before)),
            Tile("Blind guess", percent(after.blind.estimate), "knowing how often secrets occur"),
        ),
        "Go on repairing, and audit again." if after.rejected else "Keep the audit as a test, so that it stays so.",
        after.success.estimate,
        1.0 if after.success.high is None else after.success.high,
        (
            _audit_bar("before", before),
            _audit_bar("after", after, ours=True),
            Bar("blind guess", after.blind.estimate),
        ),
    )


def _ends(found: Audit) -> str:
    high = "no upper bound" if found.success.high is None else f"at most {percent(found.success.high)}"
    return f"at least {percent(found.success.low or 0)}, {high}; p = {found.p:.2g}, {found.events:,} events"


@story.register
def _(found: Padding) -> Story:
    share = found.overheads.to_cells()[0]
    proven = f"no other padding within the limits leaks less than {number(found.bound)}"
    alone = " Some objects still have a size of their own: ask for a floor." if found.smallest_class == 1 else ""
    return Story(
        "What the padded sizes tell",
        f"Whoever sees a padded size names the object right {percent(found.success)} of the time, and "
        f"{percent(found.success_unpadded)} of the time without padding.",
        (
            Tile("Padded", percent(found.success), f"{found.secrets:,} objects show {len(found.observables):,} sizes"),
            Tile("Without padding", percent(found.success_unpadded), f"{percent(found.success_blind)} blind"),
            Tile("Added", str(share), "of the mean size"),
            Tile("Leakage", number(found.leakage), f"in {found.entropy.name}: {proven}"),
        ),
        f"Save the table (minleak pad ... -o table.csv) and pad every object to the next size in it.{alone} Larger "
        "limits leak less: minleak pad --chart shows by how much.",
        found.success,
        bars=(
            Bar("padded", found.success, ours=True),
            Bar("without padding", found.success_unpadded),
            Bar("blind guess", found.success_blind),
        ),
    )


@story.register
def _(found: SamplePadding) -> Story:
    return Story(
        "What the padded sizes tell",
        f"On rows that the table was not made from, a guess that sees the padded size is right "
        f"{percent(found.success)} of the time, and a blind one {percent(found.blind)}.",
        (
            Tile("Seeing the size", percent(found.success), f"{found.held_out:,} held-out rows"),
            Tile("Blind guess", percent(found.blind), "knowing how often secrets occur"),
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
    sent = f"{found.frame:,} bytes every {found.tick_ms:,} ms, in one of {len(found.totals):,} totals"
    if cost is None:
        return Story("A stream in frames", f"All that is seen of a stream is {sent}.")
    proven = percent(cost.proven) if cost.proven < 1 else "no bound"
    surely = f"No attacker names the secret more often than {proven} of the time. " if cost.proven < 1 else ""
    return Story(
        "What a stream in frames tells",
        f"All that is seen of a stream is {sent}. {surely}Seeing the totals of the recorded streams, a guess is right "
        f"{percent(cost.success)} of the time.",
        (
            Tile("Seeing the total", percent(cost.success), f"exact for {cost.streams:,} recorded streams"),
            Tile("Proven", proven, "for every attacker"),
            Tile("Blind guess", percent(cost.blind), "knowing how often secrets occur"),
            Tile("Sent", f"{cost.bytes / cost.plain_bytes:.3g}x", f"{cost.delay_95:.0f} ms of delay for 95% of chunks"),
        ),
        "Send streams through these frames (minleak.padding.asgi.FrameEvents), and measure them again on new "
        "recordings.",
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
        f"What is seen lowers the {first.entropy} uncertainty about the secret from {number(first.before)} to "
        f"{number(first.after)}.",
        tuple(Tile(row.entropy, number(row.leakage), f"of {number(row.before)} before") for row in found.rows[:4]),
        "Find the channel that leaks least under your constraints: minleak optimise.",
    )


@story.register
def _(found: Capacity) -> Story:
    ends = f"between {number(found.lower)} and {number(found.upper)}"
    return Story(
        "What a channel leaks at worst",
        f"However secrets are distributed, the channel leaks at most {number(found.upper)}; one prior is known for "
        f"which it leaks {number(found.lower)} ({found.status}).",
        (
            Tile("At worst", number(found.value), ends),
            Tile("Secrets in the worst prior", f"{int((found.prior.p > 0).sum()):,}", f"of {len(found.prior):,}"),
        ),
        "Design for the upper figure where the prior is unknown or may be chosen by the attacker.",
    )


def judge(told: Story, most: float | None) -> tuple[str, str]:
    """Whether a requirement is met, in words, and the class of the badge: "", "doubtful" or "bad"."""
    if most is None or told.success is None:
        return "", ""
    limit = most * (1 + 1e-12)
    high = told.success if told.high is None else told.high
    required, success, end = percents(most, told.success, high)
    if told.success > limit:
        return f"✗ not met: {success}, and at most {required} is required", "bad"
    if high > limit:
        return f"met by the estimate: {success}, the interval ends at {end}", "doubtful"
    return f"✓ met: {success}, and at most {required} is required", ""


def parts_of(results: Sequence[Result]) -> list[tuple[str, Result]]:
    """The results whose tables a page has, with headings where there are two."""
    return [("", results[0])] if len(results) == 1 else list(zip(("Before", "After"), results, strict=True))
