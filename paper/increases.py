"""find_increase: search for a joint distribution under which observing increases an entropy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minleak import Channel, Prior
from minleak.lab import ConditionalEntropy

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Increase:
    """A joint distribution of `prior` and `channel` under which observing increases an entropy by `amount`, if one was
    `found` among those `tried`, or else the best of them.
    """

    found: bool
    amount: float
    prior: Prior
    channel: Channel
    tried: int


def find_increase(H: ConditionalEntropy, *, n: int = 3, m: int = 2, trials: int = 2000, seed: int = 0) -> Increase:
    """Search for a joint distribution of n secrets and m observables with H(X|Y) > H(X).

    Random joints of varied skew, each improved by random steps. The witness is evaluated by H itself; `found` means an
    increase above 1e-9. Nothing found is not a proof that there is none.
    """

    def split(flat: Array) -> tuple[Array, Array]:
        joint = flat.reshape(n, m)
        p = joint.sum(axis=1)
        return p, joint / p[:, None]

    def increase(flat: Array) -> float:
        p, rows = split(flat)
        return H.conditional(p, rows) - H(p)

    rng, step = np.random.default_rng(seed), 0.5
    joints = [rng.gamma(rng.choice([0.2, 1.0, 5.0]), size=n * m) + 1e-9 for _ in range(trials // 2)]
    best = max((joint / joint.sum() for joint in joints), key=increase)
    for _ in range(trials - trials // 2):
        moved = best * np.exp(step * rng.standard_normal(n * m))
        moved /= moved.sum()
        better = increase(moved) > increase(best)
        best, step = (moved, min(2 * step, 1.0)) if better else (best, max(0.9 * step, 1e-6))
    p, rows = split(best)
    return Increase(increase(best) > 1e-9, increase(best), Prior(p), Channel(rows), trials)
