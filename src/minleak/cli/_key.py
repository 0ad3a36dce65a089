"""key: `key new` is another name of keygen."""

from __future__ import annotations

from minleak.cli._keygen import NewKey, keygen
from minleak.cli._options import argument
from minleak.cli._output import Outcome


def new(
    file: str = argument("FILE", "File to write the key to; an existing file is never overwritten."),
) -> Outcome[NewKey]:
    """Make a new key: the same as `minleak keygen`.

    Example: minleak key new queries.key
    """
    return keygen(file)
