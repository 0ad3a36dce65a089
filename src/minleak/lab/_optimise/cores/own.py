"""The core of a custom entropy, given by its values and its gradient."""

from __future__ import annotations

import numpy as np

from minleak.core._arrays import Array
from minleak.lab._optimise.cores.base import Core
from minleak.lab._optimise.cores.grouped import Grouped
from minleak.lab._own_entropy import CoreConcave


class OwnCore(Core):
    """U = Fhat, or -Fhat where F is convex."""

    by_gradient = True

    def __init__(self, entropy: CoreConcave) -> None:
        self.entropy = entropy
        self.sign = 1.0 if entropy.increasing else -1.0

    def values(self, v: Array, by: Grouped) -> Array:
        """The entropy is called on columns without their zeros."""
        found = np.zeros(len(by))
        for y, column in enumerate(np.split(v, by.starts[1:])):
            seen = column[column > 0]
            if len(seen):
                found[y] = self.sign * self.entropy.perspective(seen)
        return found

    def gradient_at(self, v: Array, by: Grouped) -> Array:
        sizes = np.unique(by.sizes)
        if len(sizes) == 1:
            return np.asarray(self.sign * self.entropy.gradient(v.reshape(len(by), -1).T).T.ravel())
        columns = np.split(v, by.starts[1:])
        return np.concatenate([self.sign * self.entropy.gradient(column[:, None])[:, 0] for column in columns])
