"""update: tomorrow's plan for tomorrow's counts, with as many of today's sets as can be."""

from __future__ import annotations

from typing import Any

from minleak._cli.drift import NewPrior, advice, compared, exposed, left_out, rendered
from minleak._cli.inputs import Reading, one_stdin, plan_of
from minleak._cli.options import CloakFile, Entropies, option
from minleak._cli.output import Answer, working
from minleak._data.writing import expecting, state_of
from minleak._design.living.exposures import exposure


def update(
    cloak: CloakFile,
    prior: NewPrior,
    *,
    output: str = option("The .cloak file to write; the old one may be replaced.", "-o", "--output", default=...),
    earlier: list[str] | None = option(
        "An earlier version's file, for what all versions together tell; also several times."
    ),
    entropy: Entropies = None,
    reading: Reading,
) -> Answer:
    """Update a plan to new counts: optimal for them, with as many of its sets kept as can be. Draws follow it.

    Sticky draws with the same key show the same sets as before, but for those that must change.

    Example: minleak update queries.cloak tomorrow.csv -o newer.cloak
    """
    one_stdin(CLOAK=cloak, PRIOR=prior, **{"--earlier": earlier})
    replaced = state_of(output)
    plan, new = plan_of(cloak), reading.prior(prior)
    before = [plan_of(path) for path in earlier or []]
    with working(f"updating to {len(new):,} secrets"):
        newer = plan.update(new)
    with working("what several versions give away"):
        found = exposure([plan, newer])
        seen = exposure([*before, plan, newer]) if before else found
    data: dict[str, Any] = {"file": output, "version": getattr(newer, "version", None)}
    data |= {"changes": vars(newer.changes), **compared(plan, newer, new, found, entropy)}
    data["so_far"] = {**exposed(seen), "versions": seen.versions}
    lines = [str(newer.changes), *rendered(data), advice(data), *([str(seen)] if before else [])]
    lines += left_out([*before, plan, newer], "name its file with --earlier")
    with working(f"writing {output}"), expecting(output, replaced):
        newer.save(output)
    return Answer(data, [*lines, "", f"written to {output}; next: minleak draw {output} --help"])
