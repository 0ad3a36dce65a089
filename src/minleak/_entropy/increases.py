"""find_increase: search for a joint distribution under which observing increases an entropy."""

from __future__ import annotations

from dataclasses import dataclass

from minleak._data.arrays import Array
from minleak._data.channel import Channel
from minleak._data.parameters import whole
from minleak._data.prior import Prior
from minleak._data.simulating import TRIALS, generator
from minleak._entropy.base import ConditionalEntropy
from minleak._entropy.names import as_entropy
from minleak._entropy.random_search import random_search
from minleak._face.result import Result
from minleak.errors import InvalidParameter, shown

# The largest joint that is searched.
_ENTRIES = 1_000_000


@dataclass(frozen=True)
class Increase(Result):
    """A joint distribution of `prior` and `channel` under which observing increases an entropy by `amount`, if one was
    `found` among those `tried`, or else the best of them.
    """

    found: bool
    amount: float
    prior: Prior
    channel: Channel
    tried: int


def find_increase(
    entropy: ConditionalEntropy | str, *, n: int = 3, m: int = 2, trials: int = 2000, seed: int = 0
) -> Increase:
    """Search for a joint distribution of n secrets and m observables with H(X|Y) > H(X), H the entropy.

    Random joints of varied skew, each improved by random steps. The witness is evaluated by H itself; `found` means an
    increase above 1e-9. Nothing found is not a proof that there is none.

    >>> find_increase("cachin:2").found
    True
    """
    n, m, trials = whole(n, "n", 1), whole(m, "m", 1), whole(trials, "trials", 1, TRIALS)
    if n * m > _ENTRIES:
        raise InvalidParameter(f"a joint of n x m = {shown(n * m)} entries is too large: {_ENTRIES:,} at most")
    H, rng = as_entropy(entropy), generator(seed)

    def split(flat: Array) -> tuple[Array, Array]:
        joint = flat.reshape(n, m)
        p = joint.sum(axis=1)
        return p, joint / p[:, None]

    def increase(flat: Array) -> float:
        p, rows = split(flat)
        return H.conditional(p, rows) - H(p)

    flat, amount = random_search(increase, n * m, trials=trials, rng=rng)
    p, rows = split(flat)
    return Increase(amount > 1e-9, amount, Prior(p), Channel(rows), trials)
