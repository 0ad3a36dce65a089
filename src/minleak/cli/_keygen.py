"""keygen: make the key for sticky draws."""

from __future__ import annotations

from dataclasses import dataclass

import minleak as ml
from minleak.cli._options import argument
from minleak.cli._output import Outcome
from minleak.core._result import Result
from minleak.core._text_tables import Table


@dataclass(frozen=True)
class NewKey(Result):
    """A new key."""

    id: str
    """Its public name, which reveals nothing about the key."""

    def to_parts(self) -> list[str | Table]:
        return [f"key {self.id} (its public name, which reveals nothing about it)"]


def keygen(
    file: str = argument("FILE", "File to write the key to; an existing file is never overwritten."),
) -> Outcome[NewKey]:
    """Make a key for sticky draws: 32 random bytes in a file that only you can read (mode 0600).

    Example: minleak keygen queries.key
    """
    made = ml.Key.new()
    made.save(file)
    return Outcome(NewKey(made.id), (file,), then=["draw", "--help"])
