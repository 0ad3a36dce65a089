"""Refinement: whether one channel is never worse than another, with the post-processing or a witness; left factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak import Channel, Prior
from minleak.core._arrays import Array
from minleak.core._capacity import uniform_prior
from minleak.core._channel import as_channel
from minleak.core._labels import match
from minleak.core._leakage import posterior_vulnerability
from minleak.core._matrices import check_tolerance
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidChannel
from minleak.lab._algebra import sharing
from minleak.lab._measures.max_case import max_case_vulnerability
from minleak.lab._orders.find import factorise, in_cone


@dataclass(frozen=True)
class Refinement(Result):
    """Whether the first is refined by the second, `ok`: the second leaks no more, whatever the prior and the gain.

    Where it is, first @ `post_processing` = second. Where it is not, `gain` (guesses as rows, small whole numbers
    where they suffice) and `prior` are a case in which the second leaks more: the attacker then earns `earned[1]` after
    seeing it and `earned[0]` after seeing the first. `exact` tells whether it was decided in Fractions.
    """

    ok: bool
    exact: bool
    post_processing: Channel | None = None
    gain: Any = None
    prior: Prior | None = None
    earned: tuple[Any, Any] | None = None

    def __bool__(self) -> bool:
        return self.ok

    def to_parts(self) -> list[str | Table]:
        if self.earned is None:
            return ["the first is refined by the second, which never leaks more"]
        return [
            f"the first is not refined by the second: an attacker who chooses between {self.gain.shape[0]} guesses "
            f"earns {float(self.earned[1]):.6g} after the second and {float(self.earned[0]):.6g} after the first"
        ]


def refined_by(first: Channel | Any, second: Channel | Any, *, tolerance: float = 1e-8) -> Refinement:
    """Return whether the first channel, A, is refined by the second, B: B leaks no more, for every prior and gain.

    The literature writes it A ⊑ B. It is so exactly if A R = B for a post-processing R (Blackwell; the coriaceous
    theorem of quantitative information flow). Decided in Fractions if both channels are exact, with the extra `lab`;
    else every entry of A R = B holds within the tolerance. If the columns of A are independent that takes O(n m k),
    else a linear programme of some twenty steps of O(k n m (n + m)). Sparse channels cost the pairs of columns where
    one's secrets are among the other's.

    >>> noisy = [[0.75, 0.25], [0.25, 0.75]]
    >>> refined_by([[1, 0], [0, 1]], noisy).post_processing.toarray()
    array([[0.75, 0.25],
           [0.25, 0.75]])
    >>> found = refined_by(noisy, [[1, 0], [0, 1]])
    >>> found.ok, found.gain, found.earned
    (False, array([[1., 1.],
           [0., 2.]]), (1.25, 1.5))
    """
    A = as_channel(first)
    B = sharing(A, second, "that are compared")
    exact = A.exact is not None and B.exact is not None
    limit = check_tolerance(tolerance)
    found = factorise(A.exact, B.exact, tolerance=limit) if exact else factorise(A.matrix, B.matrix, tolerance=limit)
    if found.R is not None:
        return Refinement(True, exact, Channel(found.R, inputs=A.outputs, outputs=B.outputs))
    prior = uniform_prior(A)
    if exact:
        gain = np.array([[int(value) for value in guess] for guess in found.gain], dtype=object)
        earned = [(gain @ C.exact).max(axis=0).sum() / A.shape[0] for C in (A, B)]
    else:
        earned = [posterior_vulnerability(prior, C, gain=found.gain) for C in (A, B)]
    return Refinement(False, exact, None, found.gain, prior, (earned[0], earned[1]))


def max_refined_by(first: Channel | Any, second: Channel | Any, *, tolerance: float = 1e-8) -> Refinement:
    """Return whether the first channel, A, is refined by the second, B, in the worst observable: B's max-case leakage
    is no larger, for every prior and gain.

    It is so exactly if every posterior of B is a mean of posteriors of A (Chatzikokolakis, Fernandes, Palamidessi
    2019): weaker than `refined_by`, since how likely the posteriors are does not count. Floats are compared.

    >>> A, B = [[0.75, 0.25], [0.25, 0.75]], [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]
    >>> max_refined_by(A, B).ok, refined_by(A, [[0.5, 0.5], [0.125, 0.875]]).ok
    (True, False)
    """
    A = as_channel(first)
    B = sharing(A, second, "that are compared")
    gain = in_cone(A.matrix, B.matrix, tolerance=check_tolerance(tolerance))
    if gain is None:
        return Refinement(True, False)
    prior = uniform_prior(A)
    earned = [max_case_vulnerability(prior, C, gain=gain) for C in (A, B)]
    return Refinement(False, False, None, gain, prior, (earned[0], earned[1]))


def left_factor(first: Channel | Any, second: Channel | Any, *, tolerance: float = 1e-8) -> Channel | None:
    """The channel L with L A = B, A the first and B the second, or None where there is none: whether B's secrets act as
    mixtures of A's. None too where the two have different numbers of observables.

    Exact where both channels are, else every entry is met within the tolerance. One small programme for each row: rows
    of A and B have sum one, and so have then rows of L >= 0 by themselves.

    >>> left_factor([[1, 0], [0.5, 0.5]], [[0.75, 0.25]]).toarray()
    array([[0.5, 0.5]])
    """
    A, B, limit = as_channel(first), as_channel(second), check_tolerance(tolerance)
    if A.shape[1] != B.shape[1]:
        return None
    rule = "a left factor is between channels with the same observables: "
    match(A.outputs, B.outputs, ("the first", "column"), ("the second", "column"), InvalidChannel, rule=rule)
    if A.exact is not None and B.exact is not None:
        rows = [_exact_weights(A.exact, b, limit) for b in B.exact]
    else:
        rows = [_weights(A.toarray(), b, limit) for b in B.toarray()]
    if any(row is None for row in rows):
        return None
    return Channel(np.array(rows), inputs=B.inputs, outputs=A.inputs)


def _weights(A: Array, b: Array, tolerance: float) -> Array | None:
    """The weights of the mean that is nearest to b, if it is within the tolerance."""
    from scipy.optimize import nnls

    found = nnls(A.T, b, maxiter=100 * len(A))[0]
    total = found.sum()
    if not total > 0:
        return None
    weights = found / total
    return np.asarray(weights) if np.abs(weights @ A - b).max() <= tolerance else None


def _exact_weights(A: Any, b: Any, tolerance: float) -> Any:
    """The weights as the first column of a stochastic R with A' R = [b, rest], the rest being what all rows leave."""
    rest = A.sum(axis=0) - b
    if min(rest) < 0:
        return None
    found = factorise(A.T, np.stack([b, rest], axis=1), tolerance=tolerance).R
    return None if found is None else found[:, 0]
