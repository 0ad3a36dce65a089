"""An entropy as the designer sees it: its core, the gains it is seen through, and the way back to the entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minleak._entropy.base import ConditionalEntropy, Entropy
from minleak._entropy.cores.base import Core
from minleak._entropy.gain import Gain
from minleak._entropy.names import as_entropy
from minleak.errors import InvalidParameter


@dataclass(frozen=True)
class Measure:
    """H(X|Y) = outer(sum over y of U(G J[:,y])), outer increasing: what the entropy says of itself, asked once."""

    entropy: Entropy
    core: Core
    gain: Any

    def outer(self, u: float, mass: float) -> float:
        """H(X|Y) when the sum of U is u, and that of all entries of G J is `mass` (one without gains)."""
        return self.entropy.outer(u, mass)

    def slope(self, u: float, mass: float) -> float:
        """The derivative of `outer`."""
        return self.entropy.slope(u, mass)


def measure_of(entropy: ConditionalEntropy | str, gains: Any = None) -> Measure:
    """The measure of an entropy, seen through `gains` if any; refused where the problem would not be convex."""
    chosen = as_entropy(entropy)
    form = chosen.paper_form()
    if form is None:
        raise InvalidParameter(f"{chosen.name} is not of the form eta(sum Fhat), so its problem is not convex")
    if gains is not None:
        form = Gain(form, gains)
    return Measure(form, form.core(), form.seen_through())
