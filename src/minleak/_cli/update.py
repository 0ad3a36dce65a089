"""update: enter the counts of one more day; new secrets get a part of their own, and all sets stay as they are."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from minleak._cli.inputs import Reading, one_stdin, plan_of
from minleak._cli.options import CloakFile, Entropies, option, whole
from minleak._cli.output import Answer, table, working
from minleak._data.writing import expecting, state_of
from minleak._design.lineage import Lineage
from minleak._entropy.names import as_entropy
from minleak._entropy.standard import FEW
from minleak.errors import InvalidParameter

NewPrior = Annotated[
    str,
    typer.Argument(metavar="PRIOR", help="The new counts, matched by label: csv(.gz), tsv, parquet, json; - is stdin."),
]


def update(
    cloak: CloakFile,
    prior: NewPrior,
    *,
    output: str | None = option("The .cloak file to write; the old one may be replaced.", "-o", "--output"),
    cohort: str = option(
        "After how many updates new secrets become a part: a number, or auto, which makes it as soon as it hides them.",
        default="auto",
    ),
    dry_run: bool = option("Write nothing: tell only what an update would do and what leaks today.", default=False),
    entropy: Entropies = None,
    reading: Reading,
) -> Answer:
    """Enter the counts of one more day. Sets and sticky draws stay as they are; new secrets wait for a part of theirs.

    Example: minleak update queries.cloak tomorrow.csv -o newer.cloak
    """
    if (output is None) != dry_run:
        raise InvalidParameter("say where to write the update with -o, or --dry-run to write nothing")
    one_stdin(CLOAK=cloak, PRIOR=prior)
    replaced = None if output is None else state_of(output)
    plan, new = plan_of(cloak), reading.prior(prior)
    with working(f"entering counts of {len(new):,} secrets"):
        newer = plan.update(new, cohort="auto" if cohort == "auto" else whole(cohort))
        data, lines = _told(plan, newer, entropy)
    if output is None:
        return Answer(data, lines)
    with working(f"writing {output}"), expecting(output, replaced):
        newer.save(output)
    answer = Answer({**data, "bytes": os.path.getsize(output)}, lines)
    answer.wrote(output, f"written to {output}; next: minleak draw {output} --help")
    return answer


def _told(plan: Any, newer: Lineage, entropies: list[str] | None) -> tuple[dict[str, Any], list[str]]:
    """What an update did, and what leaks by the new counts to one who saw all versions, for programs and for people."""
    ledger, listed = newer.ledger, newer.ledger.listed
    events = max(int(ledger.counts.sum()), 1)
    waiting, gone = ledger.counts[listed:], int((ledger.counts[:listed] == 0).sum())
    made = len(newer.parts) - len(plan.parts)
    leakages = {H.name: newer.leakage(H) for H in map(as_entropy, entropies or FEW)}
    data = {
        "version": newer.version,
        "secrets": listed,
        "parts": len(newer.parts),
        "new_parts": made,
        "pending": len(waiting),
        "pending_mass": float(waiting.sum()) / events,
        "not_seen_today": gone,
        "success_blind": float(newer.prior.p.max()),
        "success": newer.success,
        "leakage": leakages,
    }
    parts = "1 part" if data["parts"] == 1 else f"{data['parts']:,} parts, {made} of them new"
    lines = [
        f"version {newer.version}: {listed:,} secrets in {parts}; {gone:,} were not seen today and stay listed",
        f"{len(waiting):,} new secrets wait for a part, {data['pending_mass']:.3g} of today's events: they are refused",
        f"by today's counts a guess is right with probability {data['success']:.6g} seeing the sets of all versions, "
        f"{data['success_blind']:.6g} without",
        "",
        table("leakage by today's counts", ["entropy", "leakage"], list(leakages.items())),
    ]
    return data, lines
