"""show for rows: any channel that can be drawn from."""

from __future__ import annotations

from typing import Any

from minleak._cli.output import table
from minleak._design.rows.plan import Rows
from minleak._entropy.standard import STANDARD
from minleak._measure.leakages import leakage_table


def summary(plan: Rows, entropies: list[str] | None) -> dict[str, Any]:
    """Rows in numbers."""
    rows = leakage_table(plan.prior, plan.channel(), list(entropies or STANDARD)).rows
    return {
        "secrets": len(plan.prior),
        "layout": plan.layout,
        "observables": len(plan.outputs),
        "most_causes": plan.k,
        "total_variation": plan.total_variation,
        "leakage": {row.entropy: {"before": row.prior, "after": row.posterior, "leakage": row.leakage} for row in rows},
    }


def rendered(data: dict[str, Any]) -> list[str]:
    """The summary for people."""
    lines = [
        f"{data['secrets']:,} secrets, {data['observables']:,} observables, each from up to {data['most_causes']:,}",
        f"drawn in whole numbers, each row within {data['total_variation']:.3g} of the channel that was asked for",
    ]
    rows = [[name, *found.values()] for name, found in data["leakage"].items()]
    return [*lines, "", table("what it leaks", ["entropy", "before", "after", "leakage"], rows)]
