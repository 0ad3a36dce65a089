"""Engine: an Ibis backend, what it needs in its own dialect, and what becomes of its errors."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import Parameter, Signature
from typing import Any, ClassVar

from minleak.errors import InvalidParameter, MinleakError, MissingExtra, UnreadableFile

QUOTING = "text with quotes, delimiters or line breaks belongs in double quotes, and quotes inside are doubled"


def ibis_module() -> Any:
    """The package ibis, or how to get it."""
    try:
        import ibis
    except ImportError:
        raise MissingExtra.of("data", "tables in an engine need Ibis and DuckDB") from None
    return ibis


def path_text(path: Any, error: type[MinleakError] = UnreadableFile) -> str:
    """A path as text that every engine accepts."""
    try:
        name = os.fspath(path)
        if "\0" in name:
            raise ValueError
        name.encode()
    except Exception:  # whatever an odd object raises when it is asked
        raise error(f"a path is text in UTF-8 without null bytes, which this {type(path).__name__} is not") from None
    return str(name)


def shown(value: Any) -> str:
    """A value of a wrong kind, for a message: of a table only the type, not the rows."""
    return repr(value) if isinstance(value, str | int | float | None) else type(value).__name__


class Engine(ABC):
    """An Ibis backend and what it needs in its own dialect."""

    # What Ibis calls the backend.
    ibis_name: ClassVar[str]
    # Whether separated values of one folder may have their columns in different orders.
    goes_by_names: ClassVar[bool]

    def __init__(self, backend: Any) -> None:
        self.backend = backend

    @classmethod
    @abstractmethod
    def connect(cls, *args: Any, **options: Any) -> Any:
        """An Ibis backend. Its parameters are those options of `scale.connect` that this engine has."""

    @abstractmethod
    def integer(self, digits: Any) -> Any:
        """The integer that at most 15 hexadecimal digits stand for."""

    @abstractmethod
    def vectorise(self, function: Callable[..., Any], inputs: tuple[Any, ...], output: Any) -> Callable[..., Any]:
        """A Python function of whole columns, as lists or numpy arrays of one length, as a function of expressions.

        What the function holds on to, such as a key, stays in Python: queries name the function alone.
        """

    @abstractmethod
    def read_parquet(self, files: list[str]) -> Any:
        """Exactly these files, whatever is in their names and in those of their folders."""

    @abstractmethod
    def read_text(self, files: list[str], delimiter: str, header: list[str]) -> Any:
        """Likewise, of separated values with this header, all columns as text; quotes are double, doubled inside."""

    @abstractmethod
    def read_lines(self, files: list[str]) -> Any:
        """Likewise, of one text a line, in a column `secret`; an empty line may be empty text or null."""

    @abstractmethod
    def keep(self, table: Any) -> Any:
        """The table computed once, for several queries."""

    @abstractmethod
    def drop(self, table: Any) -> None:
        """Forget a table that was kept."""

    @contextmanager
    def hold(self, table: Any, *, lasting: bool = False) -> Iterator[Any]:
        """Compute the table once, for the queries of this block; a lasting one stays, unless the block fails.

        These are often raw rows, so only lasting ones and the tables of plans may outlive a call.
        """
        kept = self.keep(table)
        try:
            yield kept
        except BaseException:
            self.drop(kept)
            raise
        if not lasting:
            self.drop(kept)

    @abstractmethod
    def write(self, table: Any, folder: str) -> None:
        """Write the table to a new folder of Parquet files."""

    def arrow(self, table: Any) -> Any:
        """The table in this process's memory, as an Arrow table."""
        with self.working():
            return self.backend.to_pyarrow(table)

    def rows(self, table: Any) -> list[dict[str, Any]]:
        """The rows of a small table without nulls."""
        return list(self.arrow(table).to_pylist())

    def row(self, table: Any) -> dict[str, Any]:
        """The one row of an aggregate."""
        return self.rows(table)[0]

    def count(self, table: Any) -> int:
        """How many rows a table has."""
        return int(self.row(table.aggregate(rows=table.count()))["rows"])

    @contextmanager
    def working(self) -> Iterator[None]:
        """Turn the engine's errors into ours, without its words, which may hold a secret."""
        try:
            yield
        except (MinleakError, MemoryError):
            raise
        except Exception as error:  # each engine has errors of its own
            raise self.refusal(error) from None

    def refusal(self, error: Exception) -> MinleakError:
        """Our error for an engine's."""
        what = type(error).__name__
        if "No space left on device" in str(error):
            return InvalidParameter("the disk is full: make room, or give the engine another folder to spill to")
        if self.is_of_memory(error):
            return InvalidParameter(f"the engine has not enough memory ({what}): give it more, or more room to spill")
        if self.is_of_data(error):
            return UnreadableFile(f"the engine could not read the data ({what})")
        return InvalidParameter(f"the engine cannot do this ({what}): look at the names and types of the columns")

    @abstractmethod
    def is_of_data(self, error: Exception) -> bool:
        """Whether an error is about the data rather than the query."""

    @abstractmethod
    def is_of_memory(self, error: Exception) -> bool:
        """Whether an error is about a lack of memory."""


def present(function: Any, inputs: int) -> Any:
    """Give a function of columns a unique name and the signature that Ibis needs."""
    function.__name__ = f"minleak_{secrets.token_hex(4)}"
    function.__signature__ = Signature([Parameter(f"c{i}", Parameter.POSITIONAL_OR_KEYWORD) for i in range(inputs)])
    return function
