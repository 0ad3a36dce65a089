"""The kinds of things that a .cloak file holds and a Cloak draws from: what each must be able to do, and where it is.

A kind is a class of plans (`Stored`) and a class that draws from them (`Running`), a module that opens its files and
one that certifies them. Modules are loaded when they are needed: these are all the edges of this room that no import
statement shows.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pyarrow as pa

from minleak._data.channel import Channel
from minleak._data.labels import Labels
from minleak._data.prior import Prior
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.standard import STANDARD
from minleak._face.result import Result
from minleak.errors import InvalidParameter

# What a file is that does not say its kind; and the others.
RINGS = "rings"
BLOCKS = "blocks"
ROWS = "rows"
STRINGS = "strings"
LINEAGE = "lineage"


@dataclass(frozen=True)
class Kind:
    """`opening` is a module whose `drawable(contents)` makes a Running of what anybody may have written;
    `checking` one whose `certified(subject, prior, **options)` makes the certificate of a Stored or a Running.
    """

    opening: str
    checking: str


KINDS: dict[str, Kind] = {
    RINGS: Kind("minleak._plans.opening", "minleak._certify.rings"),
    BLOCKS: Kind("minleak._plans.opening_blocks", "minleak._certify.blocks"),
    ROWS: Kind("minleak._plans.opening_rows", "minleak._certify.rows"),
    STRINGS: Kind("minleak._strings.opening", "minleak._certify.strings"),
    LINEAGE: Kind("minleak._plans.opening_lineages", "minleak._certify.lineages"),
}


class Stored(ABC):
    """A plan that can be drawn from and saved: `kind` is its name among the kinds.

    What not every kind can do is refused by those that cannot, in a line that says what to do instead: `cannot`, by the
    name of the method.
    """

    kind: ClassVar[str]
    cannot: ClassVar[Mapping[str, str]] = {}
    #: Whether draws need randomness: without it a secret's set is always the same, and there is no key.
    randomised: ClassVar[bool] = True
    #: What it was made for: counts, or a model of strings.
    prior: Any
    #: 1 for a plan made from nothing, one more with each `update`.
    version: int = 1
    #: The secrets that were counted and are not listed yet.
    pending: tuple[Any, ...] = ()

    @property
    @abstractmethod
    def digest(self) -> bytes:
        """32 bytes that stand for everything a draw depends on, and name the plan to sticky draws."""

    @property
    def lineage(self) -> bytes:
        """32 bytes that a plan shares with all that it was updated from, and that sticky draws follow."""
        return self.digest

    @property
    def parts(self) -> tuple[Any, ...]:
        """The plans that it is made of: itself, unless it was updated."""
        return (self,)

    @abstractmethod
    def drawable(self) -> Running:
        """What draws from it."""

    @abstractmethod
    def contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays and numbers from which a file makes it again."""

    @abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a .cloak file, whole or not at all."""

    @property
    @abstractmethod
    def success(self) -> float:
        """How often one guess is right after a draw was seen."""

    @abstractmethod
    def entropy(self, entropy: ConditionalEntropy | str) -> float:
        """H(X|Y), what is left after a draw was seen."""

    @abstractmethod
    def summary(self, entropies: Sequence[ConditionalEntropy | str] = STANDARD) -> Result:
        """What there is to say of the plan, with the leakage in each entropy; prints in words and tables."""

    def leakage(self, entropy: ConditionalEntropy | str, *, prior: Prior | Iterable[Any] | None = None) -> float:
        """H(X) - H(X|Y); with `prior`, if secrets are drawn from that one."""
        del entropy, prior
        raise InvalidParameter(self.cannot["leakage"])

    def sets(self) -> Iterator[tuple[tuple[Any, ...], Fraction]]:
        """(set, probability) of all that can be shown."""
        raise InvalidParameter(self.cannot["sets"])

    def channel(self) -> Channel:
        """What is drawn from, as a matrix."""
        raise InvalidParameter(self.cannot["channel"])

    def table(self) -> pa.Table:
        """Rows from which any language draws as it does."""
        raise InvalidParameter(self.cannot["table"])

    def update(
        self,
        prior: Prior | Iterable[Any],
        *,
        cohort: int | str = "auto",
        keep: float = 0.7,
        day: int | None = None,
        layout: Any = None,
        gains: Mapping[Any, Any] | None = None,
    ) -> Any:
        """The next version, after the counts of one more day."""
        del prior, cohort, keep, day, layout, gains
        raise InvalidParameter(self.cannot["update"])


@dataclass(frozen=True, eq=False)
class Running(ABC):
    """A plan at work, as a Cloak asks it: secrets are found, drawn for together, and what is drawn is shown as labels.
    Only the plan knows what secrets that were found and what was drawn for them are.
    """

    plan: Any

    #: Whether the secrets are listed, and have numbers; and what to do about an unknown one.
    listed: ClassVar[bool]
    advice: ClassVar[str]
    #: Why sets are not drawn anew, where they are drawn by a key alone.
    sticky_only: ClassVar[str] = ""

    @abstractmethod
    def extent(self) -> str:
        """How many secrets there are."""

    @abstractmethod
    def numbered(self) -> Labels:
        """The labels of the secrets, indexed; refused where these have no numbers."""

    @abstractmethod
    def find(self, secret: Hashable) -> Any:
        """A secret as it is drawn for; None if it is unknown."""

    def waits(self, secret: Hashable) -> bool:
        """Whether an unknown secret was counted in an update and waits for a part."""
        del secret
        return False

    @abstractmethod
    def in_bytes(self, secrets: Any) -> list[bytes]:
        """The label of each secret, which its stream is for."""

    @abstractmethod
    def owned(self, secrets: Any) -> Any:
        """How many places each secret chooses from; at most one where it has no choice."""

    @abstractmethod
    def locate(self, secrets: Any, places: Any) -> Any:
        """What is shown at a place of each secret."""

    @abstractmethod
    def show(self, located: Any) -> list[tuple[Any, ...]]:
        """The same as labels."""

    @abstractmethod
    def find_shown(self, label: Hashable) -> Any:
        """A label that may be shown, as it is named in bytes; None if it is none."""

    @abstractmethod
    def set_in_bytes(self, found: set[Any]) -> bytes:
        """Such labels in bytes that no other set has."""
