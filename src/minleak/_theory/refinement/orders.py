"""Refinement: whether one channel is never worse than another, with the post-processing or a witness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minleak._data.channel import Channel, as_channel, post_processing
from minleak._data.matrices import check_tolerance
from minleak._data.prior import Prior
from minleak._face.result import Result
from minleak._face.tables import Table
from minleak._measure.capacities import uniform_prior
from minleak._measure.leakages import posterior_vulnerability
from minleak._theory.max_case import max_case_vulnerability
from minleak._theory.refinement.find import factorise, in_cone


@dataclass(frozen=True)
class Refinement(Result):
    """Whether the second refines the first, `ok`: whatever the prior and the gain, it leaks no more.

    Where it does, first @ `post_processing` = second. Where it does not, `gain` (guesses as rows, small whole numbers
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
            return ["the second refines the first: it never leaks more"]
        return [
            f"the second does not refine the first: an attacker who chooses between {self.gain.shape[0]} guesses earns "
            f"{float(self.earned[1]):.6g} after the second and {float(self.earned[0]):.6g} after the first"
        ]


def refines(first: Channel | Any, second: Channel | Any, *, tolerance: float = 1e-8) -> Refinement:
    """Is B, the second, never worse than A, the first: for every prior and every gain, does B leak no more than A?

    It is so exactly if A R = B for a post-processing R (Blackwell; the coriaceous theorem of quantitative
    information flow). Decided in Fractions if both channels are exact; else every entry of A R = B holds within the
    tolerance. If the columns of A are independent that takes O(n m k), else a linear programme of some twenty steps of
    O(k n m (n + m)). Sparse channels cost the pairs of columns where one's secrets are among the other's.

    >>> noisy = [[0.75, 0.25], [0.25, 0.75]]
    >>> refines([[1, 0], [0, 1]], noisy).post_processing.toarray()
    array([[0.75, 0.25],
           [0.25, 0.75]])
    >>> found = refines(noisy, [[1, 0], [0, 1]])
    >>> found.ok, found.gain, found.earned
    (False, array([[1., 1.],
           [0., 2.]]), (1.25, 1.5))
    """
    A = as_channel(first)
    B = A.sharing(second, "that are compared")
    exact = A.exact is not None and B.exact is not None
    limit = check_tolerance(tolerance)
    found = factorise(A.exact, B.exact, tolerance=limit) if exact else factorise(A.matrix, B.matrix, tolerance=limit)
    if found.R is not None:
        return Refinement(True, exact, post_processing(found.R, A, B))
    prior = uniform_prior(A)
    if exact:
        gain = np.array([[int(value) for value in guess] for guess in found.gain], dtype=object)
        earned = [(gain @ C.exact).max(axis=0).sum() / A.shape[0] for C in (A, B)]
    else:
        earned = [posterior_vulnerability(prior, C, gain=found.gain) for C in (A, B)]
    return Refinement(False, exact, None, found.gain, prior, (earned[0], earned[1]))


def max_refines(first: Channel | Any, second: Channel | Any, *, tolerance: float = 1e-8) -> Refinement:
    """Is B, the second, never worse than A, the first, in its worst observable: for every prior and gain, is B's
    max-case leakage no larger?

    It is so exactly if every posterior of B is a mean of posteriors of A (Chatzikokolakis, Fernandes, Palamidessi
    2019): weaker than `refines`, since how likely the posteriors are does not count. Floats are compared.

    >>> A, B = [[0.75, 0.25], [0.25, 0.75]], [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]
    >>> max_refines(A, B).ok, refines(A, [[0.5, 0.5], [0.125, 0.875]]).ok
    (True, False)
    """
    A = as_channel(first)
    B = A.sharing(second, "that are compared")
    gain = in_cone(A.matrix, B.matrix, tolerance=check_tolerance(tolerance))
    if gain is None:
        return Refinement(True, False)
    prior = uniform_prior(A)
    earned = [max_case_vulnerability(prior, C, gain=gain) for C in (A, B)]
    return Refinement(False, False, None, gain, prior, (earned[0], earned[1]))
