"""The core of an entropy, keyed on its form: H(X|Y) = outer(sum over y of U(G J[:,y]))."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minleak import Gain
from minleak.core._arrays import Array, Indices
from minleak.core._entropy.base import ConditionalEntropy
from minleak.core._entropy.forms import AllGuesses, BestGuesses, RenyiMean, arimoto_exponent, restore
from minleak.errors import InvalidParameter
from minleak.lab._optimise.cores.base import AttackerPart, Core, Grouped, Linear, Polyhedron
from minleak.lab._optimise.cores.renyi import ArimotoCore, FehrBerensCore, HayashiCore, ShannonCore


class GuessCore(Linear):
    """U(v) = |v|_1 - (the sum of the l largest): the chance that l guesses are all wrong."""

    def __init__(self, l: int) -> None:
        self.l = l
        self.one_guess = l == 1

    def level(self, j: Indices) -> Array:
        return np.asarray(np.maximum(j - self.l, 0) / j)

    def values(self, v: Array, by: Grouped) -> Array:
        ascending, place = by.ascending(v)
        return by.sum(np.where(place <= by.sizes[by.of] - self.l, ascending, 0.0))

    def polyhedron(self, by: Grouped) -> Polyhedron:
        """The l largest sum to the least of l t + (the sum of v - t where v > t); for one guess t is the largest."""
        import scipy.sparse as sp

        entries, columns = by.n_entries, len(by)
        if self.l == 1:
            return Polyhedron(np.ones(entries), -np.ones(columns), sp.eye_array(entries, format="csr"), -by.selection)
        return Polyhedron(
            np.ones(entries),
            np.concatenate([np.full(columns, -float(self.l)), -np.ones(entries)]),
            sp.eye_array(entries, format="csr"),
            sp.hstack([-by.selection, -sp.eye_array(entries)], format="csr"),
        )

    def attacker(self, plane: Array, bound: float) -> AttackerPart:
        return AttackerPart("the chance that x is guessed at y", np.clip(1 - plane, 0.0, 1.0), 1 - bound)


class GuessworkCore(Linear):
    """U(v) = sum of i v_[i] = |v|_1 + the sum over all pairs of the lesser: the expected number of guesses."""

    def level(self, j: Indices) -> Array:
        return np.asarray((j + 1) / 2)

    def values(self, v: Array, by: Grouped) -> Array:
        ascending, place = by.ascending(v)
        return by.sum(ascending * (by.sizes[by.of] + 1 - place))

    def polyhedron(self, by: Grouped) -> Polyhedron:
        """One variable and two rows for each pair of entries in a column, n^2 m / 2 in all."""
        import scipy.sparse as sp

        pairs = [np.stack(np.triu_indices(size, 1)) + start for start, size in zip(by.starts, by.sizes, strict=True)]
        first, second = np.concatenate(pairs, axis=1)
        count = len(first)
        at = np.arange(count)
        ones = np.ones(count)
        rows_v = sp.csr_array(
            (np.concatenate([-ones, -ones]), (np.arange(2 * count), np.concatenate([first, second]))),
            shape=(2 * count, by.n_entries),
        )
        rows_aux = sp.csr_array(
            (np.concatenate([ones, ones]), (np.arange(2 * count), np.concatenate([at, at]))), shape=(2 * count, count)
        )
        return Polyhedron(np.ones(by.n_entries), ones, rows_v, rows_aux)

    def attacker(self, plane: Array, bound: float) -> AttackerPart:
        return AttackerPart("guesses needed for x at y", plane, bound)


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
    raise InvalidParameter(
        f"{H.name} has no known convex form: choose an entropy of the library, such as shannon, "
        "min-entropy, guesswork or arimoto:2"
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
    return u


def slope(H: ConditionalEntropy, u: float, mass: float = 1.0) -> float:
    """The derivative of `outer`; infinite from the largest u on."""
    plain = _plain(H)
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
