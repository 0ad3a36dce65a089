"""draw: the set that is shown for a secret."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from minleak.cli.options import AsJson, CloakFile
from minleak.cli.output import emit
from minleak.errors import InvalidParameter


def draw(
    cloak: CloakFile,
    secret: Annotated[
        str,
        typer.Argument(help="The secret's label; - reads one a line from stdin, which keeps it off the process list."),
    ],
    key: Annotated[str | None, typer.Option(help="The key file, for sticky draws.")] = None,
    scope: Annotated[
        str | None, typer.Option(help="Who asks: the same scope and secret always show the same set.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Draw anew each time; repeated draws leak more.")] = False,
    stand_in: Annotated[str | None, typer.Option(help="A label of the plan to take for unknown secrets.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw the set to show for a secret: sticky with --key and --scope, or --fresh.

    Example: minleak draw queries.cloak - --key queries.key --scope user-17
    """
    from minleak.cloak.cloak import Cloak

    if fresh == (key is not None and scope is not None):
        raise InvalidParameter("say either --key and --scope for a sticky draw, or --fresh")
    secrets = [line.rstrip("\r\n") for line in sys.stdin] if secret == "-" else [secret]
    opened = Cloak(cloak, key=key, stand_in=stand_in)
    labelled = opened.plan.prior.labels
    as_text = not labelled.is_default and isinstance(labelled[0], str)
    sets = []
    for given in secrets:
        label: Any = given if as_text or not given.lstrip("-").isdigit() else int(given)
        members = opened.draw_fresh(label) if fresh or scope is None else opened.draw(label, scope=scope)
        sets.append({"id": opened.set_id(members), "members": list(members)})
    emit("draw", {"sets": sets}, ["\t".join(map(str, drawn["members"])) for drawn in sets], as_json=as_json)
