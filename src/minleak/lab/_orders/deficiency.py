"""Deficiency: how far a channel is from simulating another, whoever asks for what (Le Cam)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._channel import Channel, as_channel
from minleak.core._prior import Prior
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, SolverFailed
from minleak.lab._algebra import sharing

# The most coefficients of the programme, and how close its two sides must come.
_MOST = 20_000_000
_CLOSE = 1e-7


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
