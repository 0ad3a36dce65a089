"""What can go wrong: one family of errors, each message saying what was expected, what came, where, and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number

__all__ = [
    "Infeasible",
    "InvalidChannel",
    "InvalidCloak",
    "InvalidKey",
    "InvalidParameter",
    "InvalidPrior",
    "MinleakError",
    "MinleakWarning",
    "MissingExtra",
    "PendingSecret",
    "SolverFailed",
    "UnknownSecret",
    "UnreadableFile",
]


def shown(value: object) -> str:
    """A value as a message shows it, whatever it is: on one line, cut where it is long.

    >>> shown("flu"), shown(10**5000)
    ("'flu'", 'a number of very many digits')
    """
    try:
        text = str(value) if isinstance(value, Number) else repr(value)
    except Exception:  # Python prints no integers of more than some thousand digits; other things may print nothing
        return "a number of very many digits" if isinstance(value, Number) else f"some {type(value).__name__}"
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= 500 else f"{text[:500]}..."


class MinleakError(Exception):
    """The base of every error that minleak raises on purpose. Its message can always be printed."""

    def __init__(self, *args: object) -> None:
        printable = (a.encode("utf-8", "backslashreplace").decode() if isinstance(a, str) else a for a in args)
        super().__init__(*printable)


class MinleakWarning(UserWarning):
    """What was read or done as asked, and may not be what was meant."""


class InvalidPrior(MinleakError, ValueError):
    """Weights or labels that are no prior; the message names the row or label."""


class InvalidChannel(MinleakError, ValueError):
    """A matrix that is no channel, or a channel that does not fit its prior."""


class InvalidParameter(MinleakError, ValueError):
    """A parameter outside its domain, such as a negative order of an entropy."""


class UnreadableFile(MinleakError, ValueError):
    """A file whose rows, columns or format cannot be understood; the message names the line."""

    #: What the command has to be given besides, so that it works.
    add: Sequence[str] = ()


class InvalidKey(MinleakError, ValueError):
    """A key file that is not whole, or not secret; the message never holds the key."""


class UnknownSecret(MinleakError, KeyError):
    """A secret that the plan does not know. The message never names it; `at` is where it stands among those that were
    given together, counted from 0.
    """

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.at = at

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class PendingSecret(UnknownSecret):
    """A secret that was counted in an update and has no set yet: it waits for the next part of its plan."""


class InvalidCloak(MinleakError, ValueError):
    """A .cloak file that is foreign, cut, damaged, of another version, or cannot be written."""


class Infeasible(MinleakError, ValueError):
    """A design problem that no channel solves; the message says why, and what would be feasible."""


class SolverFailed(MinleakError, RuntimeError):
    """A solver stopped without an answer that can be trusted; the message carries its status."""


class MissingExtra(MinleakError, ImportError):
    """A capability whose optional packages are not installed; the message says how to install them."""

    @classmethod
    def of(cls, extra: str, need: str) -> MissingExtra:
        """The error for an extra of pyproject.toml, whose message begins with what needs which package."""
        return cls(f"{need}: run pip install '.[{extra}]' in the folder of minleak's source")
