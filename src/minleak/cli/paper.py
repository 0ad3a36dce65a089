"""paper: the paper's tables and figures again."""

from __future__ import annotations

from typing import Annotated

import typer

from minleak.cli.options import AsJson
from minleak.cli.output import emit, progressing, table


def paper(
    output: Annotated[str, typer.Option("-o", "--output", help="The folder to write pictures, CSV and paper.html to.")],
    as_json: AsJson = False,
) -> None:
    """Regenerate every table and figure of the paper, each printed value beside ours.

    Example: minleak paper -o paper
    """
    from minleak.report.paper import reproduce

    with progressing("reproducing the paper") as progress:
        claims = reproduce(output, progress=progress)
    rows = [[claim.what, claim.printed, claim.ours, claim.verdict] for claim in claims]
    data = {
        "folder": output,
        "claims": [dict(zip(("what", "printed", "ours", "verdict"), row, strict=True)) for row in rows],
    }
    parts = [table("the paper", ["claim", "printed", "ours", "verdict"], rows), "", f"written to {output}/paper.html"]
    emit("paper", data, parts, as_json=as_json)
    if not all(claim.ok for claim in claims):
        raise typer.Exit(1)
