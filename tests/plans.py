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


def homes_and_ring():
    """A giant, a home and a ring, with secret 1 on two lanes and secrets 2 and 3 on the ring and at home."""
    plan = ml.design([20, 3, 3, 3, 2, 1], 3, layout="circle")
    return replace(
        plan,
        home_members=np.array([[2, 3]]),
        home_weights=np.array([1]),
        members=np.array([1, 2, 4, 3, 1, 5]),
        starts=np.array([0, 4, 8, 12, 16, 18]),
        length=10,
    )


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


def counted(plan: Plan, secret: int) -> dict[tuple[int, ...], Fraction]:
    """How often each set comes when every place of the secret is taken once."""
    owned = max(1, int(plan.places(np.array([secret]))[0]))
    sets = plan.locate(np.full(owned, secret), np.arange(owned))
    return {members(row): Fraction(count, owned) for row, count in Counter(map(tuple, sets.tolist())).items()}


def members(row):
    """A row without what fills it up."""
    return tuple(i for i in row if i >= 0)


def row_of(channel, secret: int) -> dict[tuple[int, ...], Fraction]:
    """The sets that a secret can cause and their probabilities, from an exact channel."""
    return {y: c for y, c in zip(channel.outputs, channel.exact[secret].tolist(), strict=True) if c}


def walked(plan: Plan, secret: int, place: int) -> tuple[int, ...]:
    """The set at a place of a secret of positive weight, by walking along its home and its segments one by one."""
    giants, u, ring = plan.giants.tolist(), plan.k - len(plan.giants), plan.length
    homes = zip(plan.home_members.tolist(), plan.home_weights.tolist(), strict=True)
    stretches = [(set(home), u * weight, None) for home, weight in homes]
    spans = list(zip(plan.members.tolist(), plan.starts.tolist(), [*plan.starts.tolist()[1:], u * ring], strict=False))
    if secret in giants:
        stretches.append(({secret}, ring, 0))
    else:
        stretches += [({x}, end - start, start) for x, start, end in spans if x == secret]
    for owners, length, start in stretches:
        if secret not in owners and secret not in giants:
            continue
        if place >= length:
            place -= length
            continue
        if start is None:
            return tuple(sorted([*giants, *owners]))
        phases = [(start + place) % ring + ring * lane for lane in range(u)]
        return tuple(sorted([*giants, *(x for phase in phases for x, a, b in spans if a <= phase < b)]))
    raise ValueError(f"secret {secret} does not own that many places")
