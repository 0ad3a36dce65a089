"""All parts of the paper, one after the other, and the files that come of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from minleak.errors import MinleakError
from paper import corollaries, counterexample, errata, figures, gains, matroids, theorems, toys
from paper.claims import Claim, Figure, Part
from paper.page import all_claims, as_csv, as_page

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
    "beyond the paper": matroids.part,
    "new theorems": theorems.part,
}


def reproduce(folder: Path, *, tell: Callable[[str], None] = lambda _: None) -> list[Claim]:
    """Compute everything, then write it into the folder: paper.html, a PNG of each figure, a CSV of each table.

    The folder is made if it is not there, and files of the same names are replaced, but only when all is computed. The
    same versions of the libraries write the same bytes. `tell` is given the name of each step that begins. Claims
    whose `ok` is false did not come out as they should.
    """
    if folder.exists() and not folder.is_dir():
        raise MinleakError(f"cannot make the folder {folder}: there is a file of that name")
    parts = []
    for name, make in PARTS.items():
        tell(name)
        parts.append(make())
    tell("pictures and the page")
    files = {"claims.csv": as_csv(all_claims(parts)).encode()}
    for part in parts:
        files |= {f"{table.name}.csv": as_csv(table).encode() for table in part.tables}
        files |= {f"{figure.name}.png": _png(figure) for figure in part.figures}
    files["paper.html"] = as_page(parts).encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        raise MinleakError(f"cannot write to {folder}: {error.strerror or 'the file system refused'}") from None
    return [claim for part in parts for claim in part.claims]


def _png(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.chart.save(out, format="png", scale_factor=2)
    return out.getvalue()
