"""The kinds of things that a .cloak file holds and a Cloak draws from: what each must be able to do, and where it is.

A kind is a class of plans (`Stored`) and a class that draws from them (`Running`), a module that opens its files and
one that certifies them. Modules are loaded when a plan of their kind is met.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from minleak._design.stored.tables import LabelIndex

Indices = npt.NDArray[np.int64]
# For each bound N an integer uniform in [0, N), exactly.
Uniform = Callable[[Indices], Indices]

# What a file is that does not say its kind; and the others.
RINGS = "rings"
BLOCKS = "blocks"
ROWS = "rows"
STRINGS = "strings"


@dataclass(frozen=True)
class Kind:
    """`opening` is a module whose `drawable(contents, digest)` makes a Running of what anybody may have written;
    `checking` one whose `certified(subject, prior, **options)` makes the certificate of a Stored or a Running.
    """

    opening: str
    checking: str

    def drawable(self, *given: Any) -> Running:
        """What a file of this kind holds; an error of any type where it is none."""
        made: Running = import_module(self.opening).drawable(*given)
        return made

    def certified(self, *given: Any, **options: Any) -> Any:
        """The certificate."""
        return import_module(self.checking).certified(*given, **options)


KINDS: dict[str, Kind] = {
    RINGS: Kind("minleak._design.stored.ring_files", "minleak._design.certificate"),
    BLOCKS: Kind("minleak._design.blocks.opening", "minleak._design.blocks.checks"),
    ROWS: Kind("minleak._design.rows.opening", "minleak._design.rows.checks"),
    STRINGS: Kind("minleak._design.unlisted.opening", "minleak._design.unlisted.certificate"),
}


class Stored(ABC):
    """A plan that can be drawn from and saved: `kind` is its name among the kinds."""

    kind: ClassVar[str]
    #: Whether draws need randomness: without it a secret's set is always the same, and there is no key.
    randomised: ClassVar[bool] = True
    #: What sticky draws follow; None where they are of the plan alone, or not drawn at all.
    descent: Any = None

    @property
    @abstractmethod
    def digest(self) -> bytes:
        """32 bytes that stand for everything a draw depends on, and name the plan to sticky draws."""

    @abstractmethod
    def drawable(self) -> Running:
        """What draws from it."""

    @abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a .cloak file, whole or not at all."""


@dataclass(frozen=True, eq=False)
class Running(ABC):
    """A plan at work."""

    #: Whether secrets have numbers; a kind without is drawn from one by one, by `set_for`.
    listed: ClassVar[bool] = True
    plan: Any


@dataclass(frozen=True, eq=False)
class Drawable(Running):
    """A plan of secrets that have numbers, and the index that their labels are found by."""

    index: LabelIndex
    #: Whether what is shown are sets of secrets; else `number_of` knows what is.
    shows_secrets: ClassVar[bool] = True

    @property
    def size(self) -> int:
        """How many secrets there are."""
        return len(self.plan.prior)

    def find(self, secret: Hashable) -> int | None:
        """The number of a secret, or None if the plan does not know it."""
        return self.index.find(secret)

    @abstractmethod
    def draw(self, secrets: Indices, uniform: Uniform) -> Indices:
        """What is shown for each secret, a row each, in numbers; `uniform` is asked only if there is a choice."""

    def shown(self, drawn: Indices) -> tuple[Any, ...]:
        """A row in labels: those of its numbers, where -1 stands for none."""
        return self.index.labels_at(drawn[drawn >= 0].tolist())

    def number_of(self, shown: Hashable) -> int | None:
        """The number of a label that is shown, or None."""
        return self.find(shown)
