"""The report of a chain: what walks give away by each way of showing them, on a page that opens without network."""

from __future__ import annotations

import math
import os
from typing import Any

from minleak.errors import InvalidParameter, quote
from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._results import SequenceLeakage, SequenceTable
from minleak.report._pages import Figure, page_of
from minleak.report._saving import file_name, need_extras, write_whole
from minleak.report._words import number, percent


def check_page(path: str | os.PathLike[str]) -> str:
    """The path of a page, before any work is done for it."""
    name = file_name(path)
    if not name.lower().endswith((".html", ".htm")):
        raise InvalidParameter(f"the report of walks is a page: end its name with .html, not {quote(name)}")
    need_extras()
    return name


def write_walks(
    chain: Chain, expected: SequenceTable, path: str | os.PathLike[str], *, real: SequenceTable | None = None
) -> None:
    """Write the page: `expected` where walks go by the chain, `real` on walks that were kept out."""
    name = check_page(path)
    tracks = expected.rows[0]
    k = tracks.k or 1
    figures = [
        Figure(
            "success",
            "Success against step",
            f"The best attacker's chance at each step. One in k is {percent(1 / k)}; hover for 99% intervals.",
            expected.chart(),
        )
    ]
    if real is not None:
        note = "The same for walks that really happened, seen by an attacker who knows the others of them."
        figures.append(Figure("real", "Success against step, if the chain is not all", note, real.chart()))
    facts = {
        "states": len(chain),
        "transitions": len(chain.indices),
        "entropy_rate": chain.entropy_rate(),
        "k": k,
        "k_bits": math.log2(k),
        "steps": len(tracks.filtered),
    }
    said: dict[str, Any] = {"expected": expected, "real": real, "verdict": _verdict(expected, real), "means": _means}
    write_whole(name, page_of("walks.html", "What walks give away", figures, facts=facts, **said))


def _verdict(expected: SequenceTable, real: SequenceTable | None) -> str:
    tracks, plan = expected.rows[0], expected.rows[1]
    said = (
        f"With tracks, an attacker who sees all {len(tracks.smoothed):,} steps is right about a step at most "
        f"{percent(max(tracks.smoothed))} of the time, if walks go by the chain; with a plan drawn at each step, "
        f"{percent(max(plan.smoothed))}."
    )
    if real is None:
        return said + " Whether they do was not measured here."
    there, other = real.rows[0], real.rows[1]
    return said + (
        f" On walks that were kept out it is {percent(max(there.smoothed))} with tracks and "
        f"{percent(max(other.smoothed))} with a plan at each step."
    )


def _means(row: SequenceLeakage) -> list[tuple[str, str]]:
    parts = [("filtering", row.filtered), ("smoothing", row.smoothed)]
    found = []
    for name, part in parts:
        found += [(name, percent(sum(part) / len(part))), (f"{name} at the worst step", percent(max(part)))]
    return [*found, ("bits left", number(sum(row.smoothed_bits) / len(row.smoothed_bits)))]
