"""Entropies by name: "arimoto:2" -> Arimoto(2), and those that tables show. To add one, add its line to the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.families import (
    Arimoto,
    Collision,
    FehrBerens,
    GuessError,
    Guesswork,
    Hartley,
    Hayashi,
    MinEntropy,
    Shannon,
    SharmaMittal,
    Tsallis,
)
from minleak.core._parameters import as_list
from minleak.errors import InvalidParameter, quote

#: What tables show unless others are asked for: an attacker who asks questions, has one guess, guesses until right,
#: compares two draws, counts, or sees a power.
STANDARD = ("shannon", "min-entropy", "guess-error:1", "guesswork", "collision", "hartley", "tsallis:2")

#: Where there is room for few: questions, one guess, guessing until right.
FEW = ("shannon", "min-entropy", "guesswork")

# name: (maker, least and most parameters, what the parameters are)
NAMES: dict[str, tuple[Callable[..., ConditionalEntropy], int, int, str]] = {
    "shannon": (Shannon, 0, 0, ""),
    "min-entropy": (MinEntropy, 0, 0, ""),
    "guess-error": (GuessError, 0, 1, "l, the number of guesses"),
    "guesswork": (Guesswork, 0, 0, ""),
    "arimoto": (Arimoto, 1, 1, "the order alpha"),
    "hayashi": (Hayashi, 1, 1, "the order alpha"),
    "fehrberens": (FehrBerens, 1, 1, "the order alpha"),
    "sharma-mittal": (SharmaMittal, 2, 2, "alpha and beta"),
    "tsallis": (Tsallis, 1, 1, "the order q"),
    "hartley": (Hartley, 0, 0, ""),
    "collision": (Collision, 0, 0, ""),
}


def entropy(name: str, *, base: float | None = None) -> ConditionalEntropy:
    """The entropy of that name; parameters follow a colon, separated by commas ("inf" is a number too).

    >>> entropy("arimoto:2").name, entropy("sharma-mittal:2,0.5").name, entropy("guess-error:3").name
    ('arimoto:2', 'sharma-mittal:2,0.5', 'guess-error:3')
    """
    if not isinstance(name, str):
        raise InvalidParameter(f"the name of an entropy is text such as 'shannon' or 'arimoto:2', not {quote(name)}")
    kind, colon, text = name.strip().lower().partition(":")
    if kind not in NAMES:
        raise InvalidParameter(f"unknown entropy {quote(name)}: one of {', '.join(NAMES)}")
    maker, least, most, what = NAMES[kind]
    words = text.split(",") if colon else []
    try:
        parameters: list[Any] = [int(word) if word.strip().isdigit() else float(word) for word in words]
    except ValueError:
        raise InvalidParameter(f"the parameters of {name!r} are not numbers; {kind} takes {what or 'none'}") from None
    if not least <= len(parameters) <= most:
        form = f", as in {kind}:{','.join('2' * most)}" if what else ""
        raise InvalidParameter(f"{kind} takes {what or 'no parameters'}{form}: {name!r} gives {len(parameters)}")
    if base is None:
        return maker(*parameters)
    if "base" not in inspect.signature(maker).parameters:
        raise InvalidParameter(f"{kind} has no logarithm, or one of its own, so it takes no base")
    return maker(*parameters, base=base)


def as_entropy(given: ConditionalEntropy | str) -> ConditionalEntropy:
    """The entropy itself, or the one of that name."""
    if isinstance(given, str):
        return _by_name(given)
    return given if isinstance(given, ConditionalEntropy) else entropy(given)


@lru_cache(maxsize=256)
def _by_name(name: str) -> ConditionalEntropy:
    return entropy(name)


def as_entropies(entropies: Any) -> list[ConditionalEntropy]:
    """Several entropies, by themselves or by their names."""
    return [as_entropy(H) for H in as_list(entropies, "entropies are a list of entropies or their names")]


def place(names: Sequence[str], entropy: ConditionalEntropy | str) -> int:
    """Where an entropy stands in a table with these names: it is looked up by itself or by any name that it has.

    >>> place(["shannon", "collision"], "arimoto:2")
    1
    """
    name = entropy.name if isinstance(entropy, ConditionalEntropy) else entropy
    if name not in names:
        meant = _meant(name)
        name = next((other for other in names if _meant(other) == meant), name)
    if name not in names:
        raise KeyError(name)
    return names.index(name)


def _meant(name: str) -> ConditionalEntropy | str:
    """The entropy of a name; the name itself where it is of one's own, or of another measure."""
    try:
        return entropy(name)
    except InvalidParameter:
        return name
