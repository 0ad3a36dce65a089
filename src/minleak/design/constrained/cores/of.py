"""From an entropy to its core, the gains it is seen through, and the increasing function that makes it the entropy."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from minleak.design.constrained.cores.arimoto import ArimotoCore
from minleak.design.constrained.cores.base import Core
from minleak.design.constrained.cores.fehr_berens import FehrBerensCore
from minleak.design.constrained.cores.guessing import GuessCore, GuessworkCore
from minleak.design.constrained.cores.hayashi import HayashiCore
from minleak.design.constrained.cores.renyi import RenyiCore
from minleak.design.constrained.cores.shannon import ShannonCore
from minleak.entropy.base import ConditionalEntropy, Entropy
from minleak.entropy.deformed import restored
from minleak.entropy.gain import Gain
from minleak.entropy.guessing import GuessError, Guesswork, MinEntropy
from minleak.entropy.names import as_entropy
from minleak.entropy.renyi import Arimoto, FehrBerens, Hayashi, Renyi
from minleak.entropy.shannon import Shannon
from minleak.entropy.sharma_mittal import SharmaMittal
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Measure:
    """An entropy as the designer sees it: H(X|Y) = outer(sum over y of U(G J[:,y])), outer increasing.

    With M the sum of all entries of G J (one without gains), outer(u) = log(M + c u)/(c unit), which is u/unit at
    c = 0; Sharma-Mittal entropies see that through an exponential. `exponent` None means that outer(u) = u.
    """

    entropy: Entropy
    core: Core
    gain: Any
    exponent: float | None
    unit: float = 1.0
    beta: float = 1.0

    def outer(self, u: float, mass: float) -> float:
        """H(X|Y) when the sum of U is u."""
        c = self.exponent
        if c is None:
            return u
        if c == 0:
            value = u / self.unit
        elif mass + c * u <= 0:  # a bound beyond the largest entropy
            value = math.inf
        else:
            shift = 0.0 if mass == 1 else math.log(mass) / c
            value = (shift + float(restored(u / mass, c))) / self.unit
        if self.beta == 1 or math.isinf(value):
            return value
        return math.expm1((1 - self.beta) * value) / (1 - self.beta)

    def slope(self, u: float, mass: float) -> float:
        """The derivative of `outer`."""
        if self.exponent is None:
            return 1.0
        steep = 1.0 / (self.unit * ((mass + self.exponent * u) if self.exponent else 1.0))
        if self.beta == 1:
            return steep
        plain = replace(self, beta=1.0).outer(u, mass)
        return steep * math.exp((1 - self.beta) * plain)


def measure_of(H: ConditionalEntropy | str, gains: Any = None) -> Measure:
    """The measure of an entropy, seen through `gains` if any; refused where the problem would not be convex."""
    entropy = as_entropy(H)
    if not isinstance(entropy, Entropy):
        raise InvalidParameter(f"{entropy.name} is not of the form eta(sum Fhat), so its problem is not convex")
    if gains is not None:
        entropy = Gain(entropy, gains)
    gain = None
    inner: Entropy = entropy
    while isinstance(inner, Gain):
        gain = inner.gain if gain is None else _through(inner.gain, gain)
        inner = inner.entropy
    for kind, make in _CORES.items():
        if isinstance(inner, kind):
            core, exponent = make(inner)
            beta = inner.beta if isinstance(inner, SharmaMittal) else 1.0
            return Measure(entropy, core, gain, exponent, inner.unit, beta)
    raise InvalidParameter(
        f"{inner.name} has no convex form that is known: choose an entropy of the library, such as shannon, "
        "min-entropy, guesswork or arimoto:2"
    )


def _renyi(H: Renyi) -> tuple[Core, float]:
    """The core of a Renyi entropy, by its order: 1 is Shannon's (but for Fehr and Berens), infinity one guess."""
    if H.alpha == 0:
        raise InvalidParameter(
            f"{H.name} counts what is possible, however unlikely, so a best channel need not exist: "
            "choose a small order instead, such as 0.2"
        )
    if H.alpha == math.inf:
        if isinstance(H, Hayashi):
            raise InvalidParameter(
                f"{H.name} is about the worst observable alone, which is no convex problem of this form: "
                "choose a large order instead, such as 8"
            )
        return GuessCore(1), -1.0
    if H.alpha == 1 and not isinstance(H, FehrBerens):
        return ShannonCore(), 0.0
    core: RenyiCore
    if isinstance(H, Arimoto):
        core = ArimotoCore(H.alpha)
    elif isinstance(H, Hayashi):
        core = HayashiCore(H.alpha)
    else:
        core = FehrBerensCore(H.alpha)
    return core, core.exponent


# To add an entropy to the designer, add its line.
_CORES: dict[Any, Callable[[Any], tuple[Core, float | None]]] = {
    Shannon: lambda _: (ShannonCore(), 0.0),
    MinEntropy: lambda _: (GuessCore(1), -1.0),
    GuessError: lambda H: (GuessCore(H.l), None),
    Guesswork: lambda _: (GuessworkCore(), None),
    Renyi: _renyi,
}


def _through(first: Any, second: Any) -> Any:
    """The gains G1 G2 of gains on gains; vectors are diagonals."""
    if first.ndim == 1:
        return first * second if second.ndim == 1 else first[:, None] * second
    return first * second[None, :] if second.ndim == 1 else first @ second
