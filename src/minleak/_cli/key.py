"""key: making the secret that sticky draws need."""

from __future__ import annotations

from typing import Annotated

import typer

from minleak._cli.options import AsJson
from minleak._cli.output import emit
from minleak._run.keys import Key

app = typer.Typer(no_args_is_help=True, help="Make keys for sticky draws.")


@app.callback()
def key() -> None:
    """Make keys for sticky draws."""


@app.command(name="new")
def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write the key; an existing file is kept.")],
    as_json: AsJson = False,
) -> None:
    """Make a new key of 32 random bytes in a file that only you can read (mode 0600).

    Example: minleak key new queries.key
    """
    made = Key.new()
    made.save(file)
    emit("key new", {"file": file, "id": made.id}, [f"key {made.id} written to {file}"], as_json=as_json)
