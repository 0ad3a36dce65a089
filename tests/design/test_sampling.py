"""Drawing by the thousand: every place that a secret owns, drawn once, gives its row of the channel exactly."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tests.cases import HARD, LAYOUTS

import minleak as ml
from minleak._design.sampling import Sampler


class EveryPlace:
    """In the place of a random generator: the i-th of the draws asked for gets place i."""

    def integers(self, low, high):
        assert low == 0
        assert (np.asarray(high) == len(high)).all()
        return np.arange(len(high))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weights", [w for w in HARD.values() if sum(w) < 1000], ids=str)
def test_every_place_once_is_the_row_of_the_channel(weights, layout):
    """C[x,M] is the part of x's places that show M, at every k; giants own all phases."""
    for k in range(1, len(weights) + 1):
        plan = ml.design(weights, k, layout=layout)
        if plan.tail == 0:
            continue  # one set, nothing to draw
        exact = plan.channel(exact=True)
        sampler = Sampler(plan)
        for x in np.flatnonzero(plan.weights).tolist():
            owned = plan.tail if x in plan.giants else plan.u * int(plan.weights[x])
            sets = sampler.draw(np.full(owned, x), EveryPlace())
            shown = Counter(tuple(sorted(row)) for row in sets.tolist())
            row = {y: c for y, c in zip(exact.outputs, exact.exact[x], strict=True) if c}
            assert {members: Fraction(count, owned) for members, count in shown.items()} == row


@pytest.mark.parametrize("layout", LAYOUTS)
def test_many_secrets_at_once(layout):
    """A set of k different secrets for each, its own among them."""
    rng = np.random.default_rng(0)
    plan = ml.design((10**6 / np.arange(1, 3001)).astype(int), 6, layout=layout)
    secrets = rng.integers(0, 3000, 5000)
    sets = Sampler(plan).draw(secrets, rng)
    assert sets.shape == (5000, 6)
    assert (sets == secrets[:, None]).any(axis=1).all()
    assert (np.diff(np.sort(sets, axis=1), axis=1) > 0).all()
