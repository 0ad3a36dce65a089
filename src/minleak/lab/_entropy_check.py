"""check_entropy: try to falsify what an entropy must satisfy, and return the witness."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minleak import Channel
from minleak.core._arrays import Array
from minleak.core._entropy.base import ConditionalEntropy, Entropy, evaluate
from minleak.core._entropy.forms import as_mean, renyi_columns
from minleak.core._entropy.names import as_entropy
from minleak.core._joint import Joint
from minleak.core._parameters import real, whole
from minleak.core._result import Result
from minleak.core._simulating import TRIALS, generator


@dataclass(frozen=True)
class EntropyCheck(Result):
    """The outcome: `ok` if nothing was falsified in `trials` attempts at each property that was `checked`.

    Otherwise `failed` names the property, `witness` holds the vectors or channels that break it and `violation`
    says by how much.
    """

    ok: bool
    checked: tuple[str, ...]
    trials: int
    failed: str | None = None
    violation: float = 0.0
    witness: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.ok


def check_entropy(
    entropy: ConditionalEntropy | str, *, n: int = 4, trials: int = 200, tolerance: float = 1e-9, seed: int = 0
) -> EntropyCheck:
    """Try to break an entropy's promises on random and extreme distributions over n secrets.

    Symmetry, expansibility and core-concavity of F; homogeneity of the perspective; eta monotone in the direction
    claimed; H(X|Y) <= H(X); H(X|Y) <= H(X|Z) for X -> Y -> Z; its form, where it has one, against the definition. For
    entropies not of the form eta(sum Fhat) only those that speak of H itself are tried. A violation counts when it
    exceeds `tolerance` times the values' size. Passing is not a proof.

    >>> from minleak import Shannon
    >>> check_entropy(Shannon()).ok
    True
    """
    n, trials = whole(n, "n", 2, 10**7), whole(trials, "trials", 1, TRIALS)
    H = as_entropy(entropy)
    tolerance, rng = real(tolerance, "the tolerance is a number from 0 on", least=0), generator(seed)
    checked: list[str] = []
    for name, attempt in _attempts(H, n, rng):
        checked.append(name)
        for _ in range(trials):
            excess, size, witness = attempt()
            if not excess <= tolerance * (1.0 + size):  # NaN counts as a violation
                return EntropyCheck(False, tuple(checked), trials, name, excess, witness)
    return EntropyCheck(True, tuple(checked), trials)


# By how much a property is broken, the size of the values, and the witness.
Outcome = tuple[float, float, dict[str, Any]]
Attempt = Callable[[], Outcome]


def _attempts(H: ConditionalEntropy, n: int, rng: np.random.Generator) -> Iterator[tuple[str, Attempt]]:
    def draw(size: int = n) -> Array:
        """Distributions of every character: spread, skewed, sparse, tied, almost a point mass."""
        kind = rng.integers(5)
        p = rng.gamma((1.0, 0.1, 1.0, 1.0, 0.02)[kind], size=size) + (1e-12 if kind in (1, 4) else 0.0)
        if kind == 2:
            p[rng.permutation(size)[: rng.integers(0, size - 1)]] = 0.0
        if kind == 3:
            p = rng.integers(1, 3, size).astype(np.float64)
        return np.asarray(p / p.sum())

    def channel(rows: int) -> Channel:
        return Channel(np.stack([draw(3) for _ in range(rows)]))

    def gap(a: float, b: float) -> tuple[float, float]:
        """How far a is above b, and their size; equal infinities are equal."""
        return (0.0 if a == b else a - b), (abs(b) if math.isfinite(b) else 0.0)

    def symmetry() -> Outcome:
        p = draw()
        q = rng.permutation(p)
        excess, size = gap(H(p), H(q))
        return abs(excess), size, {"p": p, "permuted": q}

    def expansibility() -> Outcome:
        p = draw()
        q = np.insert(p, rng.integers(0, n + 1), 0.0)
        excess, size = gap(H(p), H(q))
        return abs(excess), size, {"p": p, "padded": q}

    def leakage() -> Outcome:
        p, rows = draw(), channel(n)
        return *gap(H.conditional(p, rows), H(p)), {"prior": p, "channel": rows}

    def processing() -> Outcome:
        p, first, second = draw(), channel(n), channel(3)
        before, after = H.conditional(p, first), H.conditional(p, first @ second)
        return *gap(before, after), {"prior": p, "channel": first, "processing": second}

    def closed_forms() -> Outcome:
        p, rows = draw(), channel(n)
        found: list[Outcome] = [(0.0, 0.0, {})]
        for claim, claimed, defined in _claims(H, p, rows):
            excess, size = gap(claimed, defined)
            found.append((abs(excess), size, {"prior": p, "channel": rows, "claim": claim}))
        return max(found, key=lambda one: math.inf if math.isnan(one[0]) else one[0] / (1 + one[1]))

    yield "symmetry", symmetry
    yield "expansibility", expansibility
    if isinstance(H, Entropy):
        yield from _core_attempts(H, draw)
    yield "non-negative leakage", leakage
    yield "data processing", processing
    yield "closed forms", closed_forms


def _core_attempts(H: Entropy, draw: Callable[[], Array]) -> Iterator[tuple[str, Attempt]]:
    direction = 1.0 if H.increasing else -1.0
    by_sum = H.combine is np.sum
    rng = np.random.default_rng(1)

    def homogeneity() -> Outcome:
        p, scale = draw(), float(rng.uniform(0.1, 3.0))
        a, b = H.perspective(scale * p), scale * H.perspective(p)
        return abs(a - b), abs(b), {"p": p, "scale": scale}

    def concavity() -> Outcome:
        p, q, t = draw(), draw(), float(rng.uniform(0.05, 0.95))
        mixed = t * H.perspective(p) + (1 - t) * H.perspective(q)
        whole = H.perspective(t * p + (1 - t) * q)
        return direction * (mixed - whole), abs(whole), {"p": p, "q": q, "mixture": t}

    def monotone() -> Outcome:
        low, high = sorted((H.perspective(draw()), H.perspective(draw())))
        a, b = direction * H.eta(low), direction * H.eta(high)
        return (0.0 if a == b else a - b), abs(b), {"z": (low, high)}

    if by_sum:  # the limits that are a maximum over observables are quasi-concave, not homogeneous
        yield "homogeneity", homogeneity
        yield "core-concavity", concavity
    yield "monotone eta", monotone


def _claims(H: ConditionalEntropy, p: Array, channel: Channel) -> Iterator[tuple[str, float, float]]:
    """(what claims it, what it claims, what the definition gives), for all that is known of it beyond the definition.

    Claims are about H(X) and H(X|Y): the form, on the posteriors, and H(X) from the distinct probabilities.
    """
    mean = as_mean(H.form)
    if mean is not None:
        s, h = renyi_columns(Joint(p, channel).matrix(), mean.order)
        yield "form", mean.combine(s, h), H.conditional(p, channel)
    values, times = np.unique(p, return_counts=True)
    known = H.of_spectrum(values[::-1], times[::-1].astype(np.float64))
    if known is not None:
        yield "of_spectrum", known, evaluate([H], [p[:, None]])[0]
