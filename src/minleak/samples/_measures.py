"""Brackets: proven bounds and an estimate of each measure of leakage, from trials and counts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minleak.core._arrays import Indices
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.forms import AllGuesses, BestGuesses, Form, RenyiMean
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.samples._attacks import prior_before, prior_share
from minleak.samples._bounds import (
    at_least,
    at_least_by_blocks,
    at_most,
    entropy_at_least,
    mean_at_most,
    most_frequent_at_least,
)
from minleak.samples._plug_in import OTHERS, JointCounts, ratio
from minleak.samples._sample import FIRST, LAST, Sample
from minleak.samples._told import tell_bracket
from minleak.samples._trials import Tally, Trials


@dataclass(frozen=True)
class Bracket(Result):
    """A number known by samples: at least `low` and at most `high` at the level asked for, each None where samples
    prove nothing; `estimate` is an estimate without a guarantee.
    """

    low: float | None
    estimate: float
    high: float | None

    def to_parts(self) -> list[str | Table]:
        return tell_bracket(self)


@dataclass(frozen=True)
class SampleEvidence:
    """A sample with its trials and the counts of its pairs (None if observables are not discrete)."""

    sample: Sample
    trials: Trials
    error: float
    joint: JointCounts | None

    @cached_property
    def secrets(self) -> Indices:
        """The number of events of each secret."""
        return self.sample.secrets_in(self.sample.counts.sum(axis=0))

    @cached_property
    def independent(self) -> float:
        """The number of independent events: all, or where only blocks are independent, all over the size of the
        largest block.
        """
        blocks = self.sample.blocks
        return float(self.secrets.sum()) / (1 if blocks is None else int(np.bincount(blocks).max()))

    @cached_property
    def _seen_again(self) -> bool:
        """Whether every secret was seen more than once, or in more than one block."""
        rows, n = self.sample.rows, self.sample.n
        if rows is None or rows.blocks is None:
            return int(self.secrets.min()) > 1
        return int(np.bincount(np.unique(rows.blocks * n + rows.x) % n, minlength=n).min()) > 1

    @property
    def side(self) -> float:
        """The error of each end; the lower gets all of it if there is no upper."""
        return self.error / 2 if self.joint else self.error

    def success(self, l: int = 1, side: float | None = None) -> Bracket:
        """The chance that the secret is among the l best guesses; with blocks there is a lower bound for l = 1 only."""
        side = self.side if side is None else side
        led = self.trials.of_leaders(lambda tally: float(tally.ranks[:l].sum()))
        low = None
        if self.sample.blocks is None:
            low = at_least(sum(int(t.ranks[:l].sum()) for t in led), sum(t.tests for t in led), side)
        elif l == 1:
            tests, right = np.sum([tally.blocks for tally in led if tally.blocks is not None], axis=0)
            low = at_least_by_blocks(right[tests > 0] / tests[tests > 0], side)
        high = at_most(self.joint.largest(l), self.independent, side) if self.joint else None
        blind = float(np.sort(self.secrets)[::-1][:l].sum() / self.secrets.sum())  # nobody must look
        return _bracket(low, max(_share(led, l), _share(led[-1:], l), blind), high)  # the last was trained on most

    def blind(self, l: int, side: float) -> Bracket:
        """The chance that the secret is among l guesses made without the observable.

        From below, the better of two bounds at half of the error: of the l most frequent secrets, by Bonferroni, and of
        the l that were most frequent in the parts before `FIRST`, on the others. It is at least l / n if no secret was
        seen just once: by Good and Turing, the secrets never seen then weigh nothing.
        """
        total, largest = int(self.secrets.sum()), int(np.sort(self.secrets)[::-1][:l].sum())
        first = self.sample.secrets_in(self.sample.before(FIRST))
        best = np.argsort(-first, kind="stable")[:l]
        if self.sample.rows is not None and self.sample.rows.blocks is not None:
            tried = self.sample.rows.part >= FIRST
            block, right = self.sample.rows.blocks[tried], np.isin(self.sample.rows.x[tried], best)
            tests = np.bincount(block)
            low = at_least_by_blocks(np.bincount(block, weights=right)[tests > 0] / tests[tests > 0], side)
            high = at_most(largest / total, self.independent, side)
        else:
            rest = self.secrets - first
            counted = most_frequent_at_least(largest, total, side / 2, l, self.sample.n)
            low = max(counted, at_least(int(rest[best].sum()), int(rest.sum()), side / 2))
            high = 1 - at_least(total - largest, total, side)  # the likeliest are never more frequent than these
        if self._seen_again:
            low = max(low, l / self.sample.n)
        return Bracket(min(low, largest / total), largest / total, high)

    def compare(self, l: int, how: Callable[[float, float], float], floor: float) -> Bracket:
        """A function of success in l guesses after and before, increasing in the first and decreasing in the second."""
        side, l = self.side / 2, min(l, self.sample.n)
        after, before = self.success(l, side), self.blind(l, side)
        low = None if after.low is None else max(floor, how(after.low, before.high or 1.0))
        high = None if after.high is None else max(floor, how(after.high, before.low or 0.0))
        high = None if high == math.inf else high  # a ratio to a chance that may be zero
        return _bracket(low, max(floor, how(after.estimate, before.estimate)), high)

    def shannon(self, unit: float) -> Bracket:
        """H(X) plus the mean log of the attack's belief in the secret, on the last part."""
        tally = self._last(lambda tally: tally.logs)
        q = self.secrets[self.secrets > 0] / self.secrets.sum()
        estimate = max(0.0, tally.logs / max(1, tally.tests) - float(q @ np.log(q)))
        if self.sample.blocks is not None:
            return Bracket(None, estimate / unit, None)
        least_belief = prior_share(self.sample, LAST) * float(prior_before(self.sample, LAST).min())
        most = -math.log(least_belief)
        loss = mean_at_most(-tally.logs, tally.squares, tally.tests, 0.0, most, self.error / 2)
        low = entropy_at_least(self.secrets, self.error / 2) - loss
        return _bracket(max(0.0, min(low, math.log(self.sample.n))) / unit, estimate / unit, None)

    def guesswork(self) -> Bracket:
        """The number of guesses saved, on the last part."""
        tally, n, events = self._last(_few), self.sample.n, int(self.secrets.sum())
        ranks = np.arange(1, n + 1)
        before = float(np.sort(self.secrets)[::-1] @ ranks) / events
        taken = float(tally.ranks @ ranks)
        estimate = max(0.0, before - taken / max(1, tally.tests))
        if self.sample.blocks is not None:
            return Bracket(None, estimate, None)
        # one event moves the guesswork of the counts, which is too small on average, by (n - 1) / events
        sure = before - (n - 1) * math.sqrt(math.log(2 / self.error) / (2 * events))
        worst = mean_at_most(taken, float(tally.ranks @ ranks**2), tally.tests, 1.0, float(n), self.error / 2)
        return _bracket(max(0.0, sure - worst), estimate, None)

    def _last(self, score: Callable[[Tally], float]) -> Tally:
        return self.trials.of_leaders(score)[-1]


def bracket_of(evidence: SampleEvidence, name: str, entropy: ConditionalEntropy | None) -> Bracket | None:
    """The bracket of a measure, None where samples give an estimate only."""
    if entropy is not None:
        return _bracket_of_form(evidence, entropy.form)
    other = OTHERS[name]
    return None if other.compare is None else evidence.compare(1, other.compare, other.floor)


def _bracket_of_form(evidence: SampleEvidence, form: Form | None) -> Bracket | None:
    match form:
        case RenyiMean(1.0, 0.0, 0.0, unit):
            return evidence.shannon(unit)
        case RenyiMean(math.inf, -1.0, 0.0, unit):
            return evidence.compare(1, lambda after, before: math.log(ratio(max(after, 1e-300), before)) / unit, 0.0)
        case BestGuesses(l):
            return evidence.compare(l, operator.sub, 0.0)
        case AllGuesses():
            return evidence.guesswork()
    return None


def _bracket(low: float | None, estimate: float, high: float | None) -> Bracket:
    """A bracket with the estimate clipped to its ends."""
    return Bracket(low, max(low or 0.0, estimate if high is None else min(estimate, high)), high)


def _share(led: list[Tally], l: int) -> float:
    return sum(int(tally.ranks[:l].sum()) for tally in led) / max(1, sum(tally.tests for tally in led))


def _few(tally: Tally) -> float:
    return -float(tally.ranks @ np.arange(len(tally.ranks)))
