"""certify(plan): a plan that was tampered with is refused at the right check."""

from __future__ import annotations

import numpy as np
import pytest
from tests.core.certify.tampering import (
    APART,
    FORM,
    GIANTS,
    HOMES,
    OWNED,
    PRIOR,
    SECRETS,
    SHARE,
    WEIGHTS,
    changed,
    refused,
    swapped,
    tampered,
)

import minleak as ml


@pytest.fixture
def stable():
    plan = ml.design(PRIOR, 4)
    assert (plan.n_giants, plan.fixed.tolist()) == (1, [16, 18])
    assert plan.n_homes > 3
    assert ml.certify(plan, PRIOR)
    return plan


@pytest.fixture
def circle():
    plan = ml.design(PRIOR, 4, layout="circle")
    assert ml.certify(plan, PRIOR)
    return plan


@pytest.fixture
def line():
    """No giants, no idle secrets: a segment for each secret, in their order."""
    plan = ml.design(range(20, 40), 4, layout="circle")
    assert plan.members.tolist() == list(range(20))
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
    huge = tampered(stable, k=2**60)
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
    refused(tampered(plan, giants=np.array([0, 1])), GIANTS, prior=weights)


def test_caps_and_shares(stable):
    """k and the giants belong together."""
    refused(tampered(stable, k=5), FORM)
    refused(tampered(stable, k=0), FORM)


def test_lengths(stable):
    """Homes and rings are all phases, no more and no fewer."""
    homes = stable.home_weights
    refused(tampered(stable, members=stable.members[:0], starts=stable.starts[:0]), FORM)
    refused(tampered(stable, home_weights=changed(homes, 0, homes[0] + 1)), FORM)
    refused(tampered(stable, home_members=stable.home_members[1:], home_weights=homes[1:]), FORM)
    refused(tampered(stable, length=stable.length + 1), FORM)
    refused(tampered(stable, length=-stable.length), FORM)


def test_lengths_that_go_round(stable):
    """Home weights that add up to the right number modulo 2^64 do not add up."""
    homes = stable.home_weights
    refused(tampered(stable, home_weights=homes + changed(np.zeros_like(homes), slice(4), 2**62)), FORM)
    refused(tampered(stable, home_weights=changed(homes, 0, -homes[0])), FORM)


def test_starts_that_go_round():
    """A line that comes back to its end after 2^64: every difference is right, and yet it is no line."""
    weights = [2**59] * 4
    plan = ml.design(weights, 2, layout="circle")
    turns = np.array([*range(9), 8.5, 9, 9.5]) * 2.0**61  # the first secret owns eight tracks and its share
    starts = np.array([int(start) for start in turns], dtype=object) % 2**64
    starts = starts.astype(np.uint64).view(np.int64)
    ring = {"members": np.array([0] * 9 + [1, 2, 3]), "starts": starts}
    sizes = (np.append(starts[1:], 2**62) - starts).tolist()
    assert min(sizes) > 0
    assert sum(sizes) == 2**64 + 2**62
    refused(tampered(plan, **ring), FORM, prior=weights)


def test_homes(stable):
    """Weights exchanged, a member twice in a home or in two homes, a giant or an idle secret at home."""
    members, weights = stable.home_members, stable.home_weights
    refused(tampered(stable, home_weights=swapped(weights, 0, -1)), OWNED)
    refused(tampered(stable, home_members=changed(members, (0, 0), members[0, 1])), HOMES, OWNED)
    refused(tampered(stable, home_members=changed(members, (0, 0), members[1, 0])), HOMES, OWNED)
    refused(tampered(stable, home_members=changed(members, (0, 0), 0)), OWNED)
    refused(tampered(stable, home_members=changed(members, (0, 0), 16)), OWNED)
    exchanged = changed(changed(members, (0, 0), members[1, 0]), (1, 0), members[0, 0])
    refused(tampered(stable, home_members=exchanged), OWNED)
    for place in (-1, 19, 2**31 - 1, -(2**31)):
        refused(tampered(stable, home_members=changed(members, (0, 0), place)), FORM)
    refused(tampered(stable, home_members=members.astype(np.int64) + 10**15), FORM)


@pytest.mark.parametrize("plan", ["stable", "circle"])
def test_a_ring(plan, request):
    """Members exchanged, a start moved, off the line."""
    plan = request.getfixturevalue(plan)
    members, starts = plan.members, plan.starts
    refused(tampered(plan, starts=changed(starts, 1, starts[1] + 1)), OWNED)
    refused(tampered(plan, starts=changed(starts, 0, 1)), FORM)
    refused(tampered(plan, starts=changed(starts, -1, plan.u * plan.length)), FORM)
    refused(tampered(plan, starts=changed(starts, -1, plan.u * plan.length + 9)), FORM)
    refused(tampered(plan, starts=changed(starts, 1, starts[2])), FORM)
    refused(tampered(plan, starts=changed(starts, 1, -(2**63))), FORM)
    refused(tampered(plan, starts=changed(starts, 1, 2**63 - 1)), FORM)
    refused(tampered(plan, members=changed(members, 0, 19)), FORM)
    refused(tampered(plan, members=changed(members, 0, -1)), FORM)
    assert not ml.certify(tampered(plan, members=members[:-1], starts=starts[:-1]), PRIOR)
    refused(tampered(plan, members=members[:-1]), FORM)
    refused(tampered(plan, members=members[:0], starts=starts[:0]), FORM)
    lengths = np.diff(starts, append=plan.u * plan.length)
    other = int(np.flatnonzero(lengths != lengths[0])[0])
    refused(tampered(plan, members=swapped(members, 0, other)), OWNED)


def ring(members, starts):
    """A ring as the fields of a plan."""
    return {"members": np.array(members), "starts": np.array(starts)}


def test_a_member_that_meets_itself():
    """Everybody owns what is due, in several segments, which is fine as long as nobody is on two lanes at once."""
    weights = [2, 2, 2]
    plan = ml.design(weights, 2, layout="circle")
    assert ml.certify(tampered(plan, **ring([0, 1, 2, 0, 2], [0, 2, 6, 8, 10])), weights)
    refused(tampered(plan, **ring([0, 1, 2, 0, 2, 1], [0, 2, 4, 6, 8, 10])), APART, prior=weights)
    wrapped = ring([0, 2, 1, 2, 0, 2], [0, 2, 3, 7, 8, 10])  # 1 is at phases 3..5 and 0
    assert ml.certify(tampered(plan, **wrapped), weights)
    meeting = ring([1, 0, 2, 1, 2, 0, 2], [0, 1, 3, 5, 8, 9, 11])  # 1 at 0, at 5 and 0..1
    refused(tampered(plan, **meeting), APART, prior=weights)


def test_a_segment_longer_than_a_lane():
    """It meets itself."""
    plan, long = ml.design([2, 2, 2, 2], 2, layout="circle"), ring(range(4), [0, 10, 12, 14])
    refused(tampered(plan, **long), APART, OWNED, prior=[2, 2, 2, 2])
    weights = np.array([5, 1, 1, 1])
    refused(tampered(plan, weights=weights, **long), SHARE, APART, prior=weights)


def test_the_line(line):
    """The same where segments come in input order."""
    starts, prior = line.starts, range(20, 40)
    for moved, whats in (
        (changed(starts, 1, starts[1] + 1), [OWNED]),
        (changed(starts, 0, 1), [FORM]),
        (changed(starts, 1, starts[2]), [FORM]),
        (changed(starts, 1, -(2**63)), [FORM]),
        (changed(starts, -1, line.u * line.length + 1), [FORM]),
    ):
        refused(tampered(line, starts=moved), *whats, prior=prior)
    refused(tampered(line, members=np.arange(1, 21)), FORM, prior=prior)
    refused(tampered(line, members=np.arange(19)), FORM, prior=prior)
    refused(tampered(line, members=np.roll(np.arange(20), 1)), OWNED, prior=prior)


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
