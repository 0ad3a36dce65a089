"""Policy: which strings a system accepts as secrets, such as passwords of eight characters with a digit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from minleak.core._parameters import as_list, whole
from minleak.errors import InvalidParameter, quote

#: The most characters that a string may have.
LONGEST = 4096
#: Classes of characters that a policy may require, and which characters are in each.
CLASSES: dict[str, Callable[[str], bool]] = {
    "lower": str.islower,
    "upper": str.isupper,
    "letter": str.isalpha,
    "digit": str.isdecimal,
    "symbol": lambda character: not character.isalnum() and not character.isspace(),
}
# Characters of a pattern: longer ones are no policy that people can read.
_PATTERN = 1000


@dataclass(frozen=True)
class Policy:
    """The strings that are accepted: from `min_length` to `max_length` characters, at least one of each class that is
    required (lower, upper, letter, digit, symbol), and all of it `matching` a regular expression.

    Expressions are read by the package interegular (the extra `strings`): characters, classes, alternatives,
    repetitions, groups and lookahead, with \\d, \\w and \\s for ASCII alone. They match whole strings, so that ^ and $
    are refused, and so are backreferences and word boundaries. Nested repetitions of hundreds may take minutes.

    >>> Policy(min_length=8, require=["digit", "upper"])
    Policy(min_length=8, max_length=None, require=('digit', 'upper'), matching=None)
    """

    min_length: int = 0
    max_length: int | None = None
    require: Iterable[str] = ()
    matching: str | None = None

    def __post_init__(self) -> None:
        least = whole(self.min_length, "min_length=", 0, LONGEST)
        most = None if self.max_length is None else whole(self.max_length, "max_length=", max(least, 1), LONGEST)
        names = "require= is a list of classes of characters: " + ", ".join(CLASSES)
        if isinstance(self.require, str):
            raise InvalidParameter(f"{names}; not the text {quote(self.require)}")
        given = as_list(self.require, names)
        for name in given:
            if not isinstance(name, str) or name not in CLASSES:
                raise InvalidParameter(f"{names}; not {quote(name)}")
        required = tuple(dict.fromkeys(given))
        if self.matching is not None and not (isinstance(self.matching, str) and len(self.matching) <= _PATTERN):
            raise InvalidParameter(f"matching= is a regular expression as text, of at most {_PATTERN:,} characters")
        for field, value in (("min_length", least), ("max_length", most), ("require", required)):
            object.__setattr__(self, field, value)

    def counts(self, string: str) -> bool:
        """Whether the length of a string and the classes of its characters are as required, whatever it matches."""
        most = len(string) if self.max_length is None else self.max_length
        return self.min_length <= len(string) <= most and all(any(map(CLASSES[name], string)) for name in self.require)

    def fields(self) -> list[Any]:
        """What a file says of it."""
        return [self.min_length, self.max_length, list(self.require), self.matching]
