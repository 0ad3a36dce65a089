"""CoreConcave: an entropy of one's own, from eta and either its core F or its perspective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minleak.core._arrays import Array
from minleak.core._entropy.base import Entropy
from minleak.core._parameters import truth
from minleak.errors import InvalidParameter


class CoreConcave(Entropy):
    """H(X|Y) = eta(sum over y of Fhat(J[:,y])) for your own eta and F.

    Parameters
    ----------
    eta
        A monotone scalar function.
    perspective
        Fhat(v) = |v|_1 F(v/|v|_1), a function of a non-negative vector; or give `core` instead.
    core
        F itself, a function of a probability vector; the perspective is made from it.
    increasing
        True if eta is increasing and F concave, False if eta is decreasing and F convex.
    vectorised
        The function takes a matrix and returns a value for each column; otherwise it is called column by column.

    F is assumed symmetric and expansible: columns reach it with or without their zeros, in any order. Nothing is
    assumed proven: `minleak.lab.check_entropy` tries to falsify what you claim.

    >>> import math
    >>> gini = CoreConcave(lambda z: z, core=lambda p: 1 - (p**2).sum(), name="gini")
    >>> gini([1, 1])
    0.5
    """

    def __init__(
        self,
        eta: Callable[[float], float],
        perspective: Callable[[Array], Any] | None = None,
        *,
        core: Callable[[Array], Any] | None = None,
        increasing: bool = True,
        vectorised: bool = False,
        name: str = "custom",
    ) -> None:
        if (perspective is None) == (core is None):
            raise InvalidParameter("give either the perspective or the core F of the entropy, and not both")
        function = core if perspective is None else perspective
        if not callable(eta) or not callable(function):
            raise InvalidParameter("eta and the perspective (or core) must be functions")
        for said, what in ((increasing, "increasing"), (vectorised, "vectorised")):
            truth(said, what)
        self._eta = eta
        self._function = function
        self._is_core = perspective is None
        self._increasing = bool(increasing)
        self._vectorised = bool(vectorised)
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def increasing(self) -> bool:
        return self._increasing

    def eta(self, z: float) -> float:
        return float(self._eta(z))

    def _perspective(self, v: Array) -> Array:
        s = v.sum(axis=0)
        result = np.zeros(v.shape[1])
        seen = s > 0
        scale = s[seen] if self._is_core else 1.0
        result[seen] = scale * self._columnwise(v[:, seen] / scale)
        return result

    def _columnwise(self, columns: Array) -> Array:
        if self._vectorised:
            return np.asarray(self._function(columns), dtype=np.float64).reshape(columns.shape[1])
        return np.array([float(self._function(np.ascontiguousarray(column))) for column in columns.T])
