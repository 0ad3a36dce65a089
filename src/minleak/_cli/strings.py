"""A plan over strings that cannot be listed, in numbers and for people."""

from __future__ import annotations

import random
from typing import Any

from minleak._cli.output import record, table
from minleak._design.unlisted.plan import UnlistedPlan
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import STANDARD


def summary(plan: UnlistedPlan, entropies: list[str] | None) -> dict[str, Any]:
    """A plan in numbers, and a set of strings that the model made up as an example."""
    model = plan.joint.model
    made_up = model.at(random.Random(0).randrange(model.total))  # of nobody's
    return {
        "secrets": len(plan.joint.counted),
        "k": plan.k,
        "layout": plan.layout,
        "giants": len(plan.giants),
        "giant_labels": [string for string, _ in plan.giants],
        "homes": len(plan.homes),
        "success": plan.success,
        "unlisted": plan.unlisted,
        "example": list(plan.members(made_up, 0)),
        "entropy": {name: plan.entropy(as_entropy(name)) for name in entropies or STANDARD},
    }


def rendered(data: dict[str, Any]) -> list[str]:
    """The summary for people."""
    lines = [f"every string in sets of {data['k']}; {data['secrets']:,} strings were counted"]
    if data["giants"]:
        lines.append(f"in every set (giants): {data['giants']}: {record(data['giant_labels'])}")
    lines.append(f"{data['unlisted']:.2%} of secrets are strings that were never counted, by the model")
    lines.append(
        f"a guess is right with probability {data['success']:.6g} seeing a set, if the model is right: see the how-to "
        "on secrets that cannot be listed for attackers who know better"
    )
    lines.append(f"a set of made-up strings: {record(data['example'])}")
    rows = [[name, value] for name, value in data["entropy"].items()]
    return ["\n".join(lines), "", table("what is left after a set is seen", ["entropy", "after"], rows)]
