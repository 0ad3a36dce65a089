"""The core of an entropy, keyed on its form: H(X|Y) = outer(sum over y of U(G J[:,y]))."""

from __future__ import annotations

import math
from typing import Any

from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.forms import AllGuesses, BestGuesses, RenyiMean, arimoto_exponent, restore
from minleak.core._entropy.gain import Gain
from minleak.errors import InvalidParameter
from minleak.lab._optimise.cores.base import Core
from minleak.lab._optimise.cores.cones import ArimotoCore, FehrBerensCore, HayashiCore, ShannonCore
from minleak.lab._optimise.cores.guessing import GuessCore, GuessworkCore
from minleak.lab._optimise.cores.own import OwnCore
from minleak.lab._own_entropy import CoreConcave


def core_of(H: ConditionalEntropy) -> Core:
    """The core of an entropy; gains have that of the entropy inside. InvalidParameter if none is known."""
    if isinstance(H, Gain):
        return core_of(H.entropy)
    match H.form:
        case RenyiMean() as mean:
            return _core_of_mean(mean, H.name)
        case BestGuesses(l):
            return GuessCore(l)
        case AllGuesses():
            return GuessworkCore()
    if isinstance(H, CoreConcave) and H.has_gradient:
        return OwnCore(H)
    raise InvalidParameter(
        f"{H.name} has no known convex form: choose an entropy of the library, such as shannon, "
        "min-entropy, guesswork or arimoto:2, or a CoreConcave with its gradient="
    )


def _core_of_mean(mean: RenyiMean, name: str) -> Core:
    """The core of a Renyi mean: order infinity is one guess, and (1, 0) is Shannon."""
    a, c = mean.order, mean.exponent
    if a == 0:
        raise InvalidParameter(
            f"{name} counts what is possible, however unlikely, so a best channel need not exist: "
            "choose a small order instead, such as 0.2"
        )
    if math.isinf(c):
        raise InvalidParameter(
            f"{name} is about the worst observable alone, which is no convex problem of this form: "
            "choose a large order instead, such as 8"
        )
    if (a, c) == (math.inf, -1):
        return GuessCore(1)
    if (a, c) == (1, 0):
        return ShannonCore()
    for exponent, core in ((arimoto_exponent(a), ArimotoCore), (1 - a, HayashiCore), (-1, FehrBerensCore)):
        if c == exponent:
            return core(a)
    raise InvalidParameter(f"{name} is a mean of order {a:g} and exponent {c:g}, whose convex form is not known")


def gains_of(H: ConditionalEntropy) -> Any:
    """The gains G, nested ones multiplied; None without."""
    if not isinstance(H, Gain):
        return None
    inner = gains_of(H.entropy)
    return H.gain if inner is None else _product(inner, H.gain)


def outer(H: ConditionalEntropy, u: float, mass: float = 1.0) -> float:
    """H(X|Y) if the core sums to u and the entries of G J to `mass` (1 without gains). Increasing in u; infinite beyond
    the largest u.
    """
    plain = _plain(H)
    match plain.form:
        case RenyiMean() as mean:
            nats = _nats(mean.exponent, u, mass)
            return nats if math.isinf(nats) else mean.outer(nats)
    return plain.eta(u if plain.increasing else -u) if isinstance(plain, CoreConcave) else u


def slope(H: ConditionalEntropy, u: float, mass: float = 1.0) -> float:
    """The derivative of `outer`; infinite from the largest u on. By differences for custom entropies."""
    plain = _plain(H)
    if isinstance(plain, CoreConcave):
        step = 1e-6 * max(abs(u), 1e-3)
        return (outer(H, u + step) - outer(H, u - step)) / (2 * step)
    match plain.form:
        case RenyiMean() as mean:
            left = mass + mean.exponent * u if mean.exponent else 1.0
            if not left > 0:
                return math.inf
            return math.exp(mean.degree * _nats(mean.exponent, u, mass)) / (mean.unit * left)
    return 1.0


def _plain(H: ConditionalEntropy) -> ConditionalEntropy:
    return _plain(H.entropy) if isinstance(H, Gain) else H


def _nats(c: float, u: float, mass: float) -> float:
    """The mean R in nats when U(v) = |v|_1 (exp(c H_a(v/|v|_1)) - 1)/c (|v|_1 H_a at c = 0) sums to u, and |v|_1 to the
    mass: log(mass + c u)/c.
    """
    if c == 0:
        return u
    if not mass + c * u > 0:
        return math.inf
    shift = 0.0 if mass == 1 else math.log(mass) / c
    return shift + float(restore(u / mass, c))


def _product(first: Any, second: Any) -> Any:
    """The product G1 G2 of nested gains; vectors are diagonals."""
    if first.shape[-1] != second.shape[0]:
        raise InvalidParameter(
            f"the inner gains are for {first.shape[-1]} guesses, and the outer have {second.shape[0]}: they must agree"
        )
    if first.ndim == 1:
        return first * second if second.ndim == 1 else first[:, None] * second
    return first * second[None, :] if second.ndim == 1 else first @ second
