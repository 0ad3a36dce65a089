"""certify(plan): a plan that was tampered with is refused at the right check."""

from __future__ import annotations

import numpy as np
import pytest
from tests.core.certify.tampering import (
    APART,
    FORM,
    HOMES,
    OWNED,
    PRIOR,
    SECRETS,
    WEIGHTS,
    changed,
    refused,
    swapped,
    tampered,
    with_homes,
    with_ring,
)

import minleak as ml
from minleak.core._plan.rings import Homes, Ring


@pytest.fixture
def stable():
    plan = ml.design(PRIOR, 4)
    assert (plan.n_giants, len(plan.rings), plan.zero_weight.tolist()) == (1, 1, [16, 18])
    assert len(plan.homes.weights) > 3
    assert ml.certify(plan, PRIOR)
    return plan


@pytest.fixture
def circle():
    plan = ml.design(PRIOR, 4, layout="circle")
    assert ml.certify(plan, PRIOR)
    return plan


@pytest.fixture
def line():
    """No giants, no idle secrets: members are a range, which is checked in a single pass."""
    plan = ml.design(range(20, 40), 4, layout="circle")
    assert isinstance(plan.rings[0].members, range)
    assert ml.certify(plan, range(20, 40))
    return plan


def test_another_prior(stable):
    """A plan is for one prior."""
    refused(stable, WEIGHTS, prior=[400, 61, *PRIOR[2:]])
    refused(stable, WEIGHTS, prior=[w / 1007 for w in (400, 61, *PRIOR[2:])])
    refused(stable, SECRETS, prior=PRIOR[:-1])


def test_other_secrets():
    """Names count."""
    plan = ml.design({"flu": 5, "cold": 3, "gout": 2}, 2)
    assert ml.certify(plan, {"flu": 5, "cold": 3, "gout": 2})
    assert ml.certify(plan, [5, 3, 2])
    refused(plan, SECRETS, prior={"flu": 5, "mumps": 3, "gout": 2})
    assert not ml.certify(plan, {"flu": 5, "gout": 3, "cold": 2})


def test_the_same_prior_as_floats(stable):
    """Within the rounding of floats it is the same prior."""
    assert ml.certify(stable, [w / sum(PRIOR) for w in PRIOR])


def test_weights(stable):
    """Of one secret, of two with the sum kept, below zero, or all zero."""
    refused(tampered(stable, weights=changed(stable.weights, 3, 56)), FORM)
    moved = changed(changed(stable.weights, 3, 56), 4, 51)
    refused(tampered(stable, weights=moved), WEIGHTS, OWNED)
    refused(tampered(stable, weights=changed(changed(stable.weights, 16, -1), 3, 56)), FORM)
    refused(tampered(stable, weights=np.zeros_like(stable.weights)), FORM)


def test_weights_that_a_stated_distance_would_excuse(stable):
    """A distance is believed only as far as a grid explains it."""
    moved = changed(changed(stable.weights, 3, 56), 4, 51)
    refused(tampered(stable, weights=moved, distance=0.5), WEIGHTS, OWNED)
    refused(tampered(stable, distance=0.5), WEIGHTS)
    floats = [w / 7 for w in PRIOR]
    plan = ml.design(floats, 4)
    scaled = tampered(stable, prior=plan.prior, distance=0.5)
    assert ml.certify(scaled, floats)  # other weights, but they stand for the same prior
    refused(tampered(scaled, weights=moved), WEIGHTS, OWNED, prior=floats)


def test_totals(stable):
    """Small enough for 64 bits."""
    huge = tampered(stable, k=2**60, homes=Homes.none(1), rings=())
    refused(huge, FORM)


def test_giants(stable):
    """Not the heaviest, one too few, one too many."""
    refused(tampered(stable, giants=np.array([1])), FORM)
    refused(tampered(stable, giants=np.array([], dtype=np.int64)), FORM)
    refused(tampered(stable, giants=np.array([0, 1])), FORM)
    refused(tampered(stable, giants=np.array([0, 0])), FORM)
    refused(tampered(stable, giants=np.array([19])), FORM)
    refused(tampered(stable, giants=np.array([-1])), FORM)


def test_giants_out_of_order():
    """Largest first, as the target is read from them."""
    weights = [60, 90, 5, 4, 4, 3]
    plan = ml.design(weights, 3)
    assert plan.giants.tolist() == [1, 0]
    refused(tampered(plan, giants=np.array([0, 1])), FORM, prior=weights)


def test_caps_and_shares(stable):
    """k and the giants belong together."""
    refused(tampered(stable, k=5), FORM)
    refused(tampered(stable, k=0), FORM)


def test_lengths(stable):
    """Homes and rings are all phases, no more and no fewer."""
    homes = stable.homes.weights
    refused(tampered(stable, rings=()), FORM)
    refused(tampered(stable, rings=stable.rings * 2), FORM)
    refused(with_homes(stable, weights=changed(homes, 0, homes[0] + 1)), FORM)
    refused(with_homes(stable, members=stable.homes.members[1:], weights=homes[1:]), FORM)
    refused(with_ring(stable, length=stable.rings[0].length + 1), FORM)
    refused(with_ring(stable, length=-stable.rings[0].length), FORM)


def test_lengths_that_go_round(stable):
    """Home weights that add up to the right number modulo 2^64 do not add up."""
    homes = stable.homes.weights
    refused(with_homes(stable, weights=homes + changed(np.zeros_like(homes), slice(4), 2**62)), FORM)
    refused(with_homes(stable, weights=changed(homes, 0, -homes[0])), FORM)


def test_starts_that_go_round():
    """A line that comes back to its end after 2^64: every difference is right, and yet it is no line."""
    weights = [2**59] * 4
    plan = ml.design(weights, 2, layout="circle")
    turns = np.array([*range(9), 8.5, 9, 9.5]) * 2.0**61  # the first secret owns eight tracks and its share
    starts = np.array([int(start) for start in turns], dtype=object) % 2**64
    starts = starts.astype(np.uint64).view(np.int64)
    ring = Ring(np.array([0] * 9 + [1, 2, 3]), starts, 2**61, 2)
    sizes = (np.append(starts[1:], 2**62) - starts).tolist()
    assert min(sizes) > 0
    assert sum(sizes) == 2**64 + 2**62
    refused(tampered(plan, rings=(ring,)), FORM, prior=weights)


def test_homes(stable):
    """Weights exchanged, a member twice in a home or in two homes, a giant or an idle secret at home."""
    members, weights = stable.homes.members, stable.homes.weights
    refused(with_homes(stable, weights=swapped(weights, 0, -1)), OWNED)
    refused(with_homes(stable, members=changed(members, (0, 0), members[0, 1])), HOMES, OWNED)
    refused(with_homes(stable, members=changed(members, (0, 0), members[1, 0])), HOMES, OWNED)
    refused(with_homes(stable, members=changed(members, (0, 0), 0)), OWNED)
    refused(with_homes(stable, members=changed(members, (0, 0), 16)), OWNED)
    exchanged = changed(changed(members, (0, 0), members[1, 0]), (1, 0), members[0, 0])
    refused(with_homes(stable, members=exchanged), OWNED)
    for place in (-1, 19, 2**31 - 1, -(2**31)):
        refused(with_homes(stable, members=changed(members, (0, 0), place)), FORM)
    refused(with_homes(stable, members=members.astype(np.int64) + 10**15), FORM)


@pytest.mark.parametrize("plan", ["stable", "circle"])
def test_rings(plan, request):
    """Members exchanged, a start moved, off the line, or on another number of tracks."""
    plan = request.getfixturevalue(plan)
    ring = plan.rings[0]
    members, starts = np.asarray(ring.members), ring.starts
    refused(with_ring(plan, starts=changed(starts, 1, starts[1] + 1)), OWNED)
    refused(with_ring(plan, starts=changed(starts, 0, 1)), FORM)
    refused(with_ring(plan, starts=changed(starts, -1, plan.u * ring.length)), FORM)
    refused(with_ring(plan, starts=changed(starts, -1, plan.u * ring.length + 9)), FORM)
    refused(with_ring(plan, starts=changed(starts, 1, starts[2])), FORM)
    refused(with_ring(plan, starts=changed(starts, 1, -(2**63))), FORM)
    refused(with_ring(plan, starts=changed(starts, 1, 2**63 - 1)), FORM)
    refused(with_ring(plan, u=plan.u + 1), FORM)
    refused(with_ring(plan, members=changed(members, 0, 19)), FORM)
    refused(with_ring(plan, members=changed(members, 0, -1)), FORM)
    assert not ml.certify(with_ring(plan, members=members[:-1], starts=starts[:-1]), PRIOR)
    refused(with_ring(plan, members=members[:-1]), FORM)
    refused(with_ring(plan, members=members[:0], starts=starts[:0]), FORM)
    lengths = np.diff(starts, append=plan.u * ring.length)
    other = int(np.flatnonzero(lengths != lengths[0])[0])
    refused(with_ring(plan, members=swapped(members, 0, other)), OWNED)


def test_a_member_that_meets_itself():
    """Everybody owns what is due, in several segments, which is fine as long as nobody is on two tracks at once."""
    weights = [2, 2, 2]
    plan = ml.design(weights, 2, layout="circle")
    apart = Ring(np.array([0, 1, 2, 0, 2]), np.array([0, 2, 6, 8, 10]), 6, 2)
    assert ml.certify(tampered(plan, rings=(apart,)), weights)
    meeting = Ring(np.array([0, 1, 2, 0, 2, 1]), np.array([0, 2, 4, 6, 8, 10]), 6, 2)
    refused(tampered(plan, rings=(meeting,)), APART, prior=weights)
    wrapped = Ring(np.array([0, 2, 1, 2, 0, 2]), np.array([0, 2, 3, 7, 8, 10]), 6, 2)  # 1 is at phases 3..5 and 0
    assert ml.certify(tampered(plan, rings=(wrapped,)), weights)
    meeting = Ring(np.array([1, 0, 2, 1, 2, 0, 2]), np.array([0, 1, 3, 5, 8, 9, 11]), 6, 2)  # 1 at 0, at 5 and 0..1
    refused(tampered(plan, rings=(meeting,)), APART, prior=weights)


def test_a_segment_longer_than_a_track():
    """It meets itself."""
    weights = [5, 1, 1, 1]
    plan = ml.design([2, 2, 2, 2], 2, layout="circle")
    long = Ring(range(4), np.array([0, 10, 12, 14]), 8, 2)
    refused(tampered(plan, weights=np.array(weights), rings=(long,)), FORM, prior=weights)
    refused(tampered(plan, rings=(long,)), APART, OWNED, prior=[2, 2, 2, 2])


def test_the_line(line):
    """The same in the single pass for a line in input order."""
    ring, prior = line.rings[0], range(20, 40)
    for starts, whats in (
        (changed(ring.starts, 1, ring.starts[1] + 1), [OWNED]),
        (changed(ring.starts, 0, 1), [FORM]),
        (changed(ring.starts, 1, ring.starts[2]), [FORM]),
        (changed(ring.starts, 1, -(2**63)), [FORM]),
        (changed(ring.starts, -1, line.u * ring.length + 1), [FORM]),
    ):
        refused(with_ring(line, starts=starts), *whats, prior=prior)
    refused(with_ring(line, u=5), FORM, prior=prior)
    refused(with_ring(line, members=range(1, 21)), FORM, prior=prior)
    refused(with_ring(line, members=range(19)), FORM, prior=prior)
    refused(with_ring(line, members=range(10**12)), FORM, prior=prior)
    refused(with_ring(line, members=np.roll(np.arange(20), 1)), OWNED, prior=prior)
    assert ml.certify(with_ring(line, members=np.arange(20)), prior)


@pytest.mark.parametrize("layout", ["stable", "circle", "blocks"])
def test_rows_in_another_order(layout, tmp_path):
    """A prior is matched by its labels, gains with it; what is then another weight, or another name, is one."""
    rng, names = np.random.default_rng(1), [f"name-{i}" for i in range(40)]
    weights, gains, order = rng.integers(1, 90, 40), rng.integers(1, 5, 40), rng.permutation(40)
    shuffled = [names[i] for i in order]
    plan = ml.design(ml.Prior(weights, labels=names), 4, layout=layout)
    plan.save(tmp_path / "x.cloak")
    for subject in (plan, tmp_path / "x.cloak"):
        assert ml.certify(subject, ml.Prior(weights[order], labels=shuffled)).ok
        assert ml.certify(subject, dict(zip(shuffled, weights[order].tolist(), strict=True))).ok
        assert not ml.certify(subject, ml.Prior(weights[order] + (order == 3), labels=shuffled)).ok
        assert not ml.certify(subject, ml.Prior(weights[order], labels=[*shuffled[:-1], "other"])).ok
    if layout != "blocks":
        worth = ml.design(ml.Prior(weights, labels=names), 4, layout=layout, gains=gains)
        assert ml.certify(worth, ml.Prior(weights[order], labels=shuffled), gains=gains[order]).ok
        assert not ml.certify(worth, ml.Prior(weights[order], labels=shuffled), gains=gains).ok
