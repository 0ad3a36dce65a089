"""What a channel makes of a prior: posteriors, and the hyper-distribution on them, printed as the book prints it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from minleak._data.arrays import Array
from minleak._data.labels import Labels
from minleak._data.reducing import divided, groups, merged

# What is printed of a large one.
_ROWS, _COLUMNS = 20, 8


@dataclass(frozen=True)
class Posteriors:
    """What an observer believes: column j is p(x given y) for the j-th observable that can occur.

    Observables of probability zero have no posterior and are left out; `dropped` lists their labels.
    """

    matrix: Any
    probabilities: Array
    outputs: Labels
    dropped: tuple[Any, ...]


@dataclass(frozen=True)
class Hyper:
    """A distribution on posteriors: `inners[:, j]` is one of them, `outers[j]` how likely it is to be the attacker's.

    Observables that lead to the same posterior are one, and those that cannot occur are none. Fractions where both
    the prior and the channel are exact.
    """

    outers: Any
    inners: Any
    secrets: Labels

    def __len__(self) -> int:
        return len(self.outers)

    def __str__(self) -> str:
        wide, high = min(len(self.outers), _COLUMNS), min(len(self.secrets), _ROWS)
        part = self.inners[:high, :wide]
        part = part if isinstance(part, np.ndarray) else part.toarray()
        dots = ["..."] if wide < len(self.outers) else []
        lines = [["", *(_shown(v) for v in self.outers[:wide]), *dots]]
        lines += [[str(self.secrets[x]), *(_shown(v) for v in part[x]), *dots] for x in range(high)]
        if high < len(self.secrets):
            lines.append(["..."] * len(lines[0]))
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        told = [
            f"{line[0]:<{widths[0]}} | " + "  ".join(f"{v:>{w}}" for v, w in zip(line[1:], widths[1:], strict=True))
            for line in lines
        ]
        return "\n".join([told[0], "-" * len(told[0]), *told[1:]])


def hyper(joint: Any, secrets: Labels) -> Hyper:
    """The hyper-distribution of a joint matrix, dense, sparse or of Fractions, whose memory it takes over."""
    together = merged(joint, groups(joint))
    outers = np.asarray(together.sum(axis=0))
    return Hyper(outers, divided(together, outers), secrets)


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Fraction) else f"{value:.4g}"
