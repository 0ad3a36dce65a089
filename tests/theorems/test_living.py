"""Plans that live (MATH 14): any homes are optimal, coupled draws are exact, and more versions tell more."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.design.living.worlds import changes, named, walked, zipf
from tests.plans import row_of

import minleak as ml
from minleak._design.living.small import _boxes, _named_cells
from minleak._design.stored.sampler import Sampler, scaled
from minleak._design.stored.saving import tables_of


class Bits:
    """One number for each draw, whose bits are read as far as they are asked for."""

    def __init__(self, numbers):
        self.numbers, self.read = numbers, 0

    def bits(self, which, _number, counter):
        self.read = max(self.read, counter + 1)
        values = [int(self.numbers[i] * 2 ** (128 * (counter + 1))) % 2**128 for i in which.tolist()]
        return np.array([[value >> 64, value % 2**64] for value in values], dtype=np.uint64)


@given(changes())
def test_an_updated_plan_leaks_as_little_as_one_made_anew(change):
    """Every optimal plan has the same posterior pi, whatever its homes: H(X|Y) is that of a design, for every H."""
    plan, prior = change
    newer, anew = plan.update(prior), ml.design(prior, plan.k)
    if newer.k == anew.k:
        assert newer.exact_target == anew.exact_target


@given(st.integers(1, 2**62), st.integers(0, 2**400 - 1))
def test_the_place_is_the_floor_of_r_times_the_bound(bound, bits):
    """Exactly, for every number and bound: so each of N places has a share of 1/N of all numbers."""
    r = Fraction(bits, 2**400)
    assert scaled(Bits([r]), np.array([0]), 0, np.array([bound])).tolist() == [int(r * bound)]


@pytest.mark.parametrize("bound", [3, 10, 2**62, 2**62 - 1, 3**39])
def test_bits_are_read_until_they_tell(bound):
    """Numbers just below and above a multiple of 1/N, which 128 bits do not tell apart."""
    for place in {1, bound // 2, bound - 1} - {0}:
        near = [Fraction(place, bound) - Fraction(1, 2**300), Fraction(place, bound) + Fraction(1, 2**300)]
        streams = Bits(near)
        assert scaled(streams, np.arange(2), 0, np.array([bound] * 2)).tolist() == [place - 1, place]
        dyadic = Fraction(place, bound).denominator.bit_count() == 1
        assert streams.read >= (1 if dyadic else 2)


@given(changes())
def test_a_stream_gives_every_set_its_own_probability(change):
    """The stretches of a secret's stream, giants' trees included, are as long as p(set given secret) of the channel."""
    plan = change[0].update(change[1])
    channel = plan.channel(exact=True)
    labels = list(plan.prior.labels)
    cells = _named_cells(plan, {i: i for i in range(len(labels))})
    for x in range(len(labels)):
        found: Counter = Counter()
        for box, members in _boxes(plan, cells, x):
            length = Fraction(1)
            for low, high in box.values():
                length *= high - low
            found[tuple(labels[i] for i in sorted(members))] += length
        assert dict(found) == row_of(channel, x)


@given(changes(max_weight=12))
def test_draws_are_those_of_the_stretches(change):
    """In the middle of every stretch of a stream a draw shows the set of that stretch."""
    plan = change[0].update(change[1])
    if not plan.tail:
        return
    sampler = Sampler(plan, tables_of(plan))
    cells = _named_cells(plan, {i: i for i in range(len(plan.weights))})
    for x in np.flatnonzero(plan.weights).tolist():
        for box, members in _boxes(plan, cells, x):
            off = Fraction(1, 2) + Fraction(1, 2**200)  # on no place's edge
            middle = {number: low + (high - low) * off for number, (low, high) in box.items()}

            class Middle:
                def bits(self, which, number, counter, middle=middle):
                    value = int(middle.get(number, Fraction(1, 2)) * 2 ** (128 * (counter + 1))) % 2**128
                    return np.array([[value >> 64, value % 2**64]] * len(which), dtype=np.uint64)

            row = sampler.sets(np.array([x]), sampler.coupled(np.array([x]), Middle()))[0]
            assert frozenset(row.tolist()) == members


def test_at_home_in_all_versions():
    """Coupled, a secret stays home in all versions with the least of its shares at home, not with their product."""
    rng = np.random.default_rng(1)
    plans = [ml.design(named(10**5 + 100 * np.arange(64)), 4)]
    for _ in range(3):
        plans.append(plans[-1].update(walked(plans[-1].prior, rng, 0.05)))
    names, draws = [f"s{i}" for i in range(64)], 400
    cloaks = [ml.Cloak(plan, key=bytes(range(32))) for plan in plans]
    home, least = 0, 0.0
    for name in names:
        always, share = np.ones(draws, dtype=bool), 1.0
        for plan, cloak in zip(plans, cloaks, strict=True):
            x = plan.prior.labels.position(name)
            row = np.flatnonzero((plan.homes.members == x).any(axis=1))
            members, weight = set(), 0
            if len(row):
                members, weight = set(plan.homes.members[row[0]].tolist()), int(plan.homes.weights[row[0]])
            share = min(share, weight / int(plan.weights[x]))
            sets = cloak.draw_many([x] * draws, scopes=[str(i) for i in range(draws)])
            always &= np.array([set(one) == members for one in sets.tolist()])
        home += int(always.sum())
        least += share * draws
    assert abs(home - least) < 5 * (64 * draws / 4) ** 0.5


def test_more_versions_never_tell_less():
    """An attacker who saw more is right at least as often, exactly."""
    rng = np.random.default_rng(2)
    plans = [ml.design(named(zipf(9, 60)), 3)]
    for _ in range(3):
        plans.append(plans[-1].update(walked(plans[-1].prior, rng, 0.1)))
    found = [ml.exposure(plans[:n], prior=plans[0].prior) for n in range(1, 5)]
    assert all(one.exact for one in found)
    assert all(one.success <= two.success + 1e-12 for one, two in pairwise(found))
