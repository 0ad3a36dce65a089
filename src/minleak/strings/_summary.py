"""The summary of a plan over strings: its numbers, and the same in words."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from typing import Any

from minleak.core._entropy.names import STANDARD, as_entropies
from minleak.core._plain import record
from minleak.core._text_tables import Table
from minleak.rates._summaries import Entropies, PlanLeakage, Summary, say_success, summary
from minleak.strings._plan import UnlistedPlan


@dataclass(frozen=True, kw_only=True)
class StringSummary(Summary):
    """A plan over strings that cannot be listed."""

    secrets: int
    """How many strings were counted."""
    k: int
    """The cap on the size of a set."""
    giants: int
    """How many strings are in every set."""
    giant_labels: tuple[str, ...]
    """These."""
    homes: int
    """How many sets of counted strings there are."""
    success: float
    """How often a guess is right that sees a set, if the model is right."""
    unlisted: float
    """The share of secrets that were never counted, by the model."""
    example: tuple[str, ...]
    """A set, of a string that was made up."""
    policy: dict[str, Any] | None
    """What the model's strings must meet."""

    in_the_world = None

    def to_parts(self) -> list[str | Table]:
        which = "every string" if self.policy is None else "every string that meets the policy"
        giants = f"giants, so likely that every set contains them ({self.giants:,}): {record(self.giant_labels)}"
        return [
            f"{which} in sets of {self.k}; {self.secrets:,} strings were counted",
            *([giants] if self.giants else []),
            f"{self.unlisted:.2%} of secrets are strings that were never counted, by the model",
            f"{say_success(self.success, None, 'a set')}, if the model is right: see the how-to on secrets that cannot "
            "be listed for attackers who know better",
            f"an example of a set: {record(self.example)}",
            *self._table("what is left after a set is seen", "after"),
        ]


@summary.register(UnlistedPlan)
def summary_of_strings(plan: UnlistedPlan, entropies: Entropies = STANDARD, *, of: Any = None) -> StringSummary:
    """A property is refused."""
    if of is not None:
        plan.property_leakage(of)
    model = plan.string_prior.model
    made_up = model.at(random.Random(0).randrange(model.total))  # of nobody's
    policy = getattr(model, "policy", None)
    return StringSummary(
        secrets=len(plan.string_prior.counted),
        k=plan.k,
        layout=plan.layout,
        giants=len(plan.giants),
        giant_labels=tuple(string for string, _ in plan.giants),
        homes=len(plan.homes),
        success=plan.success,
        unlisted=plan.unlisted,
        example=tuple(plan.members(made_up, 0)),
        policy=None if policy is None else asdict(policy),
        leakage=tuple(PlanLeakage(H.name, None, plan.entropy(H), None) for H in as_entropies(entropies)),
        lineage=plan.lineage.hex(),
    )
