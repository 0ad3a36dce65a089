"""The charts of a report, each with its title and a sentence on how to read it."""

from __future__ import annotations

from minleak.report import _charts as charts
from minleak.report import _maps as maps
from minleak.report._facts import Facts
from minleak.report._pages import Figure
from minleak.report._words import ATTACKERS, number


def captioned(facts: Facts) -> list[Figure]:
    """All charts of a report."""
    sure = "exact" if all(r.exact for _, r in facts.repeated) else f"simulated on {facts.trials:,} secrets, bars 99%"
    prior = "popularity times worth" if facts.gains else "popularity"
    drifts = [
        Figure(
            f"wrong_prior_{drift.entropy.replace('-', '_')}",
            f"If popularity is not as assumed: {ATTACKERS[drift.entropy][1]}",
            "The true popularity is the assumed one raised to an exponent: below 1 it is flatter than assumed, above 1 "
            "steeper. The gap between the lines is the cost of the wrong assumption.",
            charts.wrong_prior(drift),
        )
        for drift in facts.drift
    ]
    return [
        Figure(
            "comparison",
            "What leaks, against other countermeasures",
            f"All with sets of {facts.k:,}{_apart(facts)}, {_where(facts)}. Shorter is better; 100% is showing the "
            "secret itself.",
            charts.comparison(facts.comparisons),
        ),
        Figure(
            "leakage_by_k",
            "Larger sets leak less",
            f"What the best sets of each size leak{_apart(facts)}, {_where(facts)}; this plan has k = {facts.k:,}.",
            charts.leakage_by_k(facts.by_k, facts.k),
        ),
        Figure(
            "prior_and_target",
            "What the attacker believes, before and after",
            f"As counted: the {prior} of each secret by rank, and the belief in the members of a set once it is seen, "
            "which is the same for every set. " + _binning(facts),
            charts.prior_and_target(facts.prior, facts.target, facts.giants, facts.n - facts.possible),
        ),
        Figure(
            "repeated",
            "If one secret is drawn again and again",
            f"How often the best attacker identifies the secret after several fresh draws, as counted ({sure}). Sticky "
            "draws count as one draw, and survive updates of the plan. A new plan reveals far more than another draw.",
            charts.repeated(facts.repeated),
        ),
        *_near(facts),
        *drifts,
    ]


def _near(facts: Facts) -> list[Figure]:
    """The charts of a plan whose decoys are near."""
    near = facts.nearness
    if near is None:
        return []
    bound = (
        "" if near.bound is None else f" No plan that leaks as little has less than {number(near.bound)}{near.unit}."
    )
    return [
        Figure(
            "near_sets",
            "Decoys that are close",
            f"{len(near.sets)} of the sets, every member joined to the central one. On average a member is "
            f"{number(near.cost)}{near.unit} from the centre of its set, at the least leakage possible.{bound}",
            maps.sets_on_a_map(near),
        ),
        Figure(
            "decoy_distances",
            "How far decoys are from the secret",
            "All of these plans leak the same. The mean distance of the other members of a set: lines hold 80% of "
            "draws, bars 50%, the tick is the median.",
            maps.decoy_distances(near.spreads, near.unit),
        ),
        Figure(
            "price_of_stability",
            "What closeness costs if a secret is drawn again and again",
            "From near to stable decoys, all at the same leakage of a single draw. Sticky draws count as one draw.",
            maps.price_of_stability(near.mixtures, near.unit),
        ),
    ]


def _binning(facts: Facts) -> str:
    if facts.possible == len(facts.prior) and facts.target[-1].last == len(facts.target):
        return "Every secret is a point."
    alone = next((b.first - 1 for b in facts.prior if b.last > b.first), facts.possible)
    return (
        f"All {facts.possible:,} possible secrets are shown: ranks up to {alone} one by one, the others in bins, as "
        "the bin's mean in a band from its least to its largest."
    )


def _where(facts: Facts) -> str:
    """The population that the first figure of the page is for, and so are the charts."""
    return "as counted" if facts.world is None else "in the true population"


def _apart(facts: Facts) -> str:
    return "" if facts.groups is None else ", without the caps on groups that this plan keeps"
