"""keygen: making the key that sticky draws need."""

from __future__ import annotations

from dataclasses import dataclass

import minleak as ml
from minleak._cli.options import argument
from minleak._cli.output import Outcome
from minleak._face.result import Result
from minleak._face.tables import Table


@dataclass(frozen=True)
class NewKey(Result):
    """A key that was made."""

    id: str
    """Its name, which tells nothing about it."""

    def to_parts(self) -> list[str | Table]:
        return [f"key {self.id}"]


def keygen(file: str = argument("FILE", "Where to write the key; an existing file is kept.")) -> Outcome[NewKey]:
    """Make a key for sticky draws: 32 random bytes in a file that only you can read (mode 0600).

    Example: minleak keygen queries.key
    """
    made = ml.Key.new()
    made.save(file)
    return Outcome(NewKey(made.id), (file,))
