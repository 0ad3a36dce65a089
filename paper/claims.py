"""A claim of the paper: what is printed, what minleak finds, and the verdict; and the parts that claims come in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

AGREES = "agrees to the printed digits"
HOLDS = "holds"
FAILS = "does not agree"


@dataclass(frozen=True)
class Claim:
    """One number, table or statement of the paper. `ok` unless the verdict is that it does not agree."""

    what: str
    printed: str
    ours: str
    verdict: str

    @property
    def ok(self) -> bool:
        return self.verdict != FAILS


@dataclass(frozen=True)
class Table:
    """Rows under named columns; saved as name.csv."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Figure:
    """A chart; saved as name.png."""

    name: str
    caption: str
    chart: Any


@dataclass(frozen=True)
class Part:
    """A section of the page: what it is about, the claims judged in it, and what they rest on."""

    title: str
    text: tuple[str, ...]
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


def digits(what: str, printed: Sequence[float], ours: Sequence[float], *, places: int = 4) -> Claim:
    """Whether each of our numbers, rounded to the places printed, is the printed one."""
    apart = [abs(a - b) for a, b in zip(printed, ours, strict=True)]
    # slightly above one half of the last place, for numbers like 0.25 that floats do not hold
    same = all(difference <= 0.5 * 10**-places * (1 + 1e-9) for difference in apart)
    shown = " ".join(f"{value:.{places}f}" for value in printed)
    return Claim(what, shown, " ".join(f"{value:.{places + 3}f}" for value in ours), AGREES if same else FAILS)


def table_digits(what: str, printed: Iterable[float], ours: Iterable[float], *, places: int = 4) -> Claim:
    """The same for a whole table, shown by the largest difference."""
    pairs = list(zip(printed, ours, strict=True))
    claim = digits(what, [a for a, _ in pairs], [b for _, b in pairs], places=places)
    largest = max(abs(a - b) for a, b in pairs)
    return Claim(what, f"{len(pairs)} entries, {places} digits", f"largest difference {largest:.2g}", claim.verdict)


def statement(what: str, printed: str, ours: str, holds: bool, *, verdict: str = HOLDS) -> Claim:
    """A statement, with the verdict it gets if what we found is as expected."""
    return Claim(what, printed, ours, verdict if holds else FAILS)


def erratum(number: int) -> str:
    """The verdict on a slip of the print."""
    return f"the print is wrong: erratum {number}"


def tiny(difference: float) -> str:
    """A difference in words: below 1e-12 all is rounding, which differs from machine to machine."""
    return "below 1e-12" if abs(difference) < 1e-12 else f"{difference:.1e}"
