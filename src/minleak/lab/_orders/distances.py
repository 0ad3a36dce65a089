"""How far a channel is from simulating another (Le Cam's deficiency), and from being refined by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._channel import as_channel
from minleak.core._joint import Joint
from minleak.core._leakage import posterior_vulnerability
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, SolverFailed
from minleak.lab._algebra import sharing

# The most coefficients of a programme, and how close its two sides must come.
_MOST, _CLOSE = 20_000_000, 1e-7


@dataclass(frozen=True)
class Deficiency(Result):
    """How far the first is from simulating the second: with `post_processing` each row comes within `value` of it in
    total variation, and no post-processing comes closer than `bound` on all rows.

    The bound is what the second earns more than the first can at `prior`, where guess y earns `gain[y, x]`, from 0 to
    1, if the secret is x.
    """

    value: float
    bound: float
    post_processing: Channel
    prior: Prior
    gain: Array

    def to_parts(self) -> list[str | Table]:
        return [
            f"each row of the second is simulated within {self.value:.9g}; nothing comes closer than {self.bound:.9g}"
        ]


def deficiency(first: Channel | Any, second: Channel | Any) -> Deficiency:
    """Return the deficiency of A, the first, with respect to B, the second: how far B is from what can be made of A,
    min over post-processings R of max over x of the total variation between (A R)[x,.] and B[x,.].

    Zero exactly if A is refined by B (`refined_by`); else whoever has A instead of B loses at most so much in every
    decision with gains from 0 to 1, and in one loses just that. A linear programme over R; what it finds is checked on
    both sides by plain sums: the value by R itself, the bound by gains at a prior.

    >>> noisy, clear = [[0.75, 0.25], [0.25, 0.75]], [[1, 0], [0, 1]]
    >>> round(deficiency(noisy, clear).value, 9), round(deficiency(clear, noisy).value, 9)
    (0.25, 0.0)
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    A = as_channel(first)
    B = sharing(A, second, "that are compared")
    (n, m), k = A.shape, B.shape[1]
    if n * m * k > _MOST:
        raise InvalidParameter(f"{n} secrets, {m} and {k} observables make more than {_MOST:,} coefficients")
    a, b = A.toarray(), B.toarray()
    # variables: R (m k), what is missing of B (n k), and the largest sum of that
    cost = np.append(np.zeros((m + n) * k), 1.0)
    missing = sp.hstack([-sp.kron(sp.csr_array(a), sp.eye_array(k)), -sp.eye_array(n * k), sp.csr_array((n * k, 1))])
    sums = sp.hstack([sp.csr_array((n, m * k)), sp.kron(sp.eye_array(n), np.ones((1, k))), -np.ones((n, 1))])
    rows = sp.hstack([sp.kron(sp.eye_array(m), np.ones((1, k))), sp.csr_array((m, n * k + 1))])
    found = linprog(
        cost,
        A_ub=sp.vstack([missing, sums]).tocsr(),
        b_ub=np.append(-b.ravel(), np.zeros(n)),
        A_eq=rows.tocsr(),
        b_eq=np.ones(m),
        method="highs",
    )
    if found.status != 0:
        raise SolverFailed(f"HiGHS found no post-processing: {found.message}")
    R = np.maximum(found.x[: m * k].reshape(m, k), 0.0)
    R /= R.sum(axis=1, keepdims=True)
    value = 0.5 * float(np.abs(a @ R - b).sum(axis=1).max())
    p = np.maximum(-found.ineqlin.marginals[n * k :], 0.0)
    p = p / p.sum() if p.sum() > 0 else np.full(n, 1 / n)
    worth = np.clip(-found.ineqlin.marginals[: n * k].reshape(n, k) / np.where(p > 0, p, 1.0)[:, None], 0.0, 1.0)
    earned = p[:, None] * worth
    bound = max(float((earned * b).sum()) - float((a.T @ earned).max(axis=1).sum()), 0.0)
    if not value - bound <= _CLOSE:
        raise SolverFailed(f"rows come within {value:.9g}, and only {bound:.9g} is proven to be the least")
    made = Channel(R, inputs=A.outputs, outputs=B.outputs)
    return Deficiency(
        value, min(bound, value), made, Prior(p, labels=None if A.inputs.is_default else A.inputs), worth.T
    )


@dataclass(frozen=True)
class RefinementDistance(Result):
    """By how much the second may serve an attacker better than the first: with `gain`, guesses as rows, they earn
    `value` more after it.

    No gains up to one earn more than `bound`: `post_processing` (rows of sum at most one) makes the first lie below the
    second in every entry, and what it leaves of the second is that much.
    """

    value: float
    bound: float
    gain: Array
    post_processing: Array

    def to_parts(self) -> list[str | Table]:
        return [f"{self.value:.9g} is earned more after the second, and no more than {self.bound:.9g}"]


def refinement_distance(
    prior: Prior | Iterable[Any], first: Channel | Any, second: Channel | Any
) -> RefinementDistance:
    """Return how far A, the first, is from being refined by B, the second: the largest V_g[prior, B] - V_g[prior, A]
    over all gains g up to 1 with a guess that earns 0 whatever the secret.

    It is zero exactly if A is refined by B on the secrets that are possible. By duality it is the least of

        sum over x, y of p_x (B - A R)[x,y]  over R >= 0 with rows of sum at most 1 and A R <= B:

    what cannot be made of A. A linear programme over the entries of R, of n m k coefficients; its answer is between
    what the gains earn by `posterior_vulnerability` and what R leaves, and no solver is trusted.

    >>> noisy = [[0.75, 0.25], [0.25, 0.75]]
    >>> told = refinement_distance([1, 1], noisy, [[1, 0], [0, 1]])
    >>> round(told.value, 9), round(refinement_distance([1, 1], [[1, 0], [0, 1]], noisy).value, 9)
    (1.0, 0.0)
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    A = as_channel(first)
    B = sharing(A, second, "that are compared")
    known = Joint(prior, A).prior
    possible = np.flatnonzero(known.p > 0)
    p = known.p[possible]
    (_, m), k = A.shape, B.shape[1]
    if len(p) * m * k > _MOST:
        raise InvalidParameter(f"{len(p)} secrets, {m} and {k} observables make more than {_MOST:,} coefficients")
    J, K = (p[:, None] * channel.toarray()[possible] for channel in (A, B))
    mass = J.sum(axis=0)
    below = sp.kron(sp.csr_array(J), sp.eye_array(k))
    sums = sp.kron(sp.eye_array(m), np.ones((1, k)))
    found = linprog(
        -np.repeat(mass, k),
        A_ub=sp.vstack([below, sums]).tocsr(),
        b_ub=np.concatenate([K.ravel(), np.ones(m)]),
        method="highs",
    )
    if found.status != 0:
        raise SolverFailed(f"HiGHS found no post-processing: {found.message}")
    R = _lower(J, K, found.x.reshape(m, k))
    bound = max(1 - float(mass @ R.sum(axis=1)), 0.0)
    gain = np.zeros((k + 1, len(known.p)))
    gain[:k, possible] = np.minimum(1 + found.ineqlin.marginals[: len(p) * k].reshape(len(p), k), 1.0).T
    value = posterior_vulnerability(known, B, gain=gain) - posterior_vulnerability(known, A, gain=gain)
    value = max(value, 0.0)
    if not bound - value <= _CLOSE / 10:
        raise SolverFailed(f"gains earn {value:.9g} more, and only {bound:.9g} is proven to be the most")
    return RefinementDistance(value, max(bound, value), gain, R)


def _lower(first: Array, second: Array, R: Array) -> Array:
    """R lowered to where its rows have sums up to one, and what it makes of the first lies below the second."""
    R = np.maximum(R, 0.0)
    R = R / np.maximum(R.sum(axis=1, keepdims=True), 1.0)
    made = first @ R
    share = np.divide(second, made, out=np.ones_like(made), where=made > second)
    return np.asarray(R * share.min(axis=0))
