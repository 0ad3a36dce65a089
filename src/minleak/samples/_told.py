"""What results of this room say: their sentences and tables, apart from the mathematics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from minleak.core._text_tables import Table, word
from minleak.samples._attacks import FEW_COLUMNS
from minleak.samples._sample import MOST_ROWS

if TYPE_CHECKING:
    from minleak.samples._events import Events
    from minleak.samples._looking import LooksNeeded
    from minleak.samples._measures import Bracket
    from minleak.samples._result import Audit

Parts = list[str | Table]

# With fewer events per observable or secret, frequencies say little; with fewer blocks, bounds say little.
_FEW, _BLOCKS = 5, 20


def tell_bracket(found: Bracket) -> Parts:
    """Both ends, and the estimate."""
    return [f"{word(_end(found.low))} .. {word(_end(found.high))}, estimate {word(found.estimate)}"]


def _end(end: float | None) -> float | str:
    return "none" if end is None else end


def tell_verdict(found: Audit) -> str:
    """Whether something leaks, in a line, with the test."""
    said = "is rejected" if found.rejected else "is not rejected"
    bounds = ""
    if found.leak == "likely":
        low, high = found.success.low, found.blind.high
        bounds = f"a guess is right at least {low:.4f}, a blind one at most {high:.4f}, but "
    return (
        f"leak: {found.leak}; {bounds}zero leakage {said} at the {found.alpha:g} level (p = {found.p:.3g}, "
        f"{found.permuted})"
    )


def tell_success(found: Audit) -> str:
    """Success in one guess, in a line."""
    s, level = found.success, f"{100 * found.level:g}%"
    top = "no upper bound without an assumption" if s.high is None else f"at most {s.high:.4f}"
    return (
        f"one guess is right: at least {s.low:.4f}, {top} ({level}); estimate {s.estimate:.4f}, "
        f"blind {found.blind.estimate:.4f} ({found.blind.low:.4f} to {found.blind.high:.4f})"
    )


def tell_audit(found: Audit) -> Parts:
    """The verdict, the success, every leakage, and the doubts."""
    rows = [[row.measure, _end(row.low), row.estimate, _end(row.high)] for row in found.rows]
    parts: Parts = [
        tell_verdict(found),
        tell_success(found),
        f"{found.events:,} events of {found.secrets:,} secrets, {found.observables:,} observables, {found.said}; "
        f"attack: {found.attack}",
        Table("", ["leakage", "at least", "estimate", "at most"], rows),
        *(f"warning: {warning}" for warning in found.warnings),
    ]
    if found.enough is not None:
        more = "enough" if found.enough else f"about {found.more:,} more events are needed"
        parts.append(f"the bracket is {found.width:.4f} wide: {more}")
    return parts if found.needed is None else [*parts, *tell_looks(found.needed)]


def tell_looks(found: LooksNeeded) -> Parts:
    """How many looks the attack needs, in a line."""
    if found.looks is None:
        return [f"no number of looks makes this attack right {found.success:.4g} of the time, at most {found.most:.4g}"]
    upto = "any number" if found.high is None else f"{found.high:,}"
    looks = "1 look" if found.looks == 1 else f"{found.looks:,} looks"
    return [f"{looks} at one secret for a success of {found.success:.4g} (between {found.low:,} and {upto}, about 95%)"]


def find_caveats(events: Events, attack: Any, unbounded: Sequence[str]) -> Iterator[str]:
    """Warnings for these events, the attack asked for (if any), and the measures without a lower bound."""
    each = events.total / events.observables
    if each < _FEW and events.points is None:
        yield (
            f"undersampled: {events.total:,} events show {events.observables:,} different observables, {each:.1f} "
            "events each, so frequencies say little and the bounds are wide: give numbers as numbers (numeric), "
            "group observables, or collect more"
        )
    elif each < _FEW and events.whole:
        yield f"{events.observables:,} different observables in {events.total:,} events: the upper bound is loose"
    rare = int((np.bincount(events.x, weights=events.times) < _FEW).sum())
    if rare:
        yield f"{rare:,} of {len(events.secrets):,} secrets have fewer than {_FEW} events: collect more of them"
    if events.blocks is not None:
        blocks = len(np.unique(events.blocks))
        if blocks < _BLOCKS:
            yield f"only {blocks} blocks: bounds count blocks, so collect {_BLOCKS} or more"
        if unbounded:
            yield (
                f"with blocks only one guess has a lower bound: {', '.join(unbounded)} have estimates only, without a "
                "guarantee"
            )
    elif events.points is not None and _in_stretches(events):
        yield (
            "secrets come in long stretches, so drift in timings looks like leakage: collect them in random order, "
            "or say which events belong to one period (blocks)"
        )
    vectors = events.points is not None and events.points.shape[1] > 1
    if vectors and events.total > max(MOST_ROWS, len(events.x)):
        yield f"vectors of more than {MOST_ROWS:,} weighted events are taken as names: take a sample to see near ones"
    wide = events.points is not None and events.points.shape[1] > FEW_COLUMNS
    if attack is None and events.sequences:
        yield (
            "sequences were attacked by features (lengths, values, pairs of neighbours): a model of whole sequences "
            "may see more; in Python, attack= takes a classifier of these features"
        )
    if attack is None and wide and find_spec("sklearn") is None:
        yield "a forest was not tried, and may see more: pip install '.[samples]' in the folder of minleak's source"


def _in_stretches(events: Events) -> bool:
    """Whether secrets repeat far more often than in a random order."""
    if int(events.times.max()) > 1:
        return False
    q = np.bincount(events.x) / len(events.x)
    changes = float(np.count_nonzero(np.diff(events.x))) / (len(events.x) - 1)
    return changes < 0.5 * float(1 - q @ q)
