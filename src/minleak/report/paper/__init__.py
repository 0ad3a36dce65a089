"""The paper's every table and figure again, the printed value beside ours, with a verdict on each claim.

Khouzani and Malacaria, "Generalised Entropies and Metric-Invariant Optimal Countermeasures for Information Leakage
under Symmetric Constraints". One module for each part of it; `reproduce` runs them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from minleak.errors import MinleakError
from minleak.report.paper import corollaries, counterexample, errata, figures, gains, toys
from minleak.report.paper.claims import Claim, Part
from minleak.report.paper.page import all_claims, as_csv, as_page
from minleak.report.saving import picture, write_whole

__all__ = ["PARTS", "Claim", "reproduce"]

# What is done one after the other, by name.
PARTS: dict[str, Callable[[], Part]] = {
    "the toy channels": toys.part,
    "least leakage against k": figures.leakage_part,
    "uniform randomisation": figures.baseline_part,
    "the ignorant adversary": figures.adversary_part,
    "the corollaries": corollaries.part,
    "the counterexample": counterexample.part,
    "gains": gains.part,
    "errata": errata.part,
}


def reproduce(
    folder: str | os.PathLike[str], *, progress: Callable[[int, int, str], None] | None = None
) -> list[Claim]:
    """Compute everything, then write it into the folder: paper.html, a PNG of each figure, a CSV of each table.

    The folder is made if it is not there; files of the same names are replaced, each whole or not at all, and only when
    all is computed. The same versions of the libraries write the same bytes. `progress` is called with the steps done,
    the steps in all and the step that begins. Claims whose `ok` is false did not come out as they should.
    """
    steps = len(PARTS) + 1

    def tell(done: int, what: str) -> None:
        if progress is not None:
            progress(done, steps, what)

    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise MinleakError(f"cannot make the folder {os.fspath(folder)}: {error.strerror or 'refused'}") from None
    parts = []
    for done, (name, make) in enumerate(PARTS.items()):
        tell(done, name)
        parts.append(make())
    tell(len(PARTS), "pictures and the page")
    files: dict[str, str | bytes] = {"claims.csv": as_csv(all_claims(parts))}
    for part in parts:
        files |= {f"{table.name}.csv": as_csv(table) for table in part.tables}
        files |= {f"{figure.name}.png": picture(figure.chart, "png") for figure in part.figures}
    files["paper.html"] = as_page(parts)
    for name, data in files.items():
        write_whole(os.path.join(folder, name), data)
    tell(steps, "done")
    return [claim for part in parts for claim in part.claims]
