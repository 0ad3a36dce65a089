"""Format: how the columns of one kind of file are found, and how messages speak of a row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from minleak.errors import UnreadableFile

BOM = b"\xef\xbb\xbf"


class Format(ABC):
    """A file of this format."""

    #: The endings of names that stand for the format.
    endings: ClassVar[tuple[str, ...]] = ()
    #: Whether all is text: numbers are spelled, and the first line may be a secret instead of a header.
    is_text: ClassVar[bool] = False
    #: Whether each row is an event, and the file is read in pieces.
    is_log: ClassVar[bool] = False
    #: Whether the names of the columns are surely names, so that a message may show them.
    names_surely: bool = False
    #: The names of the columns, if they have names.
    header: list[str] | None = None
    #: Where a row is an event that is counted here: how many rows were blank, and so no events.
    blank: int | None = None

    data: bytes
    name: str

    @abstractmethod
    def __init__(self, data: bytes, name: str) -> None:
        """The file by its bytes; `name` is what messages call it."""

    @abstractmethod
    def columns(self, labels: Sequence[str], numbers: Sequence[str]) -> Sequence[Any]:
        """The columns that name things and then those that count or measure: Arrow's, or lists of Python's values, of
        which only null is refused before they become what is read.
        """

    @property
    def printable_names(self) -> list[str]:
        """The names of columns that a message may show."""
        return self.header or []

    def where(self, i: int) -> str:
        """Where row i stands, counted from 0 after the header, for a message."""
        return f"row {i + 1} of {self.name}"

    def unparsable(self, why: object) -> UnreadableFile:
        """The refusal of a file that is not of this format."""
        return UnreadableFile(f"cannot parse {self.name} as {type(self).__name__.lower()}: {str(why).splitlines()[0]}")


class CountsFile(Format):
    """A file of secrets and their weights, and of nothing else, whose columns have no names."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name = data, name

    @abstractmethod
    def counts(self) -> tuple[Any, Any]:
        """The secrets, as a list or as Arrow, and their weights."""

    def columns(self, labels: Sequence[str], numbers: Sequence[str]) -> Sequence[Any]:  # noqa: ARG002  no names here
        return self.counts()


def check_utf8(text: bytes, name: str) -> None:
    """Refuse text that is not UTF-8, by its line."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"line {line} of {name} is not UTF-8 text ({error.reason}): save the file as UTF-8"
        ) from None
