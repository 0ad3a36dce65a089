"""Orders beyond refinement: which of two channels has more information, for every prior or for every hidden cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minleak import Channel, Prior, leakage
from minleak.core._arrays import Array
from minleak.core._channel import as_channel
from minleak.core._parameters import whole
from minleak.core._result import Result
from minleak.core._simulating import generator
from minleak.core._text_tables import Table
from minleak.lab._algebra import sharing
from minleak.lab._measures.distances import renyi_nats
from minleak.lab._measures.funnel import halve
from minleak.lab._orders.orders import refined_by

# A difference below zero by less than this may be rounding.
_ROUNDING = 1e-10
# The most secrets for which every prior is gone through, and the simplices that are looked at.
_SECRETS, _CELLS = 5, 20_000
# How far from q the distribution of a witness is, as a share of the way to the border.
_STEP = 0.05


@dataclass(frozen=True)
class InformationOrder(Result):
    """Whether the first channel has at least the information of the second, `ok`: True by a theorem, False by a
    witness, None where neither was found; `because` says which.

    `margin` is the least difference that was found, in nats, below zero for a witness: `priors` are the distributions
    of the secret that it was found at.
    """

    ok: bool | None
    because: str
    margin: float
    priors: tuple[Prior, ...]

    def __bool__(self) -> bool:
        return self.ok is True

    def to_parts(self) -> list[str | Table]:
        answer = {True: "yes", False: "no", None: "not known"}[self.ok]
        return [f"{answer}: {self.because} (least difference found: {self.margin:.6g} nats)"]


def less_noisy(first: Channel | Any, second: Channel | Any, *, trials: int = 20, seed: int = 0) -> InformationOrder:
    """Return whether the first channel, A, is less noisy than the second, B: I(U;Y) >= I(U;Z) for every U that acts
    through the secret alone, Y being what A shows and Z what B shows.

    It is so exactly if D(pA || qA) >= D(pB || qB) for all distributions p, q of the secret, and exactly if, for all q,
    A diag(1/qA) A^T - B diag(1/qB) B^T has no negative eigenvalue (Makur and Polyanskiy). True where A is refined by
    B, and, for up to five secrets and a B without zeros, where all q are proven to have none by a margin. A search over
    q from random starts looks for a negative eigenvalue, which gives p and q: they are then tried on the divergences
    themselves.

    >>> less_noisy([[1, 0], [0, 1]], [[0.9, 0.1], [0.1, 0.9]]).ok
    True
    >>> found = less_noisy([[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.2, 0], [0, 0.2, 0.8]])
    >>> found.ok, found.margin < 0
    (False, True)
    """
    A, B, a, b = _both(first, second)

    def curvature(q: Array) -> float:
        return float(np.linalg.eigvalsh(_difference(a, b, q))[0])

    q, _ = _least(curvature, len(a), trials, seed)
    witness = _divergences(a, b, q)
    return _or_proven(_conclude(A, B, witness, "D(pA || qA) < D(pB || qB) for these two priors"), a, b)


def more_capable(first: Channel | Any, second: Channel | Any, *, trials: int = 20, seed: int = 0) -> InformationOrder:
    """Return whether the first channel, A, is more capable than the second, B: I(X;Y) >= I(X;Z) for every prior, Y
    being what A shows and Z what B shows.

    True where A is refined by B, or where A is proven to be less noisy. A search over priors from random starts looks
    for one at which B tells more.

    >>> more_capable([[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.2], [0.2, 0.8]]).ok
    True
    >>> more_capable([[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.2, 0], [0, 0.2, 0.8]]).ok
    False
    """
    A, B, a, b = _both(first, second)

    def more(p: Array) -> float:
        return _mutual(a, p) - _mutual(b, p)

    p, _ = _least(more, len(a), trials, seed)
    margin = (leakage(p, A, "shannon") - leakage(p, B, "shannon")) * float(np.log(2))
    return _or_proven(_conclude(A, B, (margin, (p,)), "I(X;Y) < I(X;Z) at this prior"), a, b)


def _both(first: Channel | Any, second: Channel | Any) -> tuple[Channel, Channel, Array, Array]:
    A = as_channel(first)
    B = sharing(A, second, "that are compared")
    a, b = A.toarray(), B.toarray()
    return A, B, a[:, a.any(axis=0)], b[:, b.any(axis=0)]


def _conclude(A: Channel, B: Channel, witness: tuple[float, tuple[Array, ...]], said: str) -> InformationOrder:
    margin, found = witness
    names = None if A.inputs.is_default else A.inputs
    priors = tuple(Prior(p, labels=names) for p in found)
    if margin < -_ROUNDING:
        return InformationOrder(False, said, margin, priors)
    if refined_by(A, B):
        return InformationOrder(True, "the second can be made of the first", margin, priors)
    return InformationOrder(
        None, "no theorem that is known here applies, and the search found no witness", margin, priors
    )


def _or_proven(found: InformationOrder, a: Array, b: Array) -> InformationOrder:
    """True instead of None where the first is proven to be less noisy."""
    if found.ok is None and _prove_less_noisy(a, b):
        return replace(found, ok=True, because="no prior has a negative eigenvalue, so that the first is less noisy")
    return found


def _prove_less_noisy(a: Array, b: Array) -> bool:
    """Whether A diag(1/qA) A^T - B diag(1/qB) B^T is positive for every q, on differences of priors.

    Both parts are convex in q as matrices. On a simplex the first is above its tangent in the middle, the second below
    its chord: the difference is positive on all of it where tangent minus chord is so at the corners.
    """
    n = len(a)
    if n > _SECRETS or not (b > 0).all():
        return False
    basis = np.linalg.svd(np.eye(n) - 1 / n)[0][:, : n - 1]  # of vectors that sum to zero
    cells, looked = np.eye(n)[None], 0
    while len(cells):
        looked += len(cells)
        in_the_middle = _eigenvalues_from(cells.mean(axis=1)[:, None], a, b, basis)
        if looked > _CELLS or not in_the_middle.min() > _ROUNDING:
            return False
        cells = halve(cells[~(_eigenvalues_from(cells, a, b, basis) > _ROUNDING)])
    return True


def _eigenvalues_from(cells: Array, a: Array, b: Array, basis: Array) -> Array:
    """The least eigenvalue of tangent minus chord at the corners of each simplex, below that of any q in it; of a point
    it is that of the difference there.
    """
    middle = (cells.mean(axis=1) @ a)[:, None]
    tangent = _weighed(basis.T @ a, 2 / middle - (cells @ a) / middle**2)
    return np.asarray(np.linalg.eigvalsh(tangent - _weighed(basis.T @ b, 1 / (cells @ b)))[..., 0].min(axis=1))


def _weighed(C: Array, weights: Array) -> Array:
    """C diag(w) C^T for each w."""
    return np.asarray(np.einsum("xy,kiy,zy->kixz", C, weights, C))


def _mutual(C: Array, p: Array) -> float:
    q = p @ C
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(C > 0, p[:, None] * C * (np.log(C) - np.log(q)), 0.0)
    return float(terms.sum())


def _difference(a: Array, b: Array, q: Array) -> Array:
    """A diag(1/qA) A^T - B diag(1/qB) B^T, in units in which q is uniform."""
    root = np.sqrt(q)
    first, second = ((root[:, None] * C) / np.sqrt(q @ C) for C in (a, b))
    return np.asarray(first @ first.T - second @ second.T)


def _divergences(a: Array, b: Array, q: Array) -> tuple[float, tuple[Array, Array]]:
    """The least D(pA || qA) - D(pB || qB) for p from q along the eigenvector of the least eigenvalue, both ways."""
    direction = np.sqrt(q) * np.linalg.eigh(_difference(a, b, q))[1][:, 0]
    direction -= direction.sum() * q
    best = (0.0, (q, q))
    for step in (1.0, -1.0):
        moved = step * direction
        falling = moved < -1e-300
        room = float((q[falling] / -moved[falling]).min()) if falling.any() else 0.0
        for share in (_STEP, 0.3, 0.9):
            p = q + share * room * moved
            p = np.maximum(p, 0.0) / np.maximum(p, 0.0).sum()
            apart = float(
                renyi_nats((p @ a)[None], (q @ a)[None], 1)[0] - renyi_nats((p @ b)[None], (q @ b)[None], 1)[0]
            )
            if apart < best[0]:
                best = (apart, (p, q))
    return best


def _least(of: Callable[[Array], float], n: int, trials: int, seed: int) -> tuple[Array, float]:
    """A distribution at which a function is small, by descents from random starts."""
    from scipy.optimize import minimize

    rng = generator(seed)
    starts = [np.zeros(n), *rng.normal(scale=2.0, size=(whole(trials, "the number of trials", 1) - 1, n))]

    def at(z: Array) -> Array:
        weights = np.exp(np.clip(z - z.max(), -30, 0))
        return np.asarray(weights / weights.sum())

    best, value = at(starts[0]), np.inf
    for start in starts:
        found = minimize(lambda z: of(at(z)), start, method="L-BFGS-B", options={"maxiter": 200})
        if found.fun < value:
            best, value = at(found.x), float(found.fun)
        if value < -1e-3:
            break
    return best, value
