"""update: tomorrow's plan for tomorrow's counts, with as many of today's sets as can be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minleak._cli.drift import NewPrior, advice, compared, rendered
from minleak._cli.inputs import Reading, one_stdin, plan_of
from minleak._cli.options import CloakFile, Entropies, option
from minleak._cli.output import Answer, working
from minleak._design.living.exposures import exposure


def update(
    cloak: CloakFile,
    prior: NewPrior,
    *,
    output: str = option("The .cloak file to write; the old one may be replaced.", "-o", "--output", default=...),
    earlier: list[str] | None = option(
        "An earlier version's file, for the exposure of all versions; also several times."
    ),
    entropy: Entropies = None,
    reading: Reading,
) -> Answer:
    """Update a plan to new counts: optimal for them, with as many of its sets kept as can be. Draws follow it.

    Sticky draws with the same key show the same sets as before, but for those that must change.

    Example: minleak update queries.cloak tomorrow.csv -o newer.cloak
    """
    one_stdin(CLOAK=cloak, PRIOR=prior, **{"--earlier": earlier})
    plan, new = plan_of(cloak), reading.prior(prior)
    before = [plan_of(path) for path in earlier or []]
    with working(f"updating to {len(new):,} secrets"):
        newer = plan.update(new)
    with working("what two versions give away"):
        found = exposure([plan, newer])
        all_versions = exposure([*before, plan, newer]) if before else found
    data: dict[str, Any] = {"file": output, "version": getattr(newer, "version", None)}
    data |= {"changes": vars(newer.changes), **compared(plan, newer, new, found, entropy)}
    data["so_far"] = all_versions.success
    lines = [str(newer.changes), *rendered(data), advice(data)]
    if newer.descent is not None:
        so_far = _so_far(plan, found.success) if not before else all_versions.success
        newer = replace(newer, descent=replace(newer.descent, exposure=so_far))
        data["so_far"] = so_far
        sure = "" if before or newer.version == 2 else "at most about "
        lines.append(f"exposure so far, {newer.version} versions: {sure}{so_far:.4f}")
    with working(f"writing {output}"):
        newer.save(output)
    return Answer(data, [*lines, "", f"written to {output}; next: minleak draw {output} --help"])


def _so_far(plan: Any, both: float) -> float:
    """At most what all versions give away: what was recorded, and what the last step adds."""
    recorded = None if plan.descent is None else plan.descent.exposure
    return min(both if recorded is None else recorded + max(both - plan.success, 0.0), 1.0)
