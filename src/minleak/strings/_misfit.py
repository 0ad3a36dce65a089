"""The success against a plan over strings when secrets follow another model than the plan's, and the attacker knows."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from minleak.core._parameters import whole
from minleak.core._result import Result
from minleak.core._simulating import TRIALS
from minleak.core._text_tables import Table
from minleak.strings._string_prior import StringPrior

if TYPE_CHECKING:
    from minleak.strings._plan import UnlistedPlan


@dataclass(frozen=True)
class Misfit(Result):
    """How often a guess is right, `success`, with a 95% interval from `low` to `high`; `claimed` is what the plan says.
    `curve` is how often one of the first 1, 2, ..., k guesses is right, and `refused` the share of secrets that the
    plan cannot hold.
    """

    success: float
    low: float
    high: float
    claimed: float
    refused: float
    curve: tuple[float, ...]

    def to_parts(self) -> list[str | Table]:
        return [
            f"a guess is right with probability {self.success:.4f} ({self.low:.4f} to {self.high:.4f}) where the plan "
            f"claims {self.claimed:.4f}; {self.refused:.2%} of secrets are refused"
        ]


def success_against(plan: UnlistedPlan, truth: StringPrior, trials: int, seed: int) -> Misfit:
    """Secrets are drawn from the truth and sets from the plan; the attacker knows both. The posterior of a member is
    proportional to its true weight times the likelihood of the set. The mean of the largest posterior is the success;
    it varies less than hits and misses do.
    """
    rng, best, curve = random.Random(whole(seed, "the seed", 0)), [], [0.0] * plan.k
    trials = whole(trials, "the number of trials", 2, TRIALS)
    for _ in range(trials):
        secret = _draw_secret(truth, rng)
        places = plan.owned(secret)
        if places:
            ratios = [
                float(Fraction(truth.weight(x), truth.total) * plan.likelihood(x))
                for x in plan.members(secret, rng.randrange(places))
            ]
            best.append(max(ratios) / sum(ratios))
            for guesses, share in enumerate(accumulate(sorted(ratios, reverse=True))):
                curve[guesses] += share / sum(ratios)
    spread = 1.96 * stdev(best) / len(best) ** 0.5 if len(best) > 1 else 1.0
    mean = fmean(best) if best else 1.0
    return Misfit(
        mean,
        max(0.0, mean - spread),
        min(1.0, mean + spread),
        plan.success,
        1 - len(best) / trials,
        tuple(share / max(len(best), 1) for share in curve),
    )


def _draw_secret(strings: StringPrior, rng: random.Random) -> str:
    if strings.prior is None or rng.randrange(strings.share.denominator) < strings.share.numerator:
        return strings.rest.at(rng.randrange(strings.rest.length))
    return str(strings.prior.labels[rng.choices(range(len(strings.prior)), strings.prior.p.tolist())[0]])
