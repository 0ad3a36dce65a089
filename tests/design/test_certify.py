"""certify(plan): every plan passes, and a plan that was tampered with is refused at the right check, never crashing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.design.cases import HARD, LAYOUTS, large

import minleak as ml
from minleak.design.rings import Homes, Ring
from minleak.testing import priors

SECRETS = "the secrets are the prior's"
FORM = "one integer weight for each secret"
TOTAL = "the total is"
WEIGHTS = "the weights are the prior's"
GIANTS = "giants are the heaviest"
FITS = "every other secret fits"
IDLE = "idle secrets"
LENGTHS = "the rings' lengths"
HOMES = "homes are sets"
LINE = "from the start of the line"
TILED = "tiled from end to end"
APART = "no member meets itself"
OWNED = "every secret owns"


@given(priors(max_size=14), st.integers(1, 15), st.sampled_from(LAYOUTS))
def test_plans_are_certified(prior, k, layout):
    """Exactly, without a gap."""
    certificate = ml.certify(ml.design(prior, k, layout=layout), prior, k=k)
    assert certificate
    assert certificate.exact
    assert certificate.gaps == {"prior": 0.0}
    assert all(check.ok for check in certificate.checks)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("weights", "k"), large().values(), ids=large())
def test_large_plans_are_certified(weights, k, layout):
    """Ten thousand secrets: heavy tails, ties, zeros, many giants, homes that give back, floats."""
    plan = ml.design(weights, k, layout=layout)
    certificate = ml.certify(plan, weights)
    assert certificate, str(certificate)


def test_large_cases_are_what_they_are_called():
    """Those that are made to force something do."""
    plans = {name: ml.design(weights, k) for name, (weights, k) in large().items()}
    assert plans["many giants"].n_giants == 30
    assert len(plans["zeros"].idle) > 1000
    assert plans["one just under its share"].n_giants == 0
    for name in ("one just under its share", "homes give back", "all equal"):
        plan = plans[name]
        lightest = np.sort(plan.weights)[::-1][plan.n_giants :][plan.u - 1 :: plan.u]
        assert plan.homes.weights.sum() < lightest.sum()


# -- plans that were tampered with -----------------------------------------------------------------------------------

# One giant, six homes that keep most, a ring of the rest, two idle secrets.
PRIOR = (400, 60, 59, 55, 52, 51, 50, 44, 41, 40, 33, 31, 30, 21, 20, 11, 0, 9, 0)


@pytest.fixture
def stable():
    plan = ml.design(PRIOR, 4)
    assert (plan.n_giants, len(plan.rings), plan.idle.tolist()) == (1, 1, [16, 18])
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


def refused(plan, *whats, prior=PRIOR):
    """Not certified, for exactly these reasons."""
    certificate = ml.certify(plan, prior)
    assert not certificate
    assert not certificate.ok
    failed = [check.what for check in certificate.checks if not check.ok]
    assert len(failed) == len(whats), failed
    assert all(what in failure for what, failure in zip(whats, failed, strict=True)), failed
    assert str(certificate).startswith("NOT certified")
    assert "NO " in str(certificate)


def changed(array, at, value):
    copy = np.array(array)
    copy[at] = value
    return copy


def swapped(array, i, j):
    copy = np.array(array)
    copy[[i, j]] = copy[[j, i]]
    return copy


def with_ring(plan, **fields):
    return replace(plan, rings=(replace(plan.rings[0], **fields),))


def with_homes(plan, **fields):
    return replace(plan, homes=replace(plan.homes, **fields))


def test_another_prior(stable):
    """A plan is for one prior."""
    refused(stable, WEIGHTS, prior=[400, 61, *PRIOR[2:]])
    refused(stable, WEIGHTS, prior=[w / 1007 for w in (400, 61, *PRIOR[2:])])
    refused(stable, SECRETS, FORM, prior=PRIOR[:-1])


def test_other_secrets():
    """Names count."""
    plan = ml.design({"flu": 5, "cold": 3, "gout": 2}, 2)
    assert ml.certify(plan, {"flu": 5, "cold": 3, "gout": 2})
    assert ml.certify(plan, [5, 3, 2])
    refused(plan, SECRETS, FORM, prior={"flu": 5, "gout": 3, "cold": 2})


def test_the_same_prior_as_floats(stable):
    """Within the rounding of floats it is the same prior."""
    assert ml.certify(stable, [w / sum(PRIOR) for w in PRIOR])


def test_weights(stable):
    """Of one secret, of two with the sum kept, below zero, or all zero."""
    refused(replace(stable, weights=changed(stable.weights, 3, 56)), TOTAL)
    moved = changed(changed(stable.weights, 3, 56), 4, 51)
    refused(replace(stable, weights=moved), WEIGHTS, OWNED)
    refused(replace(stable, weights=changed(changed(stable.weights, 16, -1), 3, 56)), TOTAL)
    refused(replace(stable, weights=np.zeros_like(stable.weights)), TOTAL)
    refused(replace(stable, weights=np.zeros_like(stable.weights), total=0), TOTAL)


def test_weights_that_a_stated_distance_would_excuse(stable):
    """A distance is believed only as far as a grid explains it."""
    moved = changed(changed(stable.weights, 3, 56), 4, 51)
    refused(replace(stable, weights=moved, distance=0.5), WEIGHTS, OWNED)
    refused(replace(stable, distance=0.5), WEIGHTS)
    floats = [w / 7 for w in PRIOR]
    plan = ml.design(floats, 4)
    scaled = replace(stable, prior=plan.prior, distance=0.5)
    assert ml.certify(scaled, floats)  # other weights, but they stand for the same prior
    refused(replace(scaled, weights=moved), WEIGHTS, OWNED, prior=floats)


def test_totals(stable):
    """The sum of the weights, and small enough for 64 bits."""
    refused(replace(stable, total=stable.total + 1), TOTAL)
    huge = replace(stable, k=2**60, u=2**60 - 1, homes=Homes.none(1), rings=())
    refused(huge, FORM)


def test_giants(stable):
    """Not the heaviest, one too few, one too many."""
    refused(replace(stable, giants=np.array([1])), GIANTS, FITS, LENGTHS)
    refused(replace(stable, giants=np.array([], dtype=np.int64)), FITS, LENGTHS)
    refused(replace(stable, giants=np.array([0, 1])), GIANTS, FITS, LENGTHS)
    refused(replace(stable, giants=np.array([0, 0])), FORM)
    refused(replace(stable, giants=np.array([19])), FORM)
    refused(replace(stable, giants=np.array([-1])), FORM)


def test_giants_out_of_order():
    """Largest first, as the target is read from them."""
    weights = [60, 90, 5, 4, 4, 3]
    plan = ml.design(weights, 3)
    assert plan.giants.tolist() == [1, 0]
    refused(replace(plan, giants=np.array([0, 1])), GIANTS, prior=weights)


def test_caps_and_shares(stable):
    """k, u and s belong together."""
    refused(replace(stable, k=5), FITS)
    refused(replace(stable, tail=stable.tail - 1), FITS)
    refused(replace(stable, k=0), FORM)
    wider = np.zeros((len(stable.homes.weights), 4), dtype=np.int64)
    refused(with_homes(replace(stable, u=4), members=wider), FITS, LENGTHS)


def test_idle_secrets(stable):
    """All of weight zero, and no others."""
    refused(replace(stable, idle=np.array([16])), IDLE)
    refused(replace(stable, idle=np.array([], dtype=np.int64)), IDLE)
    refused(replace(stable, idle=np.array([16, 17])), IDLE)
    refused(replace(stable, idle=np.array([16, 99])), FORM)


def test_lengths(stable):
    """Homes and rings are all phases, no more and no fewer."""
    homes = stable.homes.weights
    refused(replace(stable, rings=()), LENGTHS)
    refused(replace(stable, rings=stable.rings * 2), LENGTHS)
    refused(with_homes(stable, weights=changed(homes, 0, homes[0] + 1)), LENGTHS)
    refused(with_homes(stable, members=stable.homes.members[1:], weights=homes[1:]), LENGTHS)
    refused(with_ring(stable, length=stable.rings[0].length + 1), LENGTHS)
    refused(with_ring(stable, length=-stable.rings[0].length), LENGTHS)


def test_lengths_that_go_round(stable):
    """Home weights that add up to the right number modulo 2^64 do not add up."""
    homes = stable.homes.weights
    refused(with_homes(stable, weights=homes + changed(np.zeros_like(homes), slice(4), 2**62)), LENGTHS)
    refused(with_homes(stable, weights=changed(homes, 0, -homes[0])), LENGTHS)


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
    refused(replace(plan, rings=(ring,)), TILED, prior=weights)


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
    refused(with_ring(plan, starts=changed(starts, 0, 1)), LINE, OWNED)
    refused(with_ring(plan, starts=changed(starts, -1, plan.u * ring.length)), TILED, OWNED)
    refused(with_ring(plan, starts=changed(starts, -1, plan.u * ring.length + 9)), TILED, OWNED)
    refused(with_ring(plan, starts=changed(starts, 1, starts[2])), TILED, OWNED)
    refused(with_ring(plan, starts=changed(starts, 1, -(2**63))), TILED, OWNED)
    refused(with_ring(plan, starts=changed(starts, 1, 2**63 - 1)), TILED, OWNED)
    refused(with_ring(plan, u=plan.u + 1), LINE, OWNED)
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
    assert ml.certify(replace(plan, rings=(apart,)), weights)
    meeting = Ring(np.array([0, 1, 2, 0, 2, 1]), np.array([0, 2, 4, 6, 8, 10]), 6, 2)
    refused(replace(plan, rings=(meeting,)), APART, prior=weights)
    wrapped = Ring(np.array([0, 2, 1, 2, 0, 2]), np.array([0, 2, 3, 7, 8, 10]), 6, 2)  # 1 is at phases 3..5 and 0
    assert ml.certify(replace(plan, rings=(wrapped,)), weights)
    meeting = Ring(np.array([1, 0, 2, 1, 2, 0, 2]), np.array([0, 1, 3, 5, 8, 9, 11]), 6, 2)  # 1 at 0, at 5 and 0..1
    refused(replace(plan, rings=(meeting,)), APART, prior=weights)


def test_a_segment_longer_than_a_track():
    """It meets itself."""
    weights = [5, 1, 1, 1]
    plan = ml.design([2, 2, 2, 2], 2, layout="circle")
    long = Ring(range(4), np.array([0, 10, 12, 14]), 8, 2)
    refused(replace(plan, weights=np.array(weights), rings=(long,)), FITS, prior=weights)
    refused(replace(plan, rings=(long,)), APART, OWNED, prior=[2, 2, 2, 2])


def test_the_line(line):
    """The same in the single pass for a line in input order."""
    ring, prior = line.rings[0], range(20, 40)
    for starts, whats in (
        (changed(ring.starts, 1, ring.starts[1] + 1), [OWNED]),
        (changed(ring.starts, 0, 1), [LINE]),
        (changed(ring.starts, 1, ring.starts[2]), [TILED, OWNED]),
        (changed(ring.starts, 1, -(2**63)), [TILED, OWNED]),
        (changed(ring.starts, -1, line.u * ring.length + 1), [TILED, OWNED]),
    ):
        refused(with_ring(line, starts=starts), *whats, prior=prior)
    refused(with_ring(line, u=5), LINE, prior=prior)
    refused(with_ring(line, members=range(1, 21)), LINE, prior=prior)
    refused(with_ring(line, members=range(19)), FORM, prior=prior)
    refused(with_ring(line, members=range(10**12)), FORM, prior=prior)
    refused(with_ring(line, members=np.roll(np.arange(20), 1)), OWNED, prior=prior)
    assert ml.certify(with_ring(line, members=np.arange(20)), prior)


@pytest.mark.parametrize(
    "fields",
    [
        {"weights": np.ones(19)},
        {"weights": np.ones((19, 1), dtype=np.int64)},
        {"weights": np.ones(18, dtype=np.int64)},
        {"weights": list(PRIOR)},
        {"giants": np.array([0.0])},
        {"giants": [0]},
        {"giants": np.array([[0]])},
        {"giants": np.array([True])},
        {"idle": np.array([16.0, 18.0])},
        {"idle": None},
        {"total": 1007.0},
        {"u": 3.0},
        {"u": -3},
        {"u": "3"},
        {"k": None},
        {"k": True},
        {"tail": 607.0},
        {"distance": float("nan")},
        {"distance": -1.0},
        {"gains": np.ones(18)},
        {"gains": np.full(19, np.nan)},
        {"gains": np.zeros(19)},
        {"gains": [1.0] * 19},
    ],
    ids=lambda fields: f"{next(iter(fields))} {next(iter(fields.values()))!r}"[:40],
)
def test_fields_of_the_wrong_kind(stable, fields):
    """Refused before anything relies on them."""
    refused(replace(stable, **fields), FORM)


@pytest.mark.parametrize(
    "fields",
    [
        {"starts": np.array([0.0, 1.0])},
        {"starts": None},
        {"starts": [0]},
        {"members": None, "starts": np.array([0])},
        {"members": np.array([1.0]), "starts": np.array([0])},
        {"members": np.array([[1]]), "starts": np.array([0])},
        {"length": None},
        {"length": 2.5},
        {"u": None},
    ],
    ids=lambda fields: " ".join(f"{name} {value!r}" for name, value in fields.items()),
)
def test_rings_of_the_wrong_kind(stable, fields):
    """The same for the fields of a ring."""
    refused(with_ring(stable, **fields), FORM)


@pytest.mark.parametrize(
    "homes",
    [
        Homes(np.zeros((0, 3)), np.zeros(0, dtype=np.int64)),
        Homes(np.zeros((1, 3), dtype=np.int64), np.array([1.0])),
        Homes(np.zeros((2, 3), dtype=np.int64), np.array([1])),
        Homes(np.zeros((1, 2), dtype=np.int64), np.array([1])),
        Homes(np.zeros(3, dtype=np.int64), np.array([1])),
        Homes([[0, 1, 2]], np.array([1])),
        Homes(np.zeros((1, 3), dtype=np.int64), [1]),
    ],
    ids=["float members", "float weights", "too few weights", "too narrow", "flat", "list", "list of weights"],
)
def test_homes_of_the_wrong_kind(stable, homes):
    """The same for the homes."""
    refused(replace(stable, homes=homes), FORM)


@given(st.data())
def test_random_damage_is_never_certified(data):
    """Any one number of any array changed, to anything that fits its type: refused, without an error."""
    layout = data.draw(st.sampled_from(LAYOUTS))
    plan = ml.design(PRIOR, 4, layout=layout)
    ring, homes = plan.rings[0], plan.homes
    arrays = {
        "weights": plan.weights,
        "giants": plan.giants,
        "idle": plan.idle,
        "starts": ring.starts,
        "members": np.asarray(ring.members),
    }
    if len(homes.weights):
        arrays |= {"home members": homes.members, "home weights": homes.weights}
    name = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[name]
    at = data.draw(st.integers(0, array.size - 1))
    info = np.iinfo(array.dtype)
    old = int(array.flat[at])
    near = st.integers(max(info.min, old - 20), min(info.max, old + 20))
    damaged = np.array(array)
    damaged.flat[at] = data.draw(st.one_of(near, st.integers(int(info.min), int(info.max))).filter(lambda v: v != old))
    if name in ("starts", "members"):
        plan = with_ring(plan, **{name: damaged})
    elif name.startswith("home"):
        plan = with_homes(plan, **{name.removeprefix("home "): damaged})
    else:
        plan = replace(plan, **{name: damaged})
    assert not ml.certify(plan, PRIOR)


@pytest.mark.parametrize("k", [3, 5, 10**20])
def test_another_cap_is_refused(stable, k):
    """The question is about another plan."""
    with pytest.raises(ml.InvalidParameter, match="the plan is for k = 4"):
        ml.certify(stable, PRIOR, k=k)


@pytest.mark.parametrize("weights", HARD.values(), ids=HARD)
def test_certificates_in_print(weights):
    """Every check has its line."""
    certificate = ml.certify(ml.design(weights, 2), weights)
    lines = str(certificate).splitlines()
    assert lines[0] == "certified, exactly"
    assert len(lines) == 1 + len(certificate.checks) + len(certificate.gaps)
