"""The errors of minleak. Each message says what was expected, what came, where, and how to fix it."""

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


def quote(value: object) -> str:
    """Any value as text for a message: on one line, shortened if it is long.

    >>> quote("flu"), quote(10**5000)
    ("'flu'", 'a number of very many digits')
    """
    try:
        text = str(value) if isinstance(value, Number) else repr(value)
    except Exception:  # an integer beyond Python's limit of digits, or an object whose repr fails
        return "a number of very many digits" if isinstance(value, Number) else f"some {type(value).__name__}"
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= 500 else f"{text[:500]}..."


class MinleakError(Exception):
    """The base class of every error that minleak raises on purpose. Its message can always be printed."""

    def __init__(self, *args: object) -> None:
        printable = (a.encode("utf-8", "backslashreplace").decode() if isinstance(a, str) else a for a in args)
        super().__init__(*printable)


class MinleakWarning(UserWarning):
    """Something was read or done as asked, but may not be what was meant."""


class InvalidPrior(MinleakError, ValueError):
    """Weights or labels that are not a prior; the message names the row or label."""


class InvalidChannel(MinleakError, ValueError):
    """A matrix that is not a channel, or a channel that does not fit its prior."""


class InvalidParameter(MinleakError, ValueError):
    """A parameter outside its domain, such as a negative order of an entropy."""


class UnreadableFile(MinleakError, ValueError):
    """A file whose rows, columns or format cannot be understood; the message names the line."""

    #: Further arguments with which the command would work.
    add: Sequence[str] = ()


class InvalidKey(MinleakError, ValueError):
    """A key file that is incomplete, or not secret; the message never holds the key."""


class UnknownSecret(MinleakError, KeyError):
    """A secret that is not in the plan. The message never names it; `at` is its position among several, from 0."""

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.at = at

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class PendingSecret(UnknownSecret):
    """A secret that was counted in an update and has no set yet, until its plan gets the next part."""


class InvalidCloak(MinleakError, ValueError):
    """A .cloak file that is foreign, truncated, damaged, of another version, or cannot be written."""


class Infeasible(MinleakError, ValueError):
    """A design problem that no channel solves; the message says why, and what would be feasible."""


class SolverFailed(MinleakError, RuntimeError):
    """A solver stopped without a trustworthy answer; the message holds its status."""


class MissingExtra(MinleakError, ImportError):
    """A capability whose optional packages are not installed; the message says how to install them."""

    @classmethod
    def of(cls, extra: str, need: str) -> MissingExtra:
        """The error for an extra of pyproject.toml; `need` says what needs which package."""
        return cls(f"{need}: run pip install '.[{extra}]' in the folder of minleak's source")
