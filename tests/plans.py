"""Plans and keys that the tests of the cloak share, and a channel counted place by place.

`walked` uses neither the look-up tables nor the kernels, so that a comparison with it is one of two independent ways.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from tests.cases import LAYOUTS

import minleak as ml
from minleak.core._plan.plan import Plan
from minleak.core._plan.rings import Homes, Ring
from minleak.core._plan.sampler import RingSampler

KEY_BYTES = bytes(range(32))
KEY = ml.Key(KEY_BYTES)

# The chance that a right sampler fails a statistical test. Seeds and keys are fixed, so that a pass is a pass for good.
ERROR_RATE = 1e-6

# Eight secrets, of which the last is in many sets.
EIGHT = ml.design(range(1, 9), 3, layout="circle")

DISEASES = ("flu", "cold", "gout", "mumps", "rabies")


def diseases(layout="stable"):
    """Five named secrets, the last one impossible."""
    return ml.design(ml.Prior([5, 3, 2, 2, 0], labels=DISEASES), 2, layout=layout)


def several_rings():
    """A giant, a home and two rings, with secret 1 on both and secrets 2 and 3 on a ring and at home."""
    rings = (
        Ring(np.array([1, 2, 3]), np.array([0, 4, 8]), 6, 2),
        Ring(np.array([4, 1, 5]), np.array([0, 4, 6]), 4, 2),
    )
    plan = ml.design([20, 3, 3, 3, 2, 1], 3, layout="circle")
    return replace(plan, homes=Homes(np.array([[2, 3]]), np.array([1])), rings=rings)


def zipf(n=2000, k=6, layout="stable"):
    """A giant and a heavy tail, in no order."""
    weights = [10**8, *(10**7 // rank for rank in range(1, n))]
    random.Random(5).shuffle(weights)
    return ml.design(weights, k, layout=layout)


@st.composite
def plans(draw, max_size=8, max_weight=40):
    """Small plans of all kinds: giants, zeros, k = 1, k >= n, gains with zeros."""
    n = draw(st.integers(1, max_size))
    weight = st.one_of(st.integers(0, 3), st.integers(0, max_weight))
    weights = draw(st.lists(weight, min_size=n, max_size=n).filter(any))
    gains = None
    if draw(st.booleans()):
        gains = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        if not any(w * g for w, g in zip(weights, gains, strict=True)):
            gains = None
    return ml.design(weights, draw(st.integers(1, n + 2)), layout=draw(st.sampled_from(LAYOUTS)), gains=gains)


def sampler_of(plan: Plan) -> RingSampler:
    return plan.sampler()


def counted(sampler: RingSampler, secret: int) -> dict[tuple[int, ...], Fraction]:
    """How often each set comes when every place of the secret is taken once."""
    owned = max(1, int(sampler.owned(np.array([secret]))[0]))
    sets = sampler.locate(np.full(owned, secret), np.arange(owned))
    return {members(row): Fraction(count, owned) for row, count in Counter(map(tuple, sets.tolist())).items()}


def members(row):
    """A row without what fills it up."""
    return tuple(i for i in row if i >= 0)


def row_of(channel, secret: int) -> dict[tuple[int, ...], Fraction]:
    """The sets that a secret can cause and their probabilities, from an exact channel."""
    return {y: c for y, c in zip(channel.outputs, channel.exact[secret].tolist(), strict=True) if c}


def walked(plan: Plan, secret: int, place: int) -> tuple[int, ...]:
    """The set at a place of a secret of positive weight, by walking along its home and its segments one by one."""
    giants = plan.giants.tolist()
    homes = list(zip(plan.homes.members.tolist(), plan.homes.weights.tolist(), strict=True))
    stretches = [(set(home), plan.u * weight, None, 0) for home, weight in homes]
    for ring in plan.rings:
        if secret in giants:
            stretches.append(({secret}, ring.length, ring, 0))
        else:
            spans = zip(ring.members, ring.starts.tolist(), ring.ends().tolist(), strict=True)
            stretches += [({int(x)}, end - start, ring, start) for x, start, end in spans if x == secret]
    for owners, length, ring, start in stretches:
        if secret not in owners and secret not in giants:
            continue
        if place >= length:
            place -= length
            continue
        if ring is None:
            return tuple(sorted([*giants, *owners]))
        phases = (start + place) % ring.length + ring.length * np.arange(ring.u)
        return tuple(sorted([*giants, *ring.member(phases).tolist()]))
    raise ValueError(f"secret {secret} does not own that many places")
