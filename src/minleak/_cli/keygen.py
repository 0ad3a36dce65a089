"""keygen: making the key that sticky draws need."""

from __future__ import annotations

import minleak as ml
from minleak._cli.options import argument
from minleak._cli.output import Answer


def keygen(file: str = argument("FILE", "Where to write the key; an existing file is kept.")) -> Answer:
    """Make a new key of 32 random bytes in a file that only you can read (mode 0600).

    Example: minleak keygen queries.key
    """
    made = ml.Key.new()
    made.save(file)
    return Answer({"file": file, "id": made.id}, [f"key {made.id} written to {file}"])
